"""Inner loops of held-out scoring: predictive mixtures of topics, evidence by sampling.

D documents, U distinct (document, word) pairs, W distinct words among them, K topics. Topics have
words first, so that loops run along memory.
"""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel
from .special import draw_index, log_rising


@kernel
def mixture_probabilities(
    start: int, stop: int, indptr: I64, local: I32, theta: F64, topic_word: F64, out: F64
) -> None:
    """out[u] = sum_k theta[d, k] topic_word[w, k] for the pairs of documents `start` to `stop`.

    Hoffman et al. 2013, section 4: the inner product of expected topics and proportions. `indptr`
    int64 (D+1,): where each document's pairs begin. `local` int32 (U,): their words' rows. `theta`
    float64 (D, K): proportions. `topic_word` float64 (W, K): E beta. `out` float64 (U,).
    """
    n_topics = theta.shape[1]
    for d in range(start, stop):
        for u in range(indptr[d], indptr[d + 1]):
            row = local[u]
            total = 0.0
            for k in range(n_topics):
                total += theta[d, k] * topic_word[row, k]
            out[u] = total


@kernel
def _impossible(beta: F64) -> bool:
    """Whether some word, a row of `beta` float64 (n, K), has probability 0 under every topic."""
    for i in range(beta.shape[0]):
        largest = 0.0
        for k in range(beta.shape[1]):
            largest = max(largest, beta[i, k])
        if largest == 0.0:
            return True
    return False


@kernel
def _proposal(counts: I32, beta: F64, prior: F64, n_iterations: int) -> F64:
    """q_i(k) of every distinct word i of a document: float64 (n, K), rows sum to 1.

    Starts at q_i(k) proportional to prior_k beta_ik; each iteration adds the expected counts of the
    document's other tokens to the prior. Every word must be possible under some topic. `counts`
    int32 (n,): of the words. `beta` float64 (n, K): topics at these words. `prior` float64 (K,):
    Dirichlet parameter of the proportions.
    """
    n, n_topics = beta.shape
    q = np.empty((n, n_topics))
    expected = np.zeros(n_topics)
    for iteration in range(n_iterations + 1):
        for i in range(n):
            total = 0.0
            for k in range(n_topics):
                others = prior[k]
                if iteration > 0:
                    others += max(expected[k] - q[i, k], 0.0)
                q[i, k] = others * beta[i, k]
                total += q[i, k]
            for k in range(n_topics):
                q[i, k] /= total
        expected[:] = 0.0
        for i in range(n):
            for k in range(n_topics):
                expected[k] += counts[i] * q[i, k]
    return q


@kernel
def importance_log_weights(
    counts: I32, beta: F64, prior: F64, n_samples: int, n_iterations: int, rng: np.random.Generator
) -> F64:
    """ln [p(w, z) / q(z)] for `n_samples` draws z ~ q of one document: float64 (n_samples,).

    `counts` int32 (n,): of the document's distinct words. `beta` float64 (n, K): topics at those
    words. `prior` float64 (K,): Dirichlet parameter of the proportions. p(w, z) has the proportions
    integrated out: every token contributes (prior_k + N_k) / (sum prior + n) beta_wk, with N the
    counts of the tokens before it. The running product is moved into the logarithm only when it
    leaves [1e-100, 1e100].
    """
    n, n_topics = beta.shape
    logs = np.empty(n_samples)
    if _impossible(beta):
        logs[:] = -np.inf
        return logs
    q = _proposal(counts, beta, prior, n_iterations)
    cumulative, ratio = np.empty((n, n_topics)), np.empty((n, n_topics))
    length = 0
    for i in range(n):
        length += counts[i]
        total = 0.0
        for k in range(n_topics):
            total += q[i, k]
            cumulative[i, k] = total
            ratio[i, k] = beta[i, k] / q[i, k] if q[i, k] > 0.0 else 0.0
    normaliser = log_rising(prior.sum(), length)
    weight = np.empty(n_topics)
    for r in range(n_samples):
        weight[:] = prior
        log_weight, product = -normaliser, 1.0
        for i in range(n):
            for _ in range(counts[i]):
                k = draw_index(cumulative[i], n_topics, rng.random())
                product *= weight[k] * ratio[i, k]
                weight[k] += 1.0
                if product < 1e-100 or product > 1e100:
                    log_weight += math.log(product)
                    product = 1.0
        logs[r] = log_weight + math.log(product)
    return logs


@kernel
def left_to_right_log_weights(
    counts: I32, beta: F64, prior: F64, n_particles: int, rng: np.random.Generator
) -> F64:
    """sum_n ln p(w_n | z_<n) along growing assignments of one document: float64 (n_particles,).

    `counts` int32 (n,), `beta` float64 (n, K), `prior` float64 (K,): as for
    `importance_log_weights`. Before each token the topics of all earlier
    ones are redrawn once by Gibbs sampling; the token's own topic is drawn from its conditional.
    """
    n, n_topics = beta.shape
    length = 0
    for i in range(n):
        length += counts[i]
    word, topic = np.empty(length, np.int64), np.empty(length, np.int64)
    place = 0
    for i in range(n):
        for _ in range(counts[i]):
            word[place] = i
            place += 1
    logs = np.zeros(n_particles)
    if _impossible(beta):
        logs[:] = -np.inf
        return logs
    prior_total = prior.sum()
    tokens, cumulative = np.empty(n_topics), np.empty(n_topics)
    for r in range(n_particles):
        tokens[:] = 0.0
        for t in range(length):
            for s in range(t + 1):
                if s < t:
                    tokens[topic[s]] -= 1.0
                total = 0.0
                for k in range(n_topics):
                    total += (prior[k] + tokens[k]) * beta[word[s], k]
                    cumulative[k] = total
                if s == t:
                    logs[r] += math.log(total / (prior_total + t))
                topic[s] = draw_index(cumulative, n_topics, rng.random())
                tokens[topic[s]] += 1.0
    return logs
