"""Sentences to quote, with the paragraphs that speak most of what they say."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ...core.arrays import F32, I64, Bools
from ...corpus import CorpusError
from ...explore.choosing import Filter
from ...explore.documents import rank_by_share, usual_minimum
from ...explore.naming import facts_of, title_of
from ...explore.passages import best_passage, typical
from ...explore.sentences import Sentence
from ...intake.door import find_words
from ...plots.style import percent
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.to_documents import lead_to_documents

EACH = 2
"""Paragraphs of a side."""
LETTERS = 500

Side = tuple[str, Bools, Filter]
"""What a side is called, its documents (D,), and how the Documents page finds them."""


def quoted(sentence: Sentence) -> None:
    """A sentence, and in small print what it rests on."""
    st.markdown(f"> {plain(sentence.text)}")
    st.caption(plain(sentence.detail))


def evidence(explored: Explored, shares: F32, topic: int, sides: Sequence[Side], key: str) -> None:
    """Below a sentence: its best paragraphs, and ways to all of its documents.

    Nothing for those who may not read the texts.
    """
    if not explored.readable:
        return
    moment = explored.moment
    with st.container(horizontal=True, vertical_alignment="center"):
        popover = st.popover(
            "Best paragraphs",
            icon=":material/format_quote:",
            type="tertiary",
            key=f"{key}-paragraphs",
            on_change="rerun",
        )
        for number, (name, _, asked) in enumerate(sides):
            st.button(
                f"Read: {plain(name)}",
                icon=":material/article:",
                type="tertiary",
                key=f"{key}-read-{number}",
                on_click=lead_to_documents,
                args=(moment, topic, asked),
            )
    if popover.open:
        with popover:
            for name, rows, asked in sides:
                st.markdown(f"**{plain(name)}**")
                for row in best_rows(explored, shares, topic, rows).tolist():
                    share = percent(float(shares[row, explored.moment.row[topic]]))
                    _paragraph(explored, topic, row, share, asked, f"{key}-{row}")


def best_rows(explored: Explored, shares: F32, topic: int, rows: Bools) -> I64:
    """The documents of a side with the largest share of a topic, short ones last."""
    moment = explored.moment
    k = moment.row[topic]
    fewest = usual_minimum(moment.corpus.doc_lengths)
    ranked = rank_by_share(moment.topics, moment.corpus, shares, k, fewest)
    found = ranked[rows[ranked]][:EACH]
    if len(found) < EACH:
        short = np.flatnonzero(rows & (moment.corpus.doc_lengths < fewest))
        found = np.append(found, short[np.argsort(-shares[short, k], kind="stable")])[:EACH]
    return found


def _paragraph(
    explored: Explored, topic: int, row: int, share: str, asked: Filter, key: str
) -> None:
    corpus = explored.loaded.corpus
    words = passage_of(explored, topic, row)
    if words:
        st.markdown(f"> {plain(words)}")
    facts = " · ".join([f"{share} of {title_of(corpus, row, 60)}", *facts_of(corpus, row)[:2]])
    st.button(
        plain(facts),
        type="tertiary",
        key=f"{key}-open",
        on_click=lead_to_documents,
        args=(explored.moment, topic, asked, "", row),
    )


def passage_of(explored: Explored, topic: int, row: int) -> str:
    """The passage of a document that speaks most of a topic; empty where there is no text."""
    moment, docs = explored.moment, explored.loaded.corpus.docs
    text = str(docs.text[row] or "") if docs.text is not None else ""
    settings = explored.loaded.report.settings if explored.loaded.report else None
    if not text.strip() or settings is None:
        return ""
    index = {word: w for w, word in enumerate(moment.vocab)}
    try:
        found = find_words(text, settings, index)
    except CorpusError:  # its pattern does not get through it in time: its beginning will do
        return " ".join(text[:LETTERS].split())
    start, stop = best_passage(text, found.occurrences, typical(moment.topics, moment.row[topic]))
    words = " ".join(text[start:stop].split())
    return words if len(words) <= LETTERS else words[: LETTERS - 1].rstrip() + "…"
