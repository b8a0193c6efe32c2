"""What the tests of the memoized HDP share: counts, blocks, the bound and the topics of a fit."""

import numpy as np

from bnpexplorer.methods.memoized.bound import bound_of, columns_of
from tests.tools.methods import dense


def random_counts(seed: int, n_docs: int, n_words: int, mean: float = 0.8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(mean, (n_docs, n_words))
    counts[np.arange(n_docs), rng.integers(0, n_words, n_docs)] += 1
    return counts


def cut(n_docs: int, n_blocks: int, seed: int) -> list[np.ndarray]:
    return np.array_split(np.random.default_rng(seed).permutation(n_docs), n_blocks)


def bound(fit, model) -> float:
    return bound_of(columns_of(fit), model, fit.n_docs)


def dense_lam(fit) -> np.ndarray:
    return dense(fit.lam)
