"""The bound of the HDP by direct assignment, from what its blocks keep; the mathematics is told in
`fit.py`. K topics, D documents.

gamma and alpha of the directly assigned HDP, learned by the bound that the method climbs.

gamma has a Gamma q of its own (as in Blei & Jordan 2006, appendix A), alpha a point estimate, each
under a Gamma prior. K topics, D documents.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import digamma, gammaln

from ...core.arrays import F64, I64
from ...inference.concentrations import (
    CONCENTRATION_PRIOR,
    log_gamma_density,
    mean_of_sticks,
    sticks_gamma_bound,
    within_reach,
)
from ...inference.dirichlet import Dirichlets
from ...inference.pool import Pool, here
from ...kernels import hdp_direct as kernels
from ...models.hdp import HDP
from .fit import DirectFit, fit_sticks, stick_sizes, sticks_bound, weights_of


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


def bound_of_learning(model: HDP, n_topics: int, gamma: bool, alpha: bool) -> float:
    """What q(gamma) and the point estimate of alpha add to the bound, where they are learned."""
    bound = sticks_gamma_bound(model.gamma, n_topics) if gamma else 0.0
    return bound + (log_gamma_density(model.alpha, CONCENTRATION_PRIOR) if alpha else 0.0)


def learn(fit: DirectFit, model: HDP, gamma: bool, alpha: bool, pool: Pool | None = None) -> HDP:
    """`model` with better concentrations, and `fit` with the sticks that go with them.

    alpha: the surrogate's D K ln alpha + alpha sum_k E pi_k sum_d E ln pi_dk has its maximum in
    closed form. gamma: (shape + K) / (rate - sum_k E ln(1 - stick_k)); as the sizes of the sticks
    depend on gamma, it is taken only if the bound rises.
    """
    columns = columns_of(fit, pool)
    if alpha:
        shape, rate = CONCENTRATION_PRIOR
        held = float(weights_of(fit.rho) @ columns.log_share)
        best = (shape - 1.0 + fit.n_docs * len(fit.rho)) / (rate - held)
        model = replace(model, alpha=within_reach(best))
    if gamma:
        omega = stick_sizes(len(fit.rho), model.gamma, fit.n_docs)
        log_left = float(np.sum(digamma((1.0 - fit.rho) * omega) - digamma(omega)))
        other = replace(model, gamma=mean_of_sticks(len(fit.rho), log_left))
        rho = fit_sticks(fit.rho, other.gamma, other.alpha, fit.n_docs, columns.log_share)
        before = bound_of(columns, model, fit.n_docs)
        after = bound_of(replace(columns, rho=rho), other, fit.n_docs)
        before += bound_of_learning(model, len(rho), True, False)
        after += bound_of_learning(other, len(rho), True, False)
        if after > before:
            model, fit.rho = other, rho
    return model
