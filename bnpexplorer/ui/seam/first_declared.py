"""Pages are declared before any widget is drawn.

Symptom: A widget that is drawn before `st.navigation` has another identity in the first script run
    of a fresh server, and its first click is lost.
Seen in: Streamlit 1.67.
No longer needed when: the switch for large type, drawn before `st.navigation`, answers to the first
    click after the server has been started.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st


def declare_pages(pages: Sequence[Any]) -> Any:
    """The pages in the order of the menu, on top; returns the one that was asked for."""
    return st.navigation(list(pages), position="top")
