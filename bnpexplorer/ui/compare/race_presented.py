"""The panels of a race, one figure a screen."""

import streamlit as st

from ...compare import Race
from ...explore.words import grid_of
from ...plots.compare import Quantity
from ...runs.background import BackgroundRun
from ...runs.keeping import ENDED
from ...runs.registry import Entry
from ..frame import present, server
from ..parts.presenting import height_of, leave, presentation
from ..parts.share import watching_address
from ..seam.widgets import set_widget, ticking
from . import sequential
from .race import RACE, progress
from .race_panels import (
    TITLES,
    curves,
    largest_topics,
    level_of,
    links_of,
    n_known,
    quantities,
    series_of,
    sheets,
)

NAMES: dict[Quantity, str] = {
    "held-out": "Score",
    "topics": "Topics in use",
    "found again": "Found again",
}
"""What a button calls the curves of a quantity."""
ROWS = 3
"""As high as the progress of a race, the heads of its panels and a problem that it may have."""


def presented() -> bool:
    """Draws the race of this tab if that is what the tab presents."""
    running = sequential.current(RACE) if present.view() else None
    if running is None:
        leave()
        return False
    set_widget("compare", "Race")  # what is there when it has been left
    _present(*running)
    return True


def _present(entry: Entry, owned: bool) -> None:
    background: BackgroundRun[Race] = entry.background
    drawn = background.status
    tick = server.registry().tick_seconds() if drawn not in ENDED else None

    def draw(view: int) -> None:
        @ticking(tick)
        def live() -> None:
            if background.status != drawn:
                st.rerun()  # the buttons outside depend on the status
            progress(background)
            _figure(background, view)

        live()

    watching = watching_address(links_of(entry, owned).watch)
    presentation(_views(background.run), [(background, drawn)] if owned else [], watching, draw)


def _figure(background: BackgroundRun[Race], view: int) -> None:
    if background.latest is None:
        st.caption("The panels come with the first mini-batch.")
        return
    race = background.run
    series, shown = series_of(race, background.latest), quantities(race)
    if view < len(shown):
        st.markdown(f"## {TITLES[shown[view]]}")
        curves(series, shown[view], level_of(race), height_of(ROWS), n_known(race))
    elif _views(race)[view] == "Topics":
        st.markdown("## Largest topics now")
        largest_topics(series)
    else:
        st.markdown("## Topics beside the true ones; a dashed frame: not found again")
        sheets(race, series, compact=True)


def _views(race: Race) -> list[str]:
    """Return the views of a race: its curves, its topics, and their pictures."""
    views = [*(NAMES[quantity] for quantity in quantities(race)), "Topics"]
    pictured = n_known(race) and grid_of(race.corpus.vocab) is not None
    return [*views, "Pictures"] if pictured else views
