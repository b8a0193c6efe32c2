"""The mathematics of a mixture's clusters: predictive, local step, bound (Wang & Blei 2012).

The local step of a truncated mixture: the components of a batch's documents, and their words.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..kernels import mixture
from ..kernels.dirichlet import sum_words
from ..kernels.mixture import fit_documents
from ..kernels.tuples import Docs, MixtureFit
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool, in_place, joined
from .slices import Slice, by_distinct_word, map_slices, slices_of, writeable
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
    return float(restaurant - gammaln(gamma + n.sum()) + lam.log_evidence())


class MixtureGiven(NamedTuple):
    """Parameters that all documents of a batch are fitted to."""

    log_topics: F64
    """float64 (W, K): E ln beta."""
    log_weights: F64
    """float64 (K,): E ln pi."""


class MixtureFitted(NamedTuple):
    """The documents of a batch, fitted."""

    share: F64
    """float64 (S, K): phi_dk = q(z_d = k)."""
    entropy: F64
    """float64 (S,): -sum_k phi_dk ln phi_dk."""
    stats: F64
    """float64 (W, K): sum_d c_dw phi_dk."""


def fit_batch(pool: Pool | None, docs: Docs, given: MixtureGiven) -> MixtureFitted:
    """The local step of a batch, and what components need of it."""
    fit = _fit(pool, docs, given)
    stats, amounts = np.empty_like(given.log_topics), docs.counts.astype(np.float64)
    map_slices(pool, len(stats), sum_words, docs, amounts, fit.share, stats)
    return MixtureFitted(fit.share, fit.entropy, stats)


def _fit(pool: Pool | None, docs: Docs, given: MixtureGiven) -> MixtureFit:
    if not in_place(pool):
        pieces = [(piece,) for piece in slices_of(docs, len(given.log_topics), pool)]
        return MixtureFit(*joined(pool, fit_slice, pieces, given))
    n_docs = len(docs.indptr) - 1
    fit = _unfitted(n_docs, given)
    map_slices(pool, n_docs, fit_documents, docs, *given, fit)
    return fit


def fit_slice(piece: Slice, given: MixtureGiven) -> MixtureFit:
    """The local step of some documents, wherever that is done: the numbers of a document are its
    own, with the bits that they have beside any others."""
    docs, n_docs = piece.sound().docs, piece.last - piece.first
    log_topics, log_weights = given.log_topics[piece.words], writeable(given.log_weights)
    fit = _unfitted(n_docs, given)
    fit_documents(0, n_docs, docs, log_topics, log_weights, fit)
    return fit


def _unfitted(n_docs: int, given: MixtureGiven) -> MixtureFit:
    """Room for the fit, which needs no start."""
    return MixtureFit(np.empty((n_docs, len(given.log_weights))), np.empty(n_docs))
