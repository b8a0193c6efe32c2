"""Stick-breaking posteriors against hand-worked numbers, loops and simulation."""

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import beta

from bnpexplorer.inference.sticks import (
    even_log_weights,
    expected_log_weights,
    expected_weights,
    stick_parameters,
    sticks_bound,
)
from tests.twins.meanfield import betas_bound, elog_sticks


def test_expected_log_weights_have_their_known_values():
    """u = (3, 2), v = (2, 1), truncated at 3: counts (2, 1, 0) with gamma 1."""
    counts = np.array([2.0, 1.0, 0.0])
    a, b = stick_parameters(counts, 1.0)
    np.testing.assert_array_equal(a[:2], [3.0, 2.0])
    np.testing.assert_array_equal(b[:2], [2.0, 1.0])
    logs = expected_log_weights(counts, 1.0, truncated=True)
    np.testing.assert_allclose(logs, [-0.58333333, -1.58333333, -2.58333333], atol=1e-8)


@pytest.mark.parametrize("truncated", [True, False])
@pytest.mark.parametrize("n", [1, 2, 6])
def test_expectations_equal_loops(truncated, n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        counts, gamma = rng.gamma(0.5, 10.0, size=n), rng.uniform(0.1, 20.0)
        weights, logs, left, log_left = [], [], 1.0, 0.0
        for k in range(n):
            a, b = 1.0 + counts[k], gamma + sum(counts[k + 1 :])
            last = truncated and k == n - 1
            weights.append(left if last else left * a / (a + b))
            logs.append(log_left if last else log_left + digamma(a) - digamma(a + b))
            left *= 0.0 if last else b / (a + b)
            log_left += digamma(b) - digamma(a + b)
        ours, rest = expected_weights(counts, gamma, truncated)
        np.testing.assert_allclose(ours, weights, rtol=1e-12)
        assert rest == pytest.approx(left, rel=1e-12, abs=1e-15)
        assert ours.sum() + rest == pytest.approx(1.0, abs=1e-13)
        np.testing.assert_allclose(
            expected_log_weights(counts, gamma, truncated), logs, rtol=1e-11, atol=1e-13
        )


def test_without_components_everything_is_unseen():
    weights, rest = expected_weights(np.zeros(0), 3.0, truncated=False)
    assert len(weights) == 0
    assert rest == 1.0


def test_expectations_are_those_of_simulated_sticks():
    counts, gamma = np.array([4.0, 0.0, 2.5]), 1.5
    rng = np.random.default_rng(0)
    a, b = stick_parameters(counts, gamma)
    broken = rng.beta(a, b, size=(200_000, 3))
    broken[:, -1] = 1.0
    left = np.cumprod(np.hstack((np.ones((len(broken), 1)), 1.0 - broken[:, :-1])), axis=1)
    weights = broken * left
    ours, _ = expected_weights(counts, gamma, truncated=True)
    error = weights.std(axis=0) / np.sqrt(len(weights))
    assert np.all(np.abs(ours - weights.mean(axis=0)) < 4.0 * error)
    logs = expected_log_weights(counts, gamma, truncated=True)
    error = np.log(weights).std(axis=0) / np.sqrt(len(weights))
    assert np.all(np.abs(logs - np.log(weights).mean(axis=0)) < 4.0 * error)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_bound_is_expected_log_prior_plus_entropy(n):
    rng = np.random.default_rng(n)
    for _ in range(10):
        counts, gamma = rng.gamma(0.5, 10.0, size=n), rng.uniform(0.1, 20.0)
        a, b = stick_parameters(counts, gamma)
        expected = betas_bound(a[:-1], b[:-1], gamma)
        assert sticks_bound(counts, gamma) == pytest.approx(expected, rel=1e-10, abs=1e-10)
        logs = expected_log_weights(counts, gamma, truncated=True)
        np.testing.assert_allclose(logs, elog_sticks(a[:-1], b[:-1]), rtol=1e-11, atol=1e-12)


def test_invariant_survives_linear_steps_reorders_and_drops():
    """sticks_b - gamma = sum of later counts, after steps on sticks_a and sticks_b themselves."""
    rng = np.random.default_rng(4)
    gamma = 2.0
    counts = np.zeros(6)
    a, b = stick_parameters(counts, gamma)
    for _ in range(50):
        rho, fresh = rng.uniform(0.0, 1.0), rng.gamma(1.0, 5.0, size=len(counts))
        later = np.array([fresh[k + 1 :].sum() for k in range(len(fresh))])
        a, b = (1 - rho) * a + rho * (1.0 + fresh), (1 - rho) * b + rho * (gamma + later)
        counts = (1 - rho) * counts + rho * fresh
        ours = stick_parameters(counts, gamma)
        np.testing.assert_allclose(ours, (a, b), rtol=1e-12)
        counts = counts[rng.permutation(len(counts))]
        if len(counts) > 2 and rng.random() < 0.1:
            counts = counts[:-1]
        a, b = stick_parameters(counts, gamma)
        np.testing.assert_allclose(b - gamma, [counts[k + 1 :].sum() for k in range(len(counts))])


def test_even_log_weights_belong_to_sticks_of_even_expected_weights():
    n_topics = 5
    sticks = [beta(1, n_topics - k) for k in range(1, n_topics)]
    left = 1.0
    for stick in sticks:  # the expected weights are 1/K each
        assert left * stick.mean() == pytest.approx(1 / n_topics)
        left *= 1 - stick.mean()
    assert left == pytest.approx(1 / n_topics)
    total = 0.0
    for k, log_weight in enumerate(even_log_weights(n_topics)):
        last = k == n_topics - 1
        broken = 0.0 if last else sticks[k].expect(np.log)
        assert log_weight == pytest.approx(broken + total, abs=1e-7)
        total += 0.0 if last else sticks[k].expect(lambda x: np.log1p(-x))
    assert even_log_weights(1).tolist() == [0.0]
