"""Settings that fail, on the Compare page: a card each, and one click that starts the race."""

from collections.abc import Callable

import streamlit as st

from ...compare import FAILURES, Failure
from ..frame.words import plain
from .race import begin, texts_at_hand


def failures_view(show_race: Callable[[], None]) -> None:
    """A card for each failure; a click starts the failing run beside a sound one."""
    st.markdown(
        "Each starts a race on your texts: the setting that fails beside a sound one. Above the "
        "panels stands what is seen, by number: on a few texts or synthetic ones a failure may not "
        "show, and the page says so."
    )
    loaded = texts_at_hand()
    if loaded is None:
        return
    problem = st.session_state.pop("failure-problem", "")
    if problem:
        st.error(plain(problem))

    def start(failure: Failure) -> None:
        try:
            begin(failure.race(loaded.corpus), loaded)
            show_race()
        except ValueError as error:
            st.session_state["failure-problem"] = str(error)

    columns = st.columns(2, gap="medium")
    for i, failure in enumerate(FAILURES.values()):
        with columns[i % 2], st.container(border=True):
            st.markdown(f"## {failure.title}")
            st.markdown(failure.sentences)
            st.caption(f"{failure.method}: {failure.failing.label} beside {failure.sound.label}")
            st.button(
                "Show it",
                icon=":material/play_arrow:",
                on_click=start,
                args=(failure,),
                key=f"failure-{failure.name}",
                help=failure.title,
            )
