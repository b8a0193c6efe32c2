"""Several runs over the same documents, such as a race, as one job for a thread or a cluster.

The job looks like one run (`prepare`, `step`, `done`, `snapshot`), so the same thread, queue and
buttons serve it. A race steps its runs in turn, so that all have read the same documents.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..core.display import HtmlRepr
from ..core.faults import NotNow
from ..corpus.corpus import Corpus
from ..evaluate import PROTOCOLS
from ..inference.pool import Driver, RemotePool
from ..methods.base import Method
from ..runs.background import never
from ..runs.plan import Plan
from ..runs.run import Run
from ..runs.warming import warm_in_turn
from ..state.snapshot import Snapshot

Going = Sequence[tuple[int, Run]]
"""Runs that have neither ended nor failed, with their places."""


class SequentialRuns(HtmlRepr):
    """Runs of equal length over one corpus, where the run that has read the fewest documents steps
    next."""

    def __init__(self, runs: Sequence[Run], run_ids: Sequence[str] = ()) -> None:
        self.runs = tuple(runs)
        self.failed: dict[int, str] = {}
        """Place of a run that stopped with an error -> the error; the others go on."""
        self._shown: list[Snapshot] = []
        self.run_ids = tuple(run_ids) or tuple(secrets.token_hex(5) for _ in runs)
        """By which its runs are kept, each as an ordinary run."""
        self.driver: Driver | None = None
        """What lets workers of a cluster drive the runs, each one; no number depends on it."""
        self.hurried: Callable[[], bool] = never
        """Whether somebody waits for the step at hand."""

    @property
    def method(self) -> Method:
        """The method that is compiled first."""
        return self.runs[0].method

    @property
    def corpus(self) -> Corpus:
        return self.runs[0].corpus

    @property
    def done(self) -> bool:
        return not self.going()

    @property
    def docs_seen(self) -> int:
        """Documents that every run has read that goes on."""
        return min(run.docs_seen for i, run in enumerate(self.runs) if i not in self.failed)

    @property
    def planned_docs(self) -> int:
        return self.runs[0].planned_docs

    def prepare(self) -> None:
        """Compile what all need, and make their states."""
        pool = self.runs[0].pool
        if self.driver is None and isinstance(pool, RemotePool):
            self.driver = pool.driver_of(self)
        if self.driver is not None:
            self.driver.prepare()
        for run in self.runs:
            warm_in_turn(run.method)
            run.prepare()
        self._shown = self._shown or [run.snapshot() for run in self.runs]

    def step(self) -> None:
        """One mini-batch for every run that has read the fewest documents; of runs that are driven
        at once, some seconds' learning for every one that has not read as many as all may.

        A run that fails is left out. Raises its error if it was the last one, and NotNow.
        """
        if self.driver is not None:
            self.driver.step()
            if self.done:
                self.driver = None  # with it the texts leave the workers
            return
        going = self.going()
        behind = min(run.docs_seen for _, run in going)
        self.each([(i, run) for i, run in going if run.docs_seen == behind], lambda run: run.step())

    def step_once(self) -> None:
        """One mini-batch for every run that has read the fewest documents, here."""
        driver, self.driver = self.driver, None
        try:
            self.step()
        finally:
            self.driver = driver
        if driver is not None:
            driver.begin_anew()

    def each(self, going: Going, learn: Callable[[Run], None]) -> None:
        """Let runs learn here, in turn; as `step`."""
        for i, run in going:
            try:
                learn(run)
            except NotNow:  # no run's own failure: all may go on when that is mended
                raise
            except Exception as problem:  # of one run: the page names it
                self.failed[i] = f"{type(problem).__name__}: {problem}"
                if len(self.failed) == len(self.runs):
                    raise

    @property
    def is_at_once(self) -> bool:
        """Whether workers of a cluster drive the runs, each one."""
        return self.driver is not None

    def note(self) -> None:
        """Tell every run what is known of all, before it is kept."""

    def snapshot(self) -> tuple[Snapshot, ...]:
        """The runs' snapshots, in their order; of a failed run the last sound one."""
        if not self._shown:
            self.prepare()
        for i, run in enumerate(self.runs):
            if i not in self.failed:
                self._shown[i] = run.snapshot()
        return tuple(self._shown)

    def going(self) -> Going:
        """Return runs that have neither ended nor failed, with their places."""
        return [(i, r) for i, r in enumerate(self.runs) if not r.done and i not in self.failed]


def share_texts(runs: Sequence[Run]) -> None:
    """Let runs that were kept, each with a copy of the same texts, go on with one of them."""
    first = runs[0]
    for run in runs[1:]:
        if _texts(run) == _texts(first):
            run.corpus, run.heldout = first.corpus, first.heldout


def _texts(run: Run) -> tuple[str, ...]:
    """Return fingerprints of the learned and the held-out documents."""
    parts = () if run.heldout is None else (run.heldout.observed, run.heldout.hidden)
    return tuple(part.fingerprint for part in (run.corpus, *parts))


FEWEST, MOST = 2, 4
OWN_ORDER = {
    "fixed": "reads the same blocks in every pass and learns at the pass's end",
    "once": "reads the documents once, in the corpus's own order",
}
"""Batching -> why a method with it cannot race."""


def why_not(method: Method | type[Method]) -> str:
    """Why a method cannot be in a race; empty if it can."""
    return OWN_ORDER.get(method.batching, "")


class Race(SequentialRuns):
    """Two to four runs over one corpus, split and seed, stepped in turn.

    With equal batch sizes all read the same mini-batches; with different ones the same documents in
    the same order, and whoever is behind goes on. Raises ValueError if the runs are too few or too
    many, if their corpus, held-out documents, seed, passes or order differ, or if a method reads in
    an order of its own. `run_ids`: those of a race that was kept.

    Where workers of a cluster drive them, all learn up to the same documents before any goes on.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        title: str = "",
        look_for: str = "",
        seen: Callable[[Sequence[Snapshot]], str] | None = None,
        run_ids: Sequence[str] = (),
    ) -> None:
        if not FEWEST <= len(runs) <= MOST:
            raise ValueError(f"A race has {FEWEST} to {MOST} methods; got {len(runs)}.")
        first = runs[0]
        for run in runs:
            if why := why_not(run.method):
                raise ValueError(f"{run.method.name} cannot race: it {why}.")
            for what in ("corpus", "heldout", "seed", "passes", "order"):
                if getattr(run, what) != getattr(first, what):
                    raise ValueError(f"All runs of a race have the same {what}.")
        super().__init__(runs, run_ids)
        self.title, self.look_for = title, look_for
        self.seen = seen
        """What the snapshots show, in words, where the race is to show something."""


def race_of(plans: Sequence[Plan], corpus: Corpus) -> Race:
    """The plans' runs on one split: the first plan's, by the first protocol that all models know.

    Raises ValueError if there is no such protocol, or as `Plan.split` and `Race` do.
    """
    models = {plan.method.model.name for plan in plans}
    protocols = [plan.protocol_for(corpus) for plan in plans]
    shared = next((key for key in protocols if models <= set(PROTOCOLS[key].models)), None)
    if shared is None:
        raise ValueError("The methods of this race have no held-out score in common.")
    train, heldout = replace(plans[0], protocol=shared).split(corpus)
    return Race([plan.start(train, heldout) for plan in plans])
