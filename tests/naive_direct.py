"""The direct-assignment HDP posterior written out slowly, and the evidence of tiny corpora.

Nothing is shared with the package: documents are dense counts (D, V), q(z) is an array r (D, V, K),
and every expectation of the bound is written as E_q ln p or E_q ln q.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from naive_hdp import Prior, dish_predictive, word_predictive
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaln, logit


def log_evidence(docs: list[list[int]], gamma: float, alpha: float, eta: float, n_words: int):
    """ln p(x): all seatings of all tokens in the Chinese restaurant franchise."""
    prior = Prior((), (), (), gamma, alpha, eta, n_words)
    tokens = [(d, i, w) for d, doc in enumerate(docs) for i, w in enumerate(doc)]

    def seat(n: int, seats: list[list[list[int]]], topics: list[int]) -> float:
        if n == len(tokens):
            return 1.0
        d, i, w = tokens[n]
        counts: Counter = Counter()
        for (_, _, word), k in zip(tokens, topics, strict=False):
            counts[k, word] += 1
            counts[k, None] += 1
        total = 0.0
        for table in seats[d]:
            share = table[1] * word_predictive(prior, table[0], w, counts)
            table[1] += 1
            total += share * seat(n + 1, seats, [*topics, table[0]])
            table[1] -= 1
        tables = Counter(table[0] for doc in seats for table in doc)
        for dish, weight in dish_predictive(prior, tables).items():
            share = alpha * weight * word_predictive(prior, dish, w, counts)
            k = max([-1, *tables]) + 1 if dish is None else dish
            seats[d].append([k, 1])
            total += share * seat(n + 1, seats, [*topics, k])
            seats[d].pop()
        return total / (alpha + i)

    return float(np.log(seat(0, [[] for _ in docs], [])))


@dataclass
class Posterior:
    """q: Dir(lam_k), Beta(a_k, b_k), Dir(theta_d) with the rest last, and r."""

    lam: np.ndarray
    a: np.ndarray
    b: np.ndarray
    theta: np.ndarray
    r: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """E pi, the rest last."""
        mean = self.a / (self.a + self.b)
        left = np.cumprod(np.append(1.0, 1.0 - mean))
        return np.append(mean * left[:-1], left[-1])


def expected_log(parameters: np.ndarray) -> np.ndarray:
    return digamma(parameters) - digamma(parameters.sum(axis=-1, keepdims=True))


def dirichlet_log_normaliser(x: np.ndarray) -> float:
    return gammaln(x.sum()) - gammaln(x).sum()


def bound(q: Posterior, counts: np.ndarray, gamma: float, alpha: float, eta: float) -> float:
    """E_q ln p(x, z, pi_d, sticks, beta) - E_q ln q, with the surrogate for the one hard term."""
    n_docs, n_words = counts.shape
    n_topics = len(q.lam)
    elog_beta, elog_pi = expected_log(q.lam), expected_log(q.theta)
    total = 0.0
    for k in range(n_topics):  # topics
        total += dirichlet_log_normaliser(np.full(n_words, eta)) + (eta - 1) * elog_beta[k].sum()
        total -= dirichlet_log_normaliser(q.lam[k]) + (q.lam[k] - 1) @ elog_beta[k]
    log_on, log_off = np.empty(n_topics), np.empty(n_topics)
    for k in range(n_topics):  # sticks
        log_on[k], log_off[k] = expected_log(np.array([q.a[k], q.b[k]]))
        total += np.log(gamma) + (gamma - 1) * log_off[k]
        total -= dirichlet_log_normaliser(np.array([q.a[k], q.b[k]]))
        total -= (q.a[k] - 1) * log_on[k] + (q.b[k] - 1) * log_off[k]
    elog_weight = np.append(log_on, 0.0) + np.append(0.0, np.cumsum(log_off))
    for d in range(n_docs):
        total += n_topics * np.log(alpha) + elog_weight.sum()  # instead of E c(alpha pi)
        total += (alpha * q.weights - 1) @ elog_pi[d]
        total -= dirichlet_log_normaliser(q.theta[d]) + (q.theta[d] - 1) @ elog_pi[d]
        for w in range(n_words):
            for k in range(n_topics):
                r = q.r[d, w, k]
                if counts[d, w] and r > 0:
                    total += counts[d, w] * r * (elog_pi[d, k] + elog_beta[k, w] - np.log(r))
    return float(total)


def fit_document(counts, elog_beta, prior, theta, iterations):
    """r (V, K) and theta (K+1,) of one document, `iterations` times, from `theta`."""
    n_topics = len(elog_beta)
    for _ in range(iterations):
        logs = digamma(theta[:n_topics])[None, :] + elog_beta.T
        r = np.exp(logs - logs.max(axis=1, keepdims=True))
        r /= r.sum(axis=1, keepdims=True)
        theta = prior + np.append(counts @ r, 0.0)
    return r, theta


def fit_sticks(theta, start, gamma, alpha):
    """The Beta parameters with a + b fixed that maximise the bound, by another optimiser."""
    n_docs, n_topics = len(theta), theta.shape[1] - 1
    omega = np.array([1 + gamma + n_docs * (n_topics + 2 - k) for k in range(1, n_topics + 1)])
    log_share = expected_log(theta).sum(axis=0)

    def loss(x):
        mean = expit(x)
        a, b = mean * omega, (1 - mean) * omega
        log_on, log_off = digamma(a) - digamma(omega), digamma(b) - digamma(omega)
        elog = np.append(log_on, 0.0) + np.append(0.0, np.cumsum(log_off))
        q = Posterior(np.empty(0), a, b, theta, np.empty(0))
        value = n_docs * elog.sum() + alpha * q.weights @ log_share + (gamma - 1) * log_off.sum()
        value += (gammaln(a) + gammaln(b) - gammaln(omega)).sum()
        value -= ((a - 1) * log_on + (b - 1) * log_off).sum()
        return -value / n_docs

    found = minimize(loss, logit(start / omega), method="BFGS", options={"gtol": 1e-9})
    mean = expit(found.x)
    return mean * omega, (1 - mean) * omega
