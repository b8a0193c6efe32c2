"""The Chinese restaurant process (Aldous 1985; Antoniak 1974 for the number of tables).

Customer n + 1 joins table k with probability n_k / (n + alpha) and opens a new one with probability
alpha / (n + alpha).
"""

from collections.abc import Sequence

import numpy as np

from ..core.arrays import F64, I64


def choices(tables: Sequence[int], alpha: float) -> F64:
    """Probabilities of the next customer's choices, float64 (K+1,); the last is a new table."""
    terms = np.append(np.asarray(tables, np.float64), alpha)
    return np.asarray(terms / terms.sum())


def pick(probabilities: F64, chance: float) -> int:
    """The choice at which the sum of the probabilities passes `chance`, in [0, 1)."""
    at = int(np.searchsorted(np.cumsum(probabilities), chance, side="right"))
    return min(at, len(probabilities) - 1)


def seat(n: int, alpha: float, seed: int) -> I64:
    """The tables of the first `n` customers, int64 (n,), numbered in the order of opening."""
    chances = np.random.default_rng(seed).random(n)
    tables: list[int] = []
    seats = np.empty(n, np.int64)
    for i, chance in enumerate(chances):
        table = pick(choices(tables, alpha), chance)
        if table == len(tables):
            tables.append(0)
        tables[table] += 1
        seats[i] = table
    return seats


def probability(seats: Sequence[int], alpha: float) -> float:
    """The probability of a seating: alpha^K prod (n_k - 1)! / (alpha (alpha + 1) ...)."""
    result, tables = 1.0, [0] * len(set(seats))
    for i, table in enumerate(seats):
        result *= (tables[table] or alpha) / (i + alpha)
        tables[table] += 1
    return result


def expected_tables(n: int, alpha: float) -> F64:
    """Expected tables after 0, 1, ..., n customers: sum_{i<n} alpha / (alpha + i); (n+1,)."""
    return np.append(0.0, np.cumsum(alpha / (alpha + np.arange(n))))


def tables_law(n: int, alpha: float) -> F64:
    """The probability of 0, 1, ..., n tables after `n` customers, float64 (n+1,)."""
    law = np.zeros(n + 1)
    law[0] = 1.0
    for i in range(n):
        new = alpha / (alpha + i)
        law[1:] = law[1:] * (1.0 - new) + law[:-1] * new
        law[0] = law[0] * (1.0 - new)
    return law


def spread_of_tables(n: int, alpha: float) -> tuple[I64, I64]:
    """Where 90 % of the numbers of tables lie after 0, 1, ..., n customers: two int64 (n+1,)."""
    law = np.zeros(n + 1)
    law[0] = 1.0
    low, high = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for i in range(n):
        new = alpha / (alpha + i)
        law[1:] = law[1:] * (1.0 - new) + law[:-1] * new
        law[0] = law[0] * (1.0 - new)
        below = np.cumsum(law)
        low[i + 1], high[i + 1] = np.searchsorted(below, (0.05, 0.95))
    return low, high
