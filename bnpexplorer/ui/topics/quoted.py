"""Sentences to quote, with the paragraphs that speak most of what they say."""

from collections.abc import Sequence

import streamlit as st

from ...core.arrays import F32, Bools
from ...explore.choosing import Filter
from ...explore.naming import facts_of, title_of
from ...explore.passages import best_rows, passage_of
from ...explore.sentences import Sentence
from ...plots.style import percent
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.to_documents import lead_to_documents

EACH = 2
"""Paragraphs of a side."""

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
                for row in best_rows(explored.moment, shares, topic, rows, EACH).tolist():
                    share = percent(float(shares[row, explored.moment.row[topic]]))
                    _paragraph(explored, topic, row, share, asked, f"{key}-{row}")


def _paragraph(
    explored: Explored, topic: int, row: int, share: str, asked: Filter, key: str
) -> None:
    corpus, report = explored.loaded.corpus, explored.loaded.report
    settings = report.settings if report else None
    words = passage_of(explored.moment, corpus, settings, topic, row)
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
