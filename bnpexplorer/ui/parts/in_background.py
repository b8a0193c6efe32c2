"""What a page shows of all documents, where these are many: worked out by a thread.

Up to `MANY` documents it is worked out as the page is drawn, as fast as a person sees. Beyond, the
page waits for a moment and then says that it comes; it is drawn anew with it.
"""

import time
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st

from ...corpus import Corpus
from ...explore.working import Doing
from ...state.moment import Moment
from ..frame.opening import WAITED
from ..frame.words import plain
from ..seam.widgets import ticking

T = TypeVar("T")
MANY = 50_000
"""Documents."""
PATIENCE = 0.3
"""Seconds that a page waits for threads, all in all, before it says what is under way: one after
another a list, which texts were learned and what is nearest held it up three times as long."""


def worked_out(
    of: Moment | Corpus,
    key: tuple[Hashable, ...],
    work: Callable[[], T],
    what: str,
    height: int = 120,
    meanwhile: str = "",
) -> T | None:
    """What `work` gives, which is not None; None while it is under way, or where it failed: then
    the page says so in its place, `height` pixels high.

    It is kept as `of.derived` does it. `key`: the kind of value, then all that it depends on beside
    `of`. `what`: what is worked out, to follow "Working out"; `meanwhile`: what a page of few
    documents says.
    """
    n_docs = _n_docs(of)
    if n_docs <= MANY:
        with st.spinner(meanwhile) if meanwhile else nullcontext():
            return of.derived(key, work)
    found: T | None = of.derived_values.at_hand(key)
    if found is not None:
        return found
    under_way = ("under way", key)
    doing = of.derived(under_way, lambda: Doing(lambda: of.derived(key, work), str(key[0])))
    if _waited_for(doing) is None:
        with st.container(height=height, border=False, key=f"under-way-{key[0]}"):
            _under_way(doing, f"Working out {what} of {n_docs:,} documents")
    if doing.ended:
        of.derived_values.forget(under_way)  # what failed is tried again at the next look
    return doing.found


def _n_docs(of: Moment | Corpus) -> int:
    return of.corpus.n_docs if isinstance(of, Moment) else of.n_docs


def _waited_for(doing: Doing[T]) -> T | None:
    """What is found within what is left of this page's patience."""
    began, waited = time.monotonic(), float(st.session_state.get(WAITED, 0.0))
    found = doing.wait(max(PATIENCE - waited, 0.0))
    st.session_state[WAITED] = waited + time.monotonic() - began
    return found


def at_hand(of: Moment | Corpus, key: tuple[Hashable, ...], work: Callable[[], T]) -> T | None:
    """The same, for a second place on the page: waits for nothing and says nothing."""
    if _n_docs(of) <= MANY:
        return of.derived(key, work)
    found: T | None = of.derived_values.at_hand(key)
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
