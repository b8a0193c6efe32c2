"""The ordered stick-breaking prior over mini-batches (Das, Bansal & Bhattacharyya 2015).

Batch t draws its documents from a distribution Q_j, here called restaurant j, that earlier batches
drew from, or from a new one; restaurants are numbered in the order of their first batch, and Q_j ~
DP(gamma_j, H) with one base H ~ DP(base_gamma, Dir(eta)) for all. Stick j is Beta(mu nu_j, (1 - mu)
nu_j). The settings of section 3.2.1 leave `mu` and `gamma`: nu_j = (1 - mu)^(j-1) gamma and gamma_j
= mu nu_j. k restaurants, K components; `visits` int64 (k,) is g_j, the batches of each restaurant.
"""

import numpy as np
from scipy.special import gammaln

from ...core.arrays import F64, I64

SMALLEST = 1e-200
"""nu_j and the weights of the base stay above: (1 - mu)^(j-1) leaves the range of a double."""


def precisions(n: int, mu: float, gamma: float) -> F64:
    """nu_j = (1 - mu)^(j-1) gamma, float64 (n,) (section 3.2.1)."""
    return np.asarray(np.maximum(gamma * (1.0 - mu) ** np.arange(n), SMALLEST))


def restaurant_concentrations(n: int, mu: float, gamma: float) -> F64:
    """gamma_j = mu nu_j, float64 (n,): of the Dirichlet process Q_j (section 3.2.1)."""
    return mu * precisions(n, mu, gamma)


def later_visits(visits: I64) -> I64:
    """h_j = sum_{l>j} g_l, int64 (k,), for `visits` int64 (k,), g."""
    return np.asarray(visits.sum() - np.cumsum(visits), dtype=np.int64)


def predictive(visits: I64, mu: float, gamma: float) -> tuple[F64, float]:
    """Where the next batch goes: pi_j, float64 (k,), and sigma_k, a new restaurant (equation 6).

    The batch that opened a restaurant does not speak for its size, hence g_j - 1: it came there by
    innovation. Whole numbers are added first, since nu_j may be lost beside 1 (nu_50 is 2e-20).
    `visits` int64 (k,): g.
    """
    nu, h = precisions(len(visits), mu, gamma), later_visits(visits)
    followed, passed = mu * nu + (visits - 1), (1.0 - mu) * nu + h
    total = nu + (visits - 1 + h)
    left = np.cumprod(np.append(1.0, passed / total))
    return np.asarray(followed / total * left[:-1]), float(left[-1])


def prior_weights(n: int, mu: float) -> tuple[F64, float]:
    """E rho_j = mu (1 - mu)^(j-1), float64 (n,), and E alpha_n = (1 - mu)^n, before any batch."""
    left = (1.0 - mu) ** np.arange(n + 1)
    return np.asarray(mu * left[:-1]), float(left[-1])


def innovation_bound(n: int) -> float:
    """2^(-n/2): what alpha_n exceeds with a probability below that same number (Theorem 2).

    The theorem's n = (2 / ln 2) ln(1 / epsilon), solved for epsilon; it needs mu > 1/2. It speaks
    of the sticks before any batch was seen, not of `predictive` given batches that kept innovating.
    """
    return float(2.0 ** (-n / 2.0))


def draw_base_weights(tables: I64, base_gamma: float, rng: np.random.Generator) -> F64:
    """Weights of H at the components with `tables` int64 (K,): float64 (K,), less than 1 together.

    Dirichlet(J_1, ..., J_K, base_gamma) without its last entry. Components without tables have 0.
    """
    mass = rng.standard_gamma(tables.astype(np.float64))
    return np.asarray(mass / (mass.sum() + rng.standard_gamma(base_gamma)))


def restaurant_log_weights(
    visits: I64, past_docs: I64, batch_docs: I64, base_weights: F64, mu: float, gamma: float
) -> F64:
    """ln p(z_t = j | y_t, H, past) up to a constant, float64 (k+1,); the last is a new restaurant.

    The law of equation 15 with the seats integrated out and the base's weights h_s given:
    ln pi_j + ln Gamma(gamma_j + n_j) - ln Gamma(gamma_j + n_j + n) + sum_s [ln Gamma(gamma_j h_s +
    n_js + c_s) - ln Gamma(gamma_j h_s + n_js)], for `visits` int64 (k,), g, `past_docs` int64
    (k+1, K), n_js with a last row of zeros, `batch_docs` int64 (K,), c_s, and `base_weights`
    float64 (K,), h. Equation 16 as printed lacks the normalisers that depend on
    j, counts tables in place of documents, and has no product where the restaurant is new.
    """
    weights, innovation = predictive(visits, mu, gamma)
    concentration = restaurant_concentrations(len(visits) + 1, mu, gamma)
    used = batch_docs > 0
    n, c = past_docs[:, used], batch_docs[used]
    urn = np.maximum(concentration[:, None] * base_weights[used], SMALLEST) + n
    total = concentration + past_docs.sum(axis=1)
    prior = np.log(np.maximum(np.append(weights, innovation), SMALLEST))
    seats = gammaln(total) - gammaln(total + c.sum())
    return np.asarray(prior + seats + (gammaln(urn + c) - gammaln(urn)).sum(axis=1))


def component_weights(
    visits: I64, docs: I64, tables: I64, base_gamma: float, mu: float, gamma: float
) -> tuple[F64, float]:
    """The components of the first document of the next batch: float64 (K,), and of a new one.

    sum_j pi_j (n_js + gamma_j kappa_s) / (n_j + gamma_j) + sigma kappa_s for `visits` int64 (k,),
    g, and `docs` int64 (k, K), n_js, with kappa_s = J_s / (J + base_gamma) for `tables` int64 (K,),
    J.
    """
    weights, innovation = predictive(visits, mu, gamma)
    concentration = restaurant_concentrations(len(visits), mu, gamma)
    base = np.append(tables, base_gamma) / (tables.sum() + base_gamma)
    share = weights / (docs.sum(axis=1) + concentration)
    seen = np.append(share @ docs, 0.0)
    both = seen + (share @ concentration + innovation) * base
    return both[:-1], float(both[-1])
