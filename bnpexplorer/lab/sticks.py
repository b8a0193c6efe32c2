"""Stick-breaking, GEM(concentration), and its order of appearance (Pitman 1996, sections 3 and 4).

v_k ~ Beta(1, c), w_k = v_k prod_{j<k} (1 - v_j). Samples from w meet the sticks in a size-biased
order, and the law of GEM does not change under that reordering.
"""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64


@dataclass(frozen=True, eq=False)
class Broken:
    """The first n sticks of one draw and what is left of it."""

    weights: F64
    """float64 (n,)."""
    left: float


def break_sticks(n: int, concentration: float, seed: int) -> Broken:
    """The first `n` sticks. The same seed breaks at the same quantiles for every concentration."""
    share = 1.0 - np.random.default_rng(seed).random(n)
    log_kept = np.log(share) / concentration  # 1 - v_k = U^(1/c) is Beta(c, 1)
    before = np.exp(np.append(0.0, np.cumsum(log_kept)))
    return Broken(np.asarray(before[:-1] - before[1:]), float(before[-1]))


def expected_sticks(n: int, concentration: float) -> Broken:
    """E w_k = (1 / (1 + c)) (c / (1 + c))^(k-1), and (c / (1 + c))^n left."""
    kept = (concentration / (1.0 + concentration)) ** np.arange(n + 1)
    return Broken(np.asarray(kept[:-1] - kept[1:]), float(kept[-1]))


def order_of_appearance(weights: F64, seed: int) -> I64:
    """The sticks in the order in which samples from them meet them first, int64 (n,).

    Exponential clocks of rates w_k: the first ring is stick k with probability w_k, the next among
    the others in proportion, and so on. Sticks of weight zero come last.
    """
    ring = np.random.default_rng([seed, 1]).exponential(size=len(weights))
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.argsort(ring / weights, kind="stable"), dtype=np.int64)
