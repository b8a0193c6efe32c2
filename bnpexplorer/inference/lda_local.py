"""The local step of LDA, which methods of other models take, too: where it begins and ends."""

import numpy as np

from ..core.arrays import F64
from ..kernels.tuples import Docs, LdaFit, TokenLaw
from ..state.snapshot import Topics
from .dirichlet import Dirichlets


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
