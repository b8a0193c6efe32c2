"""Learned concentrations against their posteriors, integrated numerically.

Every draw is tested as a Markov chain: 2,000 independent chains from a far start, 25 rounds each.
Their last values are then independent, and the Kolmogorov-Smirnov distance to the posterior stays
below 1.95 / sqrt(2000) = 0.044 but for one in a thousand seeds.
"""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import digamma, gammaln

from bnpexplorer.inference.concentrations import (
    CONCENTRATION_PRIOR,
    ETA_PRIOR,
    LARGEST,
    LARGEST_DIRICHLET,
    SMALLEST,
    draw_alpha,
    draw_dirichlet_parameter,
    draw_gamma,
    solve_dirichlet,
    solve_tables,
    within_reach,
)

N_CHAINS, N_ROUNDS, DISTANCE = 2000, 25, 0.044
GRID = np.exp(np.linspace(np.log(1e-5), np.log(1e5), 40_001))


def distance(draws: np.ndarray, log_density: np.ndarray) -> float:
    """Kolmogorov-Smirnov distance of `draws` to the law with `log_density` on `GRID`."""
    mass = np.exp(log_density - log_density.max()) * GRID  # of ln x, on an even grid
    cdf = np.cumsum(0.5 * (mass + np.append(0.0, mass[:-1])))
    at = np.interp(np.log(np.sort(draws)), np.log(GRID), cdf / cdf[-1])
    steps = np.arange(len(draws) + 1) / len(draws)
    return float(max(np.abs(at - steps[1:]).max(), np.abs(at - steps[:-1]).max()))


def log_prior(prior: tuple[float, float]) -> np.ndarray:
    return (prior[0] - 1) * np.log(GRID) - prior[1] * GRID


def chains(draw, start: float, seed: int, n_calls: int = N_ROUNDS) -> np.ndarray:
    rng = np.random.default_rng(seed)
    ends = np.empty(N_CHAINS)
    for i in range(N_CHAINS):
        value = start
        for _ in range(n_calls):
            value = draw(value, rng)
        ends[i] = value
    return ends


@pytest.mark.second
@pytest.mark.parametrize(
    ("n", "tables", "prior"),
    [(30, 4, (1.0, 0.1)), (5, 5, (2.0, 0.5)), (400, 3, (0.6, 1.0)), (1, 1, (1.0, 0.1))],
)
def test_gamma_is_drawn_from_its_posterior(n, tables, prior):
    posterior = log_prior(prior) + tables * np.log(GRID) + gammaln(GRID) - gammaln(GRID + n)
    ends = chains(lambda g, rng: draw_gamma(g, n, tables, rng, prior), 80.0, seed=n)
    assert distance(ends, posterior) < DISTANCE


def test_gamma_without_customers_is_drawn_from_its_prior():
    ends = chains(lambda g, rng: draw_gamma(g, 0, 0, rng), 80.0, seed=1)
    assert distance(ends, log_prior(CONCENTRATION_PRIOR)) < DISTANCE


@pytest.mark.second
@pytest.mark.parametrize(
    ("lengths", "tables", "prior"),
    [([12, 1, 30], 7, (1.0, 0.1)), ([200], 3, (0.7, 2.0)), ([2, 2, 2, 0, 5], 11, (2.0, 0.3))],
)
def test_alpha_is_drawn_from_its_posterior(lengths, tables, prior):
    posterior = log_prior(prior) + tables * np.log(GRID)
    for n in lengths:
        posterior += gammaln(GRID) - gammaln(GRID + n)
    lengths = np.array(lengths)
    ends = chains(lambda a, rng: draw_alpha(a, lengths, tables, rng, prior), 50.0, seed=tables)
    assert distance(ends, posterior) < DISTANCE


