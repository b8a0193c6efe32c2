"""What a page may rely on: the registry of runs, this tab's lease, its corpus and its address.

`?run=A,B` names the runs on the page: whoever has the address may watch. `&own=SECRET,SECRET` is in
the owner's address only and gives control; it survives a reload, which makes a new session.
"""

import atexit
import contextlib
import gc
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

import streamlit as st

from ..background import Status, warm_in_turn
from ..corpus import Corpus, CorpusError
from ..corpus.text import Report, describe
from ..evaluate import split_heldout, unigram_score
from ..kernels.jit import F64
from ..labels import Labels
from ..library import Library
from ..limits import check_memory
from ..methods import METHODS
from ..registry import Entry, Registry
from ..run import Run
from ..samples import load_sample
from ..store import StoreError
from .forms import Choice

T = TypeVar("T")
FIRST_SAMPLE = "sotu"
JOBS = {"study": "key", "race": "race-key", "sweep": "sweep-key"}
"""What a tab may have one of, beside its runs: its name in the address, and its secret's."""
FIRST_METHODS = ("hdp-tsvi", "hdp-svi")
"""What "Watch it learn" on the Start page starts."""


@dataclass(frozen=True)
class Loaded:
    """The corpus of this tab."""

    corpus: Corpus
    report: Report | None = None
    true_topics: F64 | None = None


@dataclass(frozen=True)
class Shown:
    """A run on the page, and whether this tab may control it."""

    entry: Entry
    owned: bool


