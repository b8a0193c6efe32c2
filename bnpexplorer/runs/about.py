"""Make a run with fewer topics from one with many, and measure how well it predicts.

How many topics a run ends with depends on its start, its texts and eta. Whoever wants some 30 of
160 gets them here: a sampler with exactly 30 topics goes on from the 30 largest for 20 passes.
That kept 99 % of what 160 topics of 2,235 messages gained over word frequencies, and 89 % came of
30 topics from nothing (`benchmarks/README.md`, about N topics).
"""

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from ..core.arrays import F64, I64
from ..core.display import percent, plural
from ..corpus.corpus import Corpus
from ..evaluate import Heldout, score_by_document, unigram_score
from ..explore.lineage import made_of, one_to_one
from ..inference.cores import cores
from ..models import Model
from ..models.lda import LDA
from ..state.invariants import UNBOUNDED, Constraint
from ..state.snapshot import Kept, Topics
from .beginning import Beginning, places_given
from .plan import Plan
from .run import Run

PASSES, BURN_IN, THIN = 20, 9, 2
"""Passes of the sampler with N topics. It averages five states."""
COUNTS = (5, 10, 15, 20, 30, 50, 80, 120)
"""Numbers of topics whose price is worked out."""
ENOUGH = 0.9
"""The proposed number keeps at least this part of the gain over word frequencies."""
LEAST_GAIN = 0.05
"""Natural logarithm per word: of a smaller gain no share is told, since noise would decide it."""
SMALLEST, LARGEST = 1e-4, 100.0
"""Between which LDA's alpha lies."""


@dataclass(frozen=True, eq=False)
class Granularity:
    """N topics of a run, and their price."""

    topics: Topics
    """Each has the identity of the run's topic that it shares most words with, one to one: some
    tenth of them do so with another than the one that they began at."""
    of: Annotated[I64, Constraint("all", distinct=True)]
    """int64 (K,): all topics of the run, by identity."""
    made_of: Annotated[F64, Constraint("shown", "all")]
    """float64 (N, K): words that are in one of these topics and in one of the run's, as counted by
    `lineage.made_of`."""
    score: Annotated[float, UNBOUNDED]
    """Their held-out score, in natural logarithms per word; nan if nothing is held out."""
    kept: Annotated[float, UNBOUNDED]
    """The part of the gain over word frequencies that is left; nan if all topics gain less than
    `LEAST_GAIN`."""
    error: Annotated[float, Constraint(finite=False)]
    """Standard error of `kept`, by documents, what all gain taken as it is."""

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    @property
    def model(self) -> LDA:
        """By which texts are read with these topics."""
        return LDA(self.n_topics, _alpha(self.topics, self.n_topics), self.topics.eta)

    @property
    def empty(self) -> str:
        """Say in a sentence that some topics hold no word and what to do, or nothing."""
        return _empty(self.topics)

    @property
    def said(self) -> str:
        """The kept part in words, or nothing."""
        if math.isnan(self.kept):
            return ""
        return "all" if self.kept >= 1.0 else percent(self.kept)

    def sentences(self, n_all: int) -> tuple[str, str]:
        """Return what to say in two parts: how much of the gain is kept and that topics hold no
        word, or nothing; how they were made."""
        made = (
            f"Each began at one of the {self.n_topics:,} largest of {n_all:,}, and the texts were "
            f"read {PASSES} times more with these alone."
        )
        if not self.said:
            return self.empty, made
        keep = "keeps" if self.n_topics == 1 else "keep"
        spread = f" (± {100 * self.error:.0f})" if self.kept < 1.0 else ""
        kept = (
            f"{plural(self.n_topics, 'topic')} {keep} {self.said}{spread} of what {n_all:,} gain "
            "over word frequencies on held-out words."
        )
        return f"{kept} {self.empty}".strip(), made


def about(run: Run, n_topics: int) -> Run:
    """Begin a run with `n_topics` topics at the largest topics of `run`, and learn it.

    Same texts, same held-out documents and same seed, so that it can be made again. Its eta is
    that of `run`; alpha is learned, from what a document of `run` has for each of so many topics.
    Raises ValueError if `run` has clusters, nothing yet, or fewer topics, and what a run raises.
    """
    _check(run, n_topics)
    name = f"{run.name}, about {plural(n_topics, 'topic')}"
    plan = plan_about(run.topics, n_topics, Beginning.of(run), run.seed)
    child = _finished(plan.start(run.corpus, run.heldout, name, run.pool))
    if said := _empty(child.topics):
        warnings.warn(said, stacklevel=3)
    return child


