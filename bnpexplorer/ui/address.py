"""What the address says of the view beside the widgets that are bound to it.

A bound widget writes what stands in its field; a topic or a document goes by its number instead,
since its words change as the run goes on.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx


def asked(name: str) -> str:
    """What the address asks for, at a tab's first look and when its Back button is used; or ""."""
    looked: set[str] = st.session_state.setdefault("address-looked", set())
    # Streamlit has no public word for it; without it, Back changes the address only.
    went_back = getattr(get_script_run_ctx(), "is_history_navigation", False)
    if name in looked and not went_back:
        return ""
    looked.add(name)
    return st.query_params.get(name, "")


def asked_number(name: str) -> int | None:
    """The same as a number from 0; None for anything else."""
    text = asked(name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def write(name: str, value: object = "") -> None:
    """Keep `value` in the address, or nothing if it is empty."""
    if str(value) == st.query_params.get(name, ""):
        return
    if str(value):
        st.query_params[name] = str(value)
    else:
        del st.query_params[name]
