"""Topic similarity: distances between pairs, a map, and known topics.

K topics.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from ..core.arrays import F32, F64, I64, Bools
from ..evaluate import match_topics
from ..inference.cores import cores
from ..inference.pool import here
from ..state.snapshot import Topics

TINY = np.float32(1e-37)
LEAST = 1e-4
"""Words that hold less than this by the number of words count as none of the topic's."""
BLOCK = 2048
"""Words compared at once, so that what is at hand stays in the processor's cache."""
FEW = 20
"""Fewer topics are compared before a thread has begun, 0.2 ms each."""
CLOSE = 0.5
"""A topic nearer than this (Jensen-Shannon distance) to a known one is that one found again."""


def jensen_shannon(a: npt.NDArray[Any], b: npt.NDArray[Any] | None = None) -> F64:
    """Jensen-Shannon distances of the rows of `a` (K, V) to those of `b` (L, V): float64 (K, L).

    Without `b`, between all rows of `a`: (K, K). The square root of the divergence in bits,
    H[(p + q) / 2] - [H(p) + H(q)] / 2 with H the entropy (Lin 1991); between 0 (equal) and 1 (no
    word in common). Logarithms are taken in single precision, and words below `LEAST` / V are left
    out, which leaves out less than `LEAST` of a topic and nine words of ten: distances are exact to
    about 0.001, many times as fast as `evaluate.topic_distances`.
    """
    ones = _carrying(a)
    others = ones if b is None else _carrying(b)
    compared = ones > 0.0  # elsewhere a word of `others` has no like, and adds half of its share
    compared[compared.mean(axis=1) > 0.5] = True  # nothing to be won by picking words
    own = _weighed(ones).sum(axis=1)
    shared = compared.astype(np.float64) @ np.asarray(_weighed(others) - others, np.float64).T
    divergence = 0.5 * (own[:, None] + shared + others.sum(axis=1, dtype=np.float64))

    def take_off(k: int) -> None:
        words = compared[k]
        above = k + 1 if b is None else 0  # of a row's distances to its like, each pair once
        part = others[above:] if words.all() else np.compress(words, others[above:], axis=1)
        row = ones[k, words]
        for start in range(0, len(row), BLOCK):
            block = slice(start, start + BLOCK)
            middle = (part[:, block] + row[block]) * np.float32(0.5)
            divergence[k, above:] -= _weighed(middle).sum(axis=1)  # pairwise: single is enough

    def rows(start: int, stop: int) -> None:
        for k in range(start, stop):
            take_off(k)

    # 0.20 s for 0.34 s with two cores
    here(None if len(ones) < FEW else cores(), rows, len(ones))
    if b is None:
        divergence = np.triu(divergence, 1) + np.triu(divergence, 1).T
    return np.asarray(np.sqrt(np.clip(divergence, 0.0, 1.0)))


def _carrying(rows: npt.NDArray[Any]) -> F32:
    """float32 (K, V), zero where a word holds next to nothing of its topic."""
    found = np.asarray(rows, np.float32)
    return np.where(found < LEAST / max(found.shape[1], 1), np.float32(0.0), found)


def _weighed(p: F32) -> F32:
    """p log2 p, and 0 for 0."""
    found = np.maximum(p, TINY)
    np.log2(found, out=found)
    found *= p
    return found


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


FOUND_AGAIN = "found again"
"""Of the numbers of a run's history, how many known topics are found again."""


@dataclass(frozen=True, eq=False)
class FoundAgain:
    """J known topics, each with the topic in use that is its partner."""

    rows: I64
    """int64 (J,): places in the run's topics; -1 where there are fewer topics than known ones."""
    distances: F64
    """float64 (J,): Jensen-Shannon distances to the partners; nan where there is none."""

    @property
    def count(self) -> int:
        """How many known topics are nearer than `likeness.CLOSE` to their partners."""
        return int(self.close.sum())

    @property
    def close(self) -> Bools:
        """bool (J,): which known topics were found again.

        A topic that mixes two known ones evenly, with no word in common, lies at 0.56 from both and
        is neither. Below 0.5 more than 58 % of a found topic is the known one, if what it adds lies
        on other words.
        """
        return np.asarray(self.distances < CLOSE)

    def known_of(self, row: int) -> int | None:
        """The known topic whose partner stands at `row`; None where it is nobody's."""
        where = np.flatnonzero(self.rows == row)
        return int(where[0]) if len(where) else None


def check_known(known: F64, n_words: int) -> None:
    """Raise ValueError unless `known` is topics over so many words."""
    if known.ndim != 2 or known.shape[1] != n_words:
        raise ValueError(f"its true topics have the shape {known.shape}")
    if not np.isfinite(known).all() or known.min(initial=0.0) < 0.0:
        raise ValueError("its true topics are no shares of words")


def found_again(known: F64, topics: Topics) -> FoundAgain:
    """Match `known` (J, V), one topic a row, one to one with the topics in use.

    By the smallest sum of distances. Raises ValueError if the two are over different words.
    """
    used = np.flatnonzero(topics.in_use)
    pairs, between = match_topics(known, topics.topic_word[used], "jensen-shannon")
    rows, distances = np.full(len(known), -1), np.full(len(known), np.nan)
    rows[pairs[:, 0]] = used[pairs[:, 1]]
    distances[pairs[:, 0]] = between
    return FoundAgain(rows, distances)
