"""The form that divides long documents and joins short ones."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...corpus.joining import PERIODS
from ...corpus.passages import FEWEST, MOST, PARAGRAPHS, suggested
from ...corpus.source import ReadOptions, Source
from ..seam.places import Place

USUAL_WORDS = 200
LONG = {"": "stay as they are", "words": "into passages", PARAGRAPHS: "into paragraphs"}


def passages_form(source: Source, options: ReadOptions, key: str) -> ReadOptions:
    """`options` with what a person wants of long and short documents; open where passages are
    suggested. `source`: as it is without; short ones are joined by a column. Counts are neither
    divided nor joined."""
    if source.texts is None:
        return options
    wide = bool(source.columns)
    title, icon = "Long and short documents", ":material/content_cut:"
    with st.expander(title, icon=icon, expanded=suggested(source)):
        row = st.columns(4 if wide else 2, vertical_alignment="bottom")
        how = row[0].selectbox(
            "Long documents",
            list(LONG),
            format_func=LONG.__getitem__,
            key=f"{key}-long",
            help="Each part becomes a document that knows where it is from: its title ends with "
            "its place, such as ¶3, and date and label stay.",
        )
        n_words = row[1].number_input(
            "Words in a passage",
            FEWEST,
            MOST,
            USUAL_WORDS,
            disabled=how != "words",
            key=f"{key}-passage-words",
            help="About so many: passages end with a sentence, where possible with a paragraph.",
        )
        join, period = _joining(source, row[2:], key) if wide else ("", "")
    passages = f"{n_words}" if how == "words" else how
    return replace(options, passages=passages, join=join, period=period)


def _joining(source: Source, places: Sequence[Place], key: str) -> tuple[str, str]:
    """The column by which texts are joined, and the period; empty for none."""
    join = places[0].selectbox(
        "Join short texts of one",
        ["", *source.columns],
        format_func=lambda c: c or "do not join",
        key=f"{key}-join",
        help="All texts with the same value in this column become one document, such as all "
        "tweets of an account.",
    )
    period = places[1].selectbox(
        "within one",
        ["", *PERIODS],
        format_func=lambda p: p or "any time",
        disabled=not join,
        key=f"{key}-period",
    )
    return join, period if join else ""
