"""The corpus sticks of the directly assigned HDP: q(stick_k) = Beta(rho_k omega_k, (1 - rho_k)
omega_k), their terms of the bound, and the rho that maximises them (Hughes, Kim & Sudderth 2015).

K topics, D documents; arrays of K+1 entries hold the rest last.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, digamma, expit, logit, zeta
from threadpoolctl import ThreadpoolController

from ...core.arrays import F64

LARGEST_LOGIT = 20.0
"""Sticks stay between 2e-9 and 1 - 2e-9."""
BLAS = ThreadpoolController()
"""scipy's L-BFGS hands its matrices of twenty rows to all threads of BLAS: on a busy machine a fit
took 60 ms with two threads and takes 1.8 ms with one."""


def weights_of(rho: F64) -> F64:
    """E pi_1 .. E pi_K and the rest, float64 (K+1,): rho_k prod_{l<k} (1 - rho_l), `rho` float64
    (K,)."""
    left = np.concatenate(([1.0], np.cumprod(1.0 - rho)))
    return np.append(rho * left[:-1], left[-1])


def sticks_of(weights: F64) -> F64:
    """The rho, float64 (K,), with these `weights` float64 (K+1,), the rest last."""
    above = np.cumsum(weights[::-1])[::-1][:-1]
    small = expit(-LARGEST_LOGIT)
    return np.asarray(np.clip(weights[:-1] / above, small, 1.0 - small))


def stick_sizes(n_topics: int, gamma: float, n_docs: int) -> F64:
    """omega_k = 1 + gamma + D (K + 2 - k), float64 (K,).

    What the two stick terms of the bound alone would choose; rho carries the rest.
    """
    return 1.0 + gamma + n_docs * np.arange(n_topics + 1.0, 1.0, -1.0)


def sticks_bound(
    rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64
) -> tuple[float, F64]:
    """All terms of the bound that hold the sticks, and their gradient by rho, float64 (K,).

    `rho` float64 (K,): E of the sticks. `log_share` float64 (K+1,): sum_d E ln pi_dk, the rest
    last. The terms are D times the surrogate,
    E ln p(sticks) - E ln q(sticks), and alpha sum_k E pi_k log_share_k.
    """
    n_topics = len(rho)
    omega = stick_sizes(n_topics, gamma, n_docs)
    a, b = rho * omega, (1.0 - rho) * omega
    psi_omega = digamma(omega)
    log_on, log_off = digamma(a) - psi_omega, digamma(b) - psi_omega
    on = n_docs + 1.0 - a
    off = n_docs * np.arange(n_topics, 0.0, -1.0) + gamma - b
    bound = n_docs * n_topics * np.log(alpha) + n_topics * np.log(gamma)
    bound += float((on * log_on + off * log_off + betaln(a, b)).sum())
    weights = weights_of(rho)
    held = weights * log_share
    above = np.cumsum(held[::-1])[::-1][1:]
    # zeta(2, x) is the trigamma function: as polygamma(1, x), in a third of the time.
    gradient = omega * (on * zeta(2.0, a) - off * zeta(2.0, b))
    gradient += alpha * (held[:-1] / rho - above / (1.0 - rho))
    return bound + alpha * float(held.sum()), gradient


def fit_sticks(
    rho: F64, gamma: float, alpha: float, n_docs: int, log_share: F64, iterations: int = 30
) -> F64:
    """The rho that maximises `sticks_bound`, float64 (K,); never worse than the start.

    L-BFGS on logit rho. `rho` float64 (K,): the start. `log_share` float64 (K+1,): as there.
    """

    def value(x: F64) -> tuple[float, F64]:
        """What is to be small at logit rho, `x` float64 (K,), and its gradient, float64 (K,)."""
        rho = expit(x)
        bound, gradient = sticks_bound(rho, gamma, alpha, n_docs, log_share)
        return -bound / n_docs, -gradient * rho * (1.0 - rho) / n_docs

    with BLAS.limit(limits=1, user_api="blas"):
        found = minimize(
            value,
            logit(rho),
            jac=True,
            method="L-BFGS-B",
            bounds=[(-LARGEST_LOGIT, LARGEST_LOGIT)] * len(rho),
            options={"maxiter": iterations, "ftol": 1e-13, "gtol": 1e-9},
        )
    fresh = np.asarray(expit(found.x))
    before, _ = sticks_bound(rho, gamma, alpha, n_docs, log_share)
    after, _ = sticks_bound(fresh, gamma, alpha, n_docs, log_share)
    return fresh if after > before else rho
