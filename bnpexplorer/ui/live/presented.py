"""The figures of the Live page, one a screen."""

from collections.abc import Sequence

import streamlit as st

from ...explore.words import grid_of
from ...runs.keeping import ENDED
from ..frame import server
from ..frame.session import RunOnPage
from ..frame.words import plain
from ..parts.presenting import height_of, presentation
from ..parts.run_buttons import labels_of
from ..parts.share import links_of, watching_address
from ..seam.widgets import ticking
from . import charts, panel
from .panel import found_again_chart, n_known, pictures
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
WHOLE_SHEET = 374
"""Pixels of two rows of true topics, as of the ten bars, with the other topics below them."""


KNOWN_VIEWS = {
    "Pictures": "Topics{} beside the true ones",
    "Found again": "True topics found again",
}
"""Where the topics that made the texts are known; the first where words are pixels."""


def _views(runs: Sequence[RunOnPage]) -> dict[str, str]:
    """What there is to show of these runs."""
    pictured = grid_of(runs[0].entry.background.run.corpus.vocab) is not None
    more = [name for name in KNOWN_VIEWS if pictured or name != "Pictures"] if n_known(runs) else []
    return VIEWS | {name: KNOWN_VIEWS[name] for name in more}


def presented(runs: Sequence[RunOnPage]) -> None:
    """Rows without their buttons, and one figure."""
    statuses = [shown.entry.background.status for shown in runs]
    busy = any(status not in ENDED for status in statuses)
    owned = [
        (shown.entry.background, status)
        for shown, status in zip(runs, statuses, strict=True)
        if shown.owned
    ]
    height, views = height_of(len(runs)), _views(runs)

    def draw(view: int) -> None:
        @ticking(server.registry().tick_seconds() if busy else None)
        def live() -> None:
            if [s.entry.background.status for s in runs] != statuses:
                st.rerun()  # the buttons are outside this fragment
            st.html(lines(runs))
            _figure(runs, [*views.items()][view], height)

        live()

    presentation([*views], owned, watching_address(links_of(runs).watch), draw)


def _figure(runs: Sequence[RunOnPage], chosen: tuple[str, str], height: int) -> None:
    view, heading = chosen
    place = panel.chosen_run(runs)
    whose = f" of {plain(labels_of(runs)[place])}" if len(runs) > 1 else ""
    st.markdown(f"## {heading.format(whose)}")
    axis = charts.chosen_axis()
    if view == "Score":
        charts.heldout_chart(runs, axis, height)
    elif view == "Topics in use":
        charts.topics_chart(runs, axis, height)
    elif view == "Shares":
        charts.weights_chart(runs, place, height)
    elif view == "Pictures":
        pictures(runs[place], others=height >= WHOLE_SHEET)
    elif view == "Found again":
        found_again_chart(runs, axis, height)
    else:
        most = max((height - 40) // TOPIC_ROW, 1)
        panel.largest_topics(runs[place], most)
