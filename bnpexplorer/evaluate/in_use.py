"""How many topics a fit really uses: three counts, because no single one is fair to every method.

A threshold counts topics that noise of a random start keeps above one token; the other two weigh
topics by what they hold.
"""

import math

import numpy as np

from ..core.arrays import F64
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
