"""The heaviest words of topics. K topics, V words."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import I64
from .snapshot import Topics


def heaviest(rows: npt.NDArray[Any], n: int) -> I64:
    """The places of the `n` largest entries of each row of (K, V), largest first: int64 (K, n).

    Of equal entries the first come first, as in a stable sort, which takes eight times as long for
    10 of 11,000 words. Only V places if `n` is larger.
    """
    n_words = rows.shape[1]
    n = min(n, n_words)
    found = np.empty((len(rows), n), np.int64)
    for k, row in enumerate(rows):
        enough = np.flatnonzero(row >= np.partition(row, n_words - n)[n_words - n])
        found[k] = enough[np.argsort(-row[enough], kind="stable")[:n]]
    return found


def heaviest_words(topics: Topics, k: int, n: int) -> I64:
    """The `n` most probable words of topic `k`, most probable first."""
    return np.asarray(heaviest(topics.topic_word[k : k + 1], n)[0])
