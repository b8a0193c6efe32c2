"""Runs side by side: tables and curves, races, sweeps, aligned topics, and how to fail."""

import streamlit as st

from bnpexplorer.ui import look
from bnpexplorer.ui.aligned import aligned_view
from bnpexplorer.ui.compare import runs_view
from bnpexplorer.ui.failures import failures_view
from bnpexplorer.ui.race import race_view
from bnpexplorer.ui.run_choice import say_missing
from bnpexplorer.ui.sweep import sweep_view

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
