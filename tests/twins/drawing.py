"""Draws of the slow twins, token by token: `rng.choice` with chances takes ten times as long."""

from collections.abc import Sequence

import numpy as np


def pick(weights: Sequence[float], rng: np.random.Generator) -> int:
    """An index with a chance proportional to its weight."""
    u = rng.random() * sum(weights)
    for i, weight in enumerate(weights):
        u -= weight
        if u < 0.0:
            return i
    return max(i for i, weight in enumerate(weights) if weight > 0.0)  # rounding took the rest