class Once(Generic[T]):
    """What this server has one of: made when it is first asked for, by whichever thread.

    `st.cache_resource` is emptied by a message that any browser may send.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._lock = make, threading.RLock()
        self._made: list[T] = []

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def clear(self) -> None:
        """Make it anew when it is asked for next, as another server would."""
        with self._lock:
            self._made.clear()


@Once
def registry() -> Registry:
    """All runs of this server.

    A run that no tab shows any more is paused after 60 seconds; the environment variable
    BNPEXPLORER_GRACE_SECONDS sets another time.
    """
    runs = Registry(grace_seconds=float(os.environ.get("BNPEXPLORER_GRACE_SECONDS", "60")))
    atexit.register(runs.pause_all)
    return runs


@st.cache_resource
def prepare_first_page() -> None:
    """As soon as the app starts, in the background: compile two methods and read a sample."""

    def compile_kernels() -> None:
        for name in FIRST_METHODS:
            warm_in_turn(METHODS[name]())

    def read_sample() -> None:
        with contextlib.suppress(CorpusError):  # the package is absent: the page will say so
            load_sample(FIRST_SAMPLE)

    for work in (compile_kernels, read_sample):
        name = work.__name__
        threading.Thread(target=_then_spare_collector, args=(work,), daemon=True, name=name).start()


def _then_spare_collector(work: Callable[[], None]) -> None:
    """Do the work, then take everything there is out of the garbage collector's sight.

    Streamlit collects garbage after every script run and every tick. With all libraries in sight
    that took 0.1 s each time, four fifths of what a watching tab cost; they stay for good anyway.
    """
    work()
    gc.collect()
    gc.freeze()


@Once
def library() -> Library:
    """The saved runs of this machine."""
    return Library()


@Once
def _sources() -> "WeakValueDictionary[str, Loaded]":
    """Corpora in memory by their key in the library: several runs share one."""
    return WeakValueDictionary()


def keep(entry: Entry, run: Run, status: Status) -> None:
    """Write where a run stands to the library (called by the run's own thread)."""
    if status == "failed":
        library().fail(entry.run_id, entry.background.error)
        return
    write(entry.run_id, entry, run, status)
    saved = library().get(entry.run_id)
    if saved is not None and isinstance(entry.source, Loaded):
        _sources().setdefault(saved.corpus_key, entry.source)
        if saved.labels == Labels() != entry.labels:  # given before there was a row for them
            library().label(entry.run_id, entry.labels)


def write(run_id: str, entry: Entry, run: Run, status: Status) -> None:
    """Write a run under its identity, with the texts and the secret of an entry."""
    loaded = entry.source
    if not isinstance(loaded, Loaded):
        raise ValueError("Its texts are not at hand.")
    library().keep(
        run_id, run, loaded.corpus, status, entry.secret, loaded.report, loaded.true_topics
    )


def open_saved(run_id: str) -> Entry | None:
    """A run from the library, as it stood; None if there is none. Raises StoreError if damaged."""
    found = registry().get(run_id)
    if found is not None and not found.outdated:
        return found
    saved = library().get(run_id)
    if saved is None or saved.deleted is not None:
        return None
    run = library().load(run_id)
    run.name = saved.name
    loaded = _sources().get(saved.corpus_key)
    if loaded is None:
        corpus, (report, true_topics) = library().corpus(run_id), library().origin(run_id)
        loaded = Loaded(corpus, report or describe(corpus), true_topics)
        _sources()[saved.corpus_key] = loaded
    secret, error = library().secret(run_id), saved.facts.get("error", "")
    return registry().add(run, loaded, keep, run_id, secret, saved.labels, error)


def _release(tab: str) -> None:
    registry().drop(tab)


@st.cache_resource(scope="session", on_release=_release)
def tab_id() -> str:
    """This tab's name; released when the tab closes, reloads or loses its connection."""
    return secrets.token_hex(8)


# ---- the corpus at hand ------------------------------------------------------------------------


def use_sample(name: str, seed: int = 0) -> Loaded:
    """Load a sample and make it this tab's corpus. Raises CorpusError with a plain sentence."""
    return use_corpus(sample_of(name, seed))


def sample_of(name: str, seed: int = 0) -> Loaded:
    """Load a sample only to look at it. Raises CorpusError with a plain sentence."""
    sample = load_sample(name, seed)
    report = sample.report or describe(sample.corpus)
    return Loaded(sample.corpus, report, sample.true_topics)


def use_corpus(loaded: Loaded) -> Loaded:
    """Make a corpus this tab's corpus."""
    st.session_state["loaded"] = loaded
    return loaded


def loaded_corpus() -> Loaded | None:
    """The corpus of this tab (None before one was chosen)."""
    found: Loaded | None = st.session_state.get("loaded")
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
    held = st.session_state.setdefault("held", set())
    held |= {key for key in st.session_state["own"].values() if key}
    held |= {st.session_state[job][1] for job in JOBS if st.session_state[job][1]}
    troubles = st.session_state["troubles"] = {}
    for run_id in st.session_state["own"]:
        try:
            open_saved(run_id)
        except StoreError as problem:  # named among the missing runs
            troubles[run_id] = str(problem)
        registry().attach(tab_id(), run_id)  # at once: the next one could take its place
    jobs = [st.session_state[job][0] for job in JOBS]
    for run_id in jobs:
        registry().attach(tab_id(), run_id)
    entries = [*(shown.entry for shown in shown_runs()), *map(registry().get, jobs)]
    source = next((entry.source for entry in entries if entry is not None), None)
    if source is not None and "loaded" not in st.session_state:
        st.session_state["loaded"] = source


def write_address() -> None:
    """Keep the runs, study, race and sweep of this tab in the address, on every page."""
    missing = missing_runs()
    own = {r: key for r, key in st.session_state["own"].items() if r not in missing}
    if own:
        st.query_params["run"] = ",".join(own)
        if any(own.values()):
            st.query_params["own"] = ",".join(own.values())
    else:
        st.query_params.pop("run", None)
        st.query_params.pop("own", None)
    for job, key in JOBS.items():
        for name, value in zip((job, key), st.session_state[job], strict=True):
            if value and registry().get(st.session_state[job][0]) is not None:
                st.query_params[name] = value
            else:
                st.query_params.pop(name, None)


def shown_runs() -> list[Shown]:
    """The runs of this tab that are still on the server, in the order they were started."""
    runs = []
    for run_id, key in st.session_state["own"].items():
        entry = registry().get(run_id)
        if entry is not None and isinstance(entry.background.run, Run):
            runs.append(Shown(entry, bool(key) and registry().owned(run_id, key)))
    return runs


def missing_runs() -> list[str]:
    """Runs named in the address that this server no longer has; named until a run is started."""
    return [r for r in st.session_state["own"] if registry().get(r) is None]


def why_missing(run_id: str) -> str:
    """Why a run of the address is not there, as a sentence without its remedy."""
    trouble: str = st.session_state["troubles"].get(run_id, "")
    if trouble:
        return f"The run {run_id} cannot be opened. {trouble}"
    saved = library().get(run_id)
    if saved is None:
        return f"The run {run_id} is no longer on this server, and it was not saved here."
    if saved.deleted is not None:
        return f"The run {saved.name} was deleted; within a week the Runs page brings it back."
    return f"The run {saved.name} was put aside for others; it is saved: open it under Runs."


def leave(run_id: str) -> None:
    """Take a run off the page; if nobody else looks at it, it is paused after a while."""
    st.session_state["own"].pop(run_id, None)
    registry().detach(tab_id(), run_id)


def launch(choice: Choice, loaded: Loaded, name: str = "") -> Entry:
    """Split, make a run, put it on the page and start it. Raises ValueError with a sentence.

    Without a name the run has its method's.

    Runs of another corpus leave the page (the browser's back button finds them again).
    """
    train, heldout = split_heldout(
        loaded.corpus, choice.seed, n=choice.n_heldout, protocol=choice.protocol
    )
    run = Run(
        choice.method, train, choice.seed, choice.batch_size, choice.passes, choice.order, heldout,
        name=name,
    )  # fmt: skip
    entry = registry().add(run, loaded, keep)
    for run_id in missing_runs():
        leave(run_id)
    for shown in shown_runs():
        if not same_texts(shown.entry.source, loaded):
            leave(shown.entry.run_id)
    st.session_state["own"] = {**st.session_state["own"], entry.run_id: entry.secret}
    registry().attach(tab_id(), entry.run_id)
    entry.background.start()
    entry.background.settle()  # so that its buttons are drawn for a run that has begun
    return entry


def launch_all(choices: Sequence[Choice], loaded: Loaded) -> None:
    """Launch several runs, or none where one would not fit. Raises ValueError with a sentence."""
    for choice in choices:
        check_memory(choice.method, loaded.corpus)
    for choice in choices:
        launch(choice, loaded)


def same_texts(one: object, other: object) -> bool:
    """Whether two corpora are the same for every method, though they were read twice."""
    if isinstance(one, Loaded) and isinstance(other, Loaded):
        return one.corpus.fingerprint == other.corpus.fingerprint
    return one is other


@st.cache_resource(show_spinner=False, max_entries=64)
def unigram_of(run_id: str, _run: Run) -> float:
    """The score of word frequencies alone under the run's protocol (nan: nothing is held out)."""
    return unigram_score(_run.corpus, _run.heldout) if _run.heldout else float("nan")
