"""The direct-assignment HDP posterior written out slowly, and the evidence of tiny corpora.

Nothing is shared with the package: documents are dense counts (D, V), q(z) is an array r (D, V, K),
and every expectation of the bound is written as E_q ln p or E_q ln q.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaln, logit

from tests.twins.hdp import Prior, dish_predictive, word_predictive


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


class Memoized:
    """Memoized inference on dense arrays, with every q(z) kept; sticks are given from outside."""

    def __init__(self, counts, blocks, excess, gamma, alpha, eta, iterations):
        self.counts, self.blocks, self.excess = counts, blocks, excess
        self.gamma, self.alpha, self.eta, self.iterations = gamma, alpha, eta, iterations
        n_topics = len(excess)
        self.lam = eta + excess
        self.theta = np.zeros((len(counts), n_topics + 1))
        self.prior = np.zeros((len(counts), n_topics + 1))
        self.r = np.zeros((*counts.shape, n_topics))
        self.seen: set[int] = set()

    def visit(self, index: int, weights: np.ndarray) -> None:
        """Local steps for one block under corpus `weights`, then lam from the sums of all."""
        rows = self.blocks[index]
        elog_beta = expected_log(self.lam)
        prior = self.alpha * weights
        for d in rows:
            start = self.theta[d]
            if index not in self.seen:
                start = prior * (1 + self.counts[d].sum() / self.alpha)
            self.prior[d] = prior
            self.r[d], self.theta[d] = fit_document(
                self.counts[d], elog_beta, prior, start, self.iterations
            )
        self.seen.add(index)
        unseen = [d for i, rows in enumerate(self.blocks) if i not in self.seen for d in rows]
        share = self.counts[unseen].sum() / self.counts.sum()
        seen = sorted(set(range(len(self.counts))) - set(unseen))
        self.lam = self.eta + share * self.excess + self.stats(seen)

    def stats(self, rows: list[int]) -> np.ndarray:
        """sum_d c_dw r_dwk over documents `rows`, (K, V)."""
        return np.einsum("dw,dwk->kw", self.counts[rows], self.r[rows])

    def posterior(self, rho: np.ndarray) -> Posterior:
        n_docs, n_topics = len(self.counts), len(rho)
        omega = 1 + self.gamma + n_docs * (n_topics + 2 - np.arange(1, n_topics + 1))
        return Posterior(self.lam, rho * omega, (1 - rho) * omega, self.theta, self.r)

    def bound(self, rho: np.ndarray) -> float:
        return bound(self.posterior(rho), self.counts, self.gamma, self.alpha, self.eta)
