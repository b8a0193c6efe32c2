"""Which documents are listed: a form for label, date, word and topic, and chips that say so.

Texts picked out on the map have a chip alone: the map is their form.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from ...core.arrays import F32, I64
from ...core.display import plural
from ...corpus import CorpusError
from ...explore.choosing import Filter, chosen, how_many
from ...export.tables import chosen_table
from ...plots.style import percent, shortened
from ...state.moment import Moment
from ..frame.words import plain
from ..parts.explore import Explored, labels_of
from ..parts.figure import csv_bytes
from ..parts.marked import found_in, settings_of
from ..parts.to_topics import choose_documents, filter_of, is_gone

LEASTS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 0.9)
MOST_CELLS = 5_000_000
"""Of a file of documents that a page makes: 24,000 documents with 200 topics, about 50 MB."""
LETTERS = 200
"""Of the words that are asked for."""


def filtered(explored: Explored, rows: I64, share: F32 | None) -> I64:
    """The form, the chips, and those of `rows` that are chosen."""
    moment, corpus = explored.moment, explored.loaded.corpus
    asked = filter_of(moment.run_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.popover("Filter", icon=":material/filter_list:", key="documents-filtering"):
            _form(explored, asked)
        _chips(moment, asked)
    if is_gone(moment.run_id):
        st.info(
            "This address asks for the texts of an outline that only the tab that drew it had: "
            "draw it again on the Topics page's map of texts.",
            icon=":material/info:",
        )
    if not asked:
        return rows
    columns = [moment.row[asked.topic]] if asked.topic in moment.row else []
    key = ("filter", explored.readable, share is not None, asked)
    passing = moment.derived(key, lambda: chosen(corpus, asked, share, columns))
    found: I64 = rows[passing[rows]]
    if len(rows) and not len(found):
        st.caption("No document of this list is left: take a condition away.")
    elif len(found) < len(rows):
        st.caption(f"{len(found):,} of {plural(len(rows), 'document')} pass the filter.")
    return found


def _form(explored: Explored, asked: Filter) -> None:
    moment, corpus = explored.moment, explored.loaded.corpus
    run_id = moment.run_id
    keys = {name: f"only-{name}-{run_id}" for name in ("label", "since", "until", "topic", "least")}

    def change(name: str, key: str, read: Callable[[Any], Any]) -> None:
        value: dict[str, Any] = {name: read(st.session_state[key])}
        choose_documents(run_id, replace(filter_of(run_id), **value))

    labels = labels_of(corpus)
    if labels is not None:
        st.session_state[keys["label"]] = [name for name in asked.labels if name in labels.names]
        st.multiselect(
            "Label",
            labels.names,
            key=keys["label"],
            on_change=partial(change, "labels", keys["label"], tuple),
            placeholder="all",
        )
    dates = corpus.docs.date
    if dates is not None and not np.isnat(dates).all():
        known = dates[~np.isnat(dates)]
        first, last = _day(str(known.min())), _day(str(known.max()))
        if first is not None and last is not None:
            left, right = st.columns(2)
            for place, name, words in ((left, "since", "From"), (right, "until", "To")):
                day = _day(getattr(asked, name))
                inside = None if day is None else min(max(day, first), last)
                st.session_state[keys[name]] = inside
                place.date_input(
                    words,
                    min_value=first,
                    max_value=last,
                    key=keys[name],
                    on_change=partial(change, name, keys[name], lambda v: str(v) if v else ""),
                )
    _words_field(explored, asked)
    ids = moment.ordered()
    st.session_state[keys["topic"]] = asked.topic if asked.topic in ids else None
    st.selectbox(
        f"Holds the {moment.noun}",
        ids,
        index=None,
        key=keys["topic"],
        placeholder="any",
        format_func=lambda topic: moment.name(topic),
        on_change=partial(change, "topic", keys["topic"], lambda v: v),
    )
    if asked.topic is not None:
        st.session_state[keys["least"]] = min(LEASTS, key=lambda x: abs(x - asked.least))
        st.select_slider(
            "with at least this share of the document",
            LEASTS,
            key=keys["least"],
            format_func=percent,
            on_change=partial(change, "least", keys["least"], lambda v: v),
        )


def _day(text: str) -> date | None:
    """A day that a field can show; None for one before the year 1, or after 9999."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _words_field(explored: Explored, asked: Filter) -> None:
    """Words that each document uses, cut as the texts were."""
    run_id = explored.moment.run_id
    key = f"only-word-{run_id}"
    st.session_state[key] = " ".join(asked.words)

    def change() -> None:
        text = st.session_state[key][:LETTERS].strip()
        known, unknown = words_of(explored, text)
        st.session_state["documents-unknown"] = unknown
        choose_documents(run_id, replace(filter_of(run_id), words=known))

    st.text_input("Uses the words", key=key, on_change=change, max_chars=LETTERS)
    unknown = st.session_state.pop("documents-unknown", ())
    if unknown:
        st.caption(f"Not in the vocabulary: {plain(', '.join(unknown))}.")


