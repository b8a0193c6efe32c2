"""The Documents page's parts: which run, which documents, one of them, its neighbours."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, I64
from ...corpus import CorpusError
from ...corpus.source import plural
from ...explore.documents import (
    counts_of,
    hellinger,
    nearest,
    rank_by_share,
    rank_by_words,
    search,
    usual_minimum,
)
from ...explore.naming import facts_of, snippet_of, title_of
from ...plots.style import percent
from ...state.moment import Moment
from ..frame import address, pages
from ..frame.session import Shown
from ..frame.words import plain, status_words
from ..parts import explore
from ..parts.explore import Explored
from ..parts.tables import read_as_table
from ..parts.to_documents import ROW, SEARCH, SHOWN, WAY, filter_of
from ..parts.to_documents import follow_address as follow_filter
from ..parts.topics_choice import (
    as_choice,
    choose_topic,
    chosen_topic,
    keep_in_address,
    topic_of_address,
)
from ..seam.sheets import sheet
from .document import NOTHING, document, fold_in_one, found_in, settings_of
from .filtering import export_button
from .learned import learned, part

PAGE = 8
"""Documents in a list at first, and added by each press of the button."""
NEIGHBOURS, TITLE = 5, 70
"""Documents nearest to one, and letters of a title in a list."""

Says = Callable[[int], str]
"""Document -> what its line in the list says of it."""
RULES = {"share": "By share", "words": "By number of words"}


def opened(shown: Shown) -> Explored | None:
    """What is explored: a line that says which moment, and a button for a later one.

    None, with what to do, while there is nothing to see.
    """
    background, found = shown.entry.background, explore.explored(shown)
    if found is None:
        st.info(
            f"{plain(background.run.name)} is {status_words(background)} and has no topics "
            "yet: they come with the first mini-batches.",
            icon=":material/hourglass_empty:",
        )
        with st.container(horizontal=True):
            st.button("Look again", icon=":material/refresh:", on_click=_go_on, args=(shown,))
            pages.link_to("live", label="Watch it")
        return None
    corpus, snapshot, latest = found.moment.corpus, found.moment.snapshot, background.latest
    with st.container(horizontal=True, vertical_alignment="center"):
        words = f"{plain(corpus.name)} · {corpus.n_docs:,} documents · "
        words += f"{plain(background.run.name)} after {snapshot.docs_seen:,} documents seen"
        st.caption(words, width="content")
        if latest is not None and latest.at("") != snapshot.at(""):
            st.button(
                "Take where it stands now",
                icon=":material/refresh:",
                type="tertiary",
                on_click=_go_on,
                args=(shown,),
                key="documents-hold",
                help="The run has gone on. This page stays at its moment until you ask.",
            )
    return found


def _go_on(shown: Shown) -> None:
    explore.hold(shown)


def _fresh_list() -> None:
    """Another list: begin with its first document."""
    st.session_state.pop(ROW, None)
    st.session_state[SHOWN] = PAGE


def by_topic(moment: Moment, share: F32 | None) -> tuple[I64, Says]:
    """Choose a topic: its documents, best first, and what each line says of it.

    Until the documents are read, the list is empty.
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
    lengths = moment.corpus.doc_lengths
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
        fewest = usual_minimum(lengths)
        st.caption(
            f"Only documents of at least {fewest:,} words, half the usual length: in a shorter one "
            "a single word may decide. Equal shares: the most typical words first."
        )
    if share is None:
        return np.zeros(0, np.int64), lambda row: ""
    if rule == "words":
        rows = rank_by_words(moment.corpus, share, k)
        return (
            rows,
            lambda row: f"about {share[row, k] * lengths[row]:,.0f} of {lengths[row]:,} words",
        )
    rows = rank_by_share(moment.topics, moment.corpus, share, k, fewest)
    return rows, lambda row: f"{percent(float(share[row, k]))} of {lengths[row]:,} words"


def by_part(explored: Explored, rows: I64) -> I64:
    """Those that the run learned from, or those that it did not, if asked for."""
    known = learned(explored)
    if known is None or known.all():
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


def by_search(explored: Explored) -> tuple[I64, Says]:
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
    moment, settings = explored.moment, settings_of(explored)
    lengths = moment.corpus.doc_lengths

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
    rows = search(explored.loaded.corpus, words, asked)
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


