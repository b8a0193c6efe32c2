"""From nothing to a live run in one click."""

import streamlit as st

from ...corpus import CorpusError
from ...runs.plan import Plan
from ..frame import pages, server, session
from ..frame.words import plain
from ..parts.figure import load_ahead
from ..parts.samples import choose_sample


def page() -> None:
    """The page, drawn from its top."""
    st.title("Watch topics being born")
    st.markdown(
        "bnpexplorer reads texts in small batches and draws what it learns while it learns: how "
        "well it predicts words it has not seen, how many topics it needs, and which words they "
        "hold."
    )

    name = choose_sample("Texts to start with", "start-sample")
    if st.button("Watch it learn", type="primary", icon=":material/play_arrow:", key="watch"):
        try:
            with st.spinner("Reading the texts ..."):
                loaded = session.use_sample(name)
        except CorpusError as problem:
            st.error(plain(problem))
            st.stop()
        try:
            session.launch_all([Plan.of(name) for name in server.FIRST_METHODS], loaded)
        except ValueError as refusal:  # too large for this machine
            st.error(plain(refusal))
            st.stop()
        pages.go_to("live")

    st.caption(
        "Starts two methods for the same model, the hierarchical Dirichlet process, on the same "
        "split: truncation-free inference, which begins with no topics and opens them as it reads, "
        "and truncated mean field, which begins with all it may have."
    )
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("## Bring your own texts")
        st.markdown(
            "CSV, JSON lines, plain text, a ZIP of files or word counts. They stay on this machine."
        )
        pages.link_to("corpus", label="Open the Corpus page")
    with right:
        st.markdown("## Why do the two methods differ?")
        st.markdown(
            "A document, two components and one formula: the smallest example that shows it."
        )
        with st.container(horizontal=True):
            pages.link_to("lab", label="Open the Lab")
            pages.link_to("lessons", label="Take the tour")
    load_ahead()
