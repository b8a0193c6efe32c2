"""The document that opened a topic or left it last, with the words that did: for who may read the
texts.
"""

from functools import partial

import numpy as np
import streamlit as st

from ...core.arrays import I64
from ...corpus import CorpusError
from ...corpus.corpus import Corpus
from ...corpus.words.occurrences import Occurrence
from ...explore.documents import counts_of, title_of
from ...export.result import held_out_rows
from ...runs.run import Run
from ...state.moment import Moment
from ...state.snapshot import Details
from ..frame.look import is_dark
from ..frame.server import LoadedCorpus
from ..frame.words import plain
from . import marked
from .marked import found_in, settings_of

BEFORE, LETTERS, COMMONEST = 160, 700, 12
"""Letters before the first word that is marked, and in all; words of a document without a text."""


def opener(moment: Moment, run: Run, texts: LoadedCorpus, told: Details, topic: int) -> None:
    """Who opened `topic`, in a sentence, and an excerpt of the text."""
    corpus, row = place_of(moment.run_id, run, texts.corpus, told.document)
    title = plain(title_of(corpus, row))
    words = [plain(moment.vocab[w]) for w in told.words]
    if moment.mixture:
        st.markdown(f"The whole of **{title}** opened it.")
    elif words:
        with_it = (
            f"; **{', '.join(words[1:])}** of the same text went there, too" if words[1:] else ""
        )
        st.markdown(f"The word **{words[0]}** of **{title}** opened it{with_it}.")
    _shown(moment, texts, corpus, row, told, topic)


def last_one(moment: Moment, run: Run, texts: LoadedCorpus, told: Details) -> None:
    """Who left a topic last and for which, in a sentence, and an excerpt of the text."""
    corpus, row = place_of(moment.run_id, run, texts.corpus, told.document)
    title, (to,) = plain(title_of(corpus, row)), told.topics
    what = f"document, **{title}**"
    if told.words:
        what = f"word, **{plain(moment.vocab[told.words[0]])}** of **{title}**"
    to_whom = f"“{plain(moment.name(to))}”" if to >= 0 else f"a {moment.noun} that ended, too"
    st.markdown(
        f"It ended with its last {what}, which was drawn to {to_whom}: all others had left it "
        "before."
    )
    _shown(moment, texts, corpus, row, told, to)


def _shown(
    moment: Moment, texts: LoadedCorpus, corpus: Corpus, row: int, told: Details, topic: int
) -> None:
    """An excerpt of the text with its words marked as those of `topic`."""
    text = str(corpus.docs.text[row] or "") if corpus.docs.text is not None else ""
    settings = settings_of(texts)
    if not text.strip():
        counts = counts_of(corpus, row)
        commonest = sorted(counts, key=lambda w: (-counts[w], w))[:COMMONEST]
        st.caption("Its commonest words: " + plain(", ".join(moment.vocab[w] for w in commonest)))
        return
    inside: list[Occurrence] = []
    if settings is not None and told.words:
        try:
            inside = [
                o for o in found_in(moment, text, settings).occurrences if o.word in told.words
            ]
        except CorpusError as problem:
            st.caption(plain(problem))
    shown, marks = excerpt(text, inside, told.words[:1], topic)
    hint = partial(_hint, moment)
    st.html(marked.css(is_dark()) + marked.marked_text(shown, marks, hint, look=moment.look))


def place_of(run_id: str, run: Run, corpus: Corpus, document: int) -> tuple[Corpus, int]:
    """Where a document that a run learns stands among all: what a saved run keeps of those that it
    learns has no texts. In the run's own corpus where nobody knows which were held out."""
    learned = corpus.derived(("learned rows", run_id), lambda: _learned(run, corpus))
    return (run.corpus, document) if learned is None else (corpus, int(learned[document]))


def _learned(run: Run, corpus: Corpus) -> I64 | None:
    """The rows that the run learns, in their order."""
    held_out = held_out_rows(run, corpus)
    return None if held_out is None else np.flatnonzero(~held_out)


def _hint(moment: Moment, topic: int) -> str:
    return f"into {moment.noun} {moment.name(topic)}"


def excerpt(
    text: str, inside: list[Occurrence], first: tuple[int, ...], topic: int
) -> tuple[str, list[marked.TextMark]]:
    """The part of a text around the words that went into `topic`, and their marks; a frame around
    the one that opened it, `first`, from which the part begins."""
    start = next((o.start for o in inside if o.word in first), inside[0].start if inside else 0)
    begin = max(start - BEFORE, 0)
    if begin:
        begin = text.find(" ", begin, start) + 1 or begin
    end = min(begin + LETTERS, len(text))
    if end < len(text):
        end = max(text.rfind(" ", start, end), begin + LETTERS // 2)
    marks = [
        marked.TextMark(o.start - begin, o.stop - begin, topic, 1.0, o.word in first)
        for o in inside
        if begin <= o.start and o.stop <= end
    ]
    before, after = "… " if begin else "", " …" if end < len(text) else ""
    moved = [
        marked.TextMark(m.start + len(before), m.stop + len(before), m.topic, m.certainty, m.hit)
        for m in marks
    ]
    return before + text[begin:end] + after, moved