def _empty(topics: Topics) -> str:
    n_left = int(topics.in_use.sum())
    if n_left == len(topics):
        return ""
    hold = "holds no word" if len(topics) - n_left == 1 else "hold no words"
    return (
        f"{len(topics) - n_left:,} of these {len(topics):,} topics {hold}, since the others took "
        f"them all: choose {n_left:,} or fewer."
    )


def _check(run: Run, n_topics: int) -> None:
    if run.method.model.mixture:
        raise ValueError(
            f"{run.name} has clusters, to one of which a text belongs; topics can be chosen by "
            "number only of a run whose texts have several."
        )
    n_there = int(run.topics.in_use.sum()) if run.docs_seen else 0
    if n_topics > n_there or not n_there:
        raise ValueError(f"{run.name} has {plural(n_there, 'topic')}; choose at most so many.")


def _finished(run: Run) -> Run:
    while not run.done:
        run.step()
    return run


def plan_about(topics: Topics, n_topics: int, start: Beginning | None, seed: int) -> Plan:
    """The plan of `about` for a run with these topics, from wherever it starts."""
    values = {"n_topics": n_topics, "alpha": _alpha(topics, n_topics), "eta": topics.eta}
    values |= {"learn_alpha": True, "burn_in": BURN_IN, "thin": THIN}
    return Plan.of("lda-gibbs", values=values, seed=seed, passes=PASSES, start_from=start)


def _alpha(topics: Topics, n_topics: int) -> float:
    return min(max(topics.concentration / max(n_topics, 1), SMALLEST), LARGEST)


def granularities(run: Run, counts: Iterable[int] = COUNTS) -> tuple[Granularity, ...]:
    """Make `run` with each of these numbers of topics, fewest first, up to the number it has.

    Raises ValueError as `about`.
    """
    _check(run, 1)
    return Pricing(run, counts).work()


def fewest(found: Iterable[Granularity], enough: float = ENOUGH) -> Granularity | None:
    """Return the one with fewest topics that keeps `enough`, or None."""
    suited = [one for one in found if one.kept >= enough]
    return min(suited, key=lambda one: one.n_topics, default=None)


class Pricing:
    """`granularities` of a run at rest, for a thread: `work` needs nothing of the run, which may go
    on meanwhile."""

    def __init__(self, run: Run, counts: Iterable[int] = COUNTS) -> None:
        self._corpus, self._heldout, self._seed = run.corpus, run.heldout, run.seed
        self._model, self._topics = run.method.model, run.topics
        self._kept = run.method.kept(run.state) if run.state is not None else ()
        self._start = Beginning.of(run)
        n_there = len(places_given(self._topics))
        self.counts = tuple(n for n in sorted(set(counts)) if n < n_there)

    def work(self, tell: Callable[[int], None] = lambda _: None) -> tuple[Granularity, ...]:
        """Do the work. `tell` is called with how many numbers are done."""
        whole = _Scored(self._model, self._topics, self._kept, self._heldout)
        found = []
        for done, n_topics in enumerate(self.counts, 1):
            found.append(self._priced(n_topics, whole))
            tell(done)
        return tuple(found)

    def _priced(self, n_topics: int, whole: "_Scored") -> Granularity:
        plan = plan_about(self._topics, n_topics, self._start, self._seed)
        child = _finished(plan.start(self._corpus))
        found = made_of(
            self._model, self._topics, child.state.tokens, n_topics, self._corpus, cores()
        )
        own = self._topics.topic_ids[one_to_one(found)]
        topics = replace(child.topics, topic_ids=own)
        scored = _Scored(
            child.method.model, child.topics, child.method.kept(child.state), self._heldout
        )
        price = scored.price(whole, self._corpus)
        return Granularity(topics, self._topics.topic_ids, found, *price)


class _Scored:
    """The held-out scores of some topics."""

    def __init__(self, model: Model, topics: Topics, kept: Kept, heldout: Heldout | None) -> None:
        self.heldout = heldout
        if heldout is not None:
            self.logs = score_by_document(model, topics, heldout, kept, cores())
            self.words = np.asarray(heldout.hidden.doc_lengths, np.float64)
            self.score = float(self.logs.sum() / self.words.sum())

    def price(self, whole: "_Scored", corpus: Corpus) -> tuple[float, float, float]:
        """Score, share that is kept, standard error of that."""
        if self.heldout is None:
            return math.nan, math.nan, math.nan
        # Of a ratio of sums over documents: of each, what it has beyond its share.
        beyond = self.logs - whole.logs - (self.score - whole.score) * self.words
        n = len(self.words)
        error = math.sqrt(float(np.square(beyond).sum()) * n / max(n - 1, 1))
        error /= float(self.words.sum())
        base = unigram_score(corpus, self.heldout)
        gain = whole.score - base
        if gain < LEAST_GAIN:
            return self.score, math.nan, math.nan
        return self.score, (self.score - base) / gain, error / gain