@pytest.mark.parametrize(
    ("rows", "prior"),
    [
        ([[3, 0, 1, 0], [0, 5, 0, 0]], ETA_PRIOR),
        ([[40, 2, 7]], (1.0, 0.1)),
        ([[1, 1], [0, 0], [2, 0], [0, 9]], (2.0, 1.0)),
        ([[6]], (1.5, 0.8)),  # one category tells nothing
    ],
)
def test_a_dirichlet_parameter_is_drawn_from_its_posterior(rows, prior):
    rows = np.array(rows)
    size = rows.shape[1]
    posterior = log_prior(prior)
    for row in rows:
        posterior = posterior + gammaln(size * GRID) - gammaln(size * GRID + row.sum())
        for n in row:
            posterior = posterior + gammaln(GRID + n) - gammaln(GRID)
    counts, totals = rows[rows > 0], rows.sum(axis=1)
    ends = chains(
        lambda c, rng: draw_dirichlet_parameter(c, counts, totals, size, rng, prior),
        4.0,
        seed=size,
        n_calls=3,  # of ten rounds each
    )
    assert distance(ends, posterior) < DISTANCE


def test_equal_generators_draw_equal_values():
    lengths = np.array([4, 9])
    for draw in (
        lambda rng: draw_gamma(2.0, 9, 3, rng),
        lambda rng: draw_alpha(2.0, lengths, 5, rng),
        lambda rng: draw_dirichlet_parameter(0.3, lengths, lengths, 7, rng, ETA_PRIOR),
    ):
        assert draw(np.random.default_rng(3)) == draw(np.random.default_rng(3))


def test_values_stay_within_reach():
    assert within_reach(0.0) == SMALLEST
    assert within_reach(1e9) == LARGEST
    assert within_reach(0.25) == 0.25
    rng = np.random.default_rng(0)
    for _ in range(50):  # almost all tables were opened at once, or none was
        assert SMALLEST <= draw_gamma(1.0, 10**6, 1, rng) <= LARGEST
        assert SMALLEST <= draw_alpha(1.0, np.array([50]), 50, rng, (1.0, 1e-9)) <= LARGEST
    n = np.array([40, 30])
    for prior, reached, of_rows in (
        ((1e9, 1.0), LARGEST, LARGEST_DIRICHLET),
        ((1.0, 1e9), SMALLEST, SMALLEST),
    ):
        assert draw_dirichlet_parameter(1.0, n, n, 2, rng, prior) == of_rows
        assert draw_gamma(1.0, 40, 3, rng, prior) == reached
        assert draw_gamma(1.0, 0, 0, rng, prior) == reached
        assert draw_alpha(1.0, n, 5, rng, prior) == reached


@pytest.mark.parametrize("times", [1.0, 7.5])
def test_solved_alpha_expects_the_tables_that_there_are(times):
    lengths, tables, (shape, rate) = np.array([3.0, 8.0, 8.0, 40.0]), 12.0 * times, (1.4, 0.2)
    alpha = solve_tables(tables, lengths, times, 1.0, (shape, rate))
    expected = alpha * times * (digamma(alpha + lengths) - digamma(alpha)).sum()
    assert alpha * rate + expected == pytest.approx(shape + tables, rel=1e-8)


def test_the_solved_mode_maximises_the_posterior():
    lengths, tables, prior = np.array([3.0, 8.0, 40.0]), 9.0, (1.4, 0.2)

    def minus_log(log_alpha: float) -> float:
        a = np.exp(log_alpha)
        restaurants = (gammaln(a) - gammaln(a + lengths)).sum()
        return -((prior[0] - 1 + tables) * log_alpha - prior[1] * a + restaurants)

    best = minimize_scalar(minus_log, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9})
    solved = solve_tables(tables, lengths, 1.0, 1.0, prior, mode=True)
    assert np.log(solved) == pytest.approx(best.x, abs=1e-6)


def test_solving_ends_at_the_edges():
    lengths = np.array([5.0, 5.0])
    assert solve_tables(0.0, lengths, 1.0, 0.7, (0.9, 1.0), mode=True) == 0.7
    assert solve_tables(1.0, lengths, 1.0, 0.7, (1e-6, 1.0)) == SMALLEST
    assert solve_tables(10.0, lengths, 1.0, 0.7, (1.0, 1e-9)) == LARGEST
    even = 10 * 5 * np.log(1 / 5)  # what rows would say of which each is even
    assert solve_dirichlet(10, 5, even, (2.0, 1e-6)) == LARGEST_DIRICHLET
    assert solve_dirichlet(10, 5, -1e9, ETA_PRIOR) == SMALLEST
    assert SMALLEST < solve_dirichlet(10, 5, 2 * even, ETA_PRIOR) < LARGEST_DIRICHLET
