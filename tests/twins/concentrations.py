"""Slow twins of what variational methods learn, by loops over sticks, documents and tokens.

gamma and alpha have the prior Gamma(1, 0.1), eta has Gamma(2, 10). Where an equation has to be
solved, the twin halves an interval; nothing here is shared with the package.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import digamma

SHAPE, RATE = 1.0, 0.1
ETA_SHAPE, ETA_RATE = 2.0, 10.0


def gamma_of_sticks(held, gamma: float, truncated: bool) -> float:
    """E gamma = (shape + sticks) / (rate - sum E ln(1 - stick)) (Blei & Jordan 2006, appendix A).

    `held` (K,): documents or tables of each. The last of K sticks is 1 where q is truncated, and so
    says nothing of gamma; else every component that was found has a stick.
    """
    n_sticks = len(held) - 1 if truncated else len(held)
    log_left = 0.0
    for k in range(n_sticks):
        a, b = 1.0 + held[k], gamma + sum(held[k + 1 :])
        log_left += digamma(b) - digamma(a + b)
    return (SHAPE + n_sticks) / (RATE - log_left)


def alpha_of_sticks(documents, n_docs: int) -> float:
    """As for gamma, for the T - 1 sticks of each of `n_docs` documents, of which the mini-batch's
    stand for all: `documents` holds pairs (T-1,) of their Beta parameters."""
    n_sticks, log_left = 0, 0.0
    for a, b in documents:
        for i in range(len(a)):
            n_sticks += 1
            log_left += digamma(b[i]) - digamma(a[i] + b[i])
    times = n_docs / len(documents)
    return (SHAPE + times * n_sticks) / (RATE - times * log_left)


def alpha_of_tables(tables: float, lengths, n_docs: int, shape=SHAPE, rate=RATE) -> float:
    """alpha with alpha (rate + D/S sum_d sum_{j<L_d} 1 / (alpha + j)) = shape + D/S tables.

    `tables` of the mini-batch, whose documents have `lengths` (S,).
    """
    times = n_docs / len(lengths)

    def excess(alpha: float) -> float:
        seats = sum(alpha / (alpha + j) for length in lengths for j in range(int(length)))
        return alpha * rate + times * seats - shape - times * tables

    return root(excess)


def alpha_of_proportions(gammas) -> float:
    """LDA's alpha, best for q(theta_d) = Dir(gamma_d), `gammas` (S, K)."""
    n_docs, n_topics = gammas.shape
    held = sum(digamma(g) - digamma(row.sum()) for row in gammas for g in row)

    def slope(alpha: float) -> float:
        normaliser = n_docs * n_topics * (digamma(n_topics * alpha) - digamma(alpha))
        return -(normaliser + held + (SHAPE - 1.0) / alpha - RATE)

    return root(slope)


def eta_of_topics(lam) -> float:
    """eta, best for topics Dir(lam_k), `lam` (K, V)."""
    n_topics, n_words = lam.shape
    held = sum(digamma(x) - digamma(row.sum()) for row in lam for x in row)

    def slope(eta: float) -> float:
        normaliser = n_topics * n_words * (digamma(n_words * eta) - digamma(eta))
        return -(normaliser + held + (ETA_SHAPE - 1.0) / eta - ETA_RATE)

    return root(slope)


def root(rising: Callable[[float], float], low: float = 1e-3, high: float = 1e3) -> float:
    """Where a function that rises with its argument is 0."""
    assert rising(low) < 0.0 < rising(high)
    while high / low > 1.0 + 1e-13:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if rising(middle) < 0.0 else (low, middle)
    return float(np.sqrt(low * high))
