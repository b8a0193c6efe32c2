"""Fold-in of documents under fixed topics, most of whose time goes to the topics in play.

S documents, W distinct words of the batch, K topics. `local` holds places among the W words.
"""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .admixture import weighted_rows
from .jit import kernel
from .special import digamma, digamma_many

IN_PLAY = 1e-3
"""A topic is in play while it holds more tokens of the document than this. At 0.01, one document in
300 ends in another local optimum, by 0.02 of its shares or more; at 0.001 as many as by chance."""
FEW_ITERATIONS = 15
"""Iterations over the topics in play, after which all have their say again."""


@kernel
def _iterate(
    counts: I32,
    by_topic: F64,
    by_word: F64,
    prior: F64,
    rest: F64,
    shift: float,
    gamma: F64,
    theta: F64,
    ratio: F64,
    update: F64,
) -> float:
    """One iteration of Hoffman et al. 2013, figure 6, for one document of n words; changes `gamma`.

    `by_topic` (at least K, n) and `by_word` (n, at least K) are the topics at its words; `rest`
    (n,) is what topics that stand still add to the mixture, in units of exp(`shift`). Leaves
    exp(psi(gamma_k) - shift) in `theta` and c_w / mixture_w in `ratio`. Returns the sum of absolute
    changes.
    """
    digamma_many(gamma, theta)
    for k in range(gamma.size):
        theta[k] = max(math.exp(theta[k] - shift), 1e-150)
    weighted_rows(theta, by_topic, ratio)
    for i in range(counts.size):
        ratio[i] = counts[i] / (ratio[i] + rest[i])
    weighted_rows(ratio, by_word, update)
    change = 0.0
    for k in range(gamma.size):
        fresh = prior[k] + theta[k] * update[k]
        change += abs(fresh - gamma[k])
        gamma[k] = fresh
    return change


@kernel
def _in_play(prior: F64, gamma: F64, chosen: I64) -> int:
    """Topics that hold more than `IN_PLAY` tokens, into `chosen` (K,); returns their number."""
    n = 0
    for k in range(gamma.size):
        if gamma[k] - prior[k] > IN_PLAY:
            chosen[n] = k
            n += 1
    return n


@kernel
def fold_in_documents(
    indptr: I64,
    local: I32,
    counts: I32,
    factor: F64,
    prior: F64,
    gamma: F64,
    start: int,
    stop: int,
    max_iterations: int,
    tolerance: float,
) -> int:
    """Fit q(theta_d) = Dir(gamma_d) for documents `start` to `stop`; returns the iterations used.

    factor (W, K)  E beta at the words
    prior  (K,)    Dirichlet prior of the proportions
    gamma  (S, K)  in: the start; out: the fit

    As `admixture.fit_documents`, and with the same rule to stop: an iteration over all topics
    changes gamma by less than `tolerance` on average. Between two such iterations only the topics
    in play move, some ten of 200, against the others as they stand; whatever comes to hold a token
    meanwhile joins them at the next one.
    """
    n_topics = prior.size
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    by_topic, by_word = np.empty((n_topics, longest)), np.empty((longest, n_topics))
    few_topic, few_word = np.empty((n_topics, longest)), np.empty((longest, n_topics))
    ratio_room, rest_room, none_room = np.empty(longest), np.empty(longest), np.zeros(longest)
    theta, update, chosen = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics, np.int64)
    few_gamma, few_prior = np.empty(n_topics), np.empty(n_topics)
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
        used = 0
        while used < max_iterations:
            shift = digamma(g.max())
            change = _iterate(c, by_topic, by_word, prior, none, shift, g, theta, ratio, update)
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
            for _ in range(min(FEW_ITERATIONS, max_iterations - used)):
                change = _iterate(
                    c,
                    few_topic,
                    few_word,
                    few_prior[:n_few],
                    rest,
                    shift,
                    few_gamma[:n_few],
                    theta[:n_few],
                    ratio,
                    update[:n_few],
                )
                used += 1
                if change < 0.5 * tolerance * n_topics:
                    break
            for j in range(n_few):
                g[chosen[j]] = few_gamma[j]
        total_iterations += used
    return total_iterations
