"""Per-document mean field for LDA, also the common fold-in of held-out documents.

S documents, U entries, W distinct words of the batch, K topics.
"""

import math

import numpy as np

from ..core.arrays import F64
from .jit import kernel
from .special import digamma, digamma_many
from .tuples import Docs, LdaFit, TokenLaw, Until


@kernel
def _exp_elog_theta(gamma: F64, out: F64) -> float:
    """exp(psi(gamma_k) - max), at least 1e-150; returns the maximum of psi.

    `gamma` float64 (K,): a document's Dirichlet. `out` float64 (K,): overwritten.
    """
    digamma_many(gamma, out)
    largest = -np.inf
    for k in range(gamma.size):
        largest = max(largest, out[k])
    for k in range(gamma.size):
        out[k] = max(math.exp(out[k] - largest), 1e-150)
    return largest


@kernel
def weighted_rows(weights: F64, rows: F64, out: F64) -> None:
    """`out` = sum_q weights[q] rows[q, :out.size].

    `weights` float64 (Q,), `rows` float64 (Q or more, n or more), `out` float64 (n,): overwritten.
    Four rows at a time, since the loop is bound by reading and writing `out`.
    """
    out[:] = 0.0
    n_rows, n = weights.size, out.size
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
def fit_documents(
    start: int, stop: int, docs: Docs, word_factor: F64, prior: F64, fit: LdaFit, until: Until
) -> int:
    """Fit q(theta_d) = Dir(gamma_d) for documents `start` to `stop`; returns the iterations used.

    Hoffman et al. 2013, figure 6, with phi left implicit: phi_wk is proportional to
    `theta_factor[k] * word_factor[w, k]`, and gamma_k = prior_k + sum_w c_w phi_wk.

    `word_factor` float64 (W, K): exp E ln beta up to a factor per word (training), or E beta
    (fold-in). `prior` float64 (K,): Dirichlet prior of the proportions. Stops when the mean
    absolute change of gamma falls below the tolerance.

    A document's factors are gathered twice, topics first for the mixture and words first for the
    update, because both sums then run along memory; a plain dot product cannot be vectorised
    without reassociation.
    """
    indptr, local, counts = docs
    gamma, theta_factor, ratio, log_mix = fit
    max_iterations, tolerance = until
    n_topics = prior.size
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    by_topic, by_word = np.empty((n_topics, longest)), np.empty((longest, n_topics))
    mix_room, update = np.empty(longest), np.empty(n_topics)
    total_iterations = 0
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        c, r, mix = counts[first:last], ratio[first:last], mix_room[: last - first]
        for i in range(c.size):
            row = local[first + i]
            for k in range(n_topics):
                by_word[i, k] = by_topic[k, i] = word_factor[row, k]
        theta = theta_factor[d]
        largest = _exp_elog_theta(gamma[d], theta)
        for _ in range(max_iterations):
            total_iterations += 1
            weighted_rows(theta, by_topic, mix)
            for i in range(c.size):
                r[i] = c[i] / mix[i]
            weighted_rows(r, by_word, update)
            change = 0.0
            for k in range(n_topics):
                fresh = prior[k] + theta[k] * update[k]
                change += abs(fresh - gamma[d, k])
                gamma[d, k] = fresh
            largest = _exp_elog_theta(gamma[d], theta)
            if change < tolerance * n_topics:
                break
        weighted_rows(theta, by_topic, mix)
        log_mix[d] = 0.0
        for i in range(c.size):
            r[i] = c[i] / mix[i]
            log_mix[d] += c[i] * (math.log(mix[i]) + largest)
    return total_iterations


@kernel
def gather_stats(q: TokenLaw) -> F64:
    """sum_d c_dw phi_dwk: float64 (W, K). Serial, so that the sum does not depend on threads."""
    indptr, local, ratio, theta_factor, word_factor = q
    stats = np.zeros(word_factor.shape)
    n_rows, n_topics = word_factor.shape
    for d in range(indptr.size - 1):
        for i in range(indptr[d], indptr[d + 1]):
            row, r = local[i], ratio[i]
            for k in range(n_topics):
                stats[row, k] += r * theta_factor[d, k]
    for row in range(n_rows):
        for k in range(n_topics):
            stats[row, k] *= word_factor[row, k]
    return stats


@kernel
def theta_bound(gamma: F64, prior: F64) -> float:
    """sum_d {E ln p(theta) - E ln q(theta)} without the E ln theta terms already in the mixture.

    Per document: sum_k (prior_k - gamma_k) E ln theta_k + sum_k lnGamma(gamma_k)
    - lnGamma(sum gamma) - sum_k lnGamma(prior_k) + lnGamma(sum prior), for `gamma` float64 (S, K),
    q's Dirichlets, and `prior` float64 (K,), theirs before any word.
    """
    prior_sum, prior_terms = 0.0, 0.0
    for k in range(prior.size):
        prior_sum += prior[k]
        prior_terms += math.lgamma(prior[k])
    constant = math.lgamma(prior_sum) - prior_terms
    bound = 0.0
    for d in range(gamma.shape[0]):
        total = 0.0
        for k in range(prior.size):
            total += gamma[d, k]
        psi_total = digamma(total)
        bound += constant - math.lgamma(total)
        for k in range(prior.size):
            g = gamma[d, k]
            bound += (prior[k] - g) * (digamma(g) - psi_total) + math.lgamma(g)
    return bound
