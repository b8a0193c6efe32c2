"""What a page may rely on: this tab's runs and leases, its corpus and its address.

`?run=A,B` names the runs on the page, which anyone with the address may watch. `&own=SECRET,SECRET`
is in the owner's address only and gives control; it survives a reload, which makes a new session.
Who may read the texts says `access.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from ...chains import Chains, chains_of
from ...compare.sequential import SequentialRuns
from ...core.store import StoreError
from ...corpus.text import describe
from ...evaluate import unigram_score
from ...runs import limits
from ...runs.plan import Plan
from ...runs.registry import Entry
from ...runs.run import Run
from ...samples import load_sample
from ..seam.tab import this_tab
from ..seam.widgets import set_widget
from . import access, jobs, link, opening, pages, server
from .server import LoadedCorpus

JOBS = {"study": "key", "race": "race-key", "chains": "chains-key", "sweep": "sweep-key"}
"""What a tab may have one of, beside its runs: its name in the address, and its secret's."""


@dataclass(frozen=True)
class RunOnPage:
    """A run on the page, and whether this tab may control it."""

    entry: Entry
    owned: bool


def tab_id() -> str:
    """This tab's name, by which it holds leases on runs (`server.look_after_tabs`)."""
    return this_tab()


# ---- the corpus at hand ------------------------------------------------------------------------


def use_sample(name: str, seed: int = 0) -> LoadedCorpus:
    """Load a sample and make it this tab's corpus. Raises CorpusError with a plain sentence."""
    return use_corpus(sample_of(name, seed))


def sample_of(name: str, seed: int = 0) -> LoadedCorpus:
    """Load a sample only to look at it. Raises CorpusError with a plain sentence."""
    sample = load_sample(name, seed)
    report = sample.report or describe(sample.corpus)
    return LoadedCorpus(sample.corpus, report, sample.true_topics)


def use_corpus(loaded: LoadedCorpus) -> LoadedCorpus:
    """Make a corpus this tab's corpus."""
    st.session_state["loaded"] = loaded
    return loaded


def loaded_corpus() -> LoadedCorpus | None:
    """The corpus of this tab (None before one was chosen)."""
    found: LoadedCorpus | None = st.session_state.get("loaded")
    return found


# ---- the runs on the page ----------------------------------------------------------------------


def restore() -> None:
    """At the top of every script run: take runs from the address and renew this tab's leases."""
    if "own" not in st.session_state:
        run_ids = [r for r in st.query_params.get("run", "").split(",") if r]
        keys = st.query_params.get("own", "").split(",")
        keys += [""] * (len(run_ids) - len(keys))
        st.session_state["own"] = dict(zip(run_ids, keys, strict=False))
    for job, key in JOBS.items():
        if job not in st.session_state:
            address = (st.query_params.get(job, ""), st.query_params.get(key, ""))
            st.session_state[job] = address
            known = st.session_state.setdefault("studies", {})
            known |= dict([address]) if address[0] else {}
    access.begin()
    link.begin()
    access.hold(*st.session_state["own"].values(), *(st.session_state[job][1] for job in JOBS))
    troubles = st.session_state["troubles"] = {}
    opening.begin()
    for job in JOBS:  # after a restart of the server, before one of their runs alone
        job_id = st.session_state[job][0]
        try:
            _open_again(job, job_id)
        except StoreError as problem:
            troubles[job_id] = str(problem)
    for run_id in st.session_state["own"]:
        try:
            if not opening.opens(run_id):
                server.open_saved(run_id)
        except StoreError as problem:  # named among the missing runs
            troubles[run_id] = str(problem)
        server.registry().attach(tab_id(), run_id)  # at once: the next one could take its place
    together = [st.session_state[job][0] for job in JOBS]
    for run_id in together:
        server.registry().attach(tab_id(), run_id)
    entries = [*(shown.entry for shown in shown_runs()), *map(server.registry().get, together)]
    if "loaded" not in st.session_state:
        found = next(filter(None, (access.texts_of(e) for e in entries if e is not None)), None)
        if found is not None:
            use_corpus(found)


def in_address() -> dict[str, str]:
    """The runs, study, race, chains and sweep of this tab, as pages keep them in the address."""
    missing, opens = missing_runs(), opening.under_way()
    own = {
        r: k
        for r, k in st.session_state["own"].items()
        if r not in missing or waits(r) or r in opens
    }
    kept = {"run": ",".join(own), "own": ",".join(own.values()) if any(own.values()) else ""}
    kept |= link.in_address()
    for job, key in JOBS.items():
        there = server.registry().get(st.session_state[job][0]) is not None
        kept |= zip((job, key), st.session_state[job] if there else ("", ""), strict=True)
    return kept | access.in_address()


def shown_runs() -> list[RunOnPage]:
    """The runs of this tab that are still on the server, in the order they were started."""
    runs = []
    for run_id, key in st.session_state["own"].items():
        entry = server.registry().get(run_id)
        if entry is not None and isinstance(entry.background.run, Run):
            owned = bool(key) and server.registry().owned(run_id, key)
            if owned:
                link.take_over(entry.background)
            runs.append(RunOnPage(entry, owned))
    return runs


def missing_runs() -> list[str]:
    """Runs named in the address that this server no longer has; named until a run is started."""
    return [r for r in st.session_state["own"] if server.registry().get(r) is None]


