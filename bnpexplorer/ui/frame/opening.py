"""Large saved runs are opened by a thread, while the page says so: of half a million texts it takes
seconds to read the file, and the app answers meanwhile."""

import threading

import streamlit as st

from ...core.derived import Derived
from ...core.store import StoreError
from ...explore.working import Doing
from ..seam.tab import this_tab
from ..seam.widgets import ticking
from . import server
from .words import plain

LARGE = 8 * 2**20
"""Bytes on the disk that are read in about a second: 75,000 texts of 17 words."""
PATIENCE = 0.3
"""Seconds that a page waits before it says what is under way."""
OPENINGS = Derived()
"""Run -> the `Doing[bool]` that opens it."""
WAITED = "waited"
"""Seconds that this look at the page has waited for threads (`parts/in_background.py`)."""
_ONE_AT_A_TIME = threading.Lock()
"""Runs on the same texts share them: the second finds what the first has read."""


def begin() -> None:
    """At the top of every script run: nothing is known to be under way, and nothing was waited
    for."""
    st.session_state["opening"] = []
    st.session_state[WAITED] = 0.0


def opens(run_id: str) -> bool:
    """Whether a run of the address is still being opened; begins it where it is large.

    Raises StoreError, once, if that failed.
    """
    found = server.registry().get(run_id)
    if found is not None and not found.outdated:
        return False
    doing: Doing[bool] | None = OPENINGS.at_hand(run_id)
    if doing is None:
        if server.library().bytes_to_open(run_id) < LARGE:
            return False
        tab = this_tab()
        doing = OPENINGS.get(run_id, lambda: Doing(lambda: _open(run_id, tab), "opening"))
    doing.wait(PATIENCE)
    if not doing.ended:
        st.session_state["opening"].append(run_id)
        return True
    OPENINGS.forget(run_id)
    if doing.error:
        raise StoreError(doing.error)
    return False


def _open(run_id: str, tab: str) -> bool:
    with _ONE_AT_A_TIME:
        server.open_saved(run_id)
        server.registry().attach(tab, run_id)  # at once: the next one could take its place
    return True


def under_way() -> list[str]:
    """The runs of the address that are being opened."""
    found: list[str] = st.session_state["opening"]
    return found


def wait_for_it() -> None:
    """Show what is being opened in place of the page, and draw the page once it is ready."""
    saved = [server.library().get(run_id) for run_id in under_way()]
    names = " and ".join(f"**{plain(one.name)}**" for one in saved if one is not None)
    texts = max((one.facts.get("corpus", "") for one in saved if one is not None), default="")
    doings: list[Doing[bool] | None] = [OPENINGS.at_hand(run_id) for run_id in under_way()]

    @ticking(0.5)
    def wait() -> None:
        if any(doing is None or doing.ended for doing in doings):
            st.rerun()
        st.markdown(f":material/hourglass_top: Opening {names}: reading {plain(texts)} ...")

    wait()
