"""Slow twins of the truncated mean-field methods, written from the papers, and exact enumeration.

Bounds are sums of expectations under q, term by term, with entropies from scipy.stats; updates are
loops over documents, words, sticks and topics. Nothing here is shared with the package.
"""

from itertools import product

import numpy as np
from scipy import stats
from scipy.special import betaln, digamma, gammaln

from bnpexplorer.corpus.corpus import Batch, Corpus


def corpus_of(counts):
    return Corpus.from_csr(np.asarray(counts))


def blocks_of(corpus, n_blocks=1):
    """The batches of one pass of a `fixed` method, rows in an order of their own."""
    rows = np.random.default_rng(7).permutation(corpus.n_docs)
    parts = np.array_split(rows, n_blocks)
    return [Batch(corpus.take(part), part, i, n_blocks) for i, part in enumerate(parts)]


def run_pass(method, state, corpus, rng, n_blocks=1, pool=None):
    """One pass of a `fixed` method; the state and the last Info."""
    info = None
    for batch in blocks_of(corpus, n_blocks):
        state, info = method.step(state, batch, rng, pool)
    return state, info


def n_found(topic_word, truth, within=0.25):
    """How many true topics some learned topic resembles, in total variation distance."""
    apart = 0.5 * np.abs(truth[:, None] - np.asarray(topic_word)[None]).sum(axis=2)
    return int((apart.min(axis=1) < within).sum())


def random_counts(rng, n_docs=8, n_words=7, mean=1.0):
    counts = rng.poisson(mean, (n_docs, n_words))
    counts[:, 0] += 1
    return counts


def elog_topics(lam):
    """E ln beta, (K, V)."""
    return np.array([digamma(row) - digamma(row.sum()) for row in lam])


def topics_bound(lam, eta):
    """E ln p(beta) + H(q(beta))."""
    n_words = lam.shape[1]
    total = 0.0
    for row, elog in zip(lam, elog_topics(lam), strict=True):
        total += gammaln(n_words * eta) - n_words * gammaln(eta) + (eta - 1.0) * elog.sum()
        if n_words > 1:
            total += stats.dirichlet(row).entropy()
    return total


# --------------------------------------------------------------------------------------------- LDA


def lda_phi(counts, lam, gamma):
    """q(z) of every document and word, (D, V, K), optimal for `gamma` and `lam`."""
    elog = elog_topics(lam)
    phi = np.zeros((*counts.shape, len(lam)))
    for d in range(len(counts)):
        for w in range(counts.shape[1]):
            weight = np.exp(digamma(gamma[d]) - digamma(gamma[d].sum()) + elog[:, w])
            phi[d, w] = weight / weight.sum()
    return phi


def lda_gamma(counts, lam, gamma, alpha, iterations):
    """Figure 6, lines 6 to 9, a fixed number of times."""
    for _ in range(iterations):
        phi = lda_phi(counts, lam, gamma)
        gamma = alpha + np.einsum("dw,dwk->dk", counts, phi)
    return gamma


def lda_bound(counts, lam, gamma, phi, alpha, eta):
    """The evidence lower bound, equation 4, of any q in the family."""
    elog = elog_topics(lam)
    n_topics = len(lam)
    bound = topics_bound(lam, eta)
    for d in range(len(counts)):
        elog_theta = digamma(gamma[d]) - digamma(gamma[d].sum())
        bound += gammaln(n_topics * alpha) - n_topics * gammaln(alpha)
        bound += (alpha - 1.0) * elog_theta.sum()
        if n_topics > 1:
            bound += stats.dirichlet(gamma[d]).entropy()
        for w in np.flatnonzero(counts[d]):
            for k in range(n_topics):
                p = phi[d, w, k]
                if p > 0.0:
                    bound += counts[d, w] * p * (elog_theta[k] + elog[k, w] - np.log(p))
    return bound


def dirichlet_multinomial(n, parameter):
    """ln of the probability of a sequence with counts `n` under a symmetric Dirichlet."""
    n = np.asarray(n, dtype=float)
    return (
        gammaln(len(n) * parameter)
        - gammaln(len(n) * parameter + n.sum())
        + np.sum(gammaln(parameter + n) - gammaln(parameter))
    )


def log_sum_exp(values):
    values = np.asarray(values)
    return float(values.max() + np.log(np.exp(values - values.max()).sum()))


def tokens_of(counts):
    """(document, word) of every token."""
    return [(d, w) for d, row in enumerate(counts) for w, c in enumerate(row) for _ in range(c)]


def lda_evidence(counts, n_topics, alpha, eta):
    """ln p(corpus): the sum over all assignments, topics and proportions integrated out."""
    tokens = tokens_of(counts)
    terms = []
    for z in product(range(n_topics), repeat=len(tokens)):
        by_doc = np.zeros((len(counts), n_topics))
        by_word = np.zeros((n_topics, counts.shape[1]))
        for (d, w), k in zip(tokens, z, strict=True):
            by_doc[d, k] += 1
            by_word[k, w] += 1
        terms.append(
            sum(dirichlet_multinomial(n, alpha) for n in by_doc)
            + sum(dirichlet_multinomial(n, eta) for n in by_word)
        )
    return log_sum_exp(terms)


# --------------------------------------------------------------------------------------------- HDP


