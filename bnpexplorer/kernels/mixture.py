"""Documents under the components of a mixture: exact predictive and mean field.

S documents, W distinct words of the batch, K components.
"""

import math

import numpy as np

from ..core.arrays import F64
from .jit import kernel
from .special import log_gamma_ratio, log_rising
from .tuples import Docs, MixtureFit

BLOCK = 16
"""Factors multiplied before one logarithm is taken: lam lies between 1e-15 and 1e15, so that the
product stays within the range of a double."""


@kernel
def times_rising(
    x: float, count: int, total: float, product: float, factors: int
) -> tuple[float, float, int]:
    """Add ln [x (x+1) ... (x+count-1)] to a sum that is `total + ln product`.

    `product` has `factors` factors, fewer than BLOCK. Returns the new (total, product, factors).
    """
    if count > BLOCK:
        return total + log_rising(x, np.int64(count)), product, factors
    for j in range(count):
        product *= x + j
        factors += 1
        if factors == BLOCK:
            total += math.log(product)
            product, factors = 1.0, 0
    return total, product, factors


@kernel
def log_predictive(start: int, stop: int, docs: Docs, lam: F64, total: F64, out: F64) -> None:
    """ln DM(x_d | lam_k) for documents `start` to `stop`.

    ln DM = sum_w ln [Gamma(lam_w + c_w) / Gamma(lam_w)] - ln [Gamma(Lam + L) / Gamma(Lam)], for
    `lam` float64 (W, K) at the batch's words and `total` float64 (K,), Lam, over all words, into
    `out` float64 (S, K). The loops over components run along memory.
    """
    indptr, local, counts = docs
    n_components = total.size
    product = np.ones(n_components)
    for d in range(start, stop):
        length, factors = 0, 0
        out[d] = 0.0
        for i in range(indptr[d], indptr[d + 1]):
            row, count = local[i], counts[i]
            length += count
            if count > BLOCK:
                for k in range(n_components):
                    out[d, k] += log_rising(lam[row, k], np.int64(count))
                continue
            for j in range(count):
                for k in range(n_components):
                    product[k] *= lam[row, k] + j
                factors += 1
                if factors == BLOCK:
                    for k in range(n_components):
                        out[d, k] += math.log(product[k])
                        product[k] = 1.0
                    factors = 0
        for k in range(n_components):
            out[d, k] += math.log(product[k]) - log_rising(total[k], length)
            product[k] = 1.0


@kernel
def log_predictive_of_weights(
    start: int, stop: int, docs: Docs, lam: F64, total: F64, out: F64
) -> None:
    """As `log_predictive`, of documents whose counts are weights, float64 (U,): these make no
    product of factors.

    `lam` float64 (W, K), `total` float64 (K,), `out` float64 (S, K).
    """
    indptr, local, weights = docs
    for d in range(start, stop):
        own = range(indptr[d], indptr[d + 1])
        for k in range(total.size):
            length, out[d, k] = 0.0, 0.0
            for i in own:
                length += weights[i]
                out[d, k] += log_gamma_ratio(lam[local[i], k], weights[i])
            out[d, k] -= log_gamma_ratio(total[k], length)


@kernel
def fit_documents(
    start: int, stop: int, docs: Docs, log_topics: F64, log_weights: F64, fit: MixtureFit
) -> None:
    """Mean field of documents `start` to `stop` (Wang & Blei 2012, equation 5).

    phi_dk is proportional to exp{E ln pi_k + sum_w c_w E ln beta_kw}. `log_topics` float64 (W, K):
    E ln beta. `log_weights` float64 (K,): E ln pi.
    """
    indptr, local, counts = docs
    share, entropy = fit
    n_components = log_weights.size
    for d in range(start, stop):
        score = share[d]
        for k in range(n_components):
            score[k] = log_weights[k]
        for i in range(indptr[d], indptr[d + 1]):
            row, count = local[i], counts[i]
            for k in range(n_components):
                score[k] += count * log_topics[row, k]
        largest = score[0]
        for k in range(1, n_components):
            largest = max(largest, score[k])
        normaliser, weighted = 0.0, 0.0
        for k in range(n_components):
            score[k] -= largest
            unnormalised = math.exp(score[k])
            normaliser += unnormalised
            if unnormalised > 0.0:
                weighted += unnormalised * score[k]
            score[k] = unnormalised
        for k in range(n_components):
            score[k] /= normaliser
        entropy[d] = math.log(normaliser) - weighted / normaliser


@kernel
def gather_stats(docs: Docs, share: F64, n_words: int) -> F64:
    """sum_d c_dw share_dk, float64 (W, K), for `share` float64 (S, K), a document's components.

    `n_words` is W.
    """
    indptr, local, counts = docs
    stats = np.zeros((n_words, share.shape[1]))
    holding = np.empty(share.shape[1], np.int64)
    for d in range(indptr.size - 1):
        n_holding = 0
        for k in range(share.shape[1]):
            if share[d, k] > 0.0:
                holding[n_holding] = k
                n_holding += 1
        for i in range(indptr[d], indptr[d + 1]):
            row, count = local[i], counts[i]
            for j in range(n_holding):
                stats[row, holding[j]] += count * share[d, holding[j]]
    return stats
