"""The figures of the Live page, one a screen."""

from collections.abc import Sequence

import streamlit as st

from ...runs.background import ENDED
from ..frame import server
from ..frame.session import Shown
from ..frame.words import plain
from ..parts.links import links_of, watching_address
from ..parts.presenting import height_of, presentation
from ..parts.run_choice import labels_of
from ..seam.ticking import ticking
from . import charts, listed
from .rows import lines

VIEWS = {
    "Score": "Held-out log likelihood per word: higher is better",
    "Topics in use": "Topics in use",
    "Topics": "Topics{}, largest first",
    "Shares": "Share of the largest topics{}",
}
"""What a button calls a view, and its heading, with whose topics they are to be filled in."""
TOPIC_ROW = 42
"""Pixels of a topic in the table."""


def presented(runs: Sequence[Shown]) -> None:
    """Rows without their buttons, and one figure."""
    statuses = [shown.entry.background.status for shown in runs]
    busy = any(status not in ENDED for status in statuses)
    owned = [
        (shown.entry.background, status)
        for shown, status in zip(runs, statuses, strict=True)
        if shown.owned
    ]
    height = height_of(len(runs))

    def draw(view: int) -> None:
        @ticking(server.registry().tick_seconds() if busy else None)
        def live() -> None:
            if [s.entry.background.status for s in runs] != statuses:
                st.rerun()  # the buttons are outside this fragment
            st.html(lines(runs))
            _figure(runs, [*VIEWS][view], height)

        live()

    presentation([*VIEWS], owned, watching_address(links_of(runs).watch), draw)


def _figure(runs: Sequence[Shown], view: str, height: int) -> None:
    place = listed.chosen_run(runs)
    whose = f" of {plain(labels_of(runs)[place])}" if len(runs) > 1 else ""
    st.markdown(f"## {VIEWS[view].format(whose)}")
    axis = charts.chosen_axis()
    if view == "Score":
        charts.heldout_chart(runs, axis, height)
    elif view == "Topics in use":
        charts.topics_chart(runs, axis, height)
    elif view == "Shares":
        charts.weights_chart(runs, place, height)
    else:
        most = max((height - 40) // TOPIC_ROW, 1)
        listed.largest_topics(runs[place], most)
