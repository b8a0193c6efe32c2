"""Count the topics that a fit uses, and match found topics with true ones.

There are three counts, because no single one is fair to every method: a threshold counts topics
that noise of a random start keeps above one token; the other two weigh topics by their words.
Found and true topics are matched by the best one-to-one assignment.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ..core.arrays import F64, I64
from ..state.snapshot import Topics, in_use


def topics_in_use(topics: Topics, threshold: float = 1.0) -> int:
    """Topics that hold at least `threshold` documents (mixtures) or tokens (topic models)."""
    return int(np.count_nonzero(in_use(topics.size, threshold)))


def _shares(topics: Topics) -> F64:
    """The share of each topic in all topics' size, positive ones only, largest first."""
    size = np.sort(topics.size[topics.size > 0.0])[::-1]
    return np.asarray(size / size.sum()) if len(size) else size


def topics_covering(topics: Topics, share: float = 0.99) -> int:
    """The smallest number of topics that together hold `share` of all tokens (documents)."""
    covered = np.cumsum(_shares(topics))
    return min(int(np.searchsorted(covered, share - 1e-9)) + 1, len(covered))


def effective_topics(topics: Topics) -> float:
    """exp(entropy of the topics' shares): K equal topics count K, a dominant one little over 1.

    0 without topics.
    """
    shares = _shares(topics)
    return math.exp(-float(shares @ np.log(shares))) if len(shares) else 0.0


DISTANCES = ("total-variation", "jensen-shannon")
"""Total variation is half the sum of absolute differences. The Jensen-Shannon distance is the
square root of the divergence in bits. Both lie between 0 (equal) and 1 (no word in common)."""


def topic_distances(
    a: npt.NDArray[Any], b: npt.NDArray[Any], distance: str = "total-variation"
) -> F64:
    """Distances between the rows of `a` (K, V) and of `b` (L, V): float64 (K, L).

    Raises ValueError if the vocabularies differ in size or the distance is unknown.
    """
    if distance not in DISTANCES:
        raise ValueError(f"distance must be one of {', '.join(DISTANCES)}; got {distance!r}.")
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"Topics over {a.shape[1]:,} and over {b.shape[1]:,} words cannot match.")
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(a) or not len(b):
        return np.zeros((len(a), len(b)))
    if distance == "total-variation":
        return np.asarray(cdist(a, b, "cityblock") / 2.0)
    # Rounding can leave a divergence of -1e-17 between equal rows, whose root is nan.
    between: F64 = cdist(a, b, "jensenshannon") / np.sqrt(np.log(2.0))
    return np.where(np.isnan(between), 0.0, between)


def match_topics(
    a: npt.NDArray[Any], b: npt.NDArray[Any], distance: str = "total-variation"
) -> tuple[I64, F64]:
    """Match topics one to one so that the sum of distances is smallest: `(pairs, distances)`.

    >>> a = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> pairs, distances = match_topics(a, a[::-1])
    >>> pairs.tolist(), distances.tolist()
    ([[0, 1], [1, 0]], [0.0, 0.0])

    `a` (K, V) and `b` (L, V) hold one topic a row; `pairs` is int64 (min(K, L), 2) of rows in `a`
    and `b`, ascending in `a`; `distances` float64 (min(K, L),). Raises as `topic_distances`.
    """
    between = topic_distances(a, b, distance)
    rows, columns = linear_sum_assignment(between)
    return np.stack([rows, columns], axis=1).astype(np.int64), between[rows, columns]