def waits(run_id: str) -> bool:
    """Whether a run that is missing opens by itself when a race, or chains, with it have ended."""
    return bool(st.session_state["troubles"].get(run_id) == server.IN_RACE)


def why_missing(run_id: str) -> str:
    """Why a run of the address is not there, without its remedy, unless it `waits`."""
    trouble: str = st.session_state["troubles"].get(run_id, "")
    if trouble:
        return f"The run {run_id} cannot be opened. {trouble}"
    saved = server.library().get(run_id)
    if saved is None:
        return f"The run {run_id} is no longer on this server, and it was not saved here."
    if saved.deleted is not None:
        return f"The run {saved.name} was deleted; within a week the Runs page brings it back."
    return f"The run {saved.name} was put aside for others; it is saved: open it under Runs."


def leave(run_id: str) -> None:
    """Remove a run from the page; if no other tab shows it, it is paused after a while."""
    st.session_state["own"].pop(run_id, None)
    server.registry().detach(tab_id(), run_id)


def launch(plan: Plan, loaded: LoadedCorpus, name: str = "", tenfold_seconds: float = 0.0) -> Entry:
    """Make a run with held-out documents, put it on the page and start it.

    Raises ValueError with a sentence.

    Without a name the run has its method's. `tenfold_seconds`: its pace, as of `BackgroundRun`.

    Runs of another corpus leave the page (the browser's back button finds them again).
    """
    run = plan.split_and_start(loaded.corpus, name)
    run.known = loaded.true_topics
    entry = server.registry().add(
        run, loaded, server.keep, secret=link.secret(), tenfold_seconds=tenfold_seconds
    )
    for run_id in missing_runs():
        leave(run_id)
    for shown in shown_runs():
        if not access.learns(shown.entry, loaded):
            leave(shown.entry.run_id)
    access.hold(entry.secret)
    st.session_state["own"] = {**st.session_state["own"], entry.run_id: entry.secret}
    server.registry().attach(tab_id(), entry.run_id)
    entry.background.start()
    entry.background.settle()  # so that its buttons are drawn for a run that has begun
    return entry


def launch_all(plans: Sequence[Plan], loaded: LoadedCorpus, tenfold_seconds: float = 0.0) -> None:
    """Launch several runs, or none where one would not fit. Raises ValueError with a sentence."""
    for plan in plans:
        limits.check_memory(plan.method, loaded.corpus)
    link.check(len(plans))
    for plan in plans:
        launch(plan, loaded, tenfold_seconds=tenfold_seconds)


def launch_together(job: str, together: SequentialRuns, loaded: LoadedCorpus) -> Entry:
    """Put a race or chains, as `job` of `JOBS` says, on this tab's Compare page and start them.

    Raises ValueError with a sentence.
    """
    group = together.group if isinstance(together, Chains) else ""
    for run in together.runs:
        run.known = loaded.true_topics
    entry = server.registry().add(together, loaded, jobs.keep_together, group, link.secret())
    hold_job(job, entry)
    use_corpus(loaded)
    entry.background.start()
    return entry


def launch_chains(plan: Plan, loaded: LoadedCorpus, learn_all: bool = False) -> None:
    """Start the plan's chains and turn to them on the Compare page; `learn_all`: hold nothing out.

    Raises ValueError with a sentence.
    """
    launch_together("chains", chains_of(plan, loaded.corpus, learn_all), loaded)
    show_chains()


def open_chains(group: str, owned: bool) -> bool:
    """Turn to chains that are on this server or were kept; False if they are not there any more.

    Raises StoreError.
    """
    entry = _chains(group)
    if entry is None:
        return False
    # A run may name a group that is somebody else's: its own secret says nothing of the others.
    hold_job("chains", entry, owned and (access.holds(entry.run_id) or not limits.is_shared()))
    show_chains()
    return True


def _open_again(job: str, job_id: str) -> None:
    """Whatever the address names, if it was kept; on a shared server for its owner alone."""
    kept = server.library().jobs.get(job_id)
    if job == "chains":
        _chains(job_id)
    elif not limits.is_shared() or (kept is not None and kept.secret in st.session_state["held"]):
        jobs.open_job(job, job_id)


def _chains(group: str) -> Entry | None:
    """Chains on this server or kept; None if they are not there. Raises StoreError.

    Those that were kept put aside what is open of them alone: on a shared server for their owner.
    """
    if limits.is_shared() and group and server.registry().get(group) is None:
        saved = server.library().chains(group)
        if not saved or not access.holds(saved[0].run_id):
            return None
    return server.open_chains(group)


def show_chains() -> None:
    """Turn to the chains of this tab, on the Compare page."""
    set_widget("compare", "Chains")
    pages.go_to("compare")


def hold_job(job: str, entry: Entry, owned: bool = True) -> None:
    """This tab has the race or the chains now; it controls them if `owned`."""
    st.session_state[job] = (entry.run_id, entry.secret if owned else "")
    access.hold(st.session_state[job][1])
    if owned:
        link.take_over(entry.background)
    server.registry().attach(tab_id(), entry.run_id)


def unigram_of(run_id: str, run: Run) -> float:
    """The score of word frequencies alone under the run's protocol (nan: nothing is held out)."""
    if not run.heldout:
        return float("nan")
    heldout = run.heldout
    return run.corpus.derived(("unigram", run_id), lambda: unigram_score(run.corpus, heldout))
