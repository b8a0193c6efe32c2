"""Which words of a topic are shown: the heaviest that it holds. K topics, V words."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64, Bools
from ..kernels.ranking import largest_places
from .snapshot import ROUNDING, Topics

LEAST = 0.5
"""Counts of a word from which on a topic shows it. Words that a small topic does not hold all have
the probability of the prior, so that they would stand there by the alphabet."""


def heaviest(rows: npt.NDArray[Any], n: int) -> I64:
    """The places of the `n` largest entries of each row of (K, V), largest first: int64 (K, n).

    Of equal entries the first come first, as in a stable sort. Only V places if `n` is larger.
    """
    found = np.empty((len(rows), min(n, rows.shape[1])), np.int64)
    if found.size:
        largest_places(np.ascontiguousarray(rows, np.float64), found)
    return found


def least_shown(topics: Topics) -> F64:
    """Return the probability below which a topic does not show a word: float64 (K,).

    A topic shows the words of which it holds `LEAST` counts or more beside its prior. The result is
    0, so that all words are shown, where words have weights (`Topics.counted`) and where `total`
    does not hold the prior, as in topics that come from elsewhere.
    """
    prior = topics.topic_word.shape[1] * topics.eta
    held = topics.total >= prior * (1.0 - ROUNDING)
    if not topics.counted or not held.any():
        return np.zeros(len(topics))
    return np.where(held, (topics.eta + LEAST) / np.where(held, topics.total, 1.0), 0.0)


def without_words(topics: Topics) -> Bools:
    """Return which topics show no word at all: bool (K,)."""
    return np.asarray(topics.topic_word.max(axis=1, initial=0.0) < least_shown(topics))


def heaviest_words(topics: Topics, k: int, n: int) -> I64:
    """Return the `n` most probable words that topic `k` shows, most probable first.

    int64 (up to n,); empty where the topic holds no word.
    """
    words = heaviest(topics.topic_word[k : k + 1], n)[0]
    return np.asarray(words[topics.topic_word[k, words] >= least_shown(topics)[k]])
