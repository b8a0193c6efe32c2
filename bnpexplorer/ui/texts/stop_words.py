"""Stop words of one's own: from a file, or picked in the list of the commonest words."""

from typing import Any

import pandas as pd
import streamlit as st

from ...corpus import CorpusError
from ...corpus.stored import StoredCorpus
from ...corpus.text import Report
from ...corpus.words.settings import read_stop_words, with_words
from ..frame import session
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from ..parts.to_topics import without

FORM = "words-form"
"""In the session: what the keys of the form begin with that says which words count; absent where
the corpus comes from no form on the page."""


def stop_words_file(values: dict[str, Any], key: str) -> None:
    """Ask for a list of stop words, and add it to those of the form. Raises CorpusError."""
    file = st.file_uploader(
        "Stop words of your own: a .txt file with one word a line, or blanks or commas between",
        type=["txt"],
        key=f"{key}-stop-file",
    )
    if file is not None:
        words = read_stop_words(file.name, file.getvalue())
        values["extra_stop_words"] = with_words(values["extra_stop_words"], words)


def commonest(loaded: LoadedCorpus, report: Report) -> None:
    """The commonest words; those that are selected may be left out."""
    table = pd.DataFrame(report.commonest, columns=["word", "times", "documents"])
    if isinstance(loaded.corpus, StoredCorpus):
        st.dataframe(table, hide_index=True, height=300, width="stretch")
        st.caption("Which words of a corpus on the disk count was chosen when it was built.")
        return
    key = f"commonest-{loaded.corpus.fingerprint[:12]}"  # another corpus: nothing is selected
    state = st.dataframe(
        table,
        hide_index=True,
        height=300,
        width="stretch",
        on_select="rerun",
        selection_mode="multi-row",
        key=key,
    )
    words = [report.commonest[row][0] for row in state.selection.rows if row < len(table)]
    form = st.session_state.get(FORM)
    terms = [word for word in words if form and " " in word]
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            "Leave out this word" if len(words) == 1 else "Leave out these words",
            icon=":material/playlist_remove:",
            key="leave-out-common",
            disabled=not words or bool(terms),
            on_click=_add_to_form if form else None,
            args=(f"{form}-extra_stop_words", words) if form else None,
        )
        hint = "Select rows to leave words out."
        if terms:
            hint = "Terms of several words come from ngram_max; select single words."
        st.caption(plain(", ".join(words)) if words and not terms else hint, width="stretch")
    if pressed and not form:
        _count_without(loaded, words)


def _add_to_form(field: str, words: list[str]) -> None:
    st.session_state[field] = with_words(st.session_state.get(field, ""), " ".join(words))


def _count_without(loaded: LoadedCorpus, words: list[str]) -> None:
    try:
        with st.spinner("Counting words ..."):
            session.use_corpus(without(loaded, words))
    except CorpusError as problem:
        st.error(plain(problem), icon=":material/error:")
        return
    st.rerun()
