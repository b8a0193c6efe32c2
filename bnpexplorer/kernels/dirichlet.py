"""Topic Dirichlets stored as `lam[k, w] = eta + scale * stats[w, slots[k]]`, word by word.

V words, W of them at hand, K topics in some of C columns.
Words come first in memory, so that gathering the words of a batch reads whole rows and the inner
loops over topics run along memory.
"""

import math

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from .elementary import exp
from .jit import kernel
from .special import digamma, digamma_many
from .vectors import largest

TILE = 64
"""Words that are turned round at once, so that they stay in the cache: a fifth of the time for 100
topics of 11,000 words."""


@kernel
def gather_lam(stats: F64, slots: I64, words: I32, scale: float, eta: float) -> F64:
    """`lam` at some words: float64 (W, K).

    `stats` float64 (V, C), `slots` int64 (K,): of all topics. `words` int32 (W,): which.
    """
    out = np.empty((words.size, slots.size))
    for i in range(words.size):
        w = words[i]
        for k in range(slots.size):
            out[i, k] = eta + scale * stats[w, slots[k]]
    return out


@kernel
def expected_log(
    stats: F64, slots: I64, words: I32, scale: float, eta: float, total: F64, out: F64
) -> None:
    """E ln beta_kw = psi(lam_kw) - psi(Lam_k) at some words.

    `stats` float64 (V, C), `slots` int64 (K,): of all topics. `words` int32 (W,): which. `total`
    float64 (K,): Lam. `out` float64 (W, K): overwritten.
    """
    lam, psi_total = np.empty(slots.size), np.empty(slots.size)
    digamma_many(total, psi_total)
    for i in range(words.size):
        w, row = words[i], out[i]
        for k in range(slots.size):
            lam[k] = eta + scale * stats[w, slots[k]]
        digamma_many(lam, row)
        for k in range(slots.size):
            row[k] -= psi_total[k]


@kernel
def sum_digamma(stats: F64, slots: I64, scale: float, eta: float) -> float:
    """sum_kw psi(lam_kw); words outside a topic, at eta, are most of them and cost nothing.

    `stats` float64 (V, C), `slots` int64 (K,): of all topics.
    """
    total, at_prior, n_prior = 0.0, digamma(eta), 0
    for w in range(stats.shape[0]):
        for k in range(slots.size):
            excess = scale * stats[w, slots[k]]
            if excess == 0.0:
                n_prior += 1
            else:
                total += digamma(eta + excess)
    return total + n_prior * at_prior


@kernel
def exp_shifted(logs: F64, floor: float) -> tuple[F64, F64]:
    """exp(logs - row maximum), at least `floor`, float64 (W, K), and the row maxima, float64 (W,).

    `logs` float64 (W, K): of every word and topic. The floor (1e-150 for topics) keeps products of
    two such factors above the smallest double; it replaces terms that are 345 nats below the
    largest, where adding 1e-100 to normalisers, as other programs do, overrides true values of
    1e-120.
    """
    n, n_topics = logs.shape
    out = np.empty((n, n_topics))
    shift = np.empty(n)
    for i in range(n):
        shift[i] = largest(logs[i])
        for k in range(n_topics):
            out[i, k] = max(exp(logs[i, k] - shift[i]), floor)
    return out, shift


@kernel
def add_rows(
    stats: F64, row_sum: F64, slots: I64, words: I32, addition: F64, factor: float
) -> None:
    """`stats[words, slots] += factor * addition`, and the same for the sums over words, in place.

    `stats` float64 (V, C), `row_sum` float64 (C,), `slots` int64 (K,): of all topics. `words` int32
    (W,): which. `addition` float64 (W, K): 0 at all other words.
    """
    for i in range(words.size):
        w = words[i]
        for k in range(slots.size):
            amount = factor * addition[i, k]
            stats[w, slots[k]] += amount
            row_sum[slots[k]] += amount


@kernel
def expected_topics(stats: F64, slots: I64, scale: float, eta: float, total: F64) -> F32:
    """E beta: float32 (K, V).

    `stats` float64 (V, C), `slots` int64 (K,): of all topics. `total` float64 (K,): Lam.
    """
    n_words, n_topics = stats.shape[0], slots.size
    out = np.empty((n_topics, n_words), np.float32)
    for start in range(0, n_words, TILE):
        stop = min(start + TILE, n_words)
        for k in range(n_topics):
            slot, inverse = slots[k], 1.0 / total[k]
            for w in range(start, stop):
                out[k, w] = (eta + scale * stats[w, slot]) * inverse
    return out


@kernel
def log_normaliser_terms(stats: F64, slots: I64, scale: float, eta: float) -> tuple[F64, F64]:
    """Per topic, sum_w lnGamma(lam_kw) and sum_w (eta - lam_kw) psi(lam_kw), both float64 (K,).

    `stats` float64 (V, C), `slots` int64 (K,): of all topics.
    """
    log_gammas, slack = np.zeros(slots.size), np.zeros(slots.size)
    for w in range(stats.shape[0]):
        for k in range(slots.size):
            excess = scale * stats[w, slots[k]]
            lam = eta + excess
            log_gammas[k] += math.lgamma(lam)
            if excess != 0.0:
                slack[k] -= excess * digamma(lam)
    return log_gammas, slack
