"""One trial of a study as it goes on: learn, and be scored at its moments.

It knows neither the other trials nor where it is tried, on this machine or by a worker of a
cluster: it has one thread, and its seconds are those that a processor spent on it. What else the
machine does takes none of them, so that it changes no verdict on speed.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..cluster.guests import Guest, GuestTexts
from ..core import store
from ..corpus.corpus import Corpus
from ..evaluate import Heldout, heaviest_words, npmi, score, topics_in_use, unigram_score
from ..runs.plan import Plan
from ..runs.run import Run
from ..runs.warming import warm_in_turn
from ..state.snapshot import Topics
from .trial import Trial, TrialOutcome

TESTED = 200
"""Documents held out; the error of a score of 200 documents of 30 words is about 0.02."""
MOMENTS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)
"""Shares of a trial at which it is scored: of its time, or of the texts if it reads them once.

The first is the end of its first mini-batch: most components of a mixture are born in the first
1,500 texts, which take a third of a second.
"""
NEVER = -1.0
"""The share at which a trial was scored last, before it was scored at all."""

Splits = dict[Any, tuple[Corpus, Heldout]]
"""(seed, protocol) -> texts to learn and texts held out."""
MOST_SPLITS = 2
"""That are kept; trials go on seed by seed, and each is a copy of the texts."""


@dataclass(frozen=True)
class StudyTerms:
    """What is the same for all trials of a study."""

    share: float
    """Seconds that each may learn: processor time of its thread, inside steps."""
    protocol: str
    orders: bool
    one_split: bool
    """As in `Experiment`."""


@dataclass
class Attempt:
    """A trial under way."""

    run: Run
    heldout: Heldout
    share: float
    """Seconds of a processor that it may learn."""
    outcome: TrialOutcome = TrialOutcome()
    """At its moments so far."""
    scored_at: float = NEVER

    @property
    def progress(self) -> float:
        """How much of its time has gone by, or of the texts if they are read once."""
        return max(self.run.seconds / self.share, self.run.docs_seen / self.run.planned_docs)

    @property
    def ended(self) -> bool:
        return self.scored_at > NEVER and (self.run.done or self.progress >= 1.0)

    def learn(self, over: Callable[[], bool]) -> None:
        """Learn until it has ended, or until it is `over`, which is asked after every mini-batch;
        one at least. Moments are scored on the way."""
        while not self.ended:
            moment = next((m for m in MOMENTS if m > self.scored_at), 1.0)
            self.run.step()
            if self.run.done or self.progress >= moment:
                self._note()
            if over():
                return

    def _note(self) -> None:
        """Score the run and add a moment."""
        run, was = self.run, self.outcome
        snapshot = run.snapshot(with_kept=True)
        topics = snapshot.topics
        twenty = np.argsort(-topics.size, kind="stable")[:20]
        largest = {str(topics.topic_ids[k]): k for k in twenty}
        rng = np.random.default_rng(run.seed)
        value = score(run.method.model, topics, self.heldout, rng, snapshot.kept, run.pool)
        self.scored_at = self.progress
        self.outcome = TrialOutcome(
            (*was.docs_seen, run.docs_seen),
            (*was.seconds, run.seconds),
            (*was.scores, value),
            (*was.topics, topics_in_use(snapshot.topics)),
            (*was.words, {name: words_of(topics, k, run) for name, k in largest.items()}),
            (*was.coherence, float(npmi(topics.topic_word[twenty], run.corpus).mean())),
            (*was.scalars, dict(run.latest_info.scalars)),
            (*was.memory, run.memory),
            (*was.unigram, unigram_score(run.corpus, self.heldout)),
            (*was.passes, (run.planned_docs if run.done else run.docs_seen) / run.corpus.n_docs),
            (*was.sizes, {name: float(topics.size[k]) for name, k in largest.items()}),
        )


def words_of(topics: Topics, k: int, run: Run) -> str:
    """The ten heaviest words of topic `k`."""
    return " ".join(run.corpus.vocab[w] for w in heaviest_words(topics, k, 10))


def begin(trial: Trial, terms: StudyTerms, corpus: Corpus, splits: Splits) -> Attempt:
    """A trial before its first mini-batch; `splits` are those made before, and take up new ones.

    Raises what `Plan.split` and `Plan.start` do.
    """
    plan = Plan.of(
        trial.method,
        trial.preset,
        dict(trial.values),
        seed=0 if terms.one_split else trial.seed,
        passes=trial.passes,
        n_heldout=min(TESTED, corpus.n_docs // 4),
        protocol=terms.protocol or None,
        order=trial.order,
    )
    train, heldout = _split(plan, corpus, splits)
    warm_in_turn(plan.method)
    seed = trial.seed + (1000 * int(trial.x) if terms.orders else 0)
    run = replace(plan, seed=seed, batch_size=trial.docs_per_batch(train)).start(train)
    run.pool, run.clock = None, time.thread_time
    return Attempt(run, heldout, terms.share)  # scored here, at the moments of the trial


def _split(plan: Plan, corpus: Corpus, splits: Splits) -> tuple[Corpus, Heldout]:
    key = plan.seed, plan.protocol_for(corpus)
    found = splits.get(key)
    if found is None:
        while len(splits) >= MOST_SPLITS:
            splits.pop(next(iter(splits)))
        found = splits[key] = plan.split(corpus)
    return found


def _opened(
    manifest: Mapping[str, Any], arrays: store.Arrays, corpus: Corpus, splits: Splits
) -> Attempt:
    """The attempt that `AttemptAway` packed."""
    attempt = begin(manifest["trial"], manifest["terms"], corpus, splits)
    if "run" in manifest:
        attempt.run.stand(manifest["run"], arrays)
        attempt.outcome, attempt.scored_at = manifest["outcome"], manifest["scored_at"]
    return attempt


def _packed(attempt: Attempt) -> store.Packed:
    """What was found; and where its run stands, as long as it goes on."""
    arrays: store.Arrays = {}
    manifest = {
        "outcome": attempt.outcome,
        "scored_at": attempt.scored_at,
        "ended": attempt.ended,
        "n_steps": attempt.run.n_steps,
    }
    if not attempt.ended:
        manifest["run"], arrays = attempt.run.pack_standing()
    return manifest, arrays


class AttemptThere:
    """On a worker: a `Guest`, with one thread. It is begun there, from the whole corpus."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt

    @classmethod
    def arrives(cls, manifest: dict[str, Any], arrays: store.Arrays, texts: GuestTexts) -> Self:
        splits = texts.made.setdefault("splits", {})
        return cls(_opened(manifest, arrays, texts.corpus, splits))

    @property
    def ended(self) -> bool:
        return self.attempt.ended

    def learn(self, docs: int, over: Callable[[], bool]) -> None:
        self.attempt.learn(over)

    def packed(self) -> store.Packed:
        return _packed(self.attempt)


class AttemptAway:
    """At home: an `Away` for a trial, and what it has found so far."""

    guest: type[Guest] = AttemptThere

    def __init__(self, trial: Trial, terms: StudyTerms) -> None:
        self._asked = {"trial": trial, "terms": terms}
        self._manifest: dict[str, Any] = {}
        self._arrays: store.Arrays = {}

    @property
    def outcome(self) -> TrialOutcome:
        found: TrialOutcome = self._manifest.get("outcome", TrialOutcome())
        return found

    @property
    def ended(self) -> bool:
        return bool(self._manifest.get("ended", False))

    @property
    def mark(self) -> int:
        """Mini-batches learned."""
        return int(self._manifest.get("n_steps", 0))

    def packed(self) -> store.Packed:
        return {**self._manifest, **self._asked}, self._arrays

    def stand(self, manifest: dict[str, Any], arrays: store.Arrays) -> None:
        self._manifest, self._arrays = manifest, arrays

    def learn_here(self, corpus: Corpus, splits: Splits, over: Callable[[], bool]) -> None:
        """As a worker would; raises what a step does."""
        attempt = _opened(*self.packed(), corpus, splits)
        attempt.learn(over)
        self.stand(*_packed(attempt))
