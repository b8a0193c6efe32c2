"""Has it converged? What a run, and what several chains, can say of it, and the way to ask."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...core.store import StoreError
from ...runs.draws import Chain
from ...runs.plan import Plan
from ...runs.run import Run
from ..frame import access, look, session
from ..frame.session import Shown
from ..frame.words import plain
from ..parts.run_choice import labels_of

USUAL = 4
"""Chains that are started."""
ALONE = "One run alone cannot tell whether what it shows depends on where it began."


def convergence(runs: Sequence[Shown]) -> None:
    """A line a run that says how it ended, or what its chains tell; for all others, why one alone
    cannot tell, and a button that starts chains.

    Outside of what moves; the page is drawn anew when a run comes to rest.
    """
    labels = labels_of(runs)
    alone: list[tuple[Shown, str]] = []
    groups: dict[str, list[Shown]] = {}
    for shown, label in zip(runs, labels, strict=True):
        run: Run = shown.entry.background.run
        if shown.entry.background.ended and run.ending:
            st.caption(plain(f"{label}: {run.ending}" if len(runs) > 1 else run.ending))
        if run.chain is None:
            alone.append((shown, label))
        else:
            groups.setdefault(run.chain.group, []).append(shown)
    for chains in groups.values():
        _chains(chains)
    if alone and not look.is_embedded():
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(ALONE, width="content")
            for shown, label in alone:
                which = "it" if len(runs) == 1 else plain(label)
                _starter(shown, f"Start {which} from other places too")


def _chains(chains: Sequence[Shown]) -> None:
    """What was judged of all chains when these were kept, and the way to them."""
    shown = chains[0]
    chain: Chain = shown.entry.background.run.chain
    some = f"{len(chains)} of " if len(chains) < chain.of else ""
    which = chain.title.capitalize() if len(chains) == 1 else f"{some}{chain.of} chains"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{which}. {plain(chain.sentence)}", width="content")
        if look.is_embedded():
            return
        key = f"chains-of-{shown.entry.run_id}"
        if st.button("See all chains", icon=":material/call_split:", type="tertiary", key=key):
            try:
                if not session.open_chains(chain.group, shown.owned):
                    st.error("Its other chains are not on this machine any more.")
            except StoreError as problem:
                st.error(plain(str(problem)))


def _starter(shown: Shown, words: str) -> None:
    """The button that starts chains of the run's method and settings, on its texts."""
    run, loaded = shown.entry.background.run, access.texts_of(shown.entry)
    if loaded is None:
        return
    key = f"from-others-{shown.entry.run_id}"
    if st.button(words, icon=":material/call_split:", type="tertiary", key=key):
        try:
            plan = replace(Plan.of_run(run), chains=USUAL)
            session.launch_chains(plan, loaded, learn_all=run.heldout is None)
        except ValueError as problem:
            st.error(plain(str(problem)))
