"""How alike topics are: distances between all pairs, a map of them, near-duplicates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from ..kernels.jit import F32, F64

TINY = np.float32(1e-37)
BLOCK = 2048
"""Words compared at once, so that what is at hand stays in the processor's cache."""
CLOSE = 0.5
"""Two topics nearer than this (Jensen-Shannon distance) are near-duplicates."""
SHARED = 5
"""So are two that share so many of their ten most probable words."""


def jensen_shannon(a: npt.NDArray[Any], b: npt.NDArray[Any] | None = None) -> F64:
    """Jensen-Shannon distances of the rows of `a` (K, V) to those of `b` (L, V): float64 (K, L).

    Without `b`, between all rows of `a`: (K, K). The square root of the divergence in bits,
    H[(p + q) / 2] - [H(p) + H(q)] / 2 with H the entropy (Lin 1991); between 0 (equal) and 1 (no
    word in common). Logarithms are taken in single precision: distances are exact to about 0.001,
    eight times as fast as `evaluate.topic_distances`.
    """
    ones = np.asarray(a, np.float32)
    others = ones if b is None else np.asarray(b, np.float32)
    divergence = np.zeros((len(ones), len(others)))
    for start in range(0, ones.shape[1], BLOCK):
        part = np.ascontiguousarray(ones[:, start : start + BLOCK])
        other = part if b is None else np.ascontiguousarray(others[:, start : start + BLOCK])
        own, their = _entropy(part), _entropy(other)
        for k, row in enumerate(part):
            above = k + 1 if b is None else 0  # of a row's distances to its like, each pair once
            middle = (other[above:] + row) * np.float32(0.5)
            divergence[k, above:] += _entropy(middle) - 0.5 * (own[k] + their[above:])
    if b is None:
        divergence = divergence + divergence.T
    return np.asarray(np.sqrt(np.clip(divergence, 0.0, 1.0)))


def _entropy(rows: F32) -> F64:
    """-sum_w p_w log2 p_w of every row, float64."""
    logs = np.log2(np.maximum(rows, TINY))
    return np.asarray(-np.einsum("kw,kw->k", logs, rows), np.float64)


@dataclass(frozen=True, eq=False)
class Map:
    """K topics in the plane."""

    places: F64
    """float64 (K, 2)."""
    shown: float
    """The share of the squared distances that the plane shows, between 0 and 1."""


def classical_scaling(distances: F64) -> Map:
    """K points in the plane whose distances are near to `distances` (K, K).

    Principal coordinates: eigenvectors of the doubly centred squared distances, each times the root
    of its eigenvalue (Torgerson 1952; Gower 1966). Jensen-Shannon distances are Euclidean, so no
    eigenvalue is negative but by rounding. The largest coordinate of each axis is positive, so that
    the same distances always give the same map.
    """
    n = len(distances)
    places = np.zeros((n, 2))
    if n < 2:
        return Map(places, 1.0)
    centred = distances**2
    centred = centred - centred.mean(axis=0) - centred.mean(axis=1)[:, None] + centred.mean()
    values, vectors = eigh(-0.5 * centred)
    values = np.maximum(values[::-1], 0.0)
    for axis in range(min(2, n)):
        vector = vectors[:, n - 1 - axis]
        vector = vector * np.sign(vector[np.argmax(np.abs(vector))])
        places[:, axis] = vector * np.sqrt(values[axis])
    total = float(values.sum())
    return Map(places, float(values[:2].sum()) / total if total > 0.0 else 1.0)


@dataclass(frozen=True)
class Pair:
    """Two topics by their places, `first` < `second`, that are much alike."""

    first: int
    second: int
    distance: float
    shared: int
    """How many of their ten most probable words they share."""


def near_duplicates(
    distances: F64, top_words: Sequence[Sequence[int]], close: float = CLOSE, shared: int = SHARED
) -> list[Pair]:
    """Pairs nearer than `close`, or sharing at least `shared` of their top words; nearest first."""
    words = [set(map(int, row)) for row in top_words]
    found = []
    for j in range(len(words)):
        for i in range(j):
            both = len(words[i] & words[j])
            if both >= shared or distances[i, j] < close:
                found.append(Pair(i, j, float(distances[i, j]), both))
    return sorted(found, key=lambda pair: pair.distance)
