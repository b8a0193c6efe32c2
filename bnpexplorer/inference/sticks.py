"""Stick-breaking posteriors: q(stick k) = Beta(a_k, b_k) kept as one count per component.

With N_k = a_k - 1 (expected documents or tables of component k), every linear update keeps
b_k = gamma + sum_{l>k} N_l, so states store N alone; reordering and dropping are then exact.
K components; `truncated` means that stick K is 1 and has no Beta.
"""

import numpy as np
from scipy.special import betaln, digamma

from ..core.arrays import F64


def stick_parameters(n: F64, gamma: float) -> tuple[F64, F64]:
    """`sticks_a` = 1 + N_k and `sticks_b` = gamma + sum_{l>k} N_l, float64 (K,) each.

    `n` float64 (K,): N, what each component holds.
    """
    above = np.concatenate((np.cumsum(n[::-1])[::-1][1:], [0.0])) if len(n) else np.zeros(0)
    return 1.0 + n, gamma + above


def expected_weights(n: F64, gamma: float, truncated: bool) -> tuple[F64, float]:
    """E pi_k, float64 (K,), and the expected weight of everything beyond (0 if truncated).

    `n` float64 (K,): what each component holds.
    """
    sticks_a, sticks_b = stick_parameters(n, gamma)
    broken = sticks_a / (sticks_a + sticks_b)
    if truncated:
        broken[-1] = 1.0
    left = np.cumprod(1.0 - broken)
    rest = float(left[-1]) if len(n) else 1.0
    return broken * np.concatenate(([1.0], left[:-1]))[: len(n)], rest


def expected_log_weights(n: F64, gamma: float, truncated: bool) -> F64:
    """E ln pi_k, float64 (K,) (Wang, Paisley & Blei 2011, below equation 21).

    `n` float64 (K,): what each component holds.
    """
    return _expected_log(*stick_parameters(n, gamma), truncated)


def even_log_weights(n_topics: int) -> F64:
    """E ln pi_k, float64 (K,), under sticks Beta(1, K - k): the expected weights are 1 / K each."""
    return _expected_log(np.ones(n_topics), np.arange(n_topics - 1.0, -1.0, -1.0), True)


def _expected_log(sticks_a: F64, sticks_b: F64, truncated: bool) -> F64:
    """E ln pi_k, float64 (K,), of sticks Beta(a, b): `sticks_a` float64 (K,), `sticks_b` float64
    (K,)."""
    if truncated:  # the last stick is 1, whatever its parameters
        sticks_b = np.append(sticks_b[:-1], 1.0)
    both = digamma(sticks_a + sticks_b)
    log_broken, log_left = digamma(sticks_a) - both, digamma(sticks_b) - both
    if truncated:
        log_broken[-1] = 0.0
    return np.asarray(log_broken + np.concatenate(([0.0], np.cumsum(log_left)[:-1])))


def sticks_bound(n: F64, gamma: float) -> float:
    """E ln p(sticks) - E ln q(sticks) of the K-1 Betas of a truncated posterior.

    `n` float64 (K,): what each component holds.
    """
    sticks_a, sticks_b = (x[:-1] for x in stick_parameters(n, gamma))
    both = digamma(sticks_a + sticks_b)
    log_broken, log_left = digamma(sticks_a) - both, digamma(sticks_b) - both
    terms = np.log(gamma) + betaln(sticks_a, sticks_b)
    terms += (1.0 - sticks_a) * log_broken + (gamma - sticks_b) * log_left
    return float(terms.sum())
