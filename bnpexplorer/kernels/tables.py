"""How many tables the customers of a Chinese restaurant sit at (Antoniak 1974)."""

import numpy as np

from ..core.arrays import I64
from .jit import kernel
from .special import digamma


@kernel
def draw_table_count(n: int, concentration: float, rng: np.random.Generator) -> int:
    """Tables of `n` >= 1 customers: the first opens one, customer j+1 one with c / (c + j)."""
    tables = 1
    for j in range(1, n):
        if rng.random() * (concentration + j) < concentration:
            tables += 1
    return tables


@kernel
def mean_table_count(n: int, concentration: float) -> float:
    """E tables of `n` >= 1 customers: c (psi(c + n) - psi(c)), as a sum where that is short."""
    if n > 64 and concentration > 1e-3:
        return concentration * (digamma(concentration + n) - digamma(concentration))
    mean = 1.0
    for j in range(1, n):
        mean += concentration / (concentration + j)
    return mean


@kernel
def draw_total_tables(counts: I64, concentration: float, rng: np.random.Generator) -> int:
    """Tables of many restaurants, all with one concentration.

    `counts` int64 (R,): the customers of each; one without any has no table.
    """
    total = 0
    for i in range(counts.size):
        if counts[i] > 0:
            total += draw_table_count(counts[i], concentration, rng)
    return total
