"""The warning of too little memory, where one begins: before anything is learned.

The warning of too little text, where texts are looked at and where learning begins.
"""

import streamlit as st

from ...core.environment import shortage, usable_memory
from ...corpus import Corpus
from ...corpus.documents.enough import too_little
from ...runs import limits
from ..frame import link
from ..frame.words import plain


def say_shortage() -> None:
    """Say what to do about it; nothing where there is enough, nor in a class but to who started it:
    nobody else can do anything."""
    if limits.is_shared() and not link.is_lecturers():
        return
    if said := shortage(usable_memory()):
        st.warning(said, icon=":material/memory:")


def say_too_little(corpus: Corpus) -> None:
    """Say what is missing; nothing where there is enough."""
    if said := too_little(corpus):
        st.warning(plain(said), icon=":material/warning:")
