"""One word in the texts, below the topics that use it: over time, with whom, and every place."""

import numpy as np
import pandas as pd
import streamlit as st

from ...core.display import plural, rates
from ...corpus import Corpus, CorpusError
from ...corpus.intake.api import find_words
from ...corpus.words.occurrences import index_of
from ...corpus.words.settings import TextSettings
from ...explore.choosing import with_word
from ...explore.documents import title_of
from ...explore.in_context import (
    MOST,
    Hit,
    Hits,
    companions,
    concordance,
    hit_at,
    sorted_hits,
    without_copies,
)
from ...explore.over_documents import word_rate, word_trend
from ...explore.periods import PERIODS, Period, suitable_period
from ...plots.over_time import HEIGHT, OF_WORDS, TimeLine, faint_said, lines_over_time
from ...plots.style import colour
from ..frame import access
from ..frame.look import is_dark, text_size
from ..frame.words import plain
from ..parts.explore import Explored, few_enough
from ..parts.figure import live_figure, read_as_table
from ..parts.in_background import worked_out
from ..parts.to_topics import lead_to_documents
from .grouping import counted_field, units_of_chance

N_COMPANIONS, CUT_AT_MOST = 15, 300
ORDERS = {"text": "In order", "left": "By the words before", "right": "By the words after"}


def _hits(words: str, place: int | None, corpus: Corpus, settings: TextSettings | None) -> Hits:
    """The places of some words; of one of the vocabulary, only its documents are read.

    A word of the vocabulary that never stands in the texts as it is written (a stem, a phrase) is
    found as the texts were cut, in the first documents that use it.
    """
    texts = corpus.docs.text
    assert texts is not None
    rows = np.arange(corpus.n_docs) if place is None else np.flatnonzero(with_word(corpus, place))
    found = concordance(texts, rows.tolist(), words)
    if found.hits or place is None or settings is None:
        return found
    index = index_of([words], settings)
    hits: list[Hit] = []
    for row in rows[:CUT_AT_MOST].tolist():
        text = str(texts[row] or "")
        try:
            cut = find_words(text, settings, index)
        except CorpusError:  # its pattern does not get through this text: the others may do
            continue
        hits += [hit_at(text, row, o.start, o.stop) for o in cut.occurrences]
    return Hits(tuple(hits[:MOST]), len({hit.row for hit in hits}), len(rows) <= CUT_AT_MOST)


def word_in_texts(explored: Explored, words: str, place: int | None) -> None:
    """`words` as they were asked for; `place` in the vocabulary, None if they have none.

    For readers: where a period has one document, its share of a word is the document's. What is
    worked out is kept by the corpus that only readers are given.
    """
    if not explored.readable:
        st.info(access.WORDS_FOR_ITS_OWNER, icon=":material/lock:")
        return
    if place is not None:
        _how_often(explored, words, place)
        _trend(explored, words, place)
        _companions(explored, words, place)
    _places(explored, words, place)


def _how_often(explored: Explored, word: str, place: int) -> None:
    moment = explored.moment
    found = worked_out(
        explored.loaded.corpus,
        ("rate", place),
        lambda: word_rate(moment.corpus, place),
        "how common the word is",
    )
    if found is not None:
        (rate, low, high), unit = rates(found)
        st.caption(
            f"“{plain(word)}” stands {rate} times in {unit} words, {low} to {high} with 95 % "
            f"certainty, for which {units_of_chance(moment)}."
        )


def _trend(explored: Explored, word: str, place: int) -> None:
    moment = explored.moment
    dates = moment.corpus.docs.date
    if dates is None or np.isnat(dates).all():
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown("## How common it is over time", width="stretch")
        counted = counted_field(moment)
        period: Period = st.selectbox(
            "Period",
            PERIODS,
            PERIODS.index(suitable_period(dates)),
            key=f"topics-word-period-{moment.run_id}",
            bind="query-params",
            width=140,
        )
    if not few_enough(dates, period):
        return
    found = worked_out(
        explored.loaded.corpus,
        ("trend", place, period, counted),
        lambda: word_trend(moment.corpus, place, period, counted == "words"),
        "how common the word is by period",
        HEIGHT,
    )
    if found is None:
        return
    low, high = found.means.interval()
    title = "share of the words" if counted == "words" else "share of documents that use it"
    line = TimeLine(word, colour(0, is_dark()), found.share[:, 0], low[:, 0], high[:, 0], found.few)
    live_figure(
        lines_over_time(
            found.starts,
            found.n_docs,
            [line],
            title,
            is_dark(),
            text_size(),
            OF_WORDS if counted == "words" else ".0%",
        ),
        "topics-word-trend",
        HEIGHT,
        "How common one word is by period, and documents by period below; numbers in the table.",
    )
    st.caption(
        f"The shade is a 95 % interval, for which {units_of_chance(moment)}; a gap is a period "
        f"without documents.{faint_said([line])}"
    )
    read_as_table(
        "topics-word-trend",
        lambda: pd.DataFrame(
            {
                "from": found.starts.astype(str),
                "documents": found.n_docs,
                "share": found.share[:, 0],
                "at least": low[:, 0],
                "at most": high[:, 0],
            }
        ),
    )


