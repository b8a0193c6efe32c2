"""Lab: small demonstrations to turn by hand. Needs no corpus."""

import streamlit as st

from ...lab import DEMONSTRATIONS
from ..frame import address
from ..lab.shown import SHOW


def page() -> None:
    """The page, drawn from its top."""
    asked = address.asked("lab_show")
    if asked in DEMONSTRATIONS or asked == "":
        st.session_state["lab_show"] = asked or "update"
    st.session_state.setdefault("lab_show", "update")
    head, choice = st.columns([1, 9], gap="small", vertical_alignment="center")
    head.title("Lab")
    with choice:
        name = st.pills(
            "Demonstration",
            list(DEMONSTRATIONS),
            format_func=DEMONSTRATIONS.__getitem__,
            required=True,
            key="lab_show",
            label_visibility="collapsed",
            persist_state="session",
        )
    address.write("lab_show", name)
    SHOW[name or "update"]()
