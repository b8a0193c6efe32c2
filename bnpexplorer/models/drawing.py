"""Drawing synthetic corpora: what every model's `sample` shares."""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus


@dataclass(frozen=True, eq=False)
class Drawn:
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
