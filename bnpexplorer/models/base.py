"""The protocol of a model: statistical assumptions, apart from how they are learned.

Drawing synthetic corpora: what every model's `sample` shares.
"""

from dataclasses import Field, dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..inference.pool import Pool
from ..state.snapshot import Topics


@dataclass(frozen=True, eq=False)
class SyntheticCorpus:
    """A synthetic corpus and the topics that made it."""

    corpus: Corpus
    topic_word: F64
    """float64 (K, V): the true topics that were used."""
    doc_topic: F64
    """float64 (D, K): what every document was made of; topics that hold no token are left out."""


def draw_dirichlet(parameter: F64, n: int, rng: np.random.Generator) -> F64:
    """`n` draws from Dir(parameter), float64 (n, len(parameter)), safe for tiny parameters.

    Gamma variates with shape below 0.001 underflow to 0; ln g = ln Gamma(shape+1) + ln(U)/shape
    does not.
    """
    shape = (n, len(parameter))
    logs = np.log(rng.gamma(parameter + 1.0, size=shape)) + np.log(rng.random(shape)) / parameter
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def stick_breaking(concentration: float, rest: float, rng: np.random.Generator) -> F64:
    """Weights of GEM(concentration), broken until less than `rest` of the stick is left."""
    weights, left = [], 1.0
    while left > rest:
        broken = left * rng.beta(1.0, concentration)
        weights.append(broken)
        left -= broken
    if left > 0.0:  # a beta variate of 1 leaves nothing: 22 % of the draws at concentration 0.05
        weights.append(left)
    return np.array(weights)


def corpus_from_counts(counts: I64, name: str, vocab: list[str] | None = None) -> Corpus:
    """A corpus from dense counts (D, V)."""
    return Corpus.from_csr(counts, vocab, name=name)


@runtime_checkable
class Model(Protocol):
    """A frozen dataclass whose knobs are the parameters of the prior."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    name: ClassVar[str]
    title: ClassVar[str]
    unit: ClassVar[str]
    """What the sizes of topics count: `words` or `documents`."""
    noun: ClassVar[str]
    """What one component is called: `topic` or `cluster`."""
    mixture: ClassVar[bool]
    """Whether every document belongs to one component; else it mixes many topics."""

    def __init__(self, **knobs: Any) -> None: ...

    @property
    def eta(self) -> float:
        """Dirichlet parameter of the topics."""
        ...

    def sample(
        self, rng: np.random.Generator, n_docs: int, n_words: int, mean_length: float
    ) -> SyntheticCorpus:
        """Draw `n_docs` documents over `n_words` words, `mean_length` tokens each on average."""
        ...

    def fold_in(self, topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
        """Expected proportions of new documents under fixed topics: float64 (D, K)."""
        ...
