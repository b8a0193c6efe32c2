"""Make a run with fewer topics from one with many, and measure how well it predicts.

The number of topics depends on the start, the texts and eta. To get 30 topics from 160, a sampler
with exactly 30 continues from the 30 largest for 20 passes. On 2,235 messages these 30 kept 99 % of
the gain over word frequencies; 30 topics from nothing kept 89 % (`benchmarks/README.md`, about N
topics).
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
"""Passes, burn-in and thinning of the sampler with N topics: it averages five states."""
COUNTS = (5, 10, 15, 20, 30, 50, 80, 120)
"""Numbers of topics that are tried."""
ENOUGH = 0.9
"""The proposed number keeps at least this share of the gain over word frequencies."""
LEAST_GAIN = 0.05
"""Nats per word. For a smaller gain no share is given, since noise would decide it."""
SMALLEST, LARGEST = 1e-4, 100.0
"""Bounds of LDA's alpha."""


@dataclass(frozen=True, eq=False)
class Granularity:
    """N topics of a run, and how well they predict."""

    topics: Topics
    """Each has the identity of the run's topic that it shares most words with, one to one. For
    about a tenth of them that is not the topic that they began at."""
    of: Annotated[I64, Constraint("all", distinct=True)]
    """int64 (K,): identities of all topics of the run."""
    made_of: Annotated[F64, Constraint("shown", "all")]
    """float64 (N, K): words that one of these topics shares with one of the run's
    (`lineage.made_of`)."""
    score: Annotated[float, UNBOUNDED]
    """Held-out score in nats per word; nan if nothing is held out."""
    kept: Annotated[float, UNBOUNDED]
    """Share of the gain over word frequencies that is kept; nan if all topics gain less than
    `LEAST_GAIN`."""
    error: Annotated[float, Constraint(finite=False)]
    """Standard error of `kept` over documents, with the gain of all topics taken as fixed."""

    @property
    def n_topics(self) -> int:
        return len(self.topics)

    @property
    def model(self) -> LDA:
        """Return the LDA that infers the topics of texts with these topics."""
        return LDA(self.n_topics, _alpha(self.topics, self.n_topics), self.topics.eta)

    @property
    def empty(self) -> str:
        """Return a sentence if some topics hold no word, with what to do; empty otherwise."""
        return _empty(self.topics)

    @property
    def said(self) -> str:
        """Return the kept share as text; empty if it is nan."""
        if math.isnan(self.kept):
            return ""
        return "all" if self.kept >= 1.0 else percent(self.kept)

    def sentences(self, n_all: int) -> tuple[str, str]:
        """Return two texts: the share of the gain that is kept, with a warning of empty topics;
        and how the topics were made."""
        made = (
            f"Each began at one of the {self.n_topics:,} largest of {n_all:,}, and the sampler "
            f"read the texts {PASSES} more times with these alone."
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
    """Return a finished run with `n_topics` topics that began at the largest topics of `run`.

    Texts, held-out documents, seed and eta are those of `run`, so the result is reproducible. Alpha
    is learned and starts at the concentration of `run` divided by `n_topics`. Raises ValueError if
    `run` has clusters, has not begun, or has fewer topics, and what a run raises.
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
    """Return the plan of `about` for a run with these topics that begins at `start`."""
    values = {"n_topics": n_topics, "alpha": _alpha(topics, n_topics), "eta": topics.eta}
    values |= {"learn_alpha": True, "burn_in": BURN_IN, "thin": THIN}
    return Plan.of("lda-gibbs", values=values, seed=seed, passes=PASSES, start_from=start)


def _alpha(topics: Topics, n_topics: int) -> float:
    return min(max(topics.concentration / max(n_topics, 1), SMALLEST), LARGEST)


def granularities(run: Run, counts: Iterable[int] = COUNTS) -> tuple[Granularity, ...]:
    """Make `run` with each number of topics in `counts` that is below its own, fewest first.

    Raises ValueError as `about` does.
    """
    _check(run, 1)
    return Pricing(run, counts).work()


def fewest(found: Iterable[Granularity], enough: float = ENOUGH) -> Granularity | None:
    """Return the granularity with fewest topics that keeps `enough`, or None."""
    suited = [one for one in found if one.kept >= enough]
    return min(suited, key=lambda one: one.n_topics, default=None)


class Pricing:
    """The work of `granularities`, for a thread: it copies what it needs, so the run may continue
    meanwhile."""

    def __init__(self, run: Run, counts: Iterable[int] = COUNTS) -> None:
        self._corpus, self._heldout, self._seed = run.corpus, run.heldout, run.seed
        self._model, self._topics = run.method.model, run.topics
        self._kept = run.method.kept(run.state) if run.state is not None else ()
        self._start = Beginning.of(run)
        n_there = len(places_given(self._topics))
        self.counts = tuple(n for n in sorted(set(counts)) if n < n_there)

    def work(self, tell: Callable[[int], None] = lambda _: None) -> tuple[Granularity, ...]:
        """Return the granularities; call `tell` with the number of counts that are done."""
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
        """Return the score, the share of the gain that is kept, and its standard error."""
        if self.heldout is None:
            return math.nan, math.nan, math.nan
        # Standard error of a ratio of sums over documents, from each document's residual.
        beyond = self.logs - whole.logs - (self.score - whole.score) * self.words
        n = len(self.words)
        error = math.sqrt(float(np.square(beyond).sum()) * n / max(n - 1, 1))
        error /= float(self.words.sum())
        base = unigram_score(corpus, self.heldout)
        gain = whole.score - base
        if gain < LEAST_GAIN:
            return self.score, math.nan, math.nan
        return self.score, (self.score - base) / gain, error / gain
