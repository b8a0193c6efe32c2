"""Pick a method, start it, watch it learn; lay another beside it."""

from collections.abc import Sequence

import streamlit as st

from ..frame import access, explore_or_study, look, pages, present, session
from ..frame.server import LoadedCorpus
from ..frame.session import RunOnPage
from ..frame.words import plain
from ..parts import presenting, why
from ..parts.forms import find_topics, method_form, say_why
from ..parts.likeness import compare_ahead
from ..parts.run_buttons import labels_of, say_missing
from ..parts.share import share
from ..parts.shortage import say_too_little
from ..parts.to_topics import rows_lead
from .charts import WHY
from .panel import panel
from .presented import presented
from .rows import pause_all_button, rows
from .verdict import convergence, verdicts


def page() -> None:
    """The runs of this tab, or the form that starts one."""
    runs, loaded = session.shown_runs(), session.loaded_corpus()
    if present.view() and runs:
        presented(runs)
        return
    presenting.leave()
    if look.is_embedded() and not runs:
        st.info("The run that was shown here is no longer on its server.", icon=":material/info:")
        return
    say_missing("below")
    same = not runs or loaded is None or access.learns(runs[0].entry, loaded)
    if same:
        st.session_state.pop("choosing", None)
    if loaded is not None and "choosing" in st.session_state:  # for other texts than the runs'
        _choose_for(loaded)
    elif runs:
        if not look.is_embedded():
            rows_lead(runs)
        _head(runs, access.counts_of(runs[0].entry))
        _running(runs, loaded, same)
    elif loaded is not None:
        _head(runs, loaded)
        _begin(loaded)
    else:
        _no_texts()


def _no_texts() -> None:
    st.title("Nothing is learning yet")
    st.markdown("Choose some texts first, then a method; this page shows what it learns, live.")
    with st.container(horizontal=True):
        pages.link_to("start", label="Start with a sample")
        pages.link_to("corpus", label="Load your own")


def _begin(loaded: LoadedCorpus) -> None:
    """The one way that is recommended; the form of all others below it."""
    st.title("What are these texts about?")
    with st.container(horizontal=True, vertical_alignment="center"):
        if find_topics(loaded, "live-find"):
            st.rerun()
        say_why(loaded)
    if not explore_or_study.explores():
        with st.expander("Choose a method yourself", expanded="own-choice" in st.session_state):
            _start_form(loaded)


def _choose_for(loaded: LoadedCorpus) -> None:
    st.title(f"Choose a method for {plain(loaded.corpus.name)}")
    st.button(
        "Back to the runs",
        icon=":material/arrow_back:",
        type="tertiary",
        key="not-choosing",
        on_click=lambda: st.session_state.pop("choosing"),
    )
    say_too_little(loaded.corpus)
    _start_form(loaded)


def _running(runs: Sequence[RunOnPage], loaded: LoadedCorpus | None, same: bool) -> None:
    """Rows, form and everything that moves; who only watches has no texts for the form."""
    drawn = rows(runs)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="for-all"):
        pause_all_button(runs, drawn.statuses)
        if loaded is not None and not (look.is_embedded() or explore_or_study.explores()):
            words = "Add a method" if same else f"Learn {plain(loaded.corpus.name)} instead"
            icon = ":material/add:" if same else ":material/swap_horiz:"
            with st.popover(words, icon=icon, type="tertiary"):
                _start_form(loaded)

    def between() -> None:
        verdicts(runs)
        convergence(runs)
        if not explore_or_study.explores():
            _why(runs)

    panel(runs, drawn, between)
    for run in runs:
        compare_ahead(run)


def _why(runs: Sequence[RunOnPage]) -> None:
    """What happened to the topics of these runs, to be asked for."""
    labels = zip(runs, labels_of(runs), strict=True)
    found = [why.subject_of(shown.entry, label) for shown, label in labels]
    going = any(not shown.entry.background.ended for shown in runs)
    why.why_born(WHY, [subject for subject in found if subject is not None], going)


def _head(runs: Sequence[RunOnPage], loaded: LoadedCorpus | None) -> None:
    """One line: which texts, how many, how many held out."""
    facts = []
    if loaded is not None:
        corpus = loaded.corpus
        facts = [
            f"**{plain(corpus.name)}**",
            f"{corpus.n_docs:,} documents",
            f"{corpus.n_words:,} words",
        ]
        heldout = runs[0].entry.background.run.heldout if runs else None
        if heldout is not None and not explore_or_study.explores():
            held_out = heldout.observed.n_docs
            facts.append(f"held out {held_out:,}")
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(key="headline"):  # the page's title, unless it asks for a method
            st.markdown(("# " if runs else "") + " · ".join(facts))
        if not look.is_embedded():
            pages.link_to("corpus", label="Change texts", icon=":material/swap_horiz:")
        if runs:
            share(runs)
            if not explore_or_study.explores():
                presenting.offer()
    if loaded is not None and not runs:
        say_too_little(loaded.corpus)


def _start_form(loaded: LoadedCorpus) -> None:
    """The form; its plan becomes a run on this page."""
    plan = method_form(loaded.corpus)
    if plan is None:
        return
    try:
        if plan.chains > 1:
            session.launch_chains(plan, loaded)
        else:
            session.launch(plan, loaded)
    except ValueError as problem:
        st.error(plain(problem))
        return
    st.rerun()
