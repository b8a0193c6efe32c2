"""Ordered sticks (Das, Bansal & Bhattacharyya 2015) and theorem 2, tried on draws of the prior.

alpha_n is what n sticks leave: the probability that the next draw is an atom never met. Theorem 2:
if mu > 1/2, it exceeds 2^(-n/2) with a probability below 2^(-n/2). By Markov's inequality that
probability is at most E alpha_n / 2^(-n/2) = ((1 - mu) sqrt 2)^n, which is smaller still.
"""

import numpy as np

from ..core.arrays import F64
from ..methods.sumo.ordered_sticks import innovation_bound, precisions, prior_weights


def draw_left_over(n_atoms: int, mu: float, gamma: float, n_draws: int, seed: int) -> F64:
    """alpha_1, ..., alpha_n of `n_draws` draws of the prior: float64 (n_draws, n_atoms)."""
    nu = precisions(n_atoms, mu, gamma)
    rng = np.random.default_rng(seed)
    stays = rng.beta((1.0 - mu) * nu, mu * nu, (n_draws, n_atoms))
    return np.asarray(np.cumprod(stays, axis=1))


def bounds(n_atoms: int) -> F64:
    """2^(-n/2) for n = 1, ..., n_atoms."""
    return np.array([innovation_bound(n) for n in range(1, n_atoms + 1)])


def share_above(left_over: F64) -> F64:
    """The share of draws that leave more than the bound, float64 (n_atoms,)."""
    return np.asarray((left_over > bounds(left_over.shape[1])).mean(axis=0))


def markov(n_atoms: int, mu: float) -> F64:
    """((1 - mu) sqrt 2)^n, at most 1: an upper bound of what `share_above` estimates."""
    _, left = prior_weights(1, mu)
    return np.asarray(np.minimum((left * np.sqrt(2.0)) ** np.arange(1, n_atoms + 1), 1.0))


def expected_left(n_atoms: int, mu: float) -> F64:
    """E alpha_n = (1 - mu)^n for n = 1, ..., n_atoms."""
    return np.array([prior_weights(n, mu)[1] for n in range(1, n_atoms + 1)])


def weights_of(left_over: F64) -> F64:
    """The sticks of one draw from what they leave: rho_n = alpha_{n-1} - alpha_n, (n_atoms,)."""
    return np.asarray(-np.diff(left_over, prepend=1.0))
