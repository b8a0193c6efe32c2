"""A test whether two topics look like one topic that was divided at random.

Were they one, their words would be divided by chance, and joining them would lose (`kinship.loss`)
as much as that makes it: a multivariate hypergeometric draw of what both hold together. Twice the
loss ~ chi-squared is too liberal where words are rare.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64
from .kinship import loss, losses

DRAWS, LEVEL = 200, 0.95
"""Divisions at random, and the part of them that two topics must exceed to be told apart."""
FEWEST = 200
"""A smaller topic is not tested: it has too few words. At 200 words each, the test tells apart some
94 of 100 pairs at a Jensen-Shannon distance of 0.5."""
A_WORD = 1.5
"""A bound on twice the loss, by the words of a pair, under chance: a word that occurs once adds
2 ln 2 at most. Pairs above it are told apart without a draw."""


@dataclass(frozen=True)
class Pair:
    """Two topics by their places, `first` < `second`, that words do not tell apart."""

    first: int
    second: int
    distance: float
    """Jensen-Shannon."""
    shared: int
    """How many of their ten most probable words they share."""


def duplicates(counts: I64, distances: F64, top_words: Sequence[Sequence[int]]) -> list[Pair]:
    """Pairs of K topics that could be one divided at random, nearest first.

    `counts` int64 (K, V): what each holds of every word. The same counts give the same pairs.
    """
    words = [set(map(int, row)) for row in top_words]
    lost, n_words = losses(counts)
    large = counts.sum(axis=1) >= FEWEST
    tried = np.triu(2.0 * lost <= A_WORD * n_words, 1) & large & large[:, None]
    found = []
    for i, j in np.argwhere(tried).tolist():
        if could_be_one(counts[i], counts[j]):
            found.append(Pair(i, j, float(distances[i, j]), len(words[i] & words[j])))
    return sorted(found, key=lambda pair: pair.distance)


def could_be_one(one: I64, other: I64) -> bool:
    """Whether words do not tell two topics apart, int64 (V,) each, none of them empty."""
    both = one + other
    there = both > 0
    one, both = one[there], both[there]
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_hypergeometric(both, int(one.sum()), DRAWS, method="marginals")
    by_chance = loss(drawn, both - drawn)
    return bool(loss(one, both - one) <= np.quantile(by_chance, LEVEL))