def words_of(explored: Explored, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a text that count in these texts, and those that do not."""
    moment, settings = explored.moment, settings_of(explored.loaded)
    if settings is None:
        words = dict.fromkeys(text.split())
        there = {word for word in words if word in moment.vocab}
        return tuple(there), tuple(word for word in words if word not in there)
    try:
        found = found_in(moment, text, settings)
    except CorpusError:  # its pattern does not get through it: nothing of it is known
        return (), (text,)
    return tuple(moment.vocab[w] for w in found.counts), tuple(found.unknown)


def chips_of(moment: Moment, asked: Filter) -> dict[str, str]:
    """What is asked for, in words: field of the filter -> words."""
    found = {}
    if asked.picked:
        found["picked"] = f"{plural(how_many(asked.picked), 'text')} of an outline on the map"
    if asked.labels:
        found["labels"] = shortened(" or ".join(asked.labels), 40)
    if asked.but:
        found["but"] = shortened(f"a label other than {', '.join(asked.but)}", 60)
    if asked.period:
        found["since"] = asked.period
    if asked.words:
        found["words"] = f"uses {shortened(' and '.join(asked.words), 40)}"
    if asked.topic is not None:
        name = shortened(moment.name(asked.topic), 30) if asked.topic in moment.row else "gone"
        found["topic"] = f"at least {percent(asked.least)} {name}"
    return found


def _chips(moment: Moment, asked: Filter) -> None:
    """What is asked for; a click takes it away."""

    def clear(part: str) -> None:
        now = filter_of(moment.run_id).without(part)
        if part == "since":
            now = now.without("until")
        choose_documents(moment.run_id, now)

    for part, words in chips_of(moment, asked).items():
        st.button(
            plain(words),
            icon=":material/close:",
            key=f"documents-chip-{part}",
            on_click=clear,
            args=(part,),
            help="Take this condition away",
        )


def export_button(explored: Explored, rows: I64, share: F32 | None) -> None:
    """The documents of the list with their texts and shares, as a file; of very many the first.

    The file is made whole before it is sent: of all of 500,000 documents with 200 shares each it
    would have a gigabyte.
    """
    moment = explored.moment
    heads = {moment.row[topic]: moment.head(topic) for topic in moment.ordered(True)}
    some = rows[: max(MOST_CELLS // (len(heads) + 7), 1)]
    words = "this document" if len(rows) == 1 else f"these {len(rows):,} documents"
    if len(some) < len(rows):
        words = f"the first {len(some):,} of {words}"
    st.download_button(
        f"Download {words}",
        lambda: csv_bytes(chosen_table(explored.loaded.corpus, some, share, heads)),
        file_name="bnpexplorer-documents-chosen.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key="documents-export",
        help="As CSV: id, title, date, label, text and the share of every topic.",
    )
    if len(some) < len(rows):
        st.caption(
            "A file made here has the first of the list; `python -m bnpexplorer export "
            f"{moment.run_id} tables.zip --to csv` writes the shares of all documents."
        )
