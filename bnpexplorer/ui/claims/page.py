"""What the papers say, tried on the texts at hand."""

import streamlit as st

from ...claims import Claim
from ...corpus import CorpusError
from ..frame import pages, server, session
from ..frame.words import plain
from ..parts import studies
from .findings import at_a_glance, finds_of
from .study import choose_claim, choose_paper, offer, show_verdict, study_form, watch


def page() -> None:
    """The page, drawn from its top."""
    running = studies.current(
        "study",
        Claim,
        "What it found is kept: choose its claim, and the same time and seeds go on from there.",
    )
    if running is not None:
        entry, owned = running
        claim = entry.background.run.experiment
        st.title(claim.title)
        st.markdown(
            f"**{claim.source}**, on {plain(entry.background.run.corpus.name)}. {claim.statement}"
        )
        watch(entry, owned)
        return

    st.title("Do the papers' claims hold here?")
    st.markdown(
        "Each claim is tried on your texts with the papers' own settings, for the passes or the "
        "time that you set, and ends in the paper's picture and one sentence. Findings are kept as "
        "they come."
    )
    loaded, problem = session.loaded_corpus(), ""
    if loaded is None:
        try:
            with st.spinner("Reading the texts ..."):
                loaded = session.sample_of(server.FIRST_SAMPLE)
        except CorpusError as error:
            problem = f"{error} Or load texts of your own on the Texts page."
    finds = finds_of(loaded.corpus) if loaded is not None else {}

    claims = choose_paper()
    left, right = st.columns([6, 5], gap="large")
    with left:
        claim = choose_claim(claims, finds)
    exact = not claim.trials(1)
    with right:
        st.markdown(f"> {claim.statement}")
        if exact:
            st.caption("Exact: it needs no texts and no time.")
        elif loaded is None:
            st.error(plain(problem))
        else:
            with st.container(horizontal=True, vertical_alignment="center"):
                words = (
                    f"Texts: **{plain(loaded.corpus.name)}**, {loaded.corpus.n_docs:,} documents"
                )
                st.markdown(words, width="stretch")
                pages.link_to("corpus", label="Change texts", icon=":material/swap_horiz:")
            study = study_form(claim, loaded.corpus)
            if study is not None:
                try:
                    studies.begin("study", study, loaded)
                except ValueError as refusal:  # in a class: more than may go on
                    st.error(plain(refusal))
                    return
                st.rerun()
    studies.under_way("study", Claim)
    with st.expander("All claims at a glance"):
        st.dataframe(at_a_glance(finds), hide_index=True)
    if exact:
        show_verdict(claim, {}, {}, ())
    else:
        offer(claim, finds.get(claim.name, []))
