"""How many tables the customers of a Chinese restaurant sit at (Antoniak 1974), and the parameter
that so many tables tell of."""

import math

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


@kernel
def draw_parameter(
    value: float,
    counts: I64,
    rows: I64,
    dimension: int,
    prior: tuple[float, float],
    reach: tuple[float, float],
    rounds: int,
    rng: np.random.Generator,
) -> float:
    """`rounds` draws of a symmetric Dirichlet's parameter, from `value` on; the last one.

    `counts` int64 (any number,): all positive counts. `rows` int64 (R,): the draws of each row, at
    least 1. `prior`: shape and rate. `reach`: between what every draw is kept. The law is that of
    `inference/concentrations.py::draw_dirichlet_parameter`. All rounds at once: ten of 20 rows
    took 169 microseconds in numpy, which looks at every argument anew, and take 25.
    """
    shape, rate = prior
    low, high = reach
    for _ in range(rounds):
        log_w = 0.0
        for r in range(rows.size):
            log_w += math.log(max(rng.beta(dimension * value, float(rows[r])), 1e-300))
        tables = draw_total_tables(counts, value, rng)
        drawn = rng.standard_gamma(shape + tables) / (rate - dimension * log_w)
        value = min(max(drawn, low), high)
    return value
