"""gamma and alpha of the directly assigned HDP, learned by the bound that the method climbs.

gamma has a Gamma q of its own (as in Blei & Jordan 2006, appendix A), alpha a point estimate, each
under a Gamma prior. K topics, D documents.
"""

from dataclasses import replace

import numpy as np
from scipy.special import digamma

from ...inference.concentrations import (
    CONCENTRATION_PRIOR,
    log_gamma_density,
    mean_of_sticks,
    sticks_gamma_bound,
    within_reach,
)
from ...inference.pool import Pool
from ...models.hdp import HDP
from .bound import bound_of, columns_of
from .fit import DirectFit
from .sticks import fit_sticks, stick_sizes, weights_of


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
