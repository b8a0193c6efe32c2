"""Which tab a script runs for, and whether a tab is still there.

Symptom: Streamlit tells that a tab has gone by releasing what `st.cache_resource(scope="session")`
    holds for it, and releases the same for all tabs when any browser sends `clear_cache`: every run
    was paused a minute after that. So the server is asked instead.
Seen in: Streamlit 1.67.
No longer needed when: there is a public word for a tab that ends, which `clear_cache` does not say.
"""

import secrets

import streamlit as st

from .private import PrivateName

CONTEXT = PrivateName(
    "streamlit.runtime.scriptrunner",
    "get_script_run_ctx",
    "A run goes on when its last tab is closed.",
)
RUNTIME = PrivateName("streamlit.runtime", "Runtime", CONTEXT.without)


def this_tab() -> str:
    """The tab's name, the same through all its script runs; a reload makes another tab."""
    context = CONTEXT.find()
    if context is not None and (running := context()) is not None:
        return str(running.session_id)
    name: str = st.session_state.setdefault("tab", secrets.token_hex(8))
    return name


def is_open(tab: str) -> bool:
    """Whether the tab is connected; where nobody can tell, it is taken to be."""
    runtime = RUNTIME.find()
    try:
        return runtime is None or bool(runtime.instance().is_active_session(tab))
    except RuntimeError:  # no server runs: the script was started by itself, or by a test
        return True
