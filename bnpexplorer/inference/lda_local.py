"""The local step of LDA, which methods of other models take, too."""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I32, I64
from ..kernels import admixture
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .slices import map_slices


@dataclass(frozen=True, eq=False)
class LdaLocal:
    """The fitted q(theta) and q(z) of S documents."""

    gamma: F64
    """float64 (S, K)."""
    theta_factor: F64
    """float64 (S, K): exp E ln theta up to a factor per document."""
    ratio: F64
    """float64 (U,)."""
    log_mix: float
    """sum_dw c_dw ln sum_k exp(psi(gamma_dk)) word_factor_wk."""


def fit_lda_documents(
    indptr: I64,
    local: I32,
    counts: I32,
    word_factor: F64,
    prior: F64,
    gamma: F64,
    pool: Executor | None,
    max_iterations: int,
    tolerance: float,
) -> LdaLocal:
    """Fit every document's q(theta) from the start `gamma` (S, K), which is overwritten."""
    n_docs = len(indptr) - 1
    theta_factor = np.empty_like(gamma)
    ratio, log_mix = np.empty(len(local)), np.empty(n_docs)

    def work(start: int, stop: int) -> None:
        admixture.fit_documents(
            indptr,
            local,
            counts,
            word_factor,
            prior,
            gamma,
            theta_factor,
            ratio,
            log_mix,
            start,
            stop,
            max_iterations,
            tolerance,
        )

    map_slices(pool, work, n_docs)
    return LdaLocal(gamma, theta_factor, ratio, float(log_mix.sum()))


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
