"""The warning of too little text, where texts are looked at and where learning begins."""

import streamlit as st

from ...corpus import Corpus
from ...corpus.enough import too_little
from ..frame.words import plain


def say_too_little(corpus: Corpus) -> None:
    """Say what is missing; nothing where there is enough."""
    if said := too_little(corpus):
        st.warning(plain(said), icon=":material/warning:")
