"""Sums over a mini-batch's tokens for the direct-assignment HDP, from the fit of `admixture`.

S documents, U entries, W distinct words, K topics; m_uk are expected tokens as in `TokenLaw`.
"""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel
from .special import digamma, digamma_many, largest, trigamma
from .tuples import TokenLaw

FLOOR = 1e-150
"""As `dirichlet.exp_shifted` wants it for topics: a product of two factors stays above zero."""


LARGEST_LOGIT = 20.0
"""Sticks stay between 2e-9 and 1 - 2e-9."""


@kernel
def _less_trigamma(x: float, psi: float) -> float:
    """About -psi''(x), given `psi` = psi'(x): -psi''(x+1) is nearly psi'(x+1)^2, and rather less,
    so that Newton steps rather fall short."""
    above = psi - 1.0 / (x * x)
    return 2.0 / (x * x * x) + above * above


@kernel
def climb_sticks(
    rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64, sweeps: int, tolerance: float
) -> F64:
    """Coordinate ascent on the terms of the bound that hold the corpus sticks: float64 (K,).

    `rho` float64 (K,): E of the sticks, where it starts. `log_share` float64 (K+1,): sum_d E ln
    pi_dk, the rest last. Every E pi is linear in every rho, so that stick k alone has

        E ln p(stick_k) - E ln q(stick_k) + alpha rho_k left_k (log_share_k - beyond_k),

    with left_k what the sticks before it leave and beyond_k the mean of `log_share` after it. A
    Newton step each on logit rho, at most 2, from the last stick to the first. Ends when no logit
    moves by `tolerance`.
    """
    n_topics, rho = rho.size, rho.copy()
    left = np.ones(n_topics)
    for _ in range(sweeps):
        for k in range(1, n_topics):
            left[k] = left[k - 1] * (1.0 - rho[k - 1])
        beyond, most = log_share[n_topics], 0.0
        for k in range(n_topics - 1, -1, -1):
            after = n_docs * float(n_topics - k)
            omega, spread = 1.0 + gamma + n_docs + after, rho[k] * (1.0 - rho[k])
            a, b = rho[k] * omega, (1.0 - rho[k]) * omega
            on, off, psi_a, psi_b = n_docs + 1.0 - a, after + gamma - b, trigamma(a), trigamma(b)
            slope = omega * (on * psi_a - off * psi_b) + alpha * left[k] * (log_share[k] - beyond)
            bend = psi_a + psi_b + on * _less_trigamma(a, psi_a) + off * _less_trigamma(b, psi_b)
            bend *= omega * omega
            bend = (bend * spread - slope * (1.0 - 2.0 * rho[k])) * spread  # of logit rho
            slope *= spread
            step = slope / max(bend, 0.5 * abs(slope), 1e-300)
            logit = math.log(rho[k] / (1.0 - rho[k]))
            fresh = max(min(logit + step, LARGEST_LOGIT), -LARGEST_LOGIT)
            most = max(most, abs(fresh - logit))
            rho[k] = 1.0 / (1.0 + math.exp(-fresh))
            beyond = rho[k] * log_share[k] + (1.0 - rho[k]) * beyond
        if most < tolerance:
            break
    return rho


@kernel
def document_tokens(q: TokenLaw) -> F64:
    """N_dk = sum_u m_uk: float64 (S, K)."""
    indptr, local, ratio, theta_factor, word_factor = q
    n_docs, n_topics = theta_factor.shape
    tokens = np.zeros((n_docs, n_topics))
    for d in range(n_docs):
        for u in range(indptr[d], indptr[d + 1]):
            row, r = local[u], ratio[u]
            for k in range(n_topics):
                tokens[d, k] += r * word_factor[row, k]
        for k in range(n_topics):
            tokens[d, k] *= theta_factor[d, k]
    return tokens


@kernel
def topic_tokens(q: TokenLaw, topic: int) -> F64:
    """m_uk of one topic: float64 (U,)."""
    indptr, local, ratio, theta_factor, word_factor = q
    tokens = np.empty(local.size)
    for d in range(indptr.size - 1):
        for u in range(indptr[d], indptr[d + 1]):
            tokens[u] = ratio[u] * theta_factor[d, topic] * word_factor[local[u], topic]
    return tokens


