"""The local step of Liu et al. 2022: Gibbs draws of every token's topic, and what the draws count.

Topics and weights stand still while a batch of S documents, N tokens and W distinct words is drawn;
K topics are known before, others are opened on the way. `draws` int32 (T, N) holds the topics of
all tokens after each of the T sweeps that are kept: the empirical law of section 4.2.
"""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .hdp_collapsed import pick_slot, running_sums
from .jit import kernel
from .special import digamma, log_rising
from .tables import mean_table_count
from .tuples import Prior, Sweeps, Tokens, TopicFactors

LARGEST_LOG, FLOOR = 300.0, 1e-150
"""Word factors of new topics stay between FLOOR and exp(LARGEST_LOG)."""
SMALLEST_PSI = -200.0
"""psi(V eta), about -1 / (V eta), is taken to be no smaller, which matters below V eta = 0.005.

An opened topic's share is a word factor over exp(psi(V eta)) times `scale`, which holds
exp(psi(V eta)): the one would pass LARGEST_LOG and the other vanish. With two words or more a new
topic's factor is then still below exp(-200) of a topic's that knows the word: one in 1e86 draws.
"""


@kernel
def psi_of_prior(eta: float, n_words: int) -> float:
    """psi(V eta), bounded below, for the topic of nothing but the prior."""
    return max(digamma(n_words * eta), SMALLEST_PSI)


@kernel
def _longer(x: F64, n: int) -> F64:
    """`x` float64 (any number,) with zeros at the end: float64 (n,)."""
    out = np.zeros(n)
    for k in range(x.size):
        out[k] = x[k]
    return out


@kernel
def _wider(x: F64, n_kept: int, n: int) -> F64:
    """The first `n_kept` columns of `x` float64 (R, any number) and zeros: float64 (R, n)."""
    out = np.zeros((x.shape[0], n))
    for i in range(x.shape[0]):
        for k in range(n_kept):
            out[i, k] = x[i, k]
    return out


