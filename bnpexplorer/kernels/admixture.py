"""Per-document mean field for LDA, also the common fold-in of held-out documents.

S documents, W distinct words of the batch, K topics. `local` holds places among the W words.
"""

import math

import numpy as np

from .jit import F64, I32, I64, kernel
from .special import digamma


@kernel
def _exp_elog_theta(gamma: F64, out: F64) -> float:
    """exp(psi(gamma_k) - max) into `out`, floored at 1e-150; returns the maximum of psi."""
    largest = -np.inf
    for k in range(gamma.size):
        out[k] = digamma(gamma[k])
        largest = max(largest, out[k])
    for k in range(gamma.size):
        out[k] = max(math.exp(out[k] - largest), 1e-150)
    return largest


@kernel
def fit_documents(
    indptr: I64,
    local: I32,
    counts: I32,
    word_factor: F64,
    prior: F64,
    gamma: F64,
    theta_factor: F64,
    ratio: F64,
    log_mix: F64,
    start: int,
    stop: int,
    max_iterations: int,
    tolerance: float,
) -> int:
    """Fit q(theta_d) = Dir(gamma_d) for documents `start` to `stop`; returns the iterations used.

    Hoffman et al. 2013, figure 6, with phi left implicit: phi_wk is proportional to
    `theta_factor[k] * word_factor[w, k]`, and gamma_k = prior_k + sum_w c_w phi_wk.

    word_factor  (W, K)  exp E ln beta up to a factor per word (training), or E beta (fold-in)
    prior        (K,)    Dirichlet prior of the proportions
    gamma        (S, K)  in: the start; out: the fit
    theta_factor (S, K)  out: exp(psi(gamma_k) - max_k psi)
    ratio        (U,)    out: c_w / sum_k theta_factor_k word_factor_wk
    log_mix      (S,)    out: sum_w c_w ln sum_k exp(psi(gamma_k)) word_factor_wk
    Stops when the mean absolute change of gamma falls below `tolerance`.

    Both passes over a document run along memory without a reduction, (K, n) for the mixture and
    (n, K) for the update, because a plain dot product cannot be vectorised without reassociation.
    """
    n_topics = prior.size
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    by_topic = np.empty((n_topics, longest))
    mix = np.empty(longest)
    update = np.empty(n_topics)
    total_iterations = 0
    for d in range(start, stop):
        first, n = indptr[d], indptr[d + 1] - indptr[d]
        for i in range(n):
            row = local[first + i]
            for k in range(n_topics):
                by_topic[k, i] = word_factor[row, k]
        theta = theta_factor[d]
        largest = _exp_elog_theta(gamma[d], theta)
        for _ in range(max_iterations):
            total_iterations += 1
            mix[:n] = 0.0
            for k in range(n_topics):
                weight = theta[k]
                for i in range(n):
                    mix[i] += weight * by_topic[k, i]
            update[:] = 0.0
            for i in range(n):
                r = counts[first + i] / mix[i]
                row = local[first + i]
                for k in range(n_topics):
                    update[k] += r * word_factor[row, k]
            change = 0.0
            for k in range(n_topics):
                fresh = prior[k] + theta[k] * update[k]
                change += abs(fresh - gamma[d, k])
                gamma[d, k] = fresh
            largest = _exp_elog_theta(gamma[d], theta)
            if change < tolerance * n_topics:
                break
        mix[:n] = 0.0
        for k in range(n_topics):
            weight = theta[k]
            for i in range(n):
                mix[i] += weight * by_topic[k, i]
        log_mix[d] = 0.0
        for i in range(n):
            ratio[first + i] = counts[first + i] / mix[i]
            log_mix[d] += counts[first + i] * (math.log(mix[i]) + largest)
    return total_iterations


@kernel
def gather_stats(indptr: I64, local: I32, ratio: F64, theta_factor: F64, word_factor: F64) -> F64:
    """sum_d c_dw phi_dwk: float64 (W, K). Serial, so that the sum does not depend on threads."""
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
    - lnGamma(sum gamma) - sum_k lnGamma(prior_k) + lnGamma(sum prior).
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
