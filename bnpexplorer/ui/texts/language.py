"""The language of the texts, as it was found out and as a person may set it."""

import threading
from dataclasses import replace

import streamlit as st

from ...corpus.language.choosing import consequences, for_language, language_settings
from ...corpus.language.model import unpack
from ...corpus.language.names import AUTO, NAMES, said
from ...corpus.settings import TextSettings
from ...corpus.source import Source
from ..frame.words import plain
from ..seam.once import Once

ANY = "any"
"""A language that has no name here."""
SOON = 1.0
"""Seconds in which the Corpus page is drawn."""


@Once
def tell_languages_soon() -> None:
    """Once in a server, while the first person who turned to the page chooses a file: unpack what
    tells languages. Whoever gave a text at once would wait 0.5 s for it."""
    timer = threading.Timer(SOON, unpack)
    timer.daemon = True
    timer.start()


@st.cache_resource(show_spinner=False, max_entries=2, scope="session")
def _found(key: str, start: TextSettings, _source: Source) -> tuple[TextSettings, tuple[str, ...]]:
    return language_settings(_source, start)


def language_form(source: Source, start: TextSettings, key: str) -> TextSettings:
    """`start` with what suits the language of the texts: the one found out, or the one chosen.

    What was found and what follows is said beside the field. Counts have no language to choose.
    """
    if source.texts is None:
        return start
    found, notes = _found(key, start, source)
    at_first = f"found out: {said(found.codes)}" if found.codes else "not found out"
    names = {AUTO: at_first, **dict(sorted(NAMES.items(), key=lambda item: item[1]))}
    names[ANY] = "another, without stop words"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Language of the texts",
            list(names),
            format_func=names.__getitem__,
            key=f"{key}-language",
            width=300,
            help="It decides which common words are left out and how sentences are cut into words.",
        )
        if chosen == AUTO:
            settings, said_of_it = found, " ".join(notes)
        elif chosen == ANY:
            settings = replace(for_language(start, ()), stop_words="none")
            said_of_it = "No stop words are left out; two letters or more are a word."
        else:
            settings = for_language(start, (chosen,))
            sentence = consequences(settings)
            said_of_it = sentence[0].upper() + sentence[1:]
        st.caption(plain(said_of_it))
    return settings
