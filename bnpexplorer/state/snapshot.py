"""Frozen values that a run publishes. D documents, V words, K topics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F32, F64, I64, Bools
from ..core.derived import Derives
from ..core.display import HtmlRepr
from .edits import Edit
from .invariants import ANY_SIGN, POSITIVE, UNBOUNDED, Constraint, StateContext

ROUNDING = 1e-9
"""Keeps a topic of exactly one document in use through rounding."""


def in_use(size: F64, threshold: float = 1.0) -> Bools:
    """Which topics of these sizes are in use: bool (K,); the one rule of methods and pages.

    Those that hold at least `threshold` documents (mixtures) or tokens (topic models): the pruning
    rule of Wang & Blei 2012, so that truncated and truncation-free methods are counted alike.
    """
    return np.asarray(size >= threshold - ROUNDING)


@dataclass(frozen=True, eq=False)
class Topics(HtmlRepr):
    """The global posterior of K topics (K may be 0). Arrays share no memory with a state."""

    topic_word: Annotated[F32, Constraint("K", "V", most=1)]
    """float32 (K, V), rows sum to 1: the expected topics."""
    total: Annotated[F64, Constraint("K")]
    """float64 (K,): the Dirichlet of topic k is `total[k] * topic_word[k]`."""
    size: Annotated[F64, Constraint("K")]
    """float64 (K,): expected documents (mixtures) or tokens (topic models) of each topic."""
    weight: Annotated[F64, Constraint("K", most=1)]
    """float64 (K,): expected corpus weights; `weight.sum() + unseen == 1`."""
    unseen: Annotated[float, Constraint(most=1)]
    """Expected weight of all topics not yet represented."""
    topic_ids: Annotated[I64, Constraint("K", distinct=True)]
    """int64 (K,): identities, never reused within a run."""
    concentration: Annotated[float, Constraint(finite=False)]
    """`concentration * weight` is the prior of a document's proportions; nan for mixtures."""
    gamma: Annotated[float, Constraint(finite=False)]
    """Corpus-level concentration in force; nan where the model has none."""
    eta: Annotated[float, POSITIVE]
    """Dirichlet parameter of the topics in force."""
    vocab: ClassVar[Sequence[str]] = ()
    """The V words, where a run published these topics, so that a notebook shows words and not
    their numbers; no part of what is computed or saved."""
    counted: ClassVar[bool] = True
    """Whether the texts of that run are counts; False where words have weights."""

    def over(self, vocab: Sequence[str], counted: bool = True) -> "Topics":
        """Return these very topics, which know their words and `counted` from now on."""
        object.__setattr__(self, "vocab", vocab)
        object.__setattr__(self, "counted", counted)
        return self

    def __len__(self) -> int:
        return len(self.topic_ids)

    @property
    def in_use(self) -> Bools:
        """bool (K,): which topics hold at least one document (mixtures) or one token."""
        return in_use(self.size)

    @property
    def by_size(self) -> I64:
        """int64 (K,): places of the topics, largest first; of equal ones the first."""
        return np.argsort(-self.size, kind="stable")

    @property
    def shares(self) -> F64:
        """float64 (K,): the share of each topic in all topics' size; zeros if that is nothing."""
        return np.asarray(self.size / (float(self.size.sum()) or 1.0))

    def mismatch(self, ground: StateContext) -> str:
        """Shares that do not add up to 1."""
        rows = self.topic_word.sum(axis=1, dtype=np.float64)
        if np.abs(rows - 1.0).max(initial=0.0) > 1e-3:
            return "the words of a topic do not add up to 1"
        return "" if abs(self.weight.sum() + self.unseen - 1.0) < 1e-3 else "no weights"


Kept = tuple[tuple[float, Topics], ...]
"""(weight, Topics) of several states or particles, over which prediction averages."""


@dataclass(frozen=True)
class Details:
    """Numbers that a method records at an event, as they were at that moment.

    Of a birth, the document that opened the topic, and how it weighed topics in play against a new
    one. Of a split or merge, the two parts and what decided; of an end, who was the last to leave
    the topic, or the move that did without it. All logarithms are natural.
    """

    document: Annotated[int, Constraint(least=-1, below="D")] = -1
    """A row of the texts that the run learns: who opened the topic, or left it last; -1: no
    document of its own."""
    words: Annotated[tuple[int, ...], Constraint(below="V")] = ()
    """The word that opened the topic, then others of the document that went into it; of an end the
    word that left it last; none of a mixture, where the whole document did."""
    topics: Annotated[tuple[int, ...], Constraint(least=-1)] = ()
    """Identities of topics in play, likeliest first; -1: one that had come to its end before it
    got an identity. Of an end, where its last document or word went."""
    log_prior: Annotated[tuple[float, ...], ANY_SIGN] = ()
    """Of each of these, then of a new topic: its weight before document or word is looked at."""
    log_likelihood: Annotated[tuple[float, ...], ANY_SIGN] = ()
    """Likewise: the probability of document or word in it, its words integrated out, which is what
    the locally collapsed update weighs by."""
    log_meanfield: Annotated[tuple[float, ...], ANY_SIGN] = ()
    """Likewise: what mean field weighs by, the expectation of the logarithm of that probability
    under the same Dirichlet (Wang & Blei 2012, equation 5); none in what earlier versions wrote."""
    alone: bool = False
    """Whether the document began in a topic of its own without a draw, as some methods let some
    documents."""
    sizes: tuple[int, ...] = ()
    """Documents (mixtures) or tokens (topic models) of the two parts, in the order of the event's
    children or parents."""
    log_ratio: Annotated[float | None, ANY_SIGN] = None
    """Of the acceptance of the move; of a method that climbs a bound, by how much that rose."""
    trial: str = ""
    """What was weighed: "merge" or "split", one alone; "splits", several at once, whose `log_ratio`
    is that of all; "delete", to do without the topic; "last", nothing but where its last document
    or word went. Empty of births, and in what earlier versions wrote."""


