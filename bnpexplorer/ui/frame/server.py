"""The runs and the library of this server, and how runs are saved and opened again."""

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

from ...chains import chains_again
from ...compare.sequential import SequentialRuns
from ...core.arrays import F64
from ...core.store import StoreError
from ...corpus import Corpus, CorpusError
from ...corpus.intake.children import CHILDREN
from ...corpus.stored.reporting import described
from ...corpus.text import Report
from ...explore.documents import unnamed_of
from ...methods import METHODS
from ...runs import compilers, limits
from ...runs.gate import TURN_SECONDS, Gate
from ...runs.keeping import Status
from ...runs.registry import Entry, RunRegistry
from ...runs.run import Run
from ...runs.saved.library import Library
from ...runs.saved.rows import Saved
from ...runs.warming import all_compiled, warm_in_turn
from ...samples import load_sample
from ...state.labels import Labels
from ...state.moment import Moment
from ...state.snapshot import Snapshot
from ..seam.server import Once, spare_collector, stop_with_terminal
from ..seam.tab import is_open

IN_RACE = (
    "It is in a race or among chains that have not ended; it opens when they end, or are stopped "
    "on the Compare page."
)
PLACES = 2
"""Runs that compute at once."""
FIRST_SAMPLE = "sotu"
FIRST_METHODS = ("hdp-tsvi", "hdp-svi")
"""What "Watch it learn" on the Start page starts."""
LOOK_SECONDS = 1.0
"""How often tabs are looked after: a word with Streamlit for each, far below a millisecond."""


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus with the record of how it was made."""

    corpus: Corpus
    report: Report | None = None
    true_topics: F64 | None = None


@Once
def registry() -> RunRegistry:
    """All runs of this server.

    A run that no tab shows any more is paused after 60 seconds; the environment variable
    BNPEXPLORER_GRACE_SECONDS sets another time. BNPEXPLORER_STEP_SECONDS shows runs in slow motion:
    a step takes at least so long. In a class runs take turns.
    """
    runs = RunRegistry(
        gate=Gate(PLACES, TURN_SECONDS) if limits.is_shared() else Gate(PLACES),
        grace_seconds=float(os.environ.get("BNPEXPLORER_GRACE_SECONDS", "60")),
        step_seconds=float(os.environ.get("BNPEXPLORER_STEP_SECONDS", "0")),
    )
    atexit.register(runs.pause_all)
    stop_with_terminal()
    return runs


@Once
def look_after_tabs() -> None:
    """By a thread: give up what tabs hold that are gone."""

    def look() -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            drop_gone_tabs()

    threading.Thread(target=look, daemon=True, name="tabs").start()


def drop_gone_tabs() -> None:
    """Let the runs of tabs go that were closed, reloaded or lost their connection.

    Who is connected again has them again: a page that does not tick runs no script then.
    """
    for tab in registry().tabs:
        if not is_open(tab):
            registry().lose(tab)
    for tab in registry().lost:
        if is_open(tab):
            registry().come_back(tab)


@Once
def compile_ahead() -> None:
    """As soon as the server starts: let processes of their own compile what the first page needs,
    unless that lies on the disk. Where there may be none, the first page is drawn before that."""
    most = compilers.suitable()
    compilers.COMPILERS.use(most)
    for method in map(METHODS.__getitem__, FIRST_METHODS):
        if most and not all_compiled(method()):
            threading.Thread(target=warm_in_turn, args=(method(),), daemon=True).start()


@Once
def prepare_first_page() -> None:
    """As soon as the first page is drawn, in the background: load the kernels of two methods, read
    a sample, and have a child ready for the first file."""

    def load_kernels() -> None:
        for name in FIRST_METHODS:
            warm_in_turn(METHODS[name]())

    def read_sample() -> None:
        with contextlib.suppress(CorpusError):  # the package is absent: the page will say so
            load_sample(FIRST_SAMPLE)

    def start_reader() -> None:
        CHILDREN.warm()

    for work in (load_kernels, read_sample, start_reader):
        name = work.__name__
        threading.Thread(target=_then_spare_collector, args=(work,), daemon=True, name=name).start()


def _then_spare_collector(work: Callable[[], None]) -> None:
    """Do the work, then exempt all present objects from garbage collection."""
    work()
    spare_collector()


def moment_of(entry: Entry, snapshot: Snapshot) -> Moment:
    """Return the moment of a run at a snapshot; tabs that show it share its computed values.

    Its documents have no names and no texts, since watchers have it, too (`access.py`).
    """
    kept = entry.moment
    if kept is None or kept.snapshot is not snapshot or kept.labels is not entry.labels:
        run: Run = entry.background.run
        corpus = entry.source.corpus if isinstance(entry.source, LoadedCorpus) else run.corpus
        fresh = run.moment(snapshot, unnamed_of(corpus), entry.labels, entry.run_id)
        if kept is not None and not entry.background.ended:
            fresh = replace(fresh, before=kept.earlier)
        kept = entry.moment = fresh
    elif kept.before and entry.background.ended:  # made just before it did
        kept = entry.moment = kept.settled()
    return kept


@Once
def library() -> Library:
    """The saved runs of this machine."""
    return Library()


@Once
def _sources() -> "WeakValueDictionary[str, LoadedCorpus]":
    """Corpora in memory by their key in the library: several runs share one."""
    return WeakValueDictionary()


def keep(entry: Entry, run: Run, status: Status) -> None:
    """Write where a run stands to the library (called by the run's own thread)."""
    if status == "failed":
        library().fail(entry.run_id, entry.background.error)
        return
    write(entry.run_id, entry, run, status)
    saved = library().get(entry.run_id)
    if saved is not None and isinstance(entry.source, LoadedCorpus):
        _sources().setdefault(saved.corpus_key, entry.source)
        if saved.labels == Labels() != entry.labels:  # given before there was a row for them
            library().label(entry.run_id, entry.labels)


def write(run_id: str, entry: Entry, run: Run, status: Status) -> None:
    """Write a run under its identity, with the texts and the secret of an entry."""
    loaded = entry.source
    if not isinstance(loaded, LoadedCorpus):
        raise ValueError("Its texts are not at hand.")
    library().keep(
        run_id, run, loaded.corpus, status, entry.secret, loaded.report, loaded.true_topics
    )


def write_job(entry: Entry, kind: str, about: Mapping[str, Any]) -> None:
    """Write once that a race, study or sweep goes on, with the texts and the secret of an entry."""
    if isinstance(entry.source, LoadedCorpus):
        library().begin_job(entry.run_id, kind, entry.secret, entry.source.corpus, about)


def keep_all(entry: Entry, together: SequentialRuns, status: Status) -> None:
    """Write every run to the library, as an ordinary run (by the thread that steps them).

    Where one cannot be written the others are; then the first error is raised.
    """
    problems = []
    together.note()
    for i, (run_id, run) in enumerate(zip(together.run_ids, together.runs, strict=True)):
        try:
            if i in together.failed:
                library().fail(run_id, together.failed[i])
            elif status != "failed":
                write(run_id, entry, run, status)
        except (OSError, ValueError) as problem:
            problems.append(problem)
    if problems:
        raise problems[0]


def race_of(run_id: str) -> Entry | None:
    """The race, or the chains, that go on with a saved run, if there are any."""
    for entry in registry().entries():
        race = entry.background.run
        if (
            isinstance(race, SequentialRuns)
            and run_id in race.run_ids
            and not entry.background.ended
        ):
            return entry
    return None


def open_saved(run_id: str) -> Entry | None:
    """A run from the library, as it stood; None if there is none.

    Raises StoreError if it is damaged, or in a race that goes on: it would learn there and here.
    """
    found = registry().get(run_id)
    if found is not None and not found.outdated:
        return found
    if race_of(run_id) is not None:
        raise StoreError(IN_RACE)
    saved = library().get(run_id)
    if saved is None or saved.deleted is not None:
        return None
    run = library().load(run_id)
    run.name = saved.name
    secret, error = library().secret(run_id), saved.facts.get("error", "")
    source = _source_of(saved)
    if run.known is None:  # as earlier versions wrote it
        run.known = source.true_topics
    return registry().add(run, source, keep, run_id, secret, saved.labels, error)


def _source_of(saved: Saved) -> LoadedCorpus:
    """The whole corpus of a saved run, once for all runs that share it."""
    loaded = _sources().get(saved.corpus_key)
    if loaded is None:
        run_id = saved.run_id
        corpus, (report, true_topics) = library().corpus(run_id), library().origin(run_id)
        loaded = LoadedCorpus(corpus, report or described(corpus), true_topics)
        _sources()[saved.corpus_key] = loaded
    return loaded


def open_chains(group: str) -> Entry | None:
    """Chains from the library, as they stood; None if there are none, or not two of them any more.

    Raises StoreError if one is damaged, or goes on alone: it would learn there and here.
    """
    found = registry().get(group)
    if found is not None:
        return found
    saved = library().chains(group) if group else []
    if limits.is_shared():  # a file that somebody imported may name any group
        saved = [
            s for s in saved if library().secret(s.run_id) == library().secret(saved[0].run_id)
        ]
    if len(saved) < 2:
        return None
    for one in saved:
        if not registry().let_go(one.run_id):
            raise StoreError(
                f"{one.name} goes on alone, or is not saved: look at it on the Live page first."
            )
    runs = [library().load(one.run_id) for one in saved]
    for run, one in zip(runs, saved, strict=True):
        run.name = one.name
    try:
        chains = chains_again(runs, group, [one.run_id for one in saved])
    except ValueError as problem:
        raise StoreError(str(problem)) from problem
    secret = library().secret(saved[0].run_id)
    return registry().add(chains, _source_of(saved[0]), keep_all, group, secret)
