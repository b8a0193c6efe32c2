"""The language of the texts, as it was found out and as a person may set it."""

from dataclasses import replace

import streamlit as st

from ...corpus.language.choosing import for_language, language_settings
from ...corpus.language.names import AUTO, NAMES, said
from ...corpus.source import Source
from ...corpus.text import TextSettings
from ..frame.words import plain

ANY = "any"
"""No language: no stop words are known, and words are runs of letters."""


@st.cache_resource(show_spinner=False, max_entries=2, scope="session")
def _found(key: str, start: TextSettings, _source: Source) -> tuple[TextSettings, tuple[str, ...]]:
    return language_settings(_source, start)


def language_form(source: Source, start: TextSettings, key: str) -> TextSettings:
    """`start` with what suits the language of the texts: the one found out, or the one chosen.

    What was found is said above the field. Counts have no language to choose.
    """
    if source.texts is None:
        return start
    found, notes = _found(key, start, source)
    for note in notes:
        st.caption(plain(note))
    at_first = f"found out: {said(found.codes)}" if found.codes else "not found out"
    choices = [AUTO, *sorted(NAMES, key=NAMES.__getitem__), ANY]
    chosen = st.selectbox(
        "Language of the texts",
        choices,
        format_func=lambda c: {AUTO: at_first, ANY: "other, without stop words"}.get(c) or NAMES[c],
        key=f"{key}-language",
        width=320,
        help="It decides which common words are left out and how sentences are cut into words.",
    )
    if chosen == AUTO:
        return found
    if chosen == ANY:
        return replace(for_language(start, ()), stop_words="none")
    return for_language(start, (chosen,))
