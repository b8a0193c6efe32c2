"""The warning of too little memory, where one begins: before anything is learned."""

import streamlit as st

from ...core.memory import shortage, usable_memory
from ...runs import limits
from ..frame import link


def say_shortage() -> None:
    """Say what to do about it; nothing where there is enough, nor in a class but to who started it:
    nobody else can do anything."""
    if limits.is_shared() and not link.is_lecturers():
        return
    if said := shortage(usable_memory()):
        st.warning(said, icon=":material/memory:")
