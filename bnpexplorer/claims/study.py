"""A study: the trials of a claim or of a sweep within a budget of time, in turn or one a worker.

A study looks like a run to whoever drives it (`prepare`, `step`, `done`, `snapshot`), so that the
same thread and the same queue serve both. Every finished trial is written to a file at once; a
study of the same experiment, corpus, seeds and budget begins with what that file holds.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from ..cluster import ClusterPool
from ..cluster.trials import Trials, never
from ..core.private import private_folder
from ..core.store import home, read_json, write_json
from ..corpus.corpus import Corpus
from ..inference.cores import usual_pool
from ..methods import METHODS, Method
from .attempt import Attempt, AttemptAway, Splits, Terms, begin
from .claim import Experiment, Outcome, Trial

SHORTEST, OVERHEAD = 2.0, 1.5
"""Seconds: the least that a trial may learn, and what its start and its scores take beside."""
STEP = 0.1
"""Seconds of a step on this machine."""
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


def results_folder() -> Path:
    """Where studies keep their findings."""
    return home() / "claims"


E = TypeVar("E", bound=Experiment)


@dataclass
class Study(Generic[E]):
    """One claim or sweep on one corpus. Raises ValueError if the budget, the seeds or the corpus
    are too few."""

    experiment: E
    corpus: Corpus
    budget: float = 600.0
    n_seeds: int = 3
    folder: Path | None = None
    findings: dict[Trial, Outcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.corpus.n_docs < FEWEST:
            raise ValueError(
                f"{self.corpus.name or 'The corpus'} has {self.corpus.n_docs} documents; a study "
                f"needs {FEWEST} at least. Load more texts on the Corpus page."
            )
        if self.n_seeds < 1:
            raise ValueError(f"A study needs at least one seed; got {self.n_seeds}.")
        if not math.isfinite(self.budget):
            raise ValueError(f"The budget must be a number of seconds; got {self.budget}.")
        self.trials, self.share = fit_to_budget(self.experiment.trials(self.n_seeds), self.budget)
        folder = self.folder if self.folder is not None else results_folder()
        name = (
            f"{self.experiment.name}-{self.corpus.fingerprint[:16]}-{self.n_seeds}-{self.budget:g}"
        )
        self.path = folder / f"{name}.json"
        """Where the findings are kept; equal paths, the same study."""
        experiment = self.experiment
        self._terms = Terms(
            self.share, experiment.protocol, experiment.orders, experiment.one_split
        )
        self._splits: Splits = {}
        self._attempt: Attempt | None = None
        """The trial under way on this machine: the first that waits."""
        self._trials: Trials | None = None
        self._away: dict[Trial, AttemptAway] = {}
        """Trials that workers of a cluster try at once; those under way first."""
        self.hurried: Callable[[], bool] = never
        """Whether somebody waits for the step at hand."""
        self.not_written = ""
        """Why the findings are not on the disk; they are in memory, and the study goes on."""
        self._read()

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
        return not self.waiting

    @property
    def docs_seen(self) -> int:
        """Whether anything is there to be shown."""
        return len(self.findings)

    def prepare(self) -> None:
        """Where a cluster computes for this process, let its workers try the trials, each one.

        A trial is begun when its turn comes.
        """
        pool = usual_pool()
        if self._trials is None and isinstance(pool, ClusterPool):
            self.at_once(Trials(pool, self.corpus, timed=True))

    def at_once(self, trials: Trials) -> None:
        """From now on let workers try the trials, each one; a trial under way here begins anew.

        Each learns for as long as it would here, so that what was found goes together.
        """
        self._trials, self._attempt = trials, None
        trials.hurried = lambda: self.hurried()

    @property
    def n_at_once(self) -> int:
        """Trials that can be tried at once: one by every worker of the process's cluster."""
        pool = usual_pool()
        return max(1, len(pool.alike(pool.workers)[0])) if isinstance(pool, ClusterPool) else 1

    @property
    def seconds_left(self) -> float:
        """That the trials will take that wait, as far as can be told."""
        return -(-len(self.waiting) // self.n_at_once) * (self.share + OVERHEAD)

    def step(self) -> None:
        """Learn for some 0.1 seconds, and some more where workers do; the end of a trial writes
        the findings. Raises NotNow if there are no workers any more."""
        if self._trials is not None:
            self._step_at_once(self._trials)
            return
        trial = self.waiting[0]
        if self._attempt is None:
            self._attempt = begin(trial, self._terms, self.corpus, self._splits)
        self._attempt.learn(_after(STEP))
        if self._attempt.ended:
            self.findings[trial] = self._attempt.outcome
            self._attempt = None
            self._write()

    def step_once(self) -> None:
        """As `step`."""
        self.step()

    def snapshot(self) -> dict[Trial, Outcome]:
        """The findings so far; the trials under way are among them."""
        under_way = {trial: away.outcome for trial, away in self._away.items()}
        if self._attempt is not None:
            under_way = {self.waiting[0]: self._attempt.outcome}
        return {**self.findings, **{t: found for t, found in under_way.items() if found.seconds}}

    def _step_at_once(self, trials: Trials) -> None:
        for trial in self.waiting:
            self._away.setdefault(trial, AttemptAway(trial, self._terms))
        those = sorted(self._away.items(), key=lambda one: one[1].mark == 0)
        for place in trials.advance([away for _, away in those]):
            those[place][1].learn_here(self.corpus, self._splits, _after(trials.seconds))
        ended = {trial: away.outcome for trial, away in those if away.ended}
        for trial in ended:
            del self._away[trial]
        if ended:
            found = self.findings | ended  # in the order in which they would end in turn
            self.findings = {t: found[t] for t in [*self.trials, *found] if t in found}
            self._write()
        if self.done:
            self._trials = None  # with it the texts leave the workers

    # ---- keeping ---------------------------------------------------------------------------

    def _read(self) -> None:
        """Take over what an earlier study has found."""
        self.findings |= findings_in(self.path, self.trials)

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


def _after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have gone by since now."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


def findings_in(path: Path, trials: Sequence[Trial]) -> dict[Trial, Outcome]:
    """What a file of findings holds of these trials; a damaged one counts as empty."""
    known = {trial.key: trial for trial in trials}
    found = {}
    for key, outcome in read_json(path).items():
        try:
            lists = {name: tuple(values) for name, values in outcome.items()}
            if key in known and lists["scores"]:
                found[known[key]] = Outcome(**lists)
        except (TypeError, AttributeError, KeyError):
            continue  # written by another version or by hand: tried again
    return found
