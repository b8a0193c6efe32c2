"""What the papers say, tried on the texts at hand."""

import streamlit as st

from bnpexplorer.claims import CLAIMS
from bnpexplorer.corpus import CorpusError
from bnpexplorer.ui import look, session
from bnpexplorer.ui.claims import begin, current, show_verdict, study_form, watch

look.through_app()

running = current()
if running is not None:
    entry, owned = running
    claim = entry.background.run.claim
    st.title(claim.title)
    st.markdown(f"**{claim.source}**, on {entry.background.run.corpus.name}. {claim.statement}")
    watch(entry, owned)
    st.stop()

st.title("Do the papers' claims hold here?")
st.markdown(
    "Each claim is tried on your texts with the papers' own settings, for a time that you set, and "
    "ends in the paper's picture and one sentence. Findings are kept as they come."
)
name = st.radio(
    "Claim",
    list(CLAIMS),
    format_func=lambda key: CLAIMS[key].title,
    captions=[claim.source for claim in CLAIMS.values()],
    key="claim-name",
)
claim = CLAIMS[name]
st.markdown(f"> {claim.statement}")
if not claim.trials(1):
    show_verdict(claim, {})
    st.stop()
loaded = session.loaded_corpus()
if loaded is None:
    try:
        with st.spinner("Reading the texts ..."):
            loaded = session.use_sample(session.FIRST_SAMPLE)
    except CorpusError as problem:
        st.error(f"{problem} Or load texts of your own on the Corpus page.")
        st.stop()
st.markdown(f"Texts: **{loaded.corpus.name}**, {loaded.corpus.n_docs:,} documents.")
study = study_form(claim, loaded.corpus)
if study is not None:
    begin(study, loaded)
    st.rerun()
