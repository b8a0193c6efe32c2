"""Where the words of a run's vocabulary stand in a text, as pages show it."""

from collections.abc import Mapping, Sequence

import streamlit as st

from ...corpus import CorpusError
from ...corpus.occurrences import Found, index_of
from ...corpus.settings import TextSettings
from ...intake.door import NotNow, find_words
from ...state.moment import Moment
from ..frame.server import Loaded


def settings_of(loaded: Loaded) -> TextSettings | None:
    """How the texts were cut into words; None where nobody knows."""
    return loaded.report.settings if loaded.report else None


def found_in(moment: Moment, text: str, settings: TextSettings) -> Found:
    """The words of a text, found once as long as it is looked at.

    Raises CorpusError where the pattern that cuts words does not get through it in time.
    """
    index = _index(moment.run_id, settings, moment.vocab)
    found = _found(moment.run_id, text, settings, index)
    if isinstance(found, str):
        raise CorpusError(found)
    return found


@st.cache_resource(show_spinner=False, max_entries=16)
def _found(
    run_id: str, text: str, settings: TextSettings, _index: Mapping[str, int]
) -> Found | str:
    try:
        return find_words(text, settings, _index)
    except NotNow:
        raise
    except CorpusError as problem:  # kept: it took seconds
        return str(problem)


@st.cache_resource(show_spinner=False, max_entries=8)
def _index(run_id: str, settings: TextSettings, _vocab: Sequence[str]) -> dict[str, int]:
    """Word -> its place in the vocabulary, as `find_words` wants it."""
    return index_of(_vocab, settings)
