"""The Documents page's parts: which run, a list of documents, one of them, its neighbours."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ...core.arrays import F32, I64
from ...explore.documents import counts_of, facts_of, hellinger, nearest, snippet_of, title_of
from ...state.moment import Moment
from ..frame import explore_or_study, pages
from ..frame.session import RunOnPage
from ..frame.words import plain, status_words
from ..parts import explore
from ..parts.explore import Explored
from ..parts.figure import read_as_table
from ..parts.in_background import worked_out
from ..parts.to_topics import ROW, SHOWN, filter_of
from ..parts.to_topics import follow_address as follow_filter
from ..parts.topics_choice import keep_in_address, topic_of_address
from ..seam.styles import sheet
from .choosing import PAGE, Says, searched
from .document import document, fold_in_one
from .filtering import export_button
from .learned import part, parts_of

NEIGHBOURS, TITLE = 5, 70
"""Documents nearest to one, and letters of a title in a list."""


def opened(shown: RunOnPage) -> Explored | None:
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
        words = f"{plain(corpus.name)} · {corpus.n_docs:,} documents"
        if not explore_or_study.explores():
            after = background.run.passes_said(snapshot.docs_seen)
            words += f" · {plain(background.run.name)} after {after}"
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


def _go_on(shown: RunOnPage) -> None:
    explore.hold(shown)


def follow_address(moment: Moment) -> None:
    """Turn to the topic and document that the address asks for, if they are there, or keep both.

    Documents go by their number, from 1. Without a choice a link shows the first of the list.
    """
    topic_of_address(moment.run_id, list(moment.row))
    follow_filter(moment)
    asked = pages.asked("document")
    number = pages.number_of(asked or "")
    if number is not None and 1 <= number <= moment.corpus.n_docs:
        _choose(number - 1)
    elif asked == "":
        st.session_state.pop(ROW, None)
    row = st.session_state.get(ROW)
    pages.write("document", "" if row is None else row + 1)
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

    def frame(n: int) -> pd.DataFrame:
        some = rows[:n]
        titles = [title_of(explored.loaded.corpus, row) for row in some.tolist()]
        return pd.DataFrame(
            {
                "document": some + 1,
                "title": titles,
                "says": [*map(says, some)],
                "part": parts_of(explored, some),
            }
        )

    if len(rows):
        with st.container(horizontal=True, vertical_alignment="center"):
            read_as_table("documents", lambda: frame(len(rows)), lazy=True, rows=(len(rows), frame))
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
    found = worked_out(
        moment,
        ("nearest", row),
        lambda: nearest(corpus, share, theta, counts, NEIGHBOURS + 1),
        "the nearest",
        200,
    )
    if found is None:
        return
    near = [int(r) for r in found if r != row][:NEIGHBOURS]
    for place, (r, distance) in enumerate(zip(near, hellinger(share[near], theta), strict=True)):
        _line(explored, r, f"distance {distance:.2f}", f"near-{place}", False)