def follow_address(moment: Moment) -> None:
    """Turn to the topic and document that the address asks for, if they are there, or keep both.

    Documents go by their number, from 1. Without a choice a link shows the first of the list.
    """
    topic_of_address(moment.run_id, list(moment.row))
    follow_filter(moment)
    asked = address.asked("document")
    number = address.number_of(asked or "")
    if number is not None and 1 <= number <= moment.corpus.n_docs:
        _choose(number - 1)
    elif asked == "":
        st.session_state.pop(ROW, None)
    row = st.session_state.get(ROW)
    address.write("document", "" if row is None else row + 1)
    keep_in_address(moment.run_id, list(moment.row))


def _choose(row: int) -> None:
    st.session_state[ROW] = row


def _more() -> None:
    st.session_state[SHOWN] = st.session_state.get(SHOWN, PAGE) + PAGE


def listing(
    explored: Explored, share: F32 | None, rows: I64, says: Says, key: str, chosen: int | None
) -> None:
    """Documents one below the other; each opens at a click."""
    st.html(sheet("listed_buttons"))
    shown = int(st.session_state.get(SHOWN, PAGE))
    for place, row in enumerate(rows[:shown].tolist()):
        _line(explored, row, says(row), f"{key}-{place}", row == chosen)
    if len(rows) > shown:
        st.button(
            f"Show {min(PAGE, len(rows) - shown)} more",
            icon=":material/expand_more:",
            type="tertiary",
            on_click=_more,
            key=f"{key}-more",
        )

    def frame() -> pd.DataFrame:
        titles = [title_of(explored.loaded.corpus, row) for row in rows.tolist()]
        return pd.DataFrame(
            {
                "document": rows + 1,
                "title": titles,
                "says": [*map(says, rows)],
                "part": [part(explored, row) for row in rows.tolist()],
            }
        )

    if len(rows):
        with st.container(horizontal=True, vertical_alignment="center"):
            read_as_table("documents", frame, lazy=True)
            export_button(explored, rows, share)


def _line(explored: Explored, row: int, words: str, key: str, chosen: bool) -> None:
    corpus, which = explored.loaded.corpus, part(explored, row)
    marks = [f"**{which}**"] if which not in ("", "learned") else []
    facts = " · ".join([*marks, *map(plain, [words, *facts_of(corpus, row)[:2]])])
    with st.container(gap=None, key=f"line-{key}"):
        st.button(
            f"**{plain(title_of(corpus, row, TITLE))}**",
            type="tertiary",
            key=key,
            icon=":material/arrow_right:" if chosen else None,
            on_click=_choose,
            args=(row,),
        )
        goes_on = plain(snippet_of(corpus, row, title=TITLE))
        st.caption(facts + (f"  \n*{goes_on}*" if goes_on else ""))


def one(explored: Explored, share: F32 | None, rows: I64, row: int) -> None:
    """The chosen document, the way to its neighbours in the list and in meaning."""
    moment, corpus = explored.moment, explored.loaded.corpus
    places = np.flatnonzero(rows == row)
    place = int(places[0]) if len(places) else -1
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"## {plain(title_of(corpus, row))}", width="stretch")
        ways = st.container(horizontal=True, width="content")
    for words, icon, step in (("Previous", "arrow_back", -1), ("Next", "arrow_forward", 1)):
        there = 0 <= place + step < len(rows) and place >= 0
        ways.button(
            words,
            icon=f":material/{icon}:",
            disabled=not there,
            key=f"documents-{words}",
            on_click=partial(_choose, int(rows[place + step])) if there else None,
            help="In the list" if place >= 0 else "This document is not in the list",
        )
    counts = counts_of(corpus, row)
    theta = fold_in_one(moment, counts) if share is None else share[row].astype(np.float64)
    document(explored, row, theta, (*filter_of(moment.run_id).words, searched()))
    st.markdown("## Nearest documents")
    if share is None:
        explore.reading(explored.shown, 200)
        return
    st.caption(
        f"By Hellinger distance between shares of {moment.noun}s, 0 to 1; equal ones by their "
        "words."
    )
    found = nearest(corpus, share, theta, counts, NEIGHBOURS + 1)
    near = [int(r) for r in found if r != row][:NEIGHBOURS]
    for place, (r, distance) in enumerate(zip(near, hellinger(share[near], theta), strict=True)):
        _line(explored, r, f"distance {distance:.2f}", f"near-{place}", False)
