"""What a page shows of all documents, where these are many: worked out by a thread.

Up to `MANY` documents it is worked out as the page is drawn, as fast as a person sees. Beyond, the
page waits for a moment and then says that it comes; it is drawn anew with it.
"""

import time
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st

from ...explore.working import Doing, Shared
from ..frame.opening import WAITED
from ..frame.words import plain
from ..seam.widgets import ticking

T = TypeVar("T")
MANY = 50_000
"""Documents."""
PATIENCE = 0.3
"""Seconds that a page waits for threads, all in all, before it says what is under way: one after
another a list, which texts were learned and what is nearest held it up three times as long."""
DOINGS = Shared[Doing[Any]](kept=16)


def worked_out(
    n_docs: int,
    key: tuple[Hashable, ...],
    work: Callable[[], T],
    what: str,
    height: int = 120,
    meanwhile: str = "",
) -> T | None:
    """What `work` gives, which is not None; None while it is under way, or where it failed: then
    the page says so in its place, `height` pixels high.

    `key`: all that it depends on, its kind first: whoever asks for the same gets the same. `what`:
    what is worked out, to follow "Working out"; `meanwhile`: what a page of few documents says. A
    tab holds the last of each kind, so that those of others do not take its place.
    """
    if n_docs <= MANY:
        with st.spinner(meanwhile) if meanwhile else nullcontext():
            return work()
    doing: Doing[T] = DOINGS.get(key, lambda: Doing(work, str(key[0])))
    st.session_state.setdefault("worked-out", {})[key[0]] = doing
    if _waited_for(doing) is None:
        with st.container(height=height, border=False, key=f"under-way-{key[0]}"):
            _under_way(doing, f"Working out {what} of {n_docs:,} documents")
    if doing.ended and doing.found is None:
        DOINGS.forget(key)  # the next look tries again
    return doing.found


def _waited_for(doing: Doing[T]) -> T | None:
    """What is found within what is left of this page's patience."""
    began, waited = time.monotonic(), float(st.session_state.get(WAITED, 0.0))
    found = doing.wait(max(PATIENCE - waited, 0.0))
    st.session_state[WAITED] = waited + time.monotonic() - began
    return found


def at_hand(n_docs: int, key: tuple[Hashable, ...], work: Callable[[], T]) -> T | None:
    """The same, for a second place on the page: waits for nothing and says nothing."""
    if n_docs <= MANY:
        return work()
    doing = DOINGS.begun(key)
    found: T | None = None if doing is None else doing.found
    return found


def _under_way(doing: Doing[Any], words: str) -> None:
    """Says so, and draws the page anew when it has ended."""
    if doing.ended and doing.found is None:
        st.error(f"{words} failed: {plain(doing.error)}", icon=":material/error:")
        return

    @ticking(0.5)
    def wait() -> None:
        if doing.ended:
            st.rerun()
        st.caption(f":material/hourglass_top: {words}; you may leave the page meanwhile.")

    wait()
