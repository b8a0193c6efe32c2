"""What a run publishes: frozen values without behaviour. D documents, V words, K topics."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from .kernels.jit import F32, F64, I64


@dataclass(frozen=True, eq=False)
class Topics:
    """The global posterior of K topics (K may be 0). Arrays share no memory with a state."""

    topic_word: F32
    """float32 (K, V), rows sum to 1: the expected topics."""
    total: F64
    """float64 (K,): the Dirichlet of topic k is `total[k] * topic_word[k]`."""
    size: F64
    """float64 (K,): expected documents (mixtures) or tokens (topic models) of each topic."""
    weight: F64
    """float64 (K,): expected corpus weights; `weight.sum() + unseen == 1`."""
    unseen: float
    """Expected weight of all topics not yet represented."""
    topic_ids: I64
    """int64 (K,): identities, never reused within a run."""
    concentration: float
    """`concentration * weight` is the prior of a document's proportions; nan for mixtures."""
    gamma: float
    """Corpus-level concentration in force; nan where the model has none."""
    eta: float
    """Dirichlet parameter of the topics in force."""

    def __len__(self) -> int:
        return len(self.topic_ids)


Kept = tuple[tuple[float, Topics], ...]
"""(weight, Topics) of several states or particles, over which prediction averages."""


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
    bound: float
    heldout: float
    """Held-out log likelihood per word (nan: not scored at this point)."""
    scalars: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Frame:
    """A thin picture of the topics at one moment, kept for scrubbing through the run."""

    step: int
    docs_seen: int
    topic_ids: I64
    weight: F64
    """float64 (K,): share of each topic in all topics' size."""
    word_ids: I64
    """int64 (K, 30): the heaviest words, heaviest first (fewer columns if V < 30)."""
    word_probs: F32


@dataclass(frozen=True, eq=False)
class Snapshot:
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

    @property
    def heldout(self) -> float | None:
        """The latest held-out log likelihood per word; None if nothing was scored yet."""
        scores = [point.heldout for point in self.trace if math.isfinite(point.heldout)]
        return scores[-1] if scores else None