def elog_sticks(a, b):
    """E ln of the weights whose sticks are Beta(a_i, b_i) and, last, 1: one more than sticks."""
    out, left = [], 0.0
    for x, y in zip(a, b, strict=True):
        out.append(left + digamma(x) - digamma(x + y))
        left += digamma(y) - digamma(x + y)
    return np.array([*out, left])


def betas_bound(a, b, concentration):
    """E ln p + H(q) of sticks that are Beta(1, concentration) a priori."""
    bound = 0.0
    for x, y in zip(a, b, strict=True):
        bound += np.log(concentration)
        bound += (concentration - 1.0) * (digamma(y) - digamma(x + y))
        bound += stats.beta(x, y).entropy()
    return bound


def corpus_sticks(tables, gamma):
    """u and v of equations 19 and 20, (K-1,) each, from the counts of the topics."""
    u = [1.0 + tables[k] for k in range(len(tables) - 1)]
    v = [gamma + sum(tables[k + 1 :]) for k in range(len(tables) - 1)]
    return np.array(u), np.array(v)


def hdp_document_bound(row, elog, elog_pi, phi, zeta, a, b, alpha):
    """One document's terms of equation 14; `phi` (V, T), `zeta` (T, K), `a`, `b` (T-1,)."""
    elog_sigma = elog_sticks(a, b)
    bound = betas_bound(a, b, alpha)
    n_sticks, n_topics = zeta.shape
    for i in range(n_sticks):
        for k in range(n_topics):
            if zeta[i, k] > 0.0:
                bound += zeta[i, k] * (elog_pi[k] - np.log(zeta[i, k]))
    for w in np.flatnonzero(row):
        for i in range(n_sticks):
            if phi[w, i] > 0.0:
                expected = sum(zeta[i, k] * elog[k, w] for k in range(n_topics))
                bound += row[w] * phi[w, i] * (elog_sigma[i] + expected - np.log(phi[w, i]))
    return bound


def hdp_bound(counts, lam, u, v, documents, gamma, alpha, eta):
    """Equation 14; `documents` holds (phi, zeta, a, b) of every document."""
    elog, elog_pi = elog_topics(lam), elog_sticks(u, v)
    bound = topics_bound(lam, eta) + betas_bound(u, v, gamma)
    for row, (phi, zeta, a, b) in zip(counts, documents, strict=True):
        bound += hdp_document_bound(row, elog, elog_pi, phi, zeta, a, b, alpha)
    return bound


def softmax(logs):
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def hdp_document(row, elog, elog_pi, phi, alpha, iterations):
    """Equations 15 to 18 over and over from `phi` (V, T): (phi, zeta, a, b)."""
    n_words, n_sticks = phi.shape
    n_topics = len(elog_pi)
    for _ in range(iterations):
        mass = [sum(row[w] * phi[w, i] for w in range(n_words)) for i in range(n_sticks)]
        a = np.array([1.0 + mass[i] for i in range(n_sticks - 1)])
        b = np.array([alpha + sum(mass[i + 1 :]) for i in range(n_sticks - 1)])
        zeta = np.zeros((n_sticks, n_topics))
        for i in range(n_sticks):
            fit = [
                sum(row[w] * phi[w, i] * elog[k, w] for w in range(n_words))
                for k in range(n_topics)
            ]
            zeta[i] = softmax(elog_pi + np.array(fit))
        elog_sigma = elog_sticks(a, b)
        phi = np.array([softmax(elog_sigma + zeta @ elog[:, w]) for w in range(n_words)])
    return phi, zeta, a, b


def hdp_statistics(counts, documents, n_topics):
    """sum_d c_dw sum_i phi zeta, (K, V), and sum_d sum_i zeta, (K,) (equations 19 and 21)."""
    by_word, tables = np.zeros((n_topics, counts.shape[1])), np.zeros(n_topics)
    for row, (phi, zeta, _, _) in zip(counts, documents, strict=True):
        for i in range(len(zeta)):
            tables += zeta[i]
            for w in np.flatnonzero(row):
                by_word[:, w] += row[w] * phi[w, i] * zeta[i]
    return by_word, tables


def log_stick_moments(n, concentration):
    """ln E prod_i weight_i^n_i for sticks Beta(1, concentration), the last of them 1."""
    return sum(
        betaln(1.0 + n[i], concentration + sum(n[i + 1 :])) - betaln(1.0, concentration)
        for i in range(len(n) - 1)
    )


def hdp_evidence(counts, n_topics, n_sticks, gamma, alpha, eta):
    """ln p(corpus) of the truncated model: all sticks' topics and all tokens' sticks summed over,
    the Betas and Dirichlets integrated out."""
    tokens = tokens_of(counts)
    n_docs, n_words = counts.shape
    terms = []
    for c in product(range(n_topics), repeat=n_docs * n_sticks):
        dish = np.array(c).reshape(n_docs, n_sticks)
        prior = log_stick_moments(np.bincount(c, minlength=n_topics).tolist(), gamma)
        for z in product(range(n_sticks), repeat=len(tokens)):
            on_stick = np.zeros((n_docs, n_sticks))
            by_word = np.zeros((n_topics, n_words))
            for (d, w), i in zip(tokens, z, strict=True):
                on_stick[d, i] += 1
                by_word[dish[d, i], w] += 1
            terms.append(
                prior
                + sum(log_stick_moments(n.tolist(), alpha) for n in on_stick)
                + sum(dirichlet_multinomial(n, eta) for n in by_word)
            )
    return log_sum_exp(terms)
