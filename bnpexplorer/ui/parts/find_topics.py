"""The one button that starts what is recommended for the texts at hand."""

import streamlit as st

from ...methods import METHODS
from ...runs.plan import Plan
from ...runs.recommend import recommend
from ..frame import lead, session
from ..frame.server import Loaded
from ..frame.words import plain

FIND = "Find the topics"


def find_topics(loaded: Loaded, key: str) -> bool:
    """The button; whether it has just started a run, which the Live page shows, topics first."""
    if not st.button(FIND, type="primary", icon=":material/play_arrow:", key=key):
        return False
    try:
        session.launch(recommend(loaded.corpus), loaded)
    except ValueError as problem:  # too few texts, too large for this machine, no place in a class
        st.error(plain(problem))
        return False
    lead.explore()
    st.session_state.pop("choosing", None)
    return True


def say_why(loaded: Loaded) -> None:
    """Why the button starts what it starts, in a line beside it; the method's name in its hint."""
    plan = recommend(loaded.corpus)
    name = plan.method.name
    st.markdown(why_of(plan), width="stretch", help=plain(f"{METHODS[name].in_words}: {name}"))


def why_of(plan: Plan) -> str:
    """The reason of a recommended plan, without the method's name."""
    reason = plan.reason.removeprefix(f"{plan.method.name}: ")
    return plain(f"{reason[:1].upper()}{reason[1:]}")
