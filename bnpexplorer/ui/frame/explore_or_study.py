"""What comes first on the Live page: topics with their words (Explore), or the curves (Study).

The button "Find the topics" (`parts/forms.py`) leads to Explore. Every other address, an earlier
one too, leads to Study, unless it says `view=explore`.
"""

import streamlit as st

from ..seam.widgets import kept_choice

EXPLORE, STUDY = "Explore", "Study"
IN_ADDRESS = "view"
KEPT = "lead"


def begin() -> None:
    """At a tab's first look: what its address says."""
    if KEPT not in st.session_state:
        asked = st.query_params.get(IN_ADDRESS)
        st.session_state[KEPT] = EXPLORE if asked == EXPLORE.lower() else STUDY


def explores() -> bool:
    """Whether topics come first."""
    return bool(st.session_state.get(KEPT, STUDY) == EXPLORE)


def explore() -> None:
    """From now on topics come first, until somebody turns the switch."""
    st.session_state[KEPT] = EXPLORE


def switch() -> None:
    """The switch, for pages where it decides something."""
    about = "What comes first: topics and their words, or the curves of a study"
    kept_choice("What comes first", [EXPLORE, STUDY], KEPT, "lead-switch", about)


def in_address() -> dict[str, str]:
    """As every page keeps it in the address."""
    return {IN_ADDRESS: EXPLORE.lower() if explores() else ""}
