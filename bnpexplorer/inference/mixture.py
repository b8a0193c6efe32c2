"""The mathematics of a mixture's clusters: predictive, local step, bound (Wang & Blei 2012)."""

import numpy as np
from scipy.special import betaln, gammaln

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..kernels import mixture
from ..kernels.tuples import Docs
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool
from .slices import by_distinct_word, map_slices
from .sticks import expected_weights, stick_parameters


def log_predictive(topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
    """ln p(x | q) of every document in natural logarithms, float64 (D,).

    The exact predictive ln [sum_k E pi_k DM(x | lam_k) + E pi_unseen DM(x | eta)], where DM is the
    Dirichlet-multinomial of an ordered sequence of tokens (no multinomial coefficient) and lam_k =
    `total[k] * topic_word[k]` (Wang & Blei 2012, section 2.3).
    """
    joint = log_joint(topics, docs, pool)
    largest = joint.max(axis=1)
    return np.asarray(largest + np.log(np.exp(joint - largest[:, None]).sum(axis=1)))


def log_joint(topics: Topics, docs: Corpus, pool: Pool | None) -> F64:
    """ln [E pi_k DM(x | lam_k)], float64 (D, K+1); the last column is a new component."""
    words, entries = by_distinct_word(docs)
    known = topics.topic_word[:, words].T * topics.total
    lam, total = with_prior(known, topics.total, topics.eta, docs.n_words)
    weight = np.append(topics.weight, max(topics.unseen, 0.0))
    with np.errstate(divide="ignore"):  # truncated methods leave nothing unseen
        log_weight = np.log(weight)
    return np.asarray(log_weight + document_log_predictive(entries, lam, total, pool))


def document_log_predictive(docs: Docs, lam: F64, total: F64, pool: Pool | None) -> F64:
    """ln DM(x_i | lam_k) of every document under every component, float64 (S, K).

    `lam` float64 (W, K): at the batch's W distinct words. `total` float64 (K,): over all V words.
    """
    n_docs = len(docs.indptr) - 1
    out = np.empty((n_docs, len(total)))
    whole = docs.counts.dtype.kind == "i"
    of_documents = mixture.log_predictive if whole else mixture.log_predictive_of_weights
    map_slices(pool, n_docs, of_documents, docs, lam, total, out)
    return out


def with_prior(lam: F64, total: F64, eta: float, n_words: int) -> tuple[F64, F64]:
    """Dirichlets with the prior as component K: float64 (W, K+1) and float64 (K+1,).

    `lam` float64 (W, K): at some words. `total` float64 (K,): over all V of them.
    """
    wider = np.empty((lam.shape[0], lam.shape[1] + 1))
    wider[:, :-1], wider[:, -1] = lam, eta
    return wider, np.append(total, n_words * eta)


def mixture_topics(
    lam: Dirichlets, n: F64, topic_ids: I64, gamma: float, truncated: bool
) -> Topics:
    """`Topics` of a mixture posterior.

    `n` float64 (K,): expected documents of each component. `topic_ids` int64 (K,): identities.
    """
    weight, unseen = expected_weights(n, gamma, truncated)
    return Topics(
        topic_word=lam.expected(),
        total=lam.total,
        size=n.copy(),
        weight=weight,
        unseen=unseen,
        topic_ids=topic_ids.copy(),
        concentration=float("nan"),
        gamma=gamma,
        eta=lam.eta,
    )


def mixture_bound(
    lam: Dirichlets, n: F64, entropy: float, gamma: float, pool: Pool | None = None
) -> float:
    """The evidence lower bound right after a global step of the truncated q.

    There lam - eta and N hold exactly the sums over documents, so that the expectations of ln p(x,
    z | beta) cancel against those of q's own densities, and what remains is the ratio of
    normalisers of prior and q plus the `entropy` of the assignments. `n` float64 (K,): the expected
    documents of each component.
    """
    sticks_a, sticks_b = (x[:-1] for x in stick_parameters(n, gamma))
    sticks = float(np.sum(np.log(gamma) + betaln(sticks_a, sticks_b)))
    return sticks + log_evidence_of_words(lam, pool) + entropy


def log_evidence_of_words(lam: Dirichlets, pool: Pool | None = None) -> float:
    """sum_k ln of the normaliser of Dir(lam_k) over that of Dir(eta).

    For lam = eta + counts: ln p(x | z), with the components integrated out.
    """
    log_gammas, _ = lam.log_normaliser_terms(pool)
    prior = gammaln(lam.n_words * lam.eta) - lam.n_words * gammaln(lam.eta)
    return float(np.sum(prior + log_gammas - gammaln(lam.total)))


def log_collapsed_joint(lam: Dirichlets, n: F64, gamma: float) -> float:
    """ln p(x, z) of the drawn partition, sticks and components integrated out (Neal 2000).

    `n` float64 (K,): the documents of each component.
    """
    restaurant = len(n) * np.log(gamma) + gammaln(n).sum() + gammaln(gamma)
    return float(restaurant - gammaln(gamma + n.sum()) + log_evidence_of_words(lam))
