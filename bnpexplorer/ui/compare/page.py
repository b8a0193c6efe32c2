"""Runs side by side: tables and curves, races, sweeps, aligned topics, and how to fail."""

from collections.abc import Callable

import streamlit as st

from ..frame import look
from ..parts.run_buttons import say_missing
from ..seam.widgets import set_widget
from .aligned import aligned_view
from .chains import chains_view
from .race import failures_view, race_view
from .race_presented import presented
from .side_by_side import runs_view
from .sweep import sweep_view


def show_race() -> None:
    """Turn to the race (before the next script run)."""
    set_widget("compare", "Race")


VIEWS: dict[str, Callable[[], None]] = {
    "Runs": runs_view,
    "Race": race_view,
    "Chains": chains_view,
    "Sweep": sweep_view,
    "Topics aligned": aligned_view,
    "When it fails": lambda: failures_view(show_race),
}


def page() -> None:
    """The page, drawn from its top."""
    if presented():
        return
    if look.is_embedded() and st.query_params.get("race"):
        race_view()
        return
    st.title("Which way of learning is better here?")
    st.markdown(
        "Runs on the same texts and the same split, side by side, with what differs marked."
    )
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
