"""A run's topics by a number that somebody chooses, and what each number keeps.

How many topics a run ends with depends on its start, its texts and eta. Whoever wants some 30 of
160 gets them here: a sampler with exactly 30 topics goes on from the 30 largest for 20 passes.
That kept 99 % of what 160 topics of 2,235 messages gained over word frequencies, and 89 % came of
30 topics from nothing (`benchmarks/README.md`, about N topics).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64
from ..core.display import plural
from ..evaluate import score_by_document, unigram_score
from .beginning import Beginning
from .plan import Plan
from .run import Run

PASSES, BURN_IN, THIN = 20, 9, 2
"""Of the sampler with N topics: five states are averaged."""
COUNTS = (5, 10, 15, 20, 30, 50, 80, 120)
"""Numbers of topics whose price is worked out."""
ENOUGH = 0.9
"""Of the gain over word frequencies, what the number that is proposed keeps at least."""
LEAST_GAIN = 0.05
"""Natural logarithm per word: of a smaller gain no share is told, since noise would decide it."""
SMALLEST, LARGEST = 1e-4, 100.0
"""Between which LDA's alpha lies."""


@dataclass(frozen=True, eq=False)
class Granularity:
    """N topics of a run, and their price."""

    run: Run
    """With N topics, learned."""
    score: float
    """Its held-out score, in natural logarithms per word."""
    error: float
    """Standard error, by documents, of how much it scores beyond the run that it began at."""
    kept: float
    """Of what that run gains over word frequencies; nan if it gains less than `LEAST_GAIN`."""

    @property
    def n_topics(self) -> int:
        return len(self.run.topics)


def about(run: Run, n_topics: int) -> Run:
    """A run with `n_topics` topics that begins at the largest of `run`, learned to its end.

    Same texts, same held-out documents and same seed, so that it can be made again. Its eta is
    that of `run`; alpha is learned, from what a document of `run` has for each of so many topics.
    Raises ValueError if `run` has clusters, nothing yet, or fewer topics, and what a run raises.
    """
    if run.method.model.mixture:
        raise ValueError(
            f"{run.name} has clusters, to one of which a text belongs; topics can be chosen by "
            "number only of a run whose texts have several."
        )
    topics = run.topics if run.docs_seen else None
    n_there = 0 if topics is None else int(topics.in_use.sum())
    if topics is None or n_topics > n_there:
        raise ValueError(f"{run.name} has {plural(n_there, 'topic')}; choose at most so many.")
    name = f"{run.name}, about {plural(n_topics, 'topic')}"
    plan = plan_about(run, n_topics, Beginning.of(run), run.seed)
    child = plan.start(run.corpus, run.heldout, name, run.pool)
    while not child.done:
        child.step()
    return child


def plan_about(run: Run, n_topics: int, start: Beginning | None, seed: int) -> Plan:
    """The plan of `about`, from wherever it starts."""
    topics = run.topics
    alpha = min(max(topics.concentration / max(n_topics, 1), SMALLEST), LARGEST)
    values = {"n_topics": n_topics, "alpha": alpha, "eta": topics.eta, "learn_alpha": True}
    values |= {"burn_in": BURN_IN, "thin": THIN}
    return Plan.of("lda-gibbs", values=values, seed=seed, passes=PASSES, start_from=start)


def granularities(run: Run, counts: Iterable[int] = COUNTS) -> tuple[Granularity, ...]:
    """`run` with each of these numbers of topics, fewest first; those that it has not are left out.

    Raises ValueError if no documents are held out, and what `about` does.
    """
    if run.heldout is None:
        raise ValueError(f"No documents are held out of {run.name}, so nothing tells what is kept.")
    n_there = int(run.topics.in_use.sum())
    whole, frequencies = _by_document(run), unigram_score(run.corpus, run.heldout)
    found = [about(run, n) for n in sorted(set(counts)) if n < n_there]
    return tuple(_priced(child, whole, frequencies) for child in found)


def fewest(found: Iterable[Granularity], enough: float = ENOUGH) -> Granularity | None:
    """The one with fewest topics that keeps `enough`; None if none does."""
    suited = [one for one in found if one.kept >= enough]
    return min(suited, key=lambda one: one.n_topics, default=None)


def _by_document(run: Run) -> F64:
    assert run.heldout is not None
    kept = run.method.kept(run.state)
    return score_by_document(run.method.model, run.topics, run.heldout, kept, run.pool)


def _priced(child: Run, whole: F64, frequencies: float) -> Granularity:
    assert child.heldout is not None
    words = child.heldout.hidden.doc_lengths
    scored, n_words = _by_document(child), float(words.sum())
    score, full = float(scored.sum()) / n_words, float(whole.sum()) / n_words
    # Of a ratio of sums over documents: of each, what it has beyond its share.
    beyond = scored - whole - (score - full) * words
    error = math.sqrt(float(np.square(beyond).sum()) * len(words) / max(len(words) - 1, 1))
    gain = full - frequencies
    kept = (score - frequencies) / gain if gain >= LEAST_GAIN else math.nan
    return Granularity(child, score, error / n_words, kept)
