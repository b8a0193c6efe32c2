"""Texts that are being read, counted or given topics: by a thread, so that the page can say how far
that is and offer to cancel it. What was loaded before stays until it is done."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import streamlit as st

from ...corpus.intake.following import Follower, following
from ...corpus.intake.refusing import Cancelled
from ...explore.working import Working
from ..frame.session import loaded_corpus
from ..frame.words import plain
from ..seam.tab import is_open, this_tab
from ..seam.widgets import ticking

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that a page waits before it says what is under way."""
OFTEN = 0.5
"""Seconds between two looks at how far it is."""
GOING = "reading-under-way"
"""In the session: the reading that this tab waits for, one at a time."""


class Going(Working[Any]):
    """One reading. It ends when its tab is closed: nobody else waits for it, and it has a place
    that others may want."""

    title = "reading"

    def __init__(self, what: str, key: str, work: Callable[[], Any]) -> None:
        self.what, self.key, self._do = what, key, work
        self.asked_to_end = False
        self.problem: Exception | None = None
        self._tab, self.follower = this_tab(), Follower(self._see_to_tab)
        super().__init__()

    def cancel(self) -> None:
        """End it, as a person asks."""
        self.asked_to_end = True
        self.follower.cancel()

    @property
    def lost(self) -> bool:
        """Whether it ended since its tab was away for a moment."""
        return isinstance(self.problem, Cancelled) and not self.asked_to_end

    def _see_to_tab(self) -> None:
        if not is_open(self._tab):
            self.follower.cancel()

    def _work(self) -> None:
        try:
            with following(self.follower):
                self.found = self._do()
        except Exception as problem:  # the page raises it, where others raise theirs
            self.problem = problem


class UnderWay(Exception):
    """What was asked for is not there yet, or was cancelled: `say_under_way` says so."""

    def __init__(self, going: Going) -> None:
        super().__init__(going.what)
        self.going = going


def awaited(what: str, key: str, work: Callable[[], T]) -> T:
    """What `work` gives, done by a thread that children's work is followed in.

    `what`: what is done, for a sentence; `key`: all that it depends on. Work with another key that
    this tab has begun is ended. Raises UnderWay as long as it takes, and if it was cancelled; and
    whatever `work` raises.
    """
    going: Going | None = st.session_state.get(GOING)
    if going is None or going.key != key or going.lost:
        if going is not None:
            going.follower.cancel()
        going = st.session_state[GOING] = Going(what, key, work)
    going.wait(PATIENCE)
    if going.asked_to_end or not going.ended:
        raise UnderWay(going)
    st.session_state.pop(GOING, None)
    if going.problem is not None:
        raise going.problem
    return cast(T, going.found)


def say_under_way(going: Going) -> None:
    """How far it is, with a button that cancels it; or that it was cancelled."""
    what = plain(going.what)
    if going.asked_to_end:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{what} was cancelled.", width="content")
            st.button("Start again", icon=":material/replay:", on_click=_forget)
        if loaded_corpus() is not None:
            st.caption("The texts that were loaded before are still there.")
        return

    @ticking(OFTEN)
    def tick() -> None:
        if going.ended:
            st.rerun()
        st.markdown(f":material/hourglass_top: {what}: {going.follower.sentence}")

    tick()
    st.button("Cancel", icon=":material/stop:", key="cancel-reading", on_click=going.cancel)


def _forget() -> None:
    st.session_state.pop(GOING, None)
