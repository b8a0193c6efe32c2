"""Per-document mean field for the HDP with two levels of sticks (Wang, Paisley & Blei 2011, 3.1).

S documents, U entries (document, word), W distinct words of the batch, K topics, T document sticks.
`local` holds places among the W words. Letters as in Hoffman et al. 2013, figure 9: `zeta` = q(c),
the topic of a document's stick; `phi` = q(z), the stick of a token (one row per word type).

A document touches few topics, so both distributions are kept sparse: whatever lies `cut` nats below
the largest entry is exactly 0. That is a choice of q, not an approximation of its bound, and makes
an iteration cost what the sticks and topics in use cost instead of 2 n K T.
"""

import math

import numpy as np

from .jit import F64, I32, I64, kernel
from .special import digamma


@kernel
def _normalise(logs: F64, largest: float, cut: float) -> float:
    """exp and normalise `logs` in place, what lies below `largest - cut` to 0; returns ln sum."""
    total = 0.0
    for i in range(logs.size):
        if logs[i] < largest - cut:
            logs[i] = 0.0
        else:
            logs[i] = math.exp(logs[i] - largest)
            total += logs[i]
    inverse = 1.0 / total
    for i in range(logs.size):
        logs[i] *= inverse
    return largest + math.log(total)


@kernel
def shares(elog: F64, log_weight: F64, cut: float) -> F64:
    """Each word's responsibilities of the topics, proportional to exp(E ln pi + E ln beta)."""
    out = np.empty(elog.shape)
    for w in range(elog.shape[0]):
        row = out[w]
        largest = -np.inf
        for k in range(log_weight.size):
            row[k] = elog[w, k] + log_weight[k]
            largest = max(largest, row[k])
        _normalise(row, largest, cut)
    return out


@kernel
def greedy_phi(
    indptr: I64, local: I32, counts: I32, elog: F64, share: F64, phi: F64,
    start: int, stop: int, cut: float,
) -> None:  # fmt: skip
    """Asymmetric start of `phi` (U, T): stick i holds the document's i-th most expected topic.

    A topic that expects less than half a token gets no stick. `elog` is E ln beta (W, K), `share`
    the responsibilities (W, K) of `shares`.
    """
    n_topics, n_sticks = elog.shape[1], phi.shape[1]
    expected = np.empty(n_topics)
    chosen = np.empty(n_sticks, np.int64)
    for d in range(start, stop):
        expected[:] = 0.0
        for j in range(indptr[d], indptr[d + 1]):
            row, c = share[local[j]], float(counts[j])
            for k in range(n_topics):
                expected[k] += c * row[k]
        n_chosen = 0
        for i in range(min(n_sticks, n_topics)):
            chosen[i] = np.argmax(expected)
            if i == 0 or expected[chosen[i]] >= 0.5:
                n_chosen += 1
            expected[chosen[i]] = -1.0
        for j in range(indptr[d], indptr[d + 1]):
            row = phi[j]
            row[:] = -np.inf
            largest = -np.inf
            for i in range(n_chosen):
                row[i] = elog[local[j], chosen[i]]
                largest = max(largest, row[i])
            _normalise(row, largest, cut)


@kernel
def _dot(a: F64, b: F64) -> float:
    """Inner product with four running sums, which a processor can add at once."""
    n = a.size
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for k in range(0, n - 3, 4):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
    for k in range(n - n % 4, n):
        s0 += a[k] * b[k]
    return (s0 + s1) + (s2 + s3)


@kernel
def _update_sticks(mass: F64, alpha: float, sticks: F64, log_weight: F64) -> float:
    """Equations 15 and 16: `sticks` (T, 2) from the tokens `mass` (T,) on each stick.

    Also E ln sigma_i into `log_weight` (T,); returns E ln p(sticks) - E ln q(sticks). The last
    stick is 1 (its row of `sticks` stays 0).
    """
    n_sticks = mass.size
    above = 0.0
    for i in range(n_sticks - 1, -1, -1):
        sticks[i, 0], sticks[i, 1] = 1.0 + mass[i], alpha + above
        above += mass[i]
    sticks[n_sticks - 1] = 0.0
    bound, left = 0.0, 0.0
    for i in range(n_sticks - 1):
        a, b = sticks[i, 0], sticks[i, 1]
        psi_both = digamma(a + b)
        log_broken, log_left = digamma(a) - psi_both, digamma(b) - psi_both
        log_weight[i] = left + log_broken
        left += log_left
        bound += math.log(alpha) + math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        bound += (1.0 - a) * log_broken + (alpha - b) * log_left
    log_weight[n_sticks - 1] = left
    return bound


@kernel
def _update_topics(
    counts: I32, rows: I32, phi: F64, elog: F64, log_weight: F64, prior_zeta: F64,
    prior_bound: float, mass: F64, zeta: F64, cut: float, empty: float,
) -> float:  # fmt: skip
    """Equation 17 and the tokens of every stick, from `phi` (n, T) of one document.

    `mass` (T,) and `zeta` (T, K) are overwritten; returns E ln p(c) - E ln q(c). A stick with
    at most `empty` tokens gets the corpus weights, `prior_zeta` (K,).
    """
    n_sticks, n_topics = zeta.shape
    mass[:] = 0.0
    for i in range(n_sticks):
        zeta[i] = log_weight
    for j in range(rows.size):
        elog_word = elog[rows[j]]
        for i in range(n_sticks):
            amount = counts[j] * phi[j, i]
            if amount > 0.0:
                mass[i] += amount
                zeta_i = zeta[i]
                for k in range(n_topics):
                    zeta_i[k] += amount * elog_word[k]
    bound = 0.0
    for i in range(n_sticks):
        zeta_i = zeta[i]
        if mass[i] <= empty:
            zeta_i[:] = prior_zeta
            bound += prior_bound
            continue
        largest = zeta_i[0]
        for k in range(n_topics):
            largest = max(largest, zeta_i[k])
        _normalise(zeta_i, largest, cut)
        bound += _relative_entropy(zeta_i, log_weight)
    return bound


