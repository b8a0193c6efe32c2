"""Topics page, one topic on one screen: what it is about, and the documents that say it best."""

import numpy as np
import streamlit as st

from ...core.arrays import F32, I64
from ...corpus import Corpus
from ...corpus.settings import TextSettings
from ...explore.naming import snippet_of, title_of
from ...explore.passages import best_rows, passage_of
from ...plots.style import percent, shortened
from ...state.moment import Moment
from ..frame import pages
from ..frame.words import plain
from ..parts.explore import Explored, at_rest, proportions_at_hand, relabel
from ..parts.in_background import worked_out
from ..parts.topics_choice import choose_topic, read_documents
from ..seam.ticking import ticking
from .where_and_when import by_label, time_line
from .words import words_of_topic

N_BEST, LETTERS = 3, 240
"""Documents, and letters of each."""
HEIGHT = 300
"""Pixels that they take, also before they are there."""
TITLE = 60
"""Letters of a title that becomes a name, as `saved.rows` allows."""


def about_topic(found: Explored, topic: int) -> None:
    """All that is told of one topic: when and where it is, what says it best, its words."""
    shares = proportions_at_hand(found.shown)
    if shares is not None:
        time_line(found, topic, shares)
        by_label(found, topic, shares)
    best_documents(found, topic, shares)
    words_of_topic(found.moment, topic)


def best_documents(found: Explored, topic: int, shares: F32 | None) -> None:
    """The documents with the largest share of the topic, as soon as they are read; for readers."""
    if not found.readable or not pages.is_there("documents"):
        return
    # Of this height only while they are waited for: what scrolls cannot be reached by keyboard.
    with st.container(height=HEIGHT if shares is None else "content", border=False):
        rows = _wait(found) if shares is None else _best(found, topic, shares)
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            "Read its documents", icon=":material/article:", key=f"topics-read-{topic}"
        )
        if len(rows) and found.shown.owned:
            _names_from_titles(found, topic, rows)
    if pressed:
        read_documents(found.moment.run_id, topic)


def _best(found: Explored, topic: int, shares: F32) -> I64:
    """The documents with the largest share of the topic; each with what says most of it."""
    moment, corpus = found.moment, found.loaded.corpus
    rows = worked_out(
        moment.corpus.n_docs,
        ("best", moment.at, topic),
        lambda: _best_rows_at((*moment.at, topic), moment, shares),
        "the best",
        HEIGHT,
    )
    if rows is None:
        return np.zeros(0, np.int64)
    report = found.loaded.report
    passages = _passages_at(
        (*moment.at, topic), moment, corpus, report.settings if report else None, rows
    )
    for row, passage in zip(rows.tolist(), passages, strict=True):
        share = percent(float(shares[row, moment.row[topic]]))
        text = shortened(passage, LETTERS) or snippet_of(corpus, row, LETTERS, TITLE)
        st.markdown(f"**{plain(title_of(corpus, row, TITLE))}** · {share}  \n{plain(text)}")
    return rows


@st.cache_resource(show_spinner=False, max_entries=64)
def _best_rows_at(at: tuple[str, int, int], _moment: Moment, _shares: F32) -> I64:
    """The documents with the largest share of the topic, the last of `at`."""
    everywhere = np.ones(_moment.corpus.n_docs, bool)
    return best_rows(_moment, _shares, at[2], everywhere, N_BEST)


@st.cache_resource(show_spinner=False, max_entries=64)
def _passages_at(
    at: tuple[str, int, int],
    _moment: Moment,
    _corpus: Corpus,
    _settings: TextSettings | None,
    _rows: I64,
) -> list[str]:
    """What of each document speaks most of the topic, the last of `at`."""
    return [passage_of(_moment, _corpus, _settings, at[2], row) for row in _rows.tolist()]


def _wait(found: Explored) -> I64:
    """Until the documents are read, which begins when the page stands: it is not to be held up."""
    none = np.zeros(0, np.int64)
    if not at_rest(found.shown):
        return none

    @ticking(1.0)
    def wait() -> None:
        if proportions_at_hand(found.shown) is not None:
            st.rerun()
        st.caption("Its best documents come here as soon as all are read with these topics.")

    wait()
    return none


def _names_from_titles(found: Explored, topic: int, rows: I64) -> None:
    """Titles of the best documents that the topic may be named by."""
    titles = found.loaded.corpus.docs.title
    if titles is None:
        return
    key = f"topics-title-{found.moment.run_id}-{topic}"

    def name() -> None:
        chosen = st.session_state[key]
        if chosen:
            relabel(found, lambda now: now.rename(topic, chosen))
            choose_topic(found.moment.run_id, topic)

    options = dict.fromkeys(title_of(found.loaded.corpus, row, TITLE) for row in rows.tolist())
    with st.popover("Name it by a title", icon=":material/title:", type="tertiary"):
        st.pills(
            "Titles of its best documents",
            list(options),
            key=key,
            format_func=plain,
            on_change=name,
        )
