"""Pages are declared before any widget is drawn.

Symptom: A widget that is drawn before `st.navigation` has another identity in the first script run
    of a fresh server, and its first click is lost. And until a server has met `st.navigation`, a
    page's own address makes it run the file in `pages/` in the place of `app.py`; so each of these
    runs the whole app too. There the browser's console also shows two 404 lines, since Streamlit's
    own script asks for `_stcore/health` and `_stcore/host-config` below the page's address first
    and at the root next, in case the app is served from a folder. No setting changes that, and an
    answer there would be wrong.
Seen in: Streamlit 1.67.
No longer needed when: the switch for large type, drawn before `st.navigation`, answers to the first
    click after the server has been started; and a fresh server that is opened at `/live` runs
    `app.py`, as it does later.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st


def declare_pages(sections: Mapping[str, Sequence[Any]]) -> Any:
    """The pages by their sections, in the order of the menu, on top; returns the one that was asked
    for."""
    return st.navigation({name: list(some) for name, some in sections.items()}, position="top")
