"""The mathematics of a mixture's clusters: predictive, local step, bound (Wang & Blei 2012)."""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from ..core.arrays import F64, I32, I64
from ..corpus.corpus import Corpus
from ..kernels import mixture
from ..kernels.dirichlet import log_normaliser_terms
from ..kernels.special import distinct_words
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .slices import map_slices
from .sticks import expected_weights, stick_parameters


def log_predictive(topics: Topics, docs: Corpus, pool: Executor | None = None) -> F64:
    """ln p(x | q) of every document in natural logarithms, float64 (D,).

    The exact predictive ln [sum_k E pi_k DM(x | lam_k) + E pi_unseen DM(x | eta)], where DM is the
    Dirichlet-multinomial of an ordered sequence of tokens (no multinomial coefficient) and lam_k =
    `total[k] * topic_word[k]` (Wang & Blei 2012, section 2.3).
    """
    joint = log_joint(topics, docs, pool)
    largest = joint.max(axis=1)
    return np.asarray(largest + np.log(np.exp(joint - largest[:, None]).sum(axis=1)))


def log_joint(topics: Topics, docs: Corpus, pool: Executor | None) -> F64:
    """ln [E pi_k DM(x | lam_k)], float64 (D, K+1); the last column is a new component."""
    words, local = distinct_words(docs.word_ids, docs.n_words)
    known = topics.topic_word[:, words].T * topics.total
    lam, total = with_prior(known, topics.total, topics.eta, docs.n_words)
    weight = np.append(topics.weight, max(topics.unseen, 0.0))
    with np.errstate(divide="ignore"):  # truncated methods leave nothing unseen
        log_weight = np.log(weight)
    return np.asarray(log_weight + document_log_predictive(docs, local, lam, total, pool))


def document_log_predictive(
    docs: Corpus, local: I32, lam: F64, total: F64, pool: Executor | None
) -> F64:
    """ln DM(x_i | lam_k) of every document under every component, float64 (S, K).

    `lam` float64 (W, K) at the batch's W distinct words, `total` float64 (K,) over all V words.
    """
    out = np.empty((docs.n_docs, len(total)))

    def work(start: int, stop: int) -> None:
        mixture.log_predictive(docs.indptr, local, docs.counts, lam, total, out, start, stop)

    map_slices(pool, work, docs.n_docs)
    return out


def with_prior(lam: F64, total: F64, eta: float, n_words: int) -> tuple[F64, F64]:
    """`lam` (W, K) and `total` (K,) with the prior as component K: (W, K+1) and (K+1,)."""
    wider = np.empty((lam.shape[0], lam.shape[1] + 1))
    wider[:, :-1], wider[:, -1] = lam, eta
    return wider, np.append(total, n_words * eta)


def mixture_topics(
    lam: Dirichlets, n: F64, topic_ids: I64, gamma: float, truncated: bool
) -> Topics:
    """`Topics` of a mixture posterior with `n` float64 (K,) expected documents per component."""
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


@dataclass(frozen=True, eq=False)
class MixtureLocal:
    """What S documents add up to under mean field."""

    stats: F64
    """float64 (W, K): sum_i phi_ik c_iw."""
    n: F64
    """float64 (K,): sum_i phi_ik."""
    entropy: float
    """-sum_ik phi_ik ln phi_ik."""


def fit_mixture_documents(
    docs: Corpus, local: I32, log_topics: F64, log_weights: F64, pool: Executor | None
) -> MixtureLocal:
    """q(z_i = k) proportional to exp{E ln pi_k + sum_w c_iw E ln beta_kw} (equation 5).

    `log_topics` float64 (W, K) at the batch's W distinct words, `log_weights` float64 (K,).
    """
    share = np.empty((docs.n_docs, len(log_weights)))
    entropy = np.empty(docs.n_docs)

    def work(start: int, stop: int) -> None:
        mixture.fit_documents(
            docs.indptr, local, docs.counts, log_topics, log_weights, share, entropy, start, stop
        )

    map_slices(pool, work, docs.n_docs)
    stats = mixture.gather_stats(docs.indptr, local, docs.counts, share, len(log_topics))
    return MixtureLocal(stats, share.sum(axis=0), float(entropy.sum()))


def mixture_bound(lam: Dirichlets, n: F64, entropy: float, gamma: float) -> float:
    """The evidence lower bound right after a global step of the truncated q.

    There lam - eta and N hold exactly the sums over documents, so that the expectations of ln p(x,
    z | beta) cancel against those of q's own densities, and what remains is the ratio of
    normalisers of prior and q plus the entropy of the assignments.
    """
    sticks_a, sticks_b = (x[:-1] for x in stick_parameters(n, gamma))
    sticks = float(np.sum(np.log(gamma) + betaln(sticks_a, sticks_b)))
    return sticks + log_evidence_of_words(lam) + entropy


def log_evidence_of_words(lam: Dirichlets) -> float:
    """sum_k ln of the normaliser of Dir(lam_k) over that of Dir(eta).

    For lam = eta + counts: ln p(x | z), with the components integrated out.
    """
    log_gammas, _ = log_normaliser_terms(lam.stats, lam.slots, lam.scale, lam.eta)
    prior = gammaln(lam.n_words * lam.eta) - lam.n_words * gammaln(lam.eta)
    return float(np.sum(prior + log_gammas - gammaln(lam.total)))


def log_collapsed_joint(lam: Dirichlets, n: F64, gamma: float) -> float:
    """ln p(x, z) of the drawn partition, sticks and components integrated out (Neal 2000)."""
    restaurant = len(n) * np.log(gamma) + gammaln(n).sum() + gammaln(gamma)
    return float(restaurant - gammaln(gamma + n.sum()) + log_evidence_of_words(lam))
