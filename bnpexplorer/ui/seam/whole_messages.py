"""What is drawn is sent whole: `global.minCachedMessageSize` beyond any message.

Symptom: Streamlit sends a mere reference for what a browser says it has kept of an earlier look. A
    browser that asks for a page before it has heard that the last one has ended throws away in
    between what it said it had, and the tab ends in "Cached ForwardMsg MISS"; from then on each
    tick says "Cannot send rerun backMessage when disconnected from server". So it went for whoever
    turned to another view and back before its picture had come, a second on a slow network.
Seen in: Streamlit 1.67.
No longer needed when: `tests/browser/test_late.py` passes with the setting left out.
"""

import streamlit as st

from .private import warn_once

SETTING = "global.minCachedMessageSize"
BEYOND = 1e9
"""Bytes; a message has 200 MB at most."""


def whole_messages() -> None:
    """Say once if this server was started without the setting, which only its start can change."""
    if st.get_option(SETTING) < BEYOND:
        warn_once(f"Start the app with --{SETTING} {BEYOND:.0f}: else quick clicks may end a page.")
