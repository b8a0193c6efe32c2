"""Learning gamma, alpha and eta from the data, each under a Gamma(shape, rate) prior.

Samplers draw them with auxiliary variables (Escobar & West 1995; Teh et al. 2006, appendix), which
leaves the joint law as it is; variational methods take the mean or the maximum of their part of the
bound (Hoffman et al. 2013, section 2.5).

Off in every class. In topic models also by default: over KOS and the State of the Union, learning
gamma or alpha changed held-out scores by -0.05 to +0.02, eta by -0.04 to +0.05, and the papers fix
them. `dpm-gibbs` learns eta by default: no fixed value suits short and long texts.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from ..core.arrays import F64, I64
from ..kernels.tables import draw_parameter
from .dirichlet import Dirichlets
from .pool import Pool
from .sticks import stick_parameters

Prior = tuple[float, float]
"""Shape and rate of a Gamma distribution."""

CONCENTRATION_PRIOR: Prior = (1.0, 0.1)
"""Of gamma and alpha: mean 10, and nearly flat below it."""
ETA_PRIOR: Prior = (2.0, 10.0)
"""Of eta: mode 0.1, almost none beyond 0.7."""
SMALLEST, LARGEST = 1e-3, 1e3
"""A learned gamma or alpha of an HDP stays between these, the range that the models allow."""
LARGEST_DIRICHLET = 100.0
"""So does every eta, and the alpha of LDA, below this."""
ROUNDS = 10
"""Draws of a Dirichlet's parameter at a time: its tables hold it near where it was, so that after
one draw a pass LDA's alpha had not left its start by the end of a default run; cheap beside a pass.
"""


def within_reach(value: float) -> float:
    """`value`, or the nearest one that is allowed."""
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
    """alpha given that documents have `n_tables` tables in all.

    `doc_lengths` int64 (D,): their tokens. Teh et al. 2006, equations A.5 to A.7; one round leaves
    the joint law as it is.
    """
    shape, rate = prior
    lengths = doc_lengths[doc_lengths > 0]
    log_w = np.log(rng.beta(alpha + 1.0, lengths)).sum()
    extra = (rng.random(len(lengths)) * (lengths + alpha) < lengths).sum()
    return within_reach(rng.gamma(shape + n_tables - extra, 1.0 / (rate - log_w)))


def draw_dirichlet_parameter(
    value: float, counts: I64, totals: I64, dimension: int, rng: np.random.Generator, prior: Prior
) -> float:
    """The parameter of a symmetric Dirichlet over `dimension` categories, given draws from it.

    `counts` int64 (any number,): all positive counts. `totals` int64 (R,): the draws of each of the
    R rows that share the parameter. For eta the rows are topics and the categories words; for LDA's
    alpha they are documents and topics. Gamma(c V) / Gamma(c V + n) is the integral of w^(c V - 1)
    (1 - w)^(n - 1), and Gamma(c + m) / Gamma(c) the sum over tables t of |s(m, t)| c^t; given w and
    the tables, the law of c is a Gamma (the construction of Escobar & West 1995 and Teh et al.
    2006, applied to every row). Of `ROUNDS` such draws the last is returned.
    """
    rows, reach = totals[totals > 0], (SMALLEST, LARGEST_DIRICHLET)
    return draw_parameter(value, counts, rows, dimension, prior, reach, ROUNDS, rng)


# ---- for variational methods -------------------------------------------------------------------


def solve_tables(
    tables: float,
    doc_lengths: I64 | F64,
    times: float,
    start: float,
    prior: Prior = CONCENTRATION_PRIOR,
    mode: bool = False,
) -> float:
    """The alpha for which documents expect the tables that they have.

    `doc_lengths` int64 or float64 (S,): tokens of the documents of a mini-batch. Solves alpha (rate
    + times sum_d [psi(alpha + L_d) - psi(alpha)]) = shape + tables, with shape - 1 in place of
    shape if `mode`. `tables` stands for the whole corpus; the mini-batch counts `times`. The left
    side grows with alpha, so there is one solution; `start` is returned where the right side is not
    positive.
    """
    shape, rate = prior
    wanted = tables + shape - (1.0 if mode else 0.0)
    if wanted <= 0.0:
        return start
    lengths, repeats = np.unique(doc_lengths.astype(np.float64), return_counts=True)

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


def sticks_gamma(
    n: F64, gamma: float, truncated: bool, prior: Prior = CONCENTRATION_PRIOR
) -> float:
    """E gamma under its optimal q, a Gamma, given the sticks (Blei & Jordan 2006, appendix A).

    (shape + sticks) / (rate - sum E ln(1 - stick)), for `n` float64 (K,), what each stick holds.
    """
    sticks_a, sticks_b = stick_parameters(n, gamma)
    if truncated:
        sticks_a, sticks_b = sticks_a[:-1], sticks_b[:-1]
    log_left = float((digamma(sticks_b) - digamma(sticks_a + sticks_b)).sum())
    return mean_of_sticks(len(sticks_a), log_left, prior)


def mean_of_sticks(n_sticks: float, log_left: float, prior: Prior = CONCENTRATION_PRIOR) -> float:
    """E concentration of `n_sticks` Beta(1, c) sticks whose E ln(1 - stick) sum to `log_left`."""
    shape, rate = prior
    return within_reach((shape + n_sticks) / (rate - log_left))


def sticks_gamma_bound(mean: float, n_sticks: int, prior: Prior = CONCENTRATION_PRIOR) -> float:
    """What a Gamma q(c) with E c = `mean` adds to a bound that took c for known, as `mean`.

    The prior of each of `n_sticks` sticks holds E ln c instead of ln E c, and E ln p(c) - E ln q(c)
    comes on top; the shape of q is always shape + `n_sticks`.
    """
    shape, rate = prior
    own_shape = shape + n_sticks
    own_rate = own_shape / mean
    mean_log = float(digamma(own_shape)) - math.log(own_rate)
    log_p = shape * math.log(rate) - math.lgamma(shape) + (shape - 1.0) * mean_log - rate * mean
    log_q = own_shape * math.log(own_rate) - math.lgamma(own_shape)
    log_q += (own_shape - 1.0) * mean_log - own_shape
    return n_sticks * (mean_log - math.log(mean)) + log_p - log_q


def solve_dirichlet(n_rows: float, dimension: int, sum_log: float, prior: Prior) -> float:
    """The parameter c of a symmetric Dirichlet that is best for `n_rows` rows of q.

    Maximises n [lnGamma(V c) - V lnGamma(c)] + c `sum_log` + ln p(c), where `sum_log` is the sum of
    E ln over all rows and `dimension` V categories (Hoffman et al. 2013, section 2.5). The
    derivative falls with c.
    """
    shape, rate = prior

    def slope(log_value: float) -> float:
        value = math.exp(log_value)
        normaliser = n_rows * dimension * (digamma(dimension * value) - digamma(value))
        return value * (float(normaliser) + sum_log - rate) + shape - 1.0

    low, high = math.log(SMALLEST), math.log(LARGEST_DIRICHLET)
    if slope(low) <= 0.0:
        return SMALLEST
    if slope(high) >= 0.0:
        return LARGEST_DIRICHLET
    return math.exp(brentq(slope, low, high, xtol=1e-12))


def solve_alpha(gamma: F64, prior: Prior = CONCENTRATION_PRIOR) -> float:
    """LDA's alpha that is best for documents with q(theta_d) = Dir(gamma_d).

    `gamma` float64 (S, K): theirs. A mini-batch says what the whole corpus would say, but for the
    prior, which counts S/D times as much: next to hundreds of documents it hardly counts at all.
    """
    sum_log = float(digamma(gamma).sum() - gamma.shape[1] * digamma(gamma.sum(axis=1)).sum())
    return solve_dirichlet(len(gamma), gamma.shape[1], sum_log, prior)


def solve_eta(lam: Dirichlets, pool: Pool | None = None) -> float:
    """The eta that is best for all topics' Dirichlets `lam`; they themselves stay as they are."""
    if not len(lam):
        return lam.eta
    return solve_dirichlet(len(lam), lam.n_words, lam.sum_expected_log(pool), ETA_PRIOR)


def log_gamma_density(value: float, prior: Prior) -> float:
    """Return ln of the Gamma prior at `value`, the term of a point estimate in the bound."""
    shape, rate = prior
    constant = shape * math.log(rate) - math.lgamma(shape)
    return constant + (shape - 1.0) * math.log(value) - rate * value
