"""What much of the texts is lost by, said with a button that keeps it."""

import streamlit as st

from ...corpus.losses import losses
from ...corpus.text import Report
from ..frame.words import plain
from .stop_words import FORM


def say_losses(report: Report) -> None:
    """A warning for every loss; where the texts come from the form above, with its remedy."""
    form = st.session_state.get(FORM)
    for loss in losses(report):
        with st.container(horizontal=True, vertical_alignment="center", key=f"lost-{loss.name}"):
            st.warning(plain(loss.sentence), icon=":material/warning:", width="stretch")
            if form:
                st.button(
                    loss.remedy,
                    icon=":material/undo:",
                    key=f"keep-{loss.name}",
                    on_click=_set,
                    args=(f"{form}-{loss.name}", loss.value),
                )


def _set(field: str, value: float) -> None:
    st.session_state[field] = value
