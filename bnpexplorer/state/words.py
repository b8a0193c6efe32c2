"""The heaviest words of topics. K topics, V words."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import I64
from .snapshot import Topics


def heaviest(rows: npt.NDArray[Any], n: int) -> I64:
    """The places of the `n` largest entries of each row of (K, V), largest first: int64 (K, n).

    Of equal entries the first come first, as in a stable sort. Only V places if `n` is larger.

    A row is cut into at least 4 n blocks (if it has as many entries): the n-th largest of their
    maxima is at most the n-th largest entry, and few entries reach it. For 30 of 6,906 words of 200
    topics that takes a quarter of the time of `np.partition`, which many equal entries slow down.
    """
    n_words = rows.shape[1]
    n = min(n, n_words)
    block = max(n_words // (4 * n), 1)
    whole = n_words - n_words % block
    found = np.empty((len(rows), n), np.int64)
    for k, row in enumerate(rows):
        maxima = np.sort(row[:whole].reshape(-1, block).max(axis=1))
        enough = np.flatnonzero(row >= maxima[-n])
        found[k] = enough[np.argsort(-row[enough], kind="stable")[:n]]
    return found


def heaviest_words(topics: Topics, k: int, n: int) -> I64:
    """The `n` most probable words of topic `k`, most probable first."""
    return np.asarray(heaviest(topics.topic_word[k : k + 1], n)[0])