@kernel
def sample_documents(
    tokens: Tokens,
    topics: TopicFactors,
    prior: Prior,
    eta: float,
    sweeps: Sweeps,
    warm: bool,
    room: int,
    rng: np.random.Generator,
) -> tuple[I32, F64, float]:
    """Draw the topics of all tokens, document by document: equation (B.3).

    p(z = k) is proportional to (alpha m_k + n_dk) exp(E ln beta_kw) without the token itself, a new
    topic to alpha m_0 times a word factor of its own. A topic that is opened takes the share
    1 / (1 + gamma) of the rest (the mean of Beta(1, gamma)), and may be joined by all later tokens
    of the batch; if `warm`, its Dirichlet holds the tokens that sit in it now (without the one
    being drawn), else none. There is room for `room` topics before more is made, which has no
    influence on the draws.

    Returns `(draws, weights of old and opened topics, rest)`: int32 (T, N), float64 (K + opened,)
    and a number.
    """
    doc_start, token_word = tokens
    factor, shift, weight, rest = topics
    alpha, gamma, n_words = prior
    burn_in, n_kept = sweeps
    n_old, n_rows = weight.size, factor.shape[0]
    unseen, opening = factor[:, n_old].copy(), factor[:, n_old + 1].copy()
    psi_total = psi_of_prior(eta, n_words)
    n_open, n_slots = n_old, -(-(n_old + room) // 8) * 8
    factor = _wider(factor, n_old, n_slots)
    here = np.zeros((n_rows, n_slots - n_old))  # tokens of opened topics
    weight, total = _longer(weight, n_slots), np.zeros(n_slots)
    scale = np.empty(n_slots)  # of opened topics: exp(psi(V eta) - psi(V eta + n_k))
    for k in range(n_slots):
        scale[k] = 1.0
    n_doc, coefficient = np.zeros(n_slots), np.zeros(n_slots)
    blocks = np.empty(n_slots // 8)
    draws = np.empty((n_kept, token_word.size), np.int32)
    topic = np.empty(token_word.size, np.int32)
    for d in range(doc_start.size - 1):
        n_doc[:] = 0.0
        for k in range(n_open):
            coefficient[k] = alpha * weight[k] * scale[k]
        for sweep in range(1 + burn_in + n_kept):  # the first one seats the tokens
            for i in range(doc_start[d], doc_start[d + 1]):
                w = token_word[i]
                if sweep > 0:
                    k = topic[i]
                    n_doc[k] -= 1.0
                    if warm and k >= n_old:
                        here[w, k - n_old] -= 1.0
                        total[k] -= 1.0
                        log_factor = digamma(eta + here[w, k - n_old]) - psi_total - shift[w]
                        factor[w, k] = max(math.exp(min(log_factor, LARGEST_LOG)), FLOOR)
                        log_scale = psi_total - digamma(n_words * eta + total[k])
                        scale[k] = math.exp(min(log_scale, 0.0))  # 1 if the topic is empty
                    coefficient[k] = (n_doc[k] + alpha * weight[k]) * scale[k]
                mass = running_sums(coefficient, factor[w], blocks)
                u = rng.random() * (mass + alpha * rest * opening[w])
                if u < mass:
                    k = pick_slot(coefficient, factor[w], blocks, u)
                else:
                    if n_open == n_slots:
                        n_slots += 8 * (2 + n_slots // 32)
                        factor = _wider(factor, n_open, n_slots)
                        here = _wider(here, n_open - n_old, n_slots - n_old)
                        weight, total = _longer(weight, n_slots), _longer(total, n_slots)
                        scale, n_doc = _longer(scale, n_slots), _longer(n_doc, n_slots)
                        coefficient = _longer(coefficient, n_slots)
                        blocks = np.empty(n_slots // 8)
                    k = n_open
                    n_open += 1
                    weight[k] = rest / (1.0 + gamma)
                    rest *= gamma / (1.0 + gamma)
                    scale[k] = 1.0
                    for v in range(n_rows):
                        factor[v, k] = unseen[v]
                topic[i] = k
                n_doc[k] += 1.0
                if warm and k >= n_old:
                    here[w, k - n_old] += 1.0
                    total[k] += 1.0
                    log_factor = digamma(eta + here[w, k - n_old]) - psi_total - shift[w]
                    factor[w, k] = max(math.exp(min(log_factor, LARGEST_LOG)), FLOOR)
                    scale[k] = math.exp(psi_total - digamma(n_words * eta + total[k]))
                coefficient[k] = (n_doc[k] + alpha * weight[k]) * scale[k]
                if sweep > burn_in:
                    draws[sweep - burn_in - 1, i] = k
    return draws, weight[:n_open].copy(), rest


@kernel
def count_words(draws: I32, token_word: I32, n_rows: int, n_topics: int) -> F64:
    """Mean over sweeps of the tokens of each word in each topic: float64 (W, K).

    `draws` int32 (T, N): the topics of all tokens after each kept sweep. `token_word` int32 (N,):
    their words, rows of the result. `n_rows` is W, `n_topics` K.
    """
    counts = np.zeros((n_rows, n_topics))
    share = 1.0 / draws.shape[0]
    for t in range(draws.shape[0]):
        for i in range(token_word.size):
            counts[token_word[i], draws[t, i]] += share
    return counts


@kernel
def count_tables(doc_start: I64, draws: I32, mass: F64) -> tuple[F64, F64, float]:
    """Tables, documents and log moments of the draws.

    `doc_start` int64 (S+1,): where each document's tokens begin. `draws` int32 (T, N): the topics
    of all tokens after each kept sweep. `mass` float64 (K,): b, what the prior of a document gives
    to each topic. Sums over documents of means over sweeps: the expected tables b_k [psi(b_k +
    n_dk) - psi(b_k)] of each topic, whether it is used at all, both float64 (K,), and over all
    topics lnGamma(b_k + n_dk) - lnGamma(b_k), with b = `mass`.
    """
    tables, docs = np.zeros(mass.size), np.zeros(mass.size)
    log_moments = 0.0
    n_doc = np.zeros(mass.size, np.int64)
    share = 1.0 / draws.shape[0]
    for t in range(draws.shape[0]):
        for d in range(doc_start.size - 1):
            for i in range(doc_start[d], doc_start[d + 1]):
                n_doc[draws[t, i]] += 1
            for i in range(doc_start[d], doc_start[d + 1]):
                k = draws[t, i]
                if n_doc[k] > 0:
                    tables[k] += share * mean_table_count(n_doc[k], mass[k])
                    docs[k] += share
                    log_moments += share * log_rising(mass[k], n_doc[k])
                    n_doc[k] = 0
    return tables, docs, log_moments
