"""Pick a method, start it, watch it learn; lay another beside it."""

import streamlit as st

from bnpexplorer.ui.frame import look, session
from bnpexplorer.ui.frame.words import plain
from bnpexplorer.ui.live.panel import controls, panel
from bnpexplorer.ui.parts.forms import method_form
from bnpexplorer.ui.parts.run_choice import say_missing
from bnpexplorer.ui.parts.share import share
from bnpexplorer.ui.topics.map import compare_ahead

look.through_app()

runs = session.shown_runs()
loaded = session.loaded_corpus()
shown = runs[0].entry.source if runs else loaded
same = session.same_texts(loaded, shown)


def head() -> None:
    """One line: which texts, how many, how many held out."""
    facts = []
    if shown is not None:
        corpus = shown.corpus
        facts = [
            f"**{plain(corpus.name)}**",
            f"{corpus.n_docs:,} documents",
            f"{corpus.n_words:,} words",
        ]
        if runs and runs[0].entry.background.run.heldout is not None:
            held_out = runs[0].entry.background.run.heldout.observed.n_docs
            facts.append(f"held out {held_out:,}")
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(key="headline"):  # the page's title, unless it asks for a method
            st.markdown(("# " if runs else "") + " · ".join(facts))
        if not look.is_embedded():
            st.page_link("pages/corpus.py", label="Change texts", icon=":material/swap_horiz:")
        if runs:
            share(runs)


def start_form() -> None:
    """The form; a choice becomes a run on this page."""
    choice = method_form(loaded.corpus)
    if choice is None:
        return
    try:
        session.launch(choice, loaded)
    except ValueError as problem:
        st.error(plain(problem))
        return
    st.rerun()


if look.is_embedded() and not runs:
    st.info("The run that was shown here is no longer on its server.", icon=":material/info:")
    st.stop()

say_missing("below")

if loaded is None:
    st.title("Nothing is learning yet")
    st.markdown("Choose some texts first, then a method; this page shows what it learns, live.")
    with st.container(horizontal=True):
        st.page_link("pages/start.py", label="Start with a sample", icon=":material/play_circle:")
        st.page_link("pages/corpus.py", label="Load your own", icon=":material/library_books:")
    st.stop()

if same or not runs:
    st.session_state.pop("choosing", None)
if "choosing" in st.session_state:  # for other texts than those of the runs on the page
    st.title(f"Choose a method for {plain(loaded.corpus.name)}")
    st.button(
        "Back to the runs",
        icon=":material/arrow_back:",
        type="tertiary",
        key="not-choosing",
        on_click=lambda: st.session_state.pop("choosing"),
    )
    start_form()
    st.stop()

head()
if runs:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        drawn = controls(runs)
        if not look.is_embedded():
            words = "Add a method" if same else f"Learn {plain(loaded.corpus.name)} instead"
            with st.popover(words, icon=":material/add:" if same else ":material/swap_horiz:"):
                start_form()
    panel(runs, drawn)
    for run in runs:
        compare_ahead(run)
else:
    st.title("Choose a method")
    start_form()
