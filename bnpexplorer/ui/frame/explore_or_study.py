"""Explore or Study: what pages are there, and how much of methods they say.

*Explore* shows what an analyst reads: topics, words and documents. *Study* shows that, and how
methods learn: curves, comparisons, claims, demonstrations and lessons. One switch on every page
turns from one to the other, and the address keeps it. A bare address leads to Explore; one that
says something without `view`, as earlier versions wrote it, leads to Study, which shows all that
they showed.
"""

import streamlit as st

from ..seam.widgets import kept_choice

EXPLORE, STUDY = "Explore", "Study"
IN_ADDRESS = "view"
KEPT, PAGE = "lead", "lead-page"


def begin() -> None:
    """At a tab's first look: what its address says."""
    if KEPT not in st.session_state:
        asked = st.query_params.get(IN_ADDRESS, STUDY if st.query_params else EXPLORE)
        st.session_state[KEPT] = EXPLORE if asked.capitalize() == EXPLORE else STUDY


def leaves(page: str, of_study: bool) -> bool:
    """Whether the switch was turned to Explore on a page `of_study`, which is to be left then; who
    comes to such a page from Explore turns to Study, and the menu is drawn anew."""
    before, st.session_state[PAGE] = st.session_state.get(PAGE), page
    if of_study and explores() and before != page:
        study()
        st.rerun()
    return of_study and explores()


def explores() -> bool:
    """Whether the pages are an analyst's."""
    return bool(st.session_state.get(KEPT, STUDY) == EXPLORE)


def explore() -> None:
    """From now on show Explore, until somebody turns the switch."""
    st.session_state[KEPT] = EXPLORE


def study() -> None:
    """From now on show Study, until somebody turns the switch."""
    st.session_state[KEPT] = STUDY


def switch() -> None:
    """The switch of every page."""
    about = "Explore: topics, words and documents. Study: how methods learn and compare, too"
    kept_choice("Explore or Study", [EXPLORE, STUDY], KEPT, "lead-switch", about)


def in_address() -> dict[str, str]:
    """As every page keeps it in the address."""
    return {IN_ADDRESS: st.session_state[KEPT].lower()}
