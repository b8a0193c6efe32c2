"""One trial of a study as it goes on: learn, and be scored at its moments.

It knows neither the other trials nor where it is tried, on this machine or by a worker of a
cluster: it has one thread, and its seconds are those that a processor spent on it. What else the
machine does takes none of them, so that it changes no verdict on speed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..corpus.corpus import Corpus
from ..evaluate import (
    Heldout,
    from_one_start,
    heaviest_words,
    npmi,
    score,
    topics_in_use,
    unigram_score,
)
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
    # Findings that were kept are scored from one start, and studies go on from them.
    plan = replace(plan, protocol=from_one_start(plan.protocol_for(corpus)))
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
