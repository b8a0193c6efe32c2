"""The ordered stick-breaking prior: its predictive law, its bound, its restaurants."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import betainc

from bnpexplorer.methods.sumo import ordered_sticks as osbp
from tests.twins.osbp import Past, Prior, joint, log_marginal, restaurant_law, sequences

PUBLISHED = [
    ((1,), (0.6,), 0.4),
    ((2, 1), (0.52, 0.288), 0.192),
    ((3, 2, 1), (0.41818182, 0.29619835, 0.1713719), 0.11424793),
]


@pytest.mark.parametrize(("visits", "weights", "innovation"), PUBLISHED)
def test_published_predictive_weights(visits, weights, innovation):
    found, new = osbp.predictive(np.array(visits), 0.6, 0.5)
    assert found == pytest.approx(np.array(weights), abs=6e-9)
    assert new == pytest.approx(innovation, abs=6e-9)


@pytest.mark.parametrize(("mu", "gamma"), [(0.6, 0.5), (0.9, 3.0), (0.2, 40.0), (0.51, 0.01)])
def test_predictive_weights_are_ratios_of_marginal_likelihoods(mu, gamma):
    """Every history of up to five batches, whatever the order of its visits."""
    for n in range(1, 6):
        for z in sequences(n):
            visits = np.bincount(z)
            weights, innovation = osbp.predictive(visits, mu, gamma)
            both = np.append(weights, innovation)
            before = log_marginal(z, mu, gamma)
            ratios = [math.exp(log_marginal([*z, j], mu, gamma) - before) for j in range(len(both))]
            assert both == pytest.approx(np.array(ratios), rel=1e-9)
            assert both == pytest.approx(np.array(restaurant_law(visits, mu, gamma)), rel=1e-9)


def test_predictive_law_over_long_histories_sums_to_one():
    """nu_j falls to 1e-200, far below the last digit of the counts it is added to."""
    for visits in ([1] * 700, [1, 5] * 200, [3] + [1] * 60):
        weights, innovation = osbp.predictive(np.array(visits), 0.6, 0.5)
        assert weights.sum() + innovation == pytest.approx(1.0, abs=1e-12)
        assert np.all(weights >= 0)
        assert innovation > 0
    weights, innovation = osbp.predictive(np.array([1] * 60), 0.6, 0.5)
    assert weights[-1] / innovation == pytest.approx(1.5)  # a last stick of one visit: mu : 1 - mu
    assert osbp.predictive(np.zeros(0, np.int64), 0.6, 0.5)[1] == 1.0


def test_concentrations_of_all_restaurants_add_up_to_gamma():
    """Theorem 4: sum_{j<=k} gamma_j + (1 - mu)^k gamma = gamma."""
    for k, mu, gamma in product((0, 1, 4, 30), (0.6, 0.9), (0.5, 7.0)):
        rest = (1 - mu) ** k * gamma
        assert osbp.restaurant_concentrations(k, mu, gamma).sum() + rest == pytest.approx(gamma)
    assert osbp.precisions(3, 0.6, 0.5) == pytest.approx(np.array([0.5, 0.2, 0.08]))
    assert osbp.restaurant_concentrations(3, 0.6, 0.5) == pytest.approx(
        np.array([0.3, 0.12, 0.048])
    )
    assert osbp.later_visits(np.array([4, 1, 3])).tolist() == [4, 3, 0]


def test_prior_weights_are_means_of_the_sticks():
    """200,000 draws, four standard errors."""
    rng, mu, gamma, k = np.random.default_rng(0), 0.7, 2.0, 4
    precision = osbp.precisions(k, mu, gamma)
    broken = rng.beta(mu * precision, (1 - mu) * precision, size=(200_000, k))
    left = np.cumprod(1 - broken, axis=1)
    weights, innovation = osbp.prior_weights(k, mu)
    drawn = broken * np.column_stack([np.ones(len(left)), left[:, :-1]])
    drawn = np.column_stack([drawn, left[:, -1]])
    error = drawn.std(axis=0) / np.sqrt(200_000)
    assert np.all(np.abs(drawn.mean(axis=0) - [*weights, innovation]) < 4.0 * error)
    assert weights.sum() + innovation == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("mu", [0.501, 0.6, 0.9])
@pytest.mark.parametrize("gamma", [0.05, 0.5, 20.0])
def test_innovation_probability_keeps_below_the_bound_of_theorem_2(mu, gamma):
    """P(alpha_k > bound) < bound: exactly for one stick, by 20,000 draws for more."""
    rng, n_draws, most = np.random.default_rng(1), 20_000, 12
    bound = osbp.innovation_bound(1)
    above = 1.0 - betainc((1 - mu) * gamma, mu * gamma, bound)
    assert above < bound
    precision = osbp.precisions(most, mu, gamma)
    left = np.cumprod(1 - rng.beta(mu * precision, (1 - mu) * precision, (n_draws, most)), axis=1)
    for k in range(1, most + 1):
        bound = osbp.innovation_bound(k)
        # As the theorem states it: k = 2 / log 2 * log(1 / epsilon).
        assert k == pytest.approx(2 / math.log(2) * math.log(1 / bound))
        share = np.mean(left[:, k - 1] > bound)
        assert share < bound
        assert osbp.prior_weights(k, mu)[1] < bound**2


def test_restaurant_given_components_is_the_urn_of_the_base():
    """ln p(z, y | h): documents taken one by one from the urn gamma_j h_s + n_js."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        k, n_components = int(rng.integers(0, 4)), int(rng.integers(1, 5))
        visits = rng.integers(1, 4, k)
        past = np.vstack([rng.integers(0, 6, (k, n_components)), np.zeros(n_components, int)])
        y = rng.integers(0, n_components, int(rng.integers(1, 9)))
        base = rng.dirichlet(np.ones(n_components + 1))[:-1]
        mu, gamma = rng.uniform(0.2, 0.9), rng.uniform(0.2, 5.0)
        prior = restaurant_law(visits.tolist(), mu, gamma) if k else [1.0]
        expected = []
        for j in range(k + 1):
            concentration, n = mu * gamma * (1 - mu) ** j, past[j].astype(float)
            p = prior[j]
            for s in y:
                p *= (concentration * base[s] + n[s]) / (concentration + n.sum())
                n[s] += 1
            expected.append(math.log(p))
        counts = np.bincount(y, minlength=n_components)
        found = osbp.restaurant_log_weights(visits, past, counts, base, mu, gamma)
        assert found == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.second
