"""Runs side by side: tables and curves, races, sweeps, aligned topics, and how to fail."""

import streamlit as st

from bnpexplorer.ui.compare.aligned import aligned_view
from bnpexplorer.ui.compare.failures import failures_view
from bnpexplorer.ui.compare.race import race_view
from bnpexplorer.ui.compare.side_by_side import runs_view
from bnpexplorer.ui.compare.sweep import sweep_view
from bnpexplorer.ui.frame import look
from bnpexplorer.ui.parts.run_choice import say_missing

look.through_app()


def show_race() -> None:
    """Turn to the race (before the next script run)."""
    st.session_state["compare"] = "Race"


VIEWS = {
    "Runs": runs_view,
    "Race": race_view,
    "Sweep": sweep_view,
    "Topics aligned": aligned_view,
    "When it fails": lambda: failures_view(show_race),
}

st.title("Which way of learning is better here?")
st.markdown("Runs on the same texts and the same split, side by side, with what differs marked.")
say_missing()
chosen = st.segmented_control(
    "View",
    list(VIEWS),
    default="Runs",
    required=True,
    key="compare",
    bind="query-params",
    persist_state="session",
    label_visibility="collapsed",
)
VIEWS[chosen]()
