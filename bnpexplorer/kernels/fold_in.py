"""Fold-in of documents under fixed topics, most of whose time goes to the topics in play.

S documents, W distinct words of the batch, K topics.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64
from .elementary import exp, ln
from .jit import kernel
from .special import digamma, digamma_less_log
from .tuples import Docs, Until

IN_PLAY = 1e-3
"""A topic is in play while it holds more tokens of the document than this. At 0.01, one document in
300 ends in another local optimum, by 0.02 of its shares or more; at 0.001 as many as by chance."""
FEW_ITERATIONS = 15
"""Iterations over the topics in play, after which all have their say again."""


class _Moving(NamedTuple):
    """Room for the topics that an iteration moves: all K, or those in play in the first places."""

    by_topic: F64
    """float64 (K, n or more): E beta at the document's words."""
    by_word: F64
    """float64 (n or more, K): the same, words first."""
    prior: F64
    """float64 (K,): Dirichlet prior of the proportions."""
    gamma: F64
    """float64 (K,): q(theta), which moves."""
    theta: F64
    """float64 (K,): out, exp(psi(gamma_k) - shift)."""
    update: F64
    """float64 (K,): scratch."""


class _Room(NamedTuple):
    """Arrays for one document after the other, of n words or fewer."""

    every: _Moving
    few: _Moving
    """Those in play."""
    chosen: I64
    """int64 (K,): which these are."""
    ratio: F64
    """float64 (n,): c_w / mixture_w."""
    rest: F64
    """float64 (n,): what topics that stand still add to the mixture, in units of exp(shift)."""


@kernel
def _weighted_rows(weights: F64, n_rows: int, rows: F64, n: int, out: F64) -> None:
    """`out[:n]` = sum_q weights[q] rows[q, :n] over the first `n_rows`.

    `weights` float64 (n_rows or more,), `rows` float64 (n_rows or more, n or more), `out` float64
    (n or more,): overwritten. Four rows at a time, since the loop is bound by reading and writing
    `out`.
    """
    for i in range(n):
        out[i] = 0.0
    in_fours = n_rows - n_rows % 4
    for q in range(0, in_fours, 4):
        w0, w1, w2, w3 = weights[q], weights[q + 1], weights[q + 2], weights[q + 3]
        r0, r1, r2, r3 = rows[q], rows[q + 1], rows[q + 2], rows[q + 3]
        for i in range(n):
            out[i] += (w0 * r0[i] + w1 * r1[i]) + (w2 * r2[i] + w3 * r3[i])
    for q in range(in_fours, n_rows):
        w0, r0 = weights[q], rows[q]
        for i in range(n):
            out[i] += w0 * r0[i]


@kernel
def _iterate(
    topics: _Moving, n_topics: int, counts: I32, rest: F64, shift: float, ratio: F64
) -> float:
    """One iteration of Hoffman et al. 2013, figure 6, over the first `n_topics` of `topics`.

    `counts` int32 (n,): of the document's words. `rest` float64 (n or more,) and `ratio` float64
    (n or more,), which is out: those of `_Room`, `shift` its unit. Returns the sum of the absolute
    changes of gamma.
    """
    by_topic, by_word, prior, gamma, theta, update = topics
    n = counts.size
    for k in range(n_topics):
        psi = digamma_less_log(gamma[k]) + ln(gamma[k] + 8.0)
        theta[k] = max(exp(psi - shift), 1e-150)
    _weighted_rows(theta, n_topics, by_topic, n, ratio)
    for i in range(n):
        ratio[i] = counts[i] / (ratio[i] + rest[i])
    _weighted_rows(ratio, n, by_word, n_topics, update)
    change = 0.0
    for k in range(n_topics):
        fresh = prior[k] + theta[k] * update[k]
        change += abs(fresh - gamma[k])
        gamma[k] = fresh
    return change


@kernel
def _fit_documents(
    start: int, stop: int, docs: Docs, factor: F64, gamma: F64, until: Until, room: _Room
) -> int:
    """As `fold_in_documents`, of which `factor` float64 (W, K) and `gamma` float64 (S, K) are."""
    indptr, local, counts = docs
    max_iterations, tolerance = until
    every, few, chosen, ratio, rest = room
    by_topic, by_word, prior, g, theta, _ = every
    n_topics, total_iterations = factor.shape[1], 0
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        n_words, c = last - first, counts[first:last]
        for i in range(n_words):
            row = local[first + i]
            for k in range(n_topics):
                by_word[i, k] = by_topic[k, i] = factor[row, k]
        for k in range(n_topics):
            g[k] = gamma[d, k]
        used = 0
        while used < max_iterations:
            largest = g[0]
            for k in range(n_topics):
                largest = max(largest, g[k])
            shift = digamma(largest)
            for i in range(n_words):
                rest[i] = 0.0
            change = _iterate(every, n_topics, c, rest, shift, ratio)
            used += 1
            if change < tolerance * n_topics:
                break
            n_few = 0
            for k in range(n_topics):
                if g[k] - prior[k] > IN_PLAY:
                    chosen[n_few] = k
                    n_few += 1
            if 2 * n_few > n_topics:
                continue
            for i in range(n_words):
                rest[i] = c[i] / ratio[i]
            for j in range(n_few):
                k = chosen[j]
                few.gamma[j], few.prior[j] = g[k], prior[k]
                for i in range(n_words):
                    few.by_word[i, j] = few.by_topic[j, i] = by_topic[k, i]
                    rest[i] -= theta[k] * by_topic[k, i]
            for i in range(n_words):
                rest[i] = max(rest[i], 0.0)  # rounding
            for _ in range(min(FEW_ITERATIONS, max_iterations - used)):
                change = _iterate(few, n_few, c, rest, shift, ratio)
                used += 1
                if change < 0.5 * tolerance * n_topics:
                    break
            for j in range(n_few):
                g[chosen[j]] = few.gamma[j]
        for k in range(n_topics):
            gamma[d, k] = g[k]
        total_iterations += used
    return total_iterations


def fold_in_documents(
    start: int, stop: int, docs: Docs, factor: F64, prior: F64, gamma: F64, until: Until
) -> int:
    """Fit q(theta_d) = Dir(gamma_d) for documents `start` to `stop`; returns the iterations used.

    `factor` float64 (W, K): E beta at the words. `prior` float64 (K,): Dirichlet prior of the
    proportions. `gamma` float64 (S, K): in, the start; out, the fit.

    As `admixture.fit_documents`, and with the same rule to stop: an iteration over all topics
    changes gamma by less than the tolerance on average. Between two such iterations only the topics
    in play move, some ten of 200, against the others as they stand; whatever comes to hold a token
    meanwhile joins them at the next one.
    """
    longest = int(np.diff(docs.indptr[start : stop + 1]).max(initial=0))
    every, few = _moving(prior, longest), _moving(prior, longest)
    chosen = np.empty(prior.size, np.int64)
    room = _Room(every, few, chosen, np.empty(longest), np.empty(longest))
    return _fit_documents(start, stop, docs, factor, gamma, until, room)


def _moving(prior: F64, longest: int) -> _Moving:
    """Return room for documents of `longest` words; `prior` float64 (K,) is copied."""
    n_topics = prior.size
    by_topic, by_word = np.empty((n_topics, longest)), np.empty((longest, n_topics))
    return _Moving(by_topic, by_word, prior.copy(), *np.empty((3, n_topics)))
