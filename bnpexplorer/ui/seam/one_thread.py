"""One thread a tab: `runner.fastReruns = false`.

Symptom: Now and then a page ends in "dictionary changed size during iteration". With fast reruns
    Streamlit starts a second script thread while the first still draws, and both change one session
    state. With one thread a click waits for the next call of Streamlit, and `page_top.py` is
    needed.
Seen in: Streamlit 1.67.
No longer needed when: clicks in quick succession on the Live page, under load, raise nothing with
    the setting left out.
"""

import streamlit as st

from .private import warn_once

SETTING = "runner.fastReruns"


def one_thread_a_tab() -> None:
    """Say once if this server was started without the setting, which only its start can change."""
    if st.get_option(SETTING):
        warn_once(f"Start the app with --{SETTING} false: else quick clicks may end in an error.")