def _companions(explored: Explored, word: str, place: int) -> None:
    moment = explored.moment
    st.markdown("## Which words travel with it")
    found = worked_out(
        explored.loaded.corpus,
        ("companions", place),
        lambda: companions(moment.corpus, place, 200),
        "which words travel with it",
    )
    if found is None:
        return
    filler = moment.filler_words[found.words]
    if filler.all():
        other = "other word but filler" if len(filler) else "other word"
        st.caption(f"No {other} stands in the same documents more often than by chance.")
        return
    table = pd.DataFrame(
        {
            "word": [moment.vocab[w] for w in found.words],
            "documents with both": found.both,
            "documents with it": found.alone,
            "how closely": np.round(found.npmi, 2),
            "how surely": np.round(found.likelihood, 1),
        }
    ).iloc[np.argsort(filler, kind="stable")]
    st.dataframe(table.head(min(N_COMPANIONS, int((~filler).sum()))), hide_index=True)
    left_off = f" {plural(int(filler.sum()), 'word')} of filler only in the table, last."
    st.caption(
        "Words in the same documents more often than by chance, sure beyond "
        f"{found.least:.1f} for all {found.n_compared:,} words together, the surest first (log "
        "likelihood ratio, Dunning 1993; a text's passages and copies count once). Closely: "
        "normalised pointwise mutual information, 0 by chance, 1 if "
        "they are never apart." + (left_off if filler.any() else "")
    )
    read_as_table("topics-companions", lambda: table, lazy=True)


def _places(explored: Explored, words: str, place: int | None) -> None:
    """Every place, the word in the middle."""
    corpus, moment = explored.loaded.corpus, explored.moment
    if corpus.docs.text is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("## Where it stands", width="stretch")
        by = st.segmented_control(
            "Sorted",
            list(ORDERS),
            default="text",
            required=True,
            key="topics-places-order",
            format_func=ORDERS.__getitem__,
            label_visibility="collapsed",
            bind="query-params",
            persist_state="session",
        )
    settings = explored.loaded.report.settings if explored.loaded.report else None
    found = worked_out(
        corpus,
        ("places", words, place),
        lambda: _hits(words, place, corpus, settings),
        f"where “{plain(words)}” stands in the texts",
        420,
        meanwhile="Searching the texts ...",
    )
    if found is None:
        return
    if not found.hits:
        st.caption(f"“{plain(words)}” stands in no text as it is written here.")
        return
    hits = sorted_hits(without_copies(found.hits), by)
    table = pd.DataFrame(
        {
            "before": [hit.left for hit in hits],
            "word": [hit.word for hit in hits],
            "after": [hit.right for hit in hits],
            "document": [title_of(corpus, hit.row, 40) for hit in hits],
        }
    )
    if corpus.docs.date is not None:
        days = [corpus.docs.date[hit.row].astype("datetime64[D]") for hit in hits]
        table["date"] = ["" if np.isnat(day) else str(day) for day in days]
    key = f"topics-places-{moment.run_id}-{by}"

    def opened() -> None:
        chosen = st.session_state[key]["selection"]["rows"]
        if chosen:
            lead_to_documents(moment, search=words, row=hits[chosen[0]].row)

    st.dataframe(
        table.style.set_properties(
            subset=["word"], **{"background-color": "rgba(184,131,0,0.25)", "font-weight": "bold"}
        ),
        hide_index=True,
        height=420,
        key=key,
        on_select=opened,
        selection_mode="single-row",
        column_config={
            "before": st.column_config.TextColumn(alignment="right", width="large"),
            "word": st.column_config.TextColumn(alignment="center", width="small"),
            "after": st.column_config.TextColumn(width="large"),
        },
    )
    counted = None if place is None else int(corpus.word_totals[place])
    n_copies = len(found.hits) - len(hits)
    once = f" {n_copies:,} that read as another one are left off." if n_copies else ""
    st.caption(f"{places_said(found, counted)}{once} Tick a line to read its document.")
    read_as_table("topics-places", lambda: table, lazy=True)


def places_said(found: Hits, counted: int | None) -> str:
    """How many places there are, and how often the run counts the word (None: it is no word that
    counts): the texts are searched for what is written, and only clean-up and cutter know which
    places count."""
    said = (
        f"{plural(len(found.hits), 'place')} in {plural(found.n_docs, 'document')}, as it is "
        "written, whatever the case and accents."
    )
    if not found.complete:
        said += f" There are more: the first {len(found.hits):,} are here."
    if counted is None or counted == len(found.hits):
        return said
    said += f" The run counts it {counted:,} times"
    return said + (": clean-up, stems and titles may differ." if found.complete else ".")
