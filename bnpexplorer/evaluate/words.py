"""The heaviest words of topics."""

import numpy as np

from ..kernels.jit import I64
from ..snapshot import Topics


def heaviest_words(topics: Topics, k: int, n: int) -> I64:
    """The `n` most probable words of topic `k`, most probable first."""
    row = topics.topic_word[k]
    n = min(n, len(row))
    top = np.argpartition(-row, n - 1)[:n]
    return np.asarray(top[np.argsort(-row[top], kind="stable")])
