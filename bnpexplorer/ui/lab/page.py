"""Lab: small demonstrations to turn by hand. Needs no corpus."""

import streamlit as st

from ...lab import DEMONSTRATIONS
from ..frame import address, look
from ..lab.shown import SHOW
from ..lab.taken import take_along


def page() -> None:
    """The page, drawn from its top."""
    asked = address.asked("lab_show")
    if asked in DEMONSTRATIONS or asked == "":
        st.session_state["lab_show"] = asked or "update"
    st.session_state.setdefault("lab_show", "update")
    if look.is_embedded():  # a frame of somebody's slides shows one demonstration
        SHOW[st.session_state["lab_show"]]()
        return
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
    file = SHOW[name or "update"]()
    take_along(name or "update", DEMONSTRATIONS[name or "update"], file)