@kernel
def pair_losses(q: TokenLaw, pairs: I64) -> F64:
    """What the entropy of q(z) loses when two topics become one: float64 (P,), >= 0.

    sum_u (m_a + m_b) ln (m_a + m_b) - m_a ln m_a - m_b ln m_b; the counts c_u cancel. `pairs` int64
    (P, 2): the topics a and b.
    """
    indptr, local, ratio, theta_factor, word_factor = q
    losses = np.zeros(pairs.shape[0])
    for d in range(indptr.size - 1):
        for u in range(indptr[d], indptr[d + 1]):
            row = local[u]
            for p in range(pairs.shape[0]):
                a, b = pairs[p, 0], pairs[p, 1]
                m_a = ratio[u] * theta_factor[d, a] * word_factor[row, a]
                m_b = ratio[u] * theta_factor[d, b] * word_factor[row, b]
                small, large = min(m_a, m_b), max(m_a, m_b)
                if small > 0.0:
                    share = small / large
                    losses[p] += large * math.log1p(share) + small * math.log1p(1.0 / share)
    return losses


@kernel
def split_documents(
    indptr: I64,
    local: I32,
    tokens: F64,
    word_factor: F64,
    prior: F64,
    iterations: int,
    theta: F64,
    stats: F64,
) -> float:
    """Share out the tokens of one topic among J fresh ones, document by document.

    The restricted local step: s_uj is proportional to exp(psi(theta_dj) + E ln beta_jw) and
    theta_dj = prior_j + sum_u tokens_u s_uj, `iterations` (>= 1) times.

    `indptr` int64 (S+1,), `local` int32 (U,): the documents' entries and their words' rows.
    `tokens` float64 (U,): expected tokens of every entry in the topic that is split.
    `word_factor` float64 (W, J): exp E ln beta of the fresh topics, each row over its largest.
    `prior` float64 (J,): what a document gives to each before any token.
    `theta` float64 (S, J): out.
    `stats` float64 (W, J): sum_d tokens_u s_uj is added.
    Returns the gain of entropy, -sum_u tokens_u sum_j s_uj ln s_uj.
    """
    n_parts = prior.size
    share, factor, last = np.empty(n_parts), np.empty(n_parts), np.empty(n_parts)
    prior_sum, gain = 0.0, 0.0
    for j in range(n_parts):
        prior_sum += prior[j]
    for d in range(indptr.size - 1):
        total = 0.0
        for u in range(indptr[d], indptr[d + 1]):
            total += tokens[u]
        for j in range(n_parts):
            theta[d, j] = prior[j] * (1.0 + total / prior_sum)
        for iteration in range(iterations):
            final = iteration == iterations - 1
            digamma_many(theta[d], factor)
            most = largest(factor)
            for j in range(n_parts):
                factor[j] = max(math.exp(factor[j] - most), FLOOR)
                last[j] = prior[j]
            for u in range(indptr[d], indptr[d + 1]):
                row, norm = local[u], 0.0
                for j in range(n_parts):
                    share[j] = factor[j] * word_factor[row, j]
                    norm += share[j]
                scale = tokens[u] / norm
                for j in range(n_parts):
                    last[j] += scale * share[j]
                if final:
                    for j in range(n_parts):
                        stats[row, j] += scale * share[j]
                        gain -= scale * share[j] * math.log(share[j] / norm)
            for j in range(n_parts):
                theta[d, j] = last[j]
    return gain


@kernel
def log_shares(theta: F64, psi_total: F64) -> F64:
    """sum_d E ln pi_dk = sum_d psi(theta_dk) - psi(sum theta_d): float64 (K,).

    `theta` float64 (S, K): Dirichlets. `psi_total` float64 (S,): psi(sum theta_d), over all topics.
    """
    out = np.zeros(theta.shape[1])
    for d in range(theta.shape[0]):
        for k in range(out.size):
            out[k] += digamma(theta[d, k]) - psi_total[d]
    return out


@kernel
def log_gamma_sums(theta: F64) -> F64:
    """sum_d lnGamma(theta_dk), float64 (K,), for `theta` float64 (S, K), Dirichlets."""
    out = np.zeros(theta.shape[1])
    for d in range(theta.shape[0]):
        for k in range(out.size):
            out[k] += math.lgamma(theta[d, k])
    return out


@kernel
def topic_evidence(stats: F64, eta: float) -> F64:
    """ln integral of prod_w beta_w^stats_wk Dir(beta | eta): float64 (K,).

    `stats` float64 (V, K): expected tokens of each word. c(eta) - c(eta + stats) with c(x) =
    lnGamma(sum x) - sum lnGamma(x). Words without counts cost nothing, which are most words of most
    topics while topics are fresh.
    """
    n_words, n_topics = stats.shape
    out, total = np.zeros(n_topics), np.zeros(n_topics)
    log_gamma_eta = math.lgamma(eta)
    for w in range(n_words):
        for k in range(n_topics):
            count = stats[w, k]
            if count != 0.0:
                total[k] += count
                out[k] += math.lgamma(eta + count) - log_gamma_eta
    for k in range(n_topics):
        out[k] += math.lgamma(n_words * eta) - math.lgamma(n_words * eta + total[k])
    return out
