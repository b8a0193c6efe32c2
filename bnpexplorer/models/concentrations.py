"""Learning gamma, alpha and eta from the data, each under a Gamma(shape, rate) prior.

Samplers draw them with auxiliary variables (Escobar & West 1995; Teh et al. 2006, appendix), which
leaves the joint law as it is; variational methods take the mean or the maximum of their part of the
bound (Hoffman et al. 2013, section 2.5).
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from ..kernels.jit import F64, I64
from ..kernels.tables import draw_total_tables

Prior = tuple[float, float]
"""Shape and rate of a Gamma distribution."""

CONCENTRATION_PRIOR: Prior = (1.0, 0.1)
"""Of gamma and alpha: mean 10, and nearly flat below it."""
ETA_PRIOR: Prior = (2.0, 10.0)
"""Of eta: mode 0.1, almost none beyond 0.7."""
SMALLEST, LARGEST = 1e-4, 1e4
"""Learned values stay between these."""


def within_reach(value: float) -> float:
    """`value`, moved to the nearest one that the mathematics can bear."""
    return float(min(max(value, SMALLEST), LARGEST))


# ---- for samplers: exact draws -----------------------------------------------------------------


def draw_gamma(
    gamma: float,
    n_customers: int,
    n_tables: int,
    rng: np.random.Generator,
    prior: Prior = CONCENTRATION_PRIOR,
) -> float:
    """gamma given that `n_customers` sit at `n_tables` (Escobar & West 1995, section 6).

    For a mixture documents are customers and components tables; for an HDP the tables of all
    documents are customers and topics are what they eat.
    """
    shape, rate = prior
    if n_customers == 0:
        return within_reach(rng.gamma(shape, 1.0 / rate))
    log_e = math.log(rng.beta(gamma + 1.0, n_customers))
    odds = (shape + n_tables - 1.0) / (n_customers * (rate - log_e))
    extra = rng.random() * (1.0 + odds) < odds
    shape += n_tables if extra else n_tables - 1.0
    return within_reach(rng.gamma(shape, 1.0 / (rate - log_e)))


def draw_alpha(
    alpha: float,
    doc_lengths: I64,
    n_tables: int,
    rng: np.random.Generator,
    prior: Prior = CONCENTRATION_PRIOR,
) -> float:
    """alpha given that documents of `doc_lengths` (D,) tokens have `n_tables` tables in all.

    Teh et al. 2006, equations A.5 to A.7; one round leaves the joint law as it is.
    """
    shape, rate = prior
    lengths = doc_lengths[doc_lengths > 0]
    log_w = np.log(rng.beta(alpha + 1.0, lengths)).sum()
    extra = (rng.random(len(lengths)) * (lengths + alpha) < lengths).sum()
    return within_reach(rng.gamma(shape + n_tables - extra, 1.0 / (rate - log_w)))


def draw_dirichlet_parameter(
    value: float,
    counts: I64,
    totals: I64,
    dimension: int,
    rng: np.random.Generator,
    prior: Prior,
) -> float:
    """The parameter of a symmetric Dirichlet over `dimension` categories, given draws from it.

    `counts` (any number,) are all positive counts, `totals` (R,) the draws of each of the R rows
    that share the parameter. For eta the rows are topics and the categories words; for LDA's alpha
    they are documents and topics. Gamma(c V) / Gamma(c V + n) is the integral of w^(c V - 1)
    (1 - w)^(n - 1), and Gamma(c + m) / Gamma(c) the sum over tables t of |s(m, t)| c^t; given w and
    the tables, the law of c is a Gamma (the construction of Escobar & West 1995 and Teh et al.
    2006, applied to every row).
    """
    shape, rate = prior
    rows = totals[totals > 0]
    log_w = np.log(np.maximum(rng.beta(dimension * value, rows), 1e-300)).sum()
    tables = draw_total_tables(counts, value, rng)
    return within_reach(rng.gamma(shape + tables, 1.0 / (rate - dimension * log_w)))


# ---- for variational methods -------------------------------------------------------------------


def solve_tables(
    tables: float,
    doc_lengths: F64,
    times: float,
    start: float,
    prior: Prior = CONCENTRATION_PRIOR,
    mode: bool = False,
) -> float:
    """The alpha for which documents of `doc_lengths` (S,) expect the tables that they have.

    Solves alpha (rate + times sum_d [psi(alpha + L_d) - psi(alpha)]) = shape + tables, with
    shape - 1 in place of shape if `mode`. `tables` stands for the whole corpus; the mini-batch of
    `doc_lengths` counts `times`. The left side grows with alpha, so there is one solution; `start`
    is returned where the right side is not positive.
    """
    shape, rate = prior
    wanted = tables + shape - (1.0 if mode else 0.0)
    if wanted <= 0.0:
        return start
    lengths, repeats = np.unique(doc_lengths, return_counts=True)

    def excess(log_alpha: float) -> float:
        alpha = math.exp(log_alpha)
        expected = times * float(repeats @ (digamma(alpha + lengths) - digamma(alpha)))
        return alpha * (rate + expected) - wanted

    low, high = math.log(SMALLEST), math.log(LARGEST)
    if excess(low) >= 0.0:
        return SMALLEST
    if excess(high) <= 0.0:
        return LARGEST
    return math.exp(brentq(excess, low, high, xtol=1e-10))
