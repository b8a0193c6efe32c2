"""The first screen: topics being born, and two doors."""

import streamlit as st

from ...runs.demonstration import SEEN, TENFOLD_SECONDS, plans
from ..frame import pages, session
from ..frame.words import plain
from ..parts.figure import load_ahead
from ..parts.samples import choose_sample
from ..parts.shortage import say_shortage
from .recorded import recorded


def page() -> None:
    """The page, drawn from its top."""
    load_ahead()
    st.title("Watch topics being born")
    st.markdown(
        "bnpexplorer reads texts and draws what it learns while it learns: which topics there are, "
        "how many it needs, and how well it predicts words it has not seen."
    )
    say_shortage()
    above = st.container(key="recorded")  # of a height that is known before it is drawn
    mine, show = st.columns([2, 3], gap="large")
    with mine:
        _my_texts()
    with show:
        _show_me()
    with above:  # last, since it takes the server longest
        recorded()


def _my_texts() -> None:
    with st.container(border=True, key="door-mine", height="stretch"):
        st.markdown("## My texts")
        st.markdown(
            "1. Load a table, a folder of files, pasted lines or word counts. They stay on this "
            "machine.\n"
            "2. Press *Find the topics*: the method that suits your texts best is chosen for you.\n"
            "3. Read each topic's words, and the documents that it is strongest in."
        )
        if st.button(
            "Load my texts", type="primary", icon=":material/upload_file:", key="my-texts"
        ):
            pages.go_to("corpus")


def _show_me() -> None:
    with st.container(border=True, key="door-show", height="stretch"):
        st.markdown("## Show me")
        name = choose_sample("Texts to start with", "start-sample")
        if st.button("Watch it learn", type="primary", icon=":material/play_arrow:", key="watch"):
            _watch(name)
        st.caption(SEEN[name].caption)
        with st.container(horizontal=True):
            pages.link_to("lessons", label="Take the tour")
            pages.link_to("lab", label="Open the Lab: why do the two differ?")


def _watch(name: str) -> None:
    """Start two methods on a sample and turn to them."""
    try:
        with st.spinner("Reading the texts ..."):
            loaded = session.use_sample(name)
        session.launch_all(plans(name, loaded.corpus), loaded, TENFOLD_SECONDS)
    except ValueError as problem:  # not installed, or too large for this machine
        st.error(plain(problem))
        return
    pages.go_to("live")
