"""Which column of a table is what: the pickers, and a button for each other choice that suits."""

from dataclasses import replace

import streamlit as st

from ...corpus.readers.formats import NONE
from ...corpus.readers.source import APART, FIRST, SHORT, ReadOptions, Source
from ..frame.words import plain

FIELD_WORDS = {"text": "Text", "date": "Date", "label": "Label", "title": "Title", "id": "Id"}
SEVERAL = ("text", "label")
"""Fields that may be read from several columns."""
ANSWERS = {"": "one document a row", APART: "a document each"}
SHOWN_OFFERS = 5
LONGEST = 60
"""Letters of a column's title in a picker."""


def columns_form(source: Source, options: ReadOptions, key: str) -> ReadOptions:
    """`options` with the columns that a person picked; unchanged where all is as it was found.

    `source`: as it was found out.
    """
    found, chosen = source.columns, source.chosen

    def shown(column: str) -> str:
        title = source.column_titles.get(column, "")
        return "none" if column == NONE else f"{column}: {title}"[:LONGEST] if title else column

    picked = {}
    for place, (field, words) in zip(st.columns(5), FIELD_WORDS.items(), strict=True):
        choices = [*found] if field == "text" else [NONE, *found]
        at = chosen.get(field, NONE)
        with place:
            picked[field] = st.selectbox(
                f"{words} column",
                choices,
                choices.index(at) if at in choices else 0,
                format_func=shown,
                key=f"{key}-{field}",
            )
    more = {}
    texts, answers, labels = st.columns(3)
    for place, field in ((texts, "text"), (labels, "label")):
        with place:
            more[field] = st.multiselect(
                f"More {FIELD_WORDS[field].lower()} columns",
                [column for column in found if column != picked[field]],
                format_func=shown,
                key=f"{key}-more-{field}",
            )
    options = replace(
        options,
        questions=answers.selectbox(
            "Several text columns become",
            list(ANSWERS),
            format_func=ANSWERS.__getitem__,
            disabled=not more["text"],
            key=f"{key}-questions",
            help="Documents of a column have its name as their label.",
        ),
        add_title=SHORT
        * texts.checkbox("Begin short texts with their titles", key=f"{key}-add_title"),
        label_parts=FIRST
        * labels.checkbox(
            "First value of a label alone",
            key=f"{key}-label_parts",
            help="Of a label such as sea;trade only sea counts.",
        ),
    )
    if picked == {field: chosen.get(field, NONE) for field in FIELD_WORDS} and not any(
        more.values()
    ):
        return options  # read as it was found out
    several = {f: "\n".join([picked[f], *more[f]]) for f in SEVERAL if picked[f] != NONE}
    return replace(options, **picked | several)


def say_offers(source: Source, key: str) -> None:
    """Say how other columns may be used, with a button for each choice."""
    for i, offer in enumerate(source.offers[:SHOWN_OFFERS]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"{key}-offer-{i}"):
            if offer.sentence:
                st.caption(plain(offer.sentence))
            st.button(
                plain(offer.button),
                key=f"{key}-take-{i}",
                type="tertiary",
                icon=":material/swap_horiz:",
                on_click=_take,
                args=(offer.sets, key),
            )


def _take(sets: dict[str, str], key: str) -> None:
    """Set the fields of the form to those of an offer."""
    for field, value in sets.items():
        if field in FIELD_WORDS:
            first, *others = value.split("\n")
            st.session_state[f"{key}-{field}"] = first
            if field in SEVERAL:
                st.session_state[f"{key}-more-{field}"] = others
        else:
            marked = field in ("add_title", "label_parts")
            st.session_state[f"{key}-{field}"] = True if marked else value
