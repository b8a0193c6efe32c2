"""A page that was asked for by its own address goes through the app.

Symptom: A fresh server that is first asked for a page's address runs the file in `pages/` by
    itself, without `app.py`: a page without frame, runs and menu. There the browser's console also
    shows two 404 lines, since Streamlit's own script asks for `_stcore/health` and
    `_stcore/host-config` below the page's address first and at the root next, in case the app is
    served from a folder. No setting changes that, and an answer there would be wrong.
Seen in: Streamlit 1.67.
No longer needed when: a fresh server that is opened at `/live` runs `app.py`, as it does later.
"""

from collections.abc import Callable

import streamlit as st

FRAMED = "framed"


def mark_framed() -> None:
    """The app has begun in this session."""
    st.session_state[FRAMED] = True


def ensure_framed(declare: Callable[[], object]) -> None:
    """Start again through the app unless it has begun; `declare` tells Streamlit its pages.

    To call `st.navigation` ends for good the mode in which files in `pages/` run by themselves.
    """
    if not st.session_state.get(FRAMED):
        declare()
        st.rerun()
