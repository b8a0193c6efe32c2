"""Fold-in of documents under fixed topics, most of whose time goes to the topics in play.

S documents, W distinct words of the batch, K topics.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel, within
from .special import digamma, digamma_many, exp
from .tuples import Docs, Until

IN_PLAY = 1e-3
"""A topic is in play while it holds more tokens of the document than this. At 0.01, one document in
300 ends in another local optimum, by 0.02 of its shares or more; at 0.001 as many as by chance."""
FEW_ITERATIONS = 15
"""Iterations over the topics in play, after which all have their say again."""


class _Moving(NamedTuple):
    """The topics of one document of n words that an iteration moves: all K, or those in play."""

    by_topic: F64
    """float64 (K or more, n or more): E beta at the document's words."""
    by_word: F64
    """float64 (n or more, K or more): the same, words first."""
    prior: F64
    """float64 (K,): Dirichlet prior of the proportions."""
    gamma: F64
    """float64 (K,): q(theta), which moves."""
    theta: F64
    """float64 (K,): out, exp(psi(gamma_k) - shift)."""
    update: F64
    """float64 (K,): scratch."""


@kernel
def _weighted_rows(weights: F64, rows: F64, out: F64) -> None:
    """`out` = sum_q weights[q] rows[q, :out.size].

    `weights` float64 (Q,), `rows` float64 (Q or more, n or more), `out` float64 (n,): overwritten.
    Four rows at a time, since the loop is bound by reading and writing `out`.
    """
    n_rows, n = weights.size, out.size
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
def _iterate(topics: _Moving, counts: I32, rest: F64, shift: float, ratio: F64) -> float:
    """One iteration of Hoffman et al. 2013, figure 6, for one document of n words.

    `counts` int32 (n,): of its words. `rest` float64 (n,): what topics that stand still add to the
    mixture, in units of exp(`shift`). `ratio` float64 (n,): out, c_w / mixture_w. Returns the sum
    of the absolute changes of gamma.
    """
    by_topic, by_word, prior, gamma, theta, update = topics
    digamma_many(gamma, theta)
    for k in range(gamma.size):
        theta[k] = max(exp(theta[k] - shift), 1e-150)
    _weighted_rows(theta, by_topic, ratio)
    for i in range(counts.size):
        ratio[i] = counts[i] / (ratio[i] + rest[i])
    _weighted_rows(ratio, by_word, update)
    change = 0.0
    for k in range(gamma.size):
        fresh = prior[k] + theta[k] * update[k]
        change += abs(fresh - gamma[k])
        gamma[k] = fresh
    return change


@within
def _in_play(prior: F64, gamma: F64, chosen: I64) -> int:
    """Topics that hold more than `IN_PLAY` tokens; returns their number.

    `prior` float64 (K,) and `gamma` float64 (K,) of a document; `chosen` int64 (K,): out, the
    topics, in the first places.
    """
    n = 0
    for k in range(gamma.size):
        if gamma[k] - prior[k] > IN_PLAY:
            chosen[n] = k
            n += 1
    return n


@kernel
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
    indptr, local, counts = docs
    max_iterations, tolerance = until
    n_topics = prior.size
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    # Allocated here, since numba aligns arrays for vector instructions: 3 to 15 % slower outside.
    by_topic, by_word = np.empty((n_topics, longest)), np.empty((longest, n_topics))
    few_topic, few_word = np.empty((n_topics, longest)), np.empty((longest, n_topics))
    ratio_room, rest_room, none_room = np.empty(longest), np.empty(longest), np.empty(longest)
    theta, update, chosen = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics, np.int64)
    few_gamma, few_prior = np.empty(n_topics), np.empty(n_topics)
    for i in range(longest):
        none_room[i] = 0.0
    total_iterations = 0
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        n_words = last - first
        c, g = counts[first:last], gamma[d]
        ratio, rest, none = ratio_room[:n_words], rest_room[:n_words], none_room[:n_words]
        for i in range(n_words):
            row = local[first + i]
            for k in range(n_topics):
                by_word[i, k] = by_topic[k, i] = factor[row, k]
        every = _Moving(by_topic, by_word, prior, g, theta, update)
        used = 0
        while used < max_iterations:
            largest = g[0]
            for k in range(1, n_topics):
                largest = max(largest, g[k])
            shift = digamma(largest)
            change = _iterate(every, c, none, shift, ratio)
            used += 1
            if change < tolerance * n_topics:
                break
            n_few = _in_play(prior, g, chosen)
            if 2 * n_few > n_topics:
                continue
            for i in range(n_words):
                rest[i] = c[i] / ratio[i]
            for j in range(n_few):
                k = chosen[j]
                few_gamma[j], few_prior[j] = g[k], prior[k]
                for i in range(n_words):
                    few_word[i, j] = few_topic[j, i] = by_topic[k, i]
                    rest[i] -= theta[k] * by_topic[k, i]
            for i in range(n_words):
                rest[i] = max(rest[i], 0.0)  # rounding
            few = _Moving(
                few_topic,
                few_word,
                few_prior[:n_few],
                few_gamma[:n_few],
                theta[:n_few],
                update[:n_few],
            )
            for _ in range(min(FEW_ITERATIONS, max_iterations - used)):
                change = _iterate(few, c, rest, shift, ratio)
                used += 1
                if change < 0.5 * tolerance * n_topics:
                    break
            for j in range(n_few):
                g[chosen[j]] = few_gamma[j]
        total_iterations += used
    return total_iterations


@kernel
def log_bounds(
    start: int, stop: int, docs: Docs, factor: F64, prior: F64, gamma: F64, out: F64
) -> None:
    """The lower bound on ln p(words) at q(theta_d) = Dir(gamma_d), for documents `start` to `stop`.

    With phi at its optimum it is sum_w c_w ln sum_k exp(E ln theta_k) E beta_kw - KL(q(theta) ||
    prior) (Hoffman et al. 2013, appendix; Blei, Ng & Jordan 2003, equation 15). `factor` float64
    (W, K), `prior` float64 (K,), `gamma` float64 (S, K): as for `fold_in_documents`. `out` float64
    (S,): out, the bound.
    """
    indptr, local, counts = docs
    n_topics = prior.size
    theta, of_prior = np.empty(n_topics), np.empty(n_topics)
    for k in range(n_topics):
        of_prior[k] = math.lgamma(prior[k])
    prior_total = prior.sum()
    for d in range(start, stop):
        g, total = gamma[d], 0.0
        for k in range(n_topics):
            total += g[k]
        shift = digamma(total)
        digamma_many(g, theta)
        bound = math.lgamma(prior_total) - math.lgamma(total)
        for k in range(n_topics):
            log_theta = theta[k] - shift
            if g[k] != prior[k]:
                # Their parts cancel where a topic has next to no token, however small its prior.
                bound += math.lgamma(g[k]) - of_prior[k]
                bound += (prior[k] - g[k]) * log_theta
            theta[k] = exp(log_theta)
        for i in range(indptr[d], indptr[d + 1]):
            row, mixed = local[i], 0.0
            for k in range(n_topics):
                mixed += theta[k] * factor[row, k]
            bound += counts[i] * math.log(mixed)
        out[d] = bound
