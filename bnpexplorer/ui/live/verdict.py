"""What a run that has ended is worth, in a sentence above its charts.

Has it converged? What a run, and what several chains, can say of it, and the way to ask.
"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ...compare.models import ModelsCompared, alike, trial_of
from ...compare.verdict import RunVerdict, rivals_of, verdict_of
from ...core.display import plural
from ...core.store import StoreError
from ...runs.about import fewest
from ...runs.draws import ChainOf
from ...runs.keeping import ENDED
from ...runs.plan import Plan
from ...runs.recommend import clusters_beside, one_each
from ...runs.registry import Entry
from ...runs.run import Run
from ...runs.saved.rows import Saved
from ..frame import access, explore_or_study, holding, link, look, server, session
from ..frame.fewer import found_of
from ..frame.session import RunOnPage
from ..frame.words import plain
from ..parts.fewer_field import begin_ahead
from ..parts.run_buttons import labels_of
from ..parts.stability import CHECKS, USUAL, check_button, stability
from ..parts.to_topics import topics_button

TO_COME = (
    "When it has ended, this line says how many topics are in use, how much better than word "
    "frequencies they predict unseen words, how that compares with other methods tried on these "
    "texts, and whether to run it longer."
)
"""About as long as what will stand in its place, so that nothing below it moves."""
TO_COME_IN_EXPLORE = (
    "When it has ended, this line says how many topics are enough, and whether more passes help."
)

TRYING = (
    "Clusters are tried on the same texts. When they have ended, this line says which predict the "
    "hidden words better."
)


def verdicts(runs: Sequence[RunOnPage]) -> None:
    """A line for every run that has ended; before the first has, what will stand there."""
    ended = [
        (place, shown, label)
        for place, (shown, label) in enumerate(zip(runs, labels_of(runs), strict=True))
        if shown.entry.background.status in ENDED and shown.entry.background.latest is not None
    ]
    if not ended and all(shown.entry.background.ended for shown in runs):
        return  # they have failed before their first step, and the page says so
    with st.container(key="verdict", gap="xsmall"):
        if not ended:
            with st.container(horizontal=True, vertical_alignment="center"):
                explores = explore_or_study.explores()
                st.caption(TO_COME_IN_EXPLORE if explores else TO_COME)
                if explores and runs[0].entry.background.latest is not None:
                    topics_button(runs, 0, worth=False)
            return
        others = _saved()
        for place, shown, label in ended:
            verdict = _verdict(shown, others)
            explores = explore_or_study.explores()
            said = verdict.brief if explores else verdict.sentence
            said = said if len(runs) == 1 else f"{label}: {said}"
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(plain(said), help=plain(verdict.meaning) or None, width="content")
                if explores and not _chained(shown):
                    check_button(shown)
                topics_button(runs, place, verdict.worth_a_look)
                if verdict.longer.startswith("yes"):
                    _run_on_button(shown)
            if explores:
                stability(shown)
            _clusters(shown, runs)


def _run_on_button(shown: RunOnPage) -> None:
    """For the owner of a run that has read all it was to read: half as many passes more."""
    background = shown.entry.background
    passes = -(-background.run.passes // 2)
    seconds = background.latest.seconds * passes / max(background.run.passes, 1)
    takes = f", about {plural(round(seconds / 60), 'minute')}" if seconds >= 60 else ""
    if shown.owned and background.status == "finished":
        st.button(
            f"Run it for {plural(passes, 'more pass', 'more passes')}{takes}",
            icon=":material/play_arrow:",
            key=f"run-on-{shown.entry.run_id}",
            on_click=link.go_on,
            args=(background, lambda: background.run_on(passes)),
        )


def _clusters(shown: RunOnPage, runs: Sequence[RunOnPage]) -> None:
    """Offer clusters if the texts seem to have one topic each; once there are some among `runs`,
    say which predict better."""
    run = shown.entry.background.run
    plan = clusters_beside(run)
    if plan is None:
        return
    tried = [one.entry for one in runs if alike(run, one.entry.background.run)]
    if tried:
        trial = _trial(run, tried[-1])
        st.caption(plain(TRYING if trial is None else trial.sentence), width="content")
        return
    if not shown.owned or look.is_embedded():
        return
    loaded = access.texts_of(shown.entry)
    if loaded is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(one_each(run), width="content")
        key, icon = f"clusters-{shown.entry.run_id}", ":material/workspaces:"
        if st.button("Try clusters beside it", icon=icon, type="tertiary", key=key):
            try:
                session.launch(plan, loaded)
            except ValueError as problem:
                st.error(plain(str(problem)))
                return
            st.rerun()


def _trial(run: Run, clusters: Entry) -> ModelsCompared | None:
    """Hold a run of topics at rest against clusters, once these have ended."""
    other, status = clusters.background.run, clusters.background.status
    if status not in ENDED or not other.done:
        return None
    key = ("trial", run.docs_seen, clusters.run_id, other.docs_seen)
    return run.corpus.derived(key, lambda: trial_of(run, other))


def _verdict(shown: RunOnPage, others: Sequence[Saved]) -> RunVerdict:
    """At the last moment; beside those of the saved `others` that are judged alike."""
    entry = shown.entry
    run = entry.background.run
    moment = server.moment_of(entry, entry.background.latest)
    unigram = session.unigram_of(entry.run_id, run)
    begin_ahead(shown, moment)
    found, about = found_of(entry, moment), moment.labels.about
    fewer = next((one for one in found if one.n_topics == about), None) or fewest(found)
    return verdict_of(run, moment, unigram, rivals_of(run, others), moment.filler, fewer)


def _saved() -> Sequence[Saved]:
    """Runs that this tab may see; none where the index cannot be read, as the Runs page says."""
    try:
        return holding.saved_runs()
    except StoreError:
        return ()


ALONE = "One run alone cannot tell whether what it shows depends on where it began."


def convergence(runs: Sequence[RunOnPage]) -> None:
    """A line a run that says how it ended, or what its chains tell; for all others, why one alone
    cannot tell, and a button that starts chains.

    Outside of what moves; the page is drawn anew when a run comes to rest. Explore tells of
    chains alone, since `verdicts` has the button and its result.
    """
    labels = labels_of(runs)
    explores = explore_or_study.explores()
    alone: list[tuple[RunOnPage, str]] = []
    groups: dict[str, list[RunOnPage]] = {}
    for shown, label in zip(runs, labels, strict=True):
        run: Run = shown.entry.background.run
        if shown.entry.background.ended and run.ending and not explores:
            st.caption(plain(f"{label}: {run.ending}" if len(runs) > 1 else run.ending))
        if run.chain is None:
            alone.append((shown, label))
        else:
            groups.setdefault(run.chain.group, []).append(shown)
    for chains in groups.values():
        _chains(chains)
    if alone and not (explores or look.is_embedded()):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(ALONE, width="content")
            for shown, label in alone:
                of = "" if len(runs) == 1 else f" of {plain(label)}"
                _starter(shown, f"Check stability{of}")


def _chained(shown: RunOnPage) -> bool:
    return shown.entry.background.run.chain is not None


def _chains(chains: Sequence[RunOnPage]) -> None:
    """What was judged of all chains when these were kept, and the way to them."""
    shown = chains[0]
    chain: ChainOf = shown.entry.background.run.chain
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


def _starter(shown: RunOnPage, words: str) -> None:
    """The button that starts chains of the run's method and settings, on its texts."""
    run, loaded = shown.entry.background.run, access.texts_of(shown.entry)
    if loaded is None:
        return
    key = f"from-others-{shown.entry.run_id}"
    if st.button(words, icon=":material/call_split:", type="tertiary", key=key, help=CHECKS):
        try:
            plan = replace(Plan.of_run(run), chains=USUAL)
            session.launch_chains(plan, loaded, learn_all=run.heldout is None)
        except ValueError as problem:
            st.error(plain(str(problem)))
