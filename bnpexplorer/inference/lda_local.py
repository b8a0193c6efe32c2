"""The local step of LDA, which methods of other models take, too: where it begins and ends."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64
from ..kernels.admixture import fit_documents, gather_stats
from ..kernels.tuples import Docs, LdaFit, TokenLaw, Until
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .slices import Slice, Sum


class LdaGiven(NamedTuple):
    """What all documents of a batch are fitted to."""

    word_factor: F64
    """float64 (W, K): exp E ln beta up to a factor per word."""
    prior: F64
    """float64 (K,): Dirichlet prior of the proportions."""
    until: Until


class LdaFitted(NamedTuple):
    """The documents of a slice, fitted."""

    gamma: F64
    """float64 (S, K): q(theta_d) = Dir(gamma_d)."""
    log_mix: F64
    """float64 (S,), as in `LdaFit`."""
    stats: Sum
    """sum_d c_dw phi_dwk."""


def fit_slice(piece: Slice, start: F64, given: LdaGiven) -> LdaFitted:
    """The local step of some documents from `start` float64 (S, K), and what topics need of it."""
    factor = given.word_factor[piece.words]
    fit = unfitted(piece.docs, start.copy())
    fit_documents(0, len(start), piece.docs, factor, given.prior, fit, given.until)
    stats = gather_stats(law_of(piece.docs, fit, factor))
    return LdaFitted(fit.gamma, fit.log_mix, Sum(piece.words, stats))


def unfitted(docs: Docs, gamma: F64) -> LdaFit:
    """Room for the fit of `docs` from the start `gamma` float64 (S, K), which it overwrites."""
    n_entries, n_docs = len(docs.local), len(gamma)
    return LdaFit(gamma, np.empty_like(gamma), np.empty(n_entries), np.empty(n_docs))


def law_of(docs: Docs, fit: LdaFit, word_factor: F64) -> TokenLaw:
    """q(z) after the fit of `docs` to topics with `word_factor` float64 (W, K)."""
    return TokenLaw(docs.indptr, docs.local, fit.ratio, fit.theta_factor, word_factor)


def lda_topics(alpha: float, lam: Dirichlets) -> Topics:
    """`Topics` of an LDA posterior: the weights are the prior's, 1 / K each; `alpha` per topic."""
    return Topics(
        topic_word=lam.expected(),
        total=lam.total,
        size=lam.size,
        weight=np.full(len(lam), 1.0 / len(lam)),
        unseen=0.0,
        topic_ids=np.arange(len(lam), dtype=np.int64),
        concentration=alpha * len(lam),
        gamma=float("nan"),
        eta=lam.eta,
    )