@kernel
def _relative_entropy(zeta: F64, log_weight: F64) -> float:
    """sum_k zeta_k (E ln pi_k - ln zeta_k)."""
    bound = 0.0
    for k in range(zeta.size):
        if zeta[k] > 0.0:
            bound += zeta[k] * (log_weight[k] - math.log(zeta[k]))
    return bound


@kernel
def _update_tokens(counts: I32, log_phi: F64, phi: F64, cut: float) -> float:
    """Equation 18: `phi` (n, T) from its logarithms `log_phi` (T, n) up to a constant per word.

    Returns the sum over tokens of ln sum_i exp(log_phi): their part of the bound.
    """
    n_sticks = phi.shape[1]
    bound = 0.0
    for j in range(counts.size):
        row = phi[j]
        largest = -np.inf
        for i in range(n_sticks):
            row[i] = log_phi[i, j]
            largest = max(largest, row[i])
        bound += counts[j] * _normalise(row, largest, cut)
    return bound


@kernel
def fit_documents(
    indptr: I64,
    local: I32,
    counts: I32,
    elog: F64,
    log_weight: F64,
    alpha: float,
    phi: F64,
    zeta: F64,
    sticks: F64,
    bound: F64,
    start: int,
    stop: int,
    max_iterations: int,
    tolerance: float,
    cut: float,
    empty: float,
) -> int:
    """Fit q(c_d), q(z_d) and q(sticks_d) of documents `start` to `stop`; returns iterations used.

    elog        (W, K)     E ln beta
    log_weight  (K,)       E ln pi of the corpus
    phi         (U, T)     in: the start; out: the fit
    zeta        (S, T, K)  out
    sticks      (S, T, 2)  out: Beta parameters, the last row 0
    bound       (S,)       out: the document's part of the evidence lower bound
    An iteration is equations 15 to 17 from `phi`, then 18, so that the bound needs no pass of its
    own. Stops when the relative change of the bound falls below `tolerance`. A stick with at most
    `empty` expected tokens keeps the corpus weights as its q(c).
    """
    n_topics, n_sticks = log_weight.size, phi.shape[1]
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    mass, elog_sticks = np.empty(n_sticks), np.empty(n_sticks)
    prior_zeta = log_weight.copy()  # q(c) of a stick without tokens
    _normalise(prior_zeta, log_weight.max(), cut)
    prior_bound = _relative_entropy(prior_zeta, log_weight)
    prior_logs = np.empty(longest)  # its sum_k zeta_k E ln beta_kw
    by_topic = np.empty((n_topics, longest))  # E ln beta of one document, along memory
    gathered = np.full(n_topics, -1)  # the document for which a topic's row was gathered
    log_phi = np.empty((n_sticks, longest))
    total_iterations = 0
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        rows, c, phi_d, n = local[first:last], counts[first:last], phi[first:last], last - first
        for j in range(n):
            prior_logs[j] = _dot(prior_zeta, elog[rows[j]])
        bound[d] = -np.inf
        for _ in range(max_iterations):
            total_iterations += 1
            value = _update_topics(
                c, rows, phi_d, elog, log_weight, prior_zeta, prior_bound, mass, zeta[d], cut, empty
            )
            value += _update_sticks(mass, alpha, sticks[d], elog_sticks)
            for i in range(n_sticks):
                log_phi[i, :n] = elog_sticks[i]
                if mass[i] <= empty:
                    log_phi[i, :n] += prior_logs[:n]
                    continue
                for k in range(n_topics):
                    weight = zeta[d, i, k]
                    if weight == 0.0:
                        continue
                    if gathered[k] != d:
                        gathered[k] = d
                        for j in range(n):
                            by_topic[k, j] = elog[rows[j], k]
                    for j in range(n):
                        log_phi[i, j] += weight * by_topic[k, j]
            value += _update_tokens(c, log_phi, phi_d, cut)
            change = value - bound[d]
            bound[d] = value
            if abs(change) < tolerance * abs(value):
                break
    return total_iterations


@kernel
def gather_stats(
    indptr: I64, local: I32, counts: I32, phi: F64, zeta: F64, n_rows: int
) -> tuple[F64, F64]:
    """sum_d c_dw sum_i phi_dwi zeta_dik, float64 (W, K), and sum_d sum_i zeta_dik, float64 (K,).

    Serial, so that the sums do not depend on threads.
    """
    n_docs, n_sticks, n_topics = zeta.shape
    stats, tables = np.zeros((n_rows, n_topics)), np.zeros(n_topics)
    for d in range(n_docs):
        for i in range(n_sticks):
            zeta_i = zeta[d, i]
            for k in range(n_topics):
                tables[k] += zeta_i[k]
            for j in range(indptr[d], indptr[d + 1]):
                amount = counts[j] * phi[j, i]
                if amount > 0.0:
                    row = stats[local[j]]
                    for k in range(n_topics):
                        row[k] += amount * zeta_i[k]
    return stats, tables