@dataclass(frozen=True)
class Event:
    """Something that happened to topics. `kind`: birth, death, prune, merge or split.

    A death is a topic of a truncated method that no longer holds one document (mixtures) or one
    token (topic models); a prune removes a topic from the representation. Methods leave `step` and
    `docs_seen` at 0; the run stamps them.
    """

    kind: str
    parents: tuple[int, ...] = ()
    children: tuple[int, ...] = ()
    step: int = 0
    docs_seen: int = 0
    details: Details | None = None
    """None where the method has no such moment; of older events also where all who came by them are
    gone."""


@dataclass(frozen=True)
class Info:
    """What an observer wants to know of one step."""

    bound: float = float("nan")
    """Evidence lower bound of the whole corpus, where the method has one."""
    converged: bool = False
    events: tuple[Event, ...] = ()
    scalars: Mapping[str, float] = field(default_factory=dict)
    """Named series: step size, learned concentrations, ..."""


@dataclass(frozen=True)
class TracePoint:
    """One row of the history of a run."""

    step: int
    docs_seen: int
    seconds: float
    """Time inside `step`, without compilation and without evaluation."""
    n_topics: int
    """Topics in use: at least one document (mixtures) or one token (topic models)."""
    bound: Annotated[float, UNBOUNDED]
    heldout: Annotated[float, UNBOUNDED]
    """Held-out log likelihood per word (nan: not scored at this point)."""
    scalars: Annotated[Mapping[str, float], UNBOUNDED] = field(default_factory=dict)
    spread: float = 0.0
    """How far the score differs between starts of the fold-in (`evaluate.Score`); 0: one start."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A thin picture of the topics at one moment, kept for scrubbing through the run."""

    step: int
    docs_seen: int
    topic_ids: Annotated[I64, Constraint("K", distinct=True)]
    weight: Annotated[F64, Constraint("K", most=1)]
    """float64 (K,): share of each topic in all topics' size."""
    word_ids: Annotated[I64, Constraint("K", "W", below="V")]
    """int64 (K, 30): the heaviest words, heaviest first (fewer columns if V < 30)."""
    word_probs: Annotated[F32, Constraint("K", "W", most=1)]
    """float32 (K, 30): their probabilities, 0 for words that the topic does not show."""

    def words(self, k: int, n: int) -> list[int]:
        """Return the `n` heaviest words that the topic in row `k` shows; often fewer."""
        shown = self.word_ids[k, self.word_probs[k] > 0.0]
        return [int(w) for w in shown[:n]]


@dataclass(frozen=True, eq=False)
class Snapshot(Derives):
    """The state of a run at one moment, complete enough to draw every live figure."""

    step: int
    docs_seen: int
    seconds: float
    topics: Topics
    trace: tuple[TracePoint, ...]
    events: tuple[Event, ...]
    frames: tuple[Frame, ...] = ()
    kept: Kept = field(default=())
    """The states over which prediction averages; empty: `topics` alone."""
    memory: int = 0
    """Bytes of the state and of the texts at hand (`Run.memory`)."""
    edits: tuple[Edit, ...] = ()
    """What was done to it by hand, in order of time."""
    edition: int = 0
    """How often it was changed by hand or such a change undone: at one step it may be several."""

    def at(self, run_id: str) -> tuple[str, int]:
        """What all that is worked out of this moment of a run is kept by."""
        return f"{run_id} changed {self.edition}" if self.edition else run_id, self.step

    @property
    def heldout(self) -> float | None:
        """The latest held-out log likelihood per word; None if nothing was scored yet."""
        scores = [point.heldout for point in self.trace if math.isfinite(point.heldout)]
        return scores[-1] if scores else None

    @property
    def spread(self) -> float:
        """How far that score differs between starts of the fold-in; 0 where there is one start."""
        return next((p.spread for p in reversed(self.trace) if math.isfinite(p.heldout)), 0.0)