def test_base_weights_are_a_dirichlet_over_tables():
    """Means and second moments of 50,000 draws, four standard errors."""
    rng, tables, rest = np.random.default_rng(3), np.array([3, 0, 1]), 1.5
    drawn = np.array([osbp.draw_base_weights(tables, rest, rng) for _ in range(50_000)])
    total = tables.sum() + rest
    assert np.all(drawn[:, 1] == 0)
    drawn, tables = drawn[:, [0, 2]], tables[[0, 2]]
    seen = np.column_stack([drawn, drawn**2, drawn[:, 0] * drawn[:, 1]])
    second = tables * (tables + 1) / (total * (total + 1))
    exact = [*(tables / total), *second, 3 / total / (total + 1)]
    error = seen.std(axis=0) / np.sqrt(50_000)
    assert np.all(np.abs(seen.mean(axis=0) - exact) < 4.0 * error)


PAST = Past(
    visits=(3, 1, 2),
    tables=(((4, 0), (1, 1), (2, 0)), ((2, 1),), ((1, 2), (3, 0), (1, 1))),
    words=((9, 3), (2, 6), (0, 2)),
)


@pytest.mark.parametrize("prior", [Prior(0.6, 0.5, 5.0, 0.5), Prior(0.8, 9.0, 0.7, 0.2)])
def test_component_weights_are_those_of_the_next_document(prior):
    """Summed over every restaurant, table and dish; a document without words asks nothing."""
    expected = np.zeros(4)
    for (_, ((_, dish),)), p in joint([(0, 0)], PAST, prior).items():
        expected[dish] += p
    docs, tables = np.zeros((3, 3), int), np.zeros(3, int)
    for j, restaurant in enumerate(PAST.tables):
        for m, dish in restaurant:
            docs[j, dish] += m
            tables[dish] += 1
    weight, unseen = osbp.component_weights(
        np.array(PAST.visits), docs, tables, prior.base_gamma, prior.mu, prior.gamma
    )
    assert np.append(weight, unseen) == pytest.approx(expected, rel=1e-12)
    assert weight.sum() + unseen == pytest.approx(1.0, abs=1e-12)


def test_restaurants_with_vanishing_concentration_are_still_compared():
    """gamma_j of restaurant 700 is 1e-200: all weights are finite and the counts still decide."""
    visits, past = np.ones(900, np.int64), np.zeros((901, 2), np.int64)
    past[:900, 0] = 3
    visits[700], past[700] = 1000, [0, 50]
    base = np.array([0.5, 0.4])
    logs = osbp.restaurant_log_weights(visits, past, np.array([2, 4]), base, 0.6, 0.5)
    assert np.all(np.isfinite(logs))
    logs = osbp.restaurant_log_weights(visits, past, np.array([0, 4]), base, 0.6, 0.5)
    assert logs.argmax() == 700
