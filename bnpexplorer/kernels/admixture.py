"""Per-document mean field for LDA, also the common fold-in of held-out documents.

S documents, U entries, W distinct words of the batch, K topics.
"""

import math

import numpy as np

from ..core.arrays import F64
from .jit import kernel, summing
from .special import digamma, digamma_less_log, exp, largest
from .tuples import Docs, LdaFit, Until


@kernel
def _exp_elog_theta(gamma: F64, out: F64) -> float:
    """exp(psi(gamma_k) - max), at least 1e-150; returns the maximum of psi.

    `gamma` float64 (K,): a document's Dirichlet. `out` float64 (K,): overwritten. As psi(x) is
    ln(x + 8) and a remainder, only the remainder needs an exponential.
    """
    most = digamma(largest(gamma))
    for k in range(gamma.size):
        factor = exp(digamma_less_log(gamma[k]) - most)
        out[k] = max((gamma[k] + 8.0) * factor, 1e-150)
    return most


@summing
def share_out(theta: F64, rows: F64, counts: F64, ratio: F64, update: F64) -> None:
    """The words of a document to its topics: update_k = sum_w ratio_w rows[w, k].

    `theta` float64 (K,), `rows` float64 (n or more, K): factors of topics and of n words. `counts`
    float64 (n,): of the words. `ratio` float64 (n,): out, c_w / sum_k theta_k rows[w, k]. `update`
    float64 (K,): overwritten. Four words at a time, whose rows are read once for both sums.
    """
    n, n_topics = counts.size, theta.size
    update[:] = 0.0
    in_fours = n - n % 4
    for w in range(0, in_fours, 4):
        r0, r1, r2, r3 = rows[w], rows[w + 1], rows[w + 2], rows[w + 3]
        m0, m1, m2, m3 = 0.0, 0.0, 0.0, 0.0
        for k in range(n_topics):
            m0 += theta[k] * r0[k]
            m1 += theta[k] * r1[k]
            m2 += theta[k] * r2[k]
            m3 += theta[k] * r3[k]
        c0, c1, c2, c3 = counts[w] / m0, counts[w + 1] / m1, counts[w + 2] / m2, counts[w + 3] / m3
        ratio[w], ratio[w + 1], ratio[w + 2], ratio[w + 3] = c0, c1, c2, c3
        for k in range(n_topics):
            update[k] += (c0 * r0[k] + c1 * r1[k]) + (c2 * r2[k] + c3 * r3[k])
    for w in range(in_fours, n):
        row, mixture = rows[w], 0.0
        for k in range(n_topics):
            mixture += theta[k] * row[k]
        ratio[w] = counts[w] / mixture
        for k in range(n_topics):
            update[k] += ratio[w] * row[k]


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
    """
    indptr, local, counts = docs
    gamma, theta_factor, ratio, log_mix = fit
    max_iterations, tolerance = until
    n_topics = prior.size
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    rows, tallies, update = np.empty((longest, n_topics)), np.empty(longest), np.empty(n_topics)
    total_iterations = 0
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        c, r = tallies[: last - first], ratio[first:last]
        for i in range(c.size):
            row, c[i] = local[first + i], counts[first + i]
            for k in range(n_topics):
                rows[i, k] = word_factor[row, k]
        theta = theta_factor[d]
        most = _exp_elog_theta(gamma[d], theta)
        for _ in range(max_iterations):
            total_iterations += 1
            share_out(theta, rows, c, r, update)
            change = 0.0
            for k in range(n_topics):
                fresh = prior[k] + theta[k] * update[k]
                change += abs(fresh - gamma[d, k])
                gamma[d, k] = fresh
            most = _exp_elog_theta(gamma[d], theta)
            if change < tolerance * n_topics:
                break
        share_out(theta, rows, c, r, update)
        log_mix[d] = 0.0
        for i in range(c.size):
            log_mix[d] += c[i] * (math.log(c[i] / r[i]) + most)
    return total_iterations


@kernel
def theta_bound(start: int, stop: int, gamma: F64, prior: F64, out: F64) -> None:
    """E ln p(theta) - E ln q(theta), without the E ln theta terms already in the mixture, of
    documents `start` to `stop`.

    sum_k (prior_k - gamma_k) E ln theta_k + sum_k lnGamma(gamma_k)
    - lnGamma(sum gamma) - sum_k lnGamma(prior_k) + lnGamma(sum prior), for `gamma` float64 (S, K),
    q's Dirichlets, and `prior` float64 (K,), theirs before any word; into `out` float64 (S,).
    """
    prior_sum, prior_terms = 0.0, 0.0
    for k in range(prior.size):
        prior_sum += prior[k]
        prior_terms += math.lgamma(prior[k])
    constant = math.lgamma(prior_sum) - prior_terms
    for d in range(start, stop):
        total = 0.0
        for k in range(prior.size):
            total += gamma[d, k]
        psi_total = digamma(total)
        bound = constant - math.lgamma(total)
        for k in range(prior.size):
            g = gamma[d, k]
            bound += (prior[k] - g) * (digamma(g) - psi_total) + math.lgamma(g)
        out[d] = bound
