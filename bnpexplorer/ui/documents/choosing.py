"""Which documents the page lists, and in which order: those of a topic, or those of a search."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from ...core.arrays import F32, I64
from ...core.display import plural
from ...corpus import CorpusError
from ...explore.documents import lengths_of, rank_by_share, rank_by_words, search, usual_minimum
from ...plots.style import percent
from ...state.moment import Moment
from ..frame import explore_or_study
from ..frame.words import plain
from ..parts.explore import Explored
from ..parts.in_background import worked_out
from ..parts.marked import found_in, settings_of
from ..parts.to_topics import ROW, SEARCH, SHOWN, WAY, filter_of
from ..parts.topics_choice import as_choice, choose_topic, chosen_topic
from .document import NOTHING
from .learned import learned, told_apart

PAGE = 8
"""Documents in a list at first, and added by each press of the button."""

Says = Callable[[int], str]
"""Document -> what its line in the list says of it."""
RULES = {"share": "By share", "words": "By number of words"}


def _fresh_list() -> None:
    """Another list: begin with its first document."""
    st.session_state.pop(ROW, None)
    st.session_state[SHOWN] = PAGE


def by_topic(moment: Moment, share: F32 | None) -> tuple[I64 | None, Says]:
    """Choose a topic: its documents, best first, and what each line says of it.

    Until the documents are read, the list is empty; None while many of them are put in order.
    """
    run_id, order = moment.run_id, moment.ordered() or moment.ordered(hidden=True)
    key = f"documents-topic-{run_id}"
    st.session_state[key] = chosen_topic(run_id, order)

    def turn() -> None:
        choose_topic(run_id, st.session_state[key])
        _fresh_list()

    chosen = st.selectbox(
        moment.noun.capitalize(),
        order,
        key=key,
        on_change=turn,
        format_func=lambda i: as_choice(moment, i),
    )
    k = moment.row[chosen]
    lengths = lengths_of(moment.corpus)
    rule = st.segmented_control(
        "Sorted by",
        list(RULES),
        default="share",
        required=True,
        key="documents-rule",
        on_change=_fresh_list,
        label_visibility="collapsed",
        persist_state="session",
        format_func=RULES.__getitem__,
        bind="query-params",
    )
    if rule == "words":
        st.caption(f"Share times length: how many words of the {moment.noun} a document holds.")
    else:
        fewest = 1 if filter_of(run_id).picked else usual_minimum(lengths)
        only = (
            f"Only documents of at least {fewest:,} words, half the usual length: in a shorter one "
            "a single word may decide. "
        )
        st.caption(f"{only if fewest > 1 else ''}Equal shares: the most typical words first.")
    if share is None:
        return np.zeros(0, np.int64), lambda row: ""
    if rule == "words":
        by_words = worked_out(
            moment, ("by words", k), lambda: rank_by_words(moment.corpus, share, k), "the list"
        )
        return (
            by_words,
            lambda row: f"about {share[row, k] * lengths[row]:,.0f} of {lengths[row]:,} words",
        )
    rows = worked_out(
        moment,
        ("by share", k, fewest),
        lambda: rank_by_share(moment.topics, moment.corpus, share, k, fewest),
        "the list",
    )
    return rows, lambda row: f"{percent(float(share[row, k]))} of {lengths[row]:,} words"


def by_part(explored: Explored, rows: I64) -> I64 | None:
    """Those that the run learned from, or those that it did not, if asked for; None while it is
    worked out which they are."""
    if not told_apart(explored):
        return None
    known = learned(explored)
    if known is None or known.all() or explore_or_study.explores():
        return rows
    parts = ["All", "Learned", "Not learned"]
    which = st.segmented_control(
        "Which documents",
        parts,
        default="All",
        required=True,
        key="documents-part",
        on_change=_fresh_list,
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
    if which == "All" or not len(rows):
        return rows
    found: I64 = rows[known[rows] == (which == "Learned")]
    if not len(found):
        st.caption(f"The run has learned {'none' if which == 'Learned' else 'all'} of these.")
    return found


def by_search(explored: Explored) -> tuple[I64 | None, Says]:
    """Ask for words: documents by title, then by use of the words."""
    asked = st.text_input(
        "Search",
        key="documents-search",
        on_change=_fresh_list,
        persist_state="session",
        placeholder="a title, an id, or words",
        label_visibility="collapsed",
        bind="query-params",
    )
    moment, settings = explored.moment, settings_of(explored.loaded)
    lengths = lengths_of(moment.corpus)

    def says(row: int) -> str:
        return f"{lengths[row]:,} words"

    if not asked.strip():
        st.caption("Finds titles, ids and labels that hold it, then documents that use its words.")
        some = bool(filter_of(moment.run_id))  # then it lists whatever the filter lets pass
        return np.arange(len(lengths) if some else 0), says
    words: list[int] = []
    if settings is not None:
        try:
            found = found_in(moment, asked, settings)
        except CorpusError as problem:
            st.caption(plain(problem))
            found = NOTHING
        words = [] if found.unknown else list(found.counts)
        if found.unknown:
            unknown = ", ".join(found.unknown)
            st.caption(f"Not in the vocabulary: {plain(unknown[:200])}.")
    corpus = explored.loaded.corpus
    rows = worked_out(
        corpus,
        ("search", tuple(words), asked),
        lambda: search(corpus, words, asked),
        "what is found among the texts",
    )
    if rows is None:
        return None, says
    if not len(rows):
        st.caption("No document found. Try one word that the texts use often.")
    else:
        st.caption(f"{plural(len(rows), 'document')} found.")
    return rows, says


def searched() -> str:
    """What the list was searched for; empty if it is not a search."""
    if st.session_state.get(WAY) != "search":
        return ""
    return str(st.session_state.get(SEARCH) or "").strip()
