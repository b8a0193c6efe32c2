"""Slow twins of the fold-in from several starts, token by token, and enumeration of all topics.

Nothing here is shared with the package.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy import stats
from scipy.special import digamma, gammaln, logsumexp

SEED, N_RANDOM = 0x73746172, 2


def starts(words: Sequence[int], beta: np.ndarray, prior: np.ndarray) -> Iterator[np.ndarray]:
    """Spread evenly, all in the best single topic, two random divisions: gamma (K,) of each."""
    n, n_topics = len(words), len(prior)
    yield prior + n / n_topics
    alone = []
    for k in range(n_topics):
        rising = sum(np.log(prior[k] + i) for i in range(n))
        alone.append(rising + sum(np.log(beta[k, w]) for w in words))
    yield prior + n * np.eye(n_topics)[int(np.argmax(alone))]
    for share in np.random.default_rng(SEED).dirichlet(np.ones(n_topics), N_RANDOM):
        yield prior + n * share


def fitted(words: Sequence[int], beta: np.ndarray, prior: np.ndarray, gamma: np.ndarray):
    """The fixed point at which mean field arrives from gamma (K,), token by token."""
    for _ in range(5000):
        phi = [np.exp(digamma(gamma)) * beta[:, w] for w in words]
        before, gamma = gamma, prior + sum((p / p.sum() for p in phi), np.zeros(len(prior)))
        if np.abs(gamma - before).max() < 1e-12:
            break
    return gamma


def bound(words: Sequence[int], beta: np.ndarray, prior: np.ndarray, gamma: np.ndarray) -> float:
    """E ln p(theta, z, words) + H(q(theta)) + H(q(z)), term by term."""
    log_theta = digamma(gamma) - digamma(gamma.sum())
    value = gammaln(prior.sum()) - gammaln(prior).sum() + (prior - 1) @ log_theta
    value += stats.dirichlet(gamma).entropy()
    for w in words:
        phi = np.exp(log_theta) * beta[:, w]
        phi /= phi.sum()
        value += phi @ (log_theta + np.log(beta[:, w]) - np.log(phi))
    return float(value)


def predictive(words: Sequence[int], beta: np.ndarray, prior: np.ndarray):
    """p of every word of the vocabulary given `words`: (S, V) from each start; and weights (S,)."""
    ends = [fitted(words, beta, prior, gamma) for gamma in starts(words, beta, prior)]
    bounds = np.array([bound(words, beta, prior, gamma) for gamma in ends])
    each = np.stack([gamma / gamma.sum() @ beta for gamma in ends])
    return each, np.exp(bounds - logsumexp(bounds))


def enumerated(words: Sequence[int], beta: np.ndarray, prior: np.ndarray):
    """ln p(words), and p of every word given `words`, (V,), by a sum over all topics of tokens."""
    n, n_topics = len(words), len(prior)
    logs, means = [], []
    for z in product(range(n_topics), repeat=n):
        n_k = np.bincount(z, minlength=n_topics)
        value = gammaln(prior.sum()) - gammaln(prior.sum() + n)
        value += (gammaln(prior + n_k) - gammaln(prior)).sum()
        logs.append(value + sum(np.log(beta[k, w]) for k, w in zip(z, words, strict=True)))
        means.append((prior + n_k) / (prior.sum() + n))
    total = logsumexp(logs)
    return float(total), np.exp(np.array(logs) - total) @ np.stack(means) @ beta
