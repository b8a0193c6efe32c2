"""The bound of the HDP by direct assignment, from what its blocks keep; the mathematics is told in
`fit.py`. K topics, D documents."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ...core.arrays import F64, I64
from ...inference.dirichlet import Dirichlets
from ...inference.pool import Pool, here
from ...kernels import hdp_direct as kernels
from ...models.hdp import HDP
from .fit import DirectFit
from .sticks import sticks_bound


@dataclass(eq=False)
class Columns:
    """The bound's terms topic by topic, from which moves are judged. The rest is the last column of
    `log_share` and `held`."""

    evidence: F64
    """float64 (K,): c(eta) - c(lam_k), all that beta_k adds right after its update."""
    log_share: F64
    """float64 (K+1,): summed over blocks, as `held`."""
    held: F64
    rho: F64
    """float64 (K,)."""
    entropy: float
    constant: float
    """-sum_d lnGamma(alpha + L_d)."""


def columns_of(fit: DirectFit, pool: Pool | None = None) -> Columns:
    """The bound of `fit` by topic; needs `fit.complete` and lam = eta + the sum over blocks."""
    blocks, lam = fit.blocks, fit.lam
    evidence = np.empty(len(lam))

    def work(start: int, stop: int) -> None:
        stats = np.ascontiguousarray(lam.stats[:, lam.slots[start:stop]])
        evidence[start:stop] = kernels.topic_evidence(stats, lam.eta)

    here(pool, work, len(lam))
    return Columns(
        evidence,
        fit.log_share,
        np.sum([b.held for b in blocks], axis=0),
        fit.rho,
        sum(b.entropy for b in blocks),
        -float(sum(gammaln(b.total).sum() for b in blocks)),
    )


def evidence_of_pairs(lam: Dirichlets, pairs: I64, pool: Pool | None = None) -> F64:
    """What `Columns.evidence` would hold of two topics as one: float64 (P,).

    `pairs` int64 (P, 2): the two topics of each pair, by their places in `lam`.
    """
    evidence = np.empty(len(pairs))

    def work(start: int, stop: int) -> None:
        a, b = lam.slots[pairs[start:stop]].T
        both = lam.scale * (lam.stats[:, a] + lam.stats[:, b])
        evidence[start:stop] = kernels.topic_evidence(np.ascontiguousarray(both), lam.eta)

    here(pool, work, len(pairs))
    return evidence


def bound_of(columns: Columns, model: HDP, n_docs: int) -> float:
    """The evidence lower bound of the whole corpus."""
    sticks = sticks_bound(columns.rho, model.gamma, model.alpha, n_docs, columns.log_share)
    parts = columns.evidence.sum() + columns.held.sum() + columns.entropy + columns.constant
    return float(parts) + sticks
