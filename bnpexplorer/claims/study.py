"""A study: the trials of a claim or of a sweep, run in turn within a budget of time.

A study looks like a run to whoever drives it (`prepare`, `step`, `done`, `snapshot`), so that the
same thread and the same queue serve both. Every finished trial is written to a file at once; a
study of the same experiment, corpus, seeds and budget begins with what that file holds.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from ..core.private import private_folder
from ..core.store import home, read_json, write_json
from ..corpus.corpus import Corpus
from ..evaluate import Heldout, heaviest_words, npmi, score, topics_in_use, unigram_score
from ..methods import METHODS, Method
from ..runs.plan import Plan
from ..runs.run import Run
from ..runs.warming import warm_in_turn
from ..state.snapshot import Topics
from .claim import Experiment, Outcome, Trial

TESTED = 200
"""Documents held out; the error of a score of 200 documents of 30 words is about 0.02."""
MOMENTS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""Shares of a trial at which it is scored: of its time, or of the texts if it reads them once.

The first is the end of its first mini-batch: most components of a mixture are born in the first
1,500 texts, which take a third of a second.
"""
SHORTEST, OVERHEAD = 2.0, 1.5
"""Seconds: the least that a trial may learn, and what its start and its scores take beside."""
NEVER = -1.0
"""The share at which a trial was scored last, before it was scored at all."""
FEWEST = 20
"""Documents with which a claim can be tried at all."""


def words_of(topics: Topics, k: int, run: Run) -> str:
    """The ten heaviest words of topic `k`."""
    return " ".join(run.corpus.vocab[w] for w in heaviest_words(topics, k, 10))


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
        self._splits: dict[tuple[int, str], tuple[Corpus, Heldout]] = {}
        self._run: Run | None = None
        self._current = Outcome()
        self._scored_at = NEVER
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
        """Nothing: every trial is prepared when its turn comes."""

    def step(self) -> None:
        """Learn for some 0.1 seconds; the end of a trial writes the findings."""
        trial = self.waiting[0]
        run, heldout = self._begun(trial)
        until = time.monotonic() + 0.1
        moment = next((m for m in MOMENTS if m > self._scored_at), 1.0)
        run.step()
        while time.monotonic() < until and not run.done and self._progress(run) < moment:
            run.step()
        if run.done or self._progress(run) >= moment:
            self._note(run, heldout)
        if run.done or self._progress(run) >= 1.0:
            self.findings[trial] = self._current
            self._run, self._current, self._scored_at = None, Outcome(), NEVER
            self._write()

    def snapshot(self) -> dict[Trial, Outcome]:
        """The findings so far; the trial under way is among them."""
        under_way = {self.waiting[0]: self._current} if self._current.seconds else {}
        return {**self.findings, **under_way}

    # ---- one trial -------------------------------------------------------------------------

    def _progress(self, run: Run) -> float:
        """How much of its time has gone by, or of the texts if they are read once."""
        return max(run.seconds / self.share, run.docs_seen / run.planned_docs)

    def _begun(self, trial: Trial) -> tuple[Run, Heldout]:
        plan = self._plan(trial)
        split = plan.seed, plan.protocol_for(self.corpus)
        if split not in self._splits:
            self._splits[split] = plan.split(self.corpus)
        train, heldout = self._splits[split]
        if self._run is None:
            warm_in_turn(plan.method)
            seed = trial.seed + (1000 * int(trial.x) if self.experiment.orders else 0)
            plan = replace(plan, seed=seed, batch_size=trial.docs_per_batch(train))
            self._run = plan.start(train)  # scored here, at the moments of the trial
            self._run.prepare()
        return self._run, heldout

    def _plan(self, trial: Trial) -> Plan:
        """The plan of a trial, with the seed of its split."""
        return Plan.of(
            trial.method,
            trial.preset,
            dict(trial.values),
            seed=0 if self.experiment.one_split else trial.seed,
            passes=trial.passes,
            n_heldout=min(TESTED, self.corpus.n_docs // 4),
            protocol=self.experiment.protocol or None,
            order=trial.order,
        )

    def _note(self, run: Run, heldout: Heldout) -> None:
        """Score the run and add a moment to the trial under way."""
        snapshot = run.snapshot(with_kept=True)
        topics = snapshot.topics
        largest = np.argsort(-topics.size, kind="stable")[:20]
        rng = np.random.default_rng(run.seed)
        value = score(run.method.model, topics, heldout, rng, snapshot.kept, run.pool)
        was, self._scored_at = self._current, self._progress(run)
        self._current = Outcome(
            (*was.docs_seen, run.docs_seen),
            (*was.seconds, run.seconds),
            (*was.scores, value),
            (*was.topics, topics_in_use(snapshot.topics)),
            (*was.words, {str(topics.topic_ids[k]): words_of(topics, k, run) for k in largest}),
            (*was.coherence, float(npmi(topics.topic_word[largest], run.corpus).mean())),
            (*was.scalars, dict(run.latest_info.scalars)),
            (*was.memory, run.memory),
            (*was.unigram, unigram_score(run.corpus, heldout)),
        )

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
