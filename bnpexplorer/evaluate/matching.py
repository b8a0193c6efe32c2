"""Which found topic is which true topic: the best one-to-one assignment."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ..core.arrays import F64, I64

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
