"""A study: the trials of a claim or of a sweep, for equal seconds or for equal passes.

Trials of equal seconds share a budget of processor time. Each trial has one thread, so that what
goes on beside it neither changes what it learns nor takes a second from it: there are as many at
once as cores are free, or one a worker of a cluster.

A study looks like a run to whoever drives it (`prepare`, `step`, `done`, `snapshot`), so that the
same thread and the same queue serve both. Every finished trial is written to a file at once; a
study of the same experiment, corpus, seeds and budget, or passes, begins with what that file holds.
No study goes on for longer than `longest` at a time; what is left then waits until it is begun
again.

Findings on the disk: one file a study.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from ..core.display import plural
from ..core.owned_files import private_folder
from ..core.store import home, read_json, write_json
from ..corpus.corpus import Corpus
from ..inference.cores import Cores, usual_pool
from ..inference.pool import Driver, RemotePool
from ..methods import METHODS
from ..methods.base import Method
from ..runs.background import never
from .attempt import Attempt, Splits, StudyTerms, begin
from .claim import Claim, Experiment
from .trial import UNLIMITED, Trial, TrialOutcome

SHORTEST, OVERHEAD = 2.0, 1.5
"""Seconds: the least that a trial may learn, and what its start and its scores take beside."""
STEP = 0.1
"""Seconds of a step on this machine."""
LONGER, MORE = 1.5, 60.0
"""Trials of equal seconds may take so many times the budget, and so many seconds more: compiling
and scoring are not in it."""
NO_LIMIT = 1e9
"""Seconds of a trial that ends with its passes."""
FEWEST = 20
"""Documents with which a claim can be tried at all."""


def fit_to_budget(trials: list[Trial], budget: float) -> tuple[list[Trial], float]:
    """The trials that fit into `budget` seconds, and how long each may learn.

    Where all would get less than two seconds, places on the axis are left out, evenly, the first
    and the last kept. Raises ValueError if even those are too many.
    """
    if not trials:
        return [], 0.0
    places = sorted({trial.x for trial in trials})
    for n_places in range(len(places), min(len(places), 2) - 1, -1):
        index = np.unique(np.linspace(0, len(places) - 1, n_places).round().astype(int))
        kept = {places[i] for i in index}
        chosen = [trial for trial in trials if trial.x in kept]
        share = budget / len(chosen) - OVERHEAD
        if share >= SHORTEST:
            return chosen, share
    least = len(chosen) * (SHORTEST + OVERHEAD)
    raise ValueError(f"The budget is too small: this needs {least:,.0f} seconds at least.")


E = TypeVar("E", bound=Experiment)


@dataclass
class Study(Generic[E]):
    """One claim or sweep on one corpus. Raises ValueError if the budget, the seeds, the passes or
    the corpus are too few."""

    experiment: E
    corpus: Corpus
    budget: float = 600.0
    """Seconds of a processor, of all trials together; of trials of equal passes the longest, by the
    clock, that they may take."""
    n_seeds: int = 3
    folder: Path | None = None
    findings: dict[Trial, TrialOutcome] = field(default_factory=dict)
    passes: int = 0
    """Of every trial that has no number of its own; 0: as the experiment says."""

    def __post_init__(self) -> None:
        if self.corpus.n_docs < FEWEST:
            raise ValueError(
                f"{self.corpus.name or 'The corpus'} has {self.corpus.n_docs} documents; a study "
                f"needs {FEWEST} at least. Load more texts on the Texts page."
            )
        if self.n_seeds < 1:
            raise ValueError(f"A study needs at least one seed; got {self.n_seeds}.")
        if not math.isfinite(self.budget):
            raise ValueError(f"The budget must be a number of seconds; got {self.budget}.")
        if self.passes < 0 or self.passes >= UNLIMITED:
            raise ValueError(f"Passes must be 1 to {UNLIMITED - 1:,}; got {self.passes}.")
        experiment = self.experiment
        self.passes = (self.passes or experiment.passes) if experiment.passes else 0
        self._plan()
        folder = self.folder if self.folder is not None else results_folder()
        size = f"p{self.passes}" if self.passes else f"{self.budget:g}"
        name = f"{experiment.name}-{self.corpus.fingerprint[:16]}-{self.n_seeds}-{size}"
        self.path = folder / f"{name}.json"
        """Where the findings are kept; equal paths, the same study."""
        self.terms = StudyTerms(
            self.share, experiment.protocol, experiment.orders, experiment.one_split
        )
        self.splits: Splits = {}
        self._attempts: dict[Trial, Attempt] = {}
        """Those under way on this machine, the first that wait."""
        self.under_way: dict[Trial, TrialOutcome] = {}
        """The findings so far of trials that are running."""
        self.driver: Driver | None = None
        """Sends trials to the workers of a cluster; None on this machine alone."""
        self.hurried: Callable[[], bool] = never
        """Whether somebody waits for the step at hand."""
        self.not_written = ""
        """Why the findings are not on the disk; they are in memory, and the study goes on."""
        self.seconds = 0.0
        """For which it has gone on since it was begun."""
        self._read()

    def _plan(self) -> None:
        """Settle the trials, and how long each may learn."""
        trials = self.experiment.trials(self.n_seeds)
        if not self.passes:
            self.trials, self.share = fit_to_budget(trials, self.budget)
            return
        self.share = NO_LIMIT
        self.trials = [
            replace(trial, passes=self.passes) if trial.passes == UNLIMITED else trial
            for trial in trials
        ]

    # ---- as a run looks to its driver ------------------------------------------------------

    @property
    def method(self) -> Method:
        """The method that is needed first, so that it can be compiled."""
        trial = self.waiting[0] if self.waiting else self.trials[0]
        return METHODS[trial.method]()

    @property
    def waiting(self) -> list[Trial]:
        """Trials without an outcome."""
        return [trial for trial in self.trials if trial not in self.findings]

    @property
    def done(self) -> bool:
        """Whether nothing is left to be tried, or no time to try it."""
        return not self.waiting or self.over

    @property
    def longest(self) -> float:
        """Seconds for which it may go on, before what is left waits until it is begun again."""
        return self.budget if self.passes else LONGER * self.budget + MORE

    @property
    def over(self) -> bool:
        """Whether it ended because it took longest."""
        return bool(self.waiting) and self.seconds >= self.longest

    @property
    def why_over(self) -> str:
        """What it means that it took longest, in sentences; empty where it did not."""
        if not self.over:
            return ""
        need = f", which need about {self.seconds_left / 60:.0f} minutes" if self.ended else ""
        return (
            f"It ended after its longest duration, {self.longest / 60:.1f} minutes: "
            f"{len(self.waiting)} of {plural(len(self.trials), 'trial')} had not ended. Those that "
            f"had are kept; begin it again, and it goes on with the others{need}."
        )

    @property
    def ended(self) -> list[TrialOutcome]:
        """Of the trials that are over."""
        return [self.findings[trial] for trial in self.trials if trial in self.findings]

    @property
    def docs_seen(self) -> int:
        """Whether anything is there to be shown."""
        return len(self.findings)

    def prepare(self) -> None:
        """Where a cluster computes for this process, let its workers try the trials, each one.

        A trial is begun when its turn comes.
        """
        pool = usual_pool()
        if self.driver is None and isinstance(pool, RemotePool):
            self.driver, self._attempts = pool.driver_of(self), {}

    @property
    def n_at_once(self) -> int:
        """Trials that can be tried at once: one by every worker of the process's cluster; here, one
        by every core that nobody else uses."""
        pool = usual_pool()
        return pool.n_alike if isinstance(pool, RemotePool) else pool.n_workers

    @property
    def is_away(self) -> bool:
        """Whether workers of a cluster try its trials, and more than one of them."""
        return isinstance(usual_pool(), RemotePool) and self.n_at_once > 1

    @property
    def seconds_left(self) -> float:
        """That the trials will take that wait, as far as can be told: of equal passes, by those
        that have ended, or the longest that they may."""
        share = self.share
        if self.passes:
            if not self.ended:
                return self.budget if self.waiting else 0.0
            share = float(np.mean([outcome.seconds[-1] for outcome in self.ended]))
        return -(-len(self.waiting) // self.n_at_once) * (share + OVERHEAD)

    def step(self) -> None:
        """Learn for some 0.1 seconds, and some more where workers do; the end of a trial writes
        the findings. Raises NotNow if there are no workers any more."""
        began = time.monotonic()
        try:
            if self.driver is None:
                self._step_here()
            else:
                self.driver.step()
                if self.done:
                    self.driver = None  # with it the texts leave the workers
        finally:
            self.seconds += time.monotonic() - began

    def _step_here(self) -> None:
        for trial in self.waiting[: self.n_at_once]:
            if trial not in self._attempts:
                self._attempts[trial] = begin(trial, self.terms, self.corpus, self.splits)
        _learn(list(self._attempts.values()))
        ended = {t: attempt.outcome for t, attempt in self._attempts.items() if attempt.ended}
        for trial in ended:
            del self._attempts[trial]
        self.note_ended(ended)
        self.under_way = {t: attempt.outcome for t, attempt in self._attempts.items()}

    def note_ended(self, ended: dict[Trial, TrialOutcome]) -> None:
        """Take over the trials that have ended, in the order in which they would in turn."""
        if ended:
            found = self.findings | ended
            self.findings = {t: found[t] for t in [*self.trials, *found] if t in found}
            self._write()

    def step_once(self) -> None:
        """As `step`."""
        self.step()

    def snapshot(self) -> dict[Trial, TrialOutcome]:
        """The findings so far; the trials under way are among them."""
        return {
            **self.findings,
            **{t: found for t, found in self.under_way.items() if found.seconds},
        }

    # ---- keeping ---------------------------------------------------------------------------

    def _read(self) -> None:
        """Take over what an earlier study has found; of a claim only what can be judged."""
        found = findings_in(self.path, self.trials)
        if isinstance(self.experiment, Claim):
            found = {trial: outcome for trial, outcome in found.items() if outcome.unigram}
        self.findings |= found

    def _write(self) -> None:
        # Another tab or the command line may study the same: nobody's findings are lost.
        kept = read_json(self.path)
        kept |= {trial.key: asdict(outcome) for trial, outcome in self.findings.items()}
        try:
            private_folder(self.path.parent)
            write_json(self.path, kept)
            self.not_written = ""
        except OSError as problem:
            self.not_written = f"{self.path} cannot be written ({problem.strerror or problem})."


def _learn(attempts: Sequence[Attempt]) -> None:
    """Let all go on for a step, at once where cores are free."""
    pool, over = usual_pool(), after(STEP)
    if isinstance(pool, Cores):
        pool.each(Attempt.learn, [(attempt,) for attempt in attempts], over)
        return
    for attempt in attempts:
        attempt.learn(over)


def after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have gone by since now."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def results_folder() -> Path:
    """Where studies keep their findings."""
    return home() / "claims"


def findings_in(path: Path, trials: Sequence[Trial]) -> dict[Trial, TrialOutcome]:
    """What a file of findings holds of these trials; a damaged one counts as empty."""
    known = {trial.key: trial for trial in trials}
    found = {}
    for key, outcome in read_json(path).items():
        try:
            lists = {name: tuple(values) for name, values in outcome.items()}
            if key in known and lists["scores"]:
                found[known[key]] = TrialOutcome(**lists)
        except (TypeError, AttributeError, KeyError):
            continue  # written by another version or by hand: tried again
    return found
