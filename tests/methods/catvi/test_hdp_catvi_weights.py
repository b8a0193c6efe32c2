"""The weights of CATVI: expected tables, the objective, and its maximum."""

import math

import numpy as np
import pytest
from scipy.special import digamma, gammaln

from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.kernels.tables import mean_table_count
from bnpexplorer.kernels.tuples import Tokens
from bnpexplorer.methods.catvi import partition as catvi
from bnpexplorer.methods.catvi.partition import Partition, TopicDraws

# --- tables, weights, objective ------------------------------------------------------------------


def draws_with(counts: np.ndarray) -> TopicDraws:
    """Draws whose sweeps t give document s the numbers `counts[t, s, k]` of tokens in topic k."""
    rows = [
        [k for doc in sweep for k in np.repeat(np.arange(counts.shape[2]), doc)] for sweep in counts
    ]
    lengths = counts[0].sum(axis=1)
    topics = np.array(rows, np.int32)
    words = np.zeros(topics.shape[1], np.int32)
    start = np.concatenate(([0], np.cumsum(lengths)))
    return TopicDraws(words[:1], Tokens(start, words), topics, np.zeros(counts.shape[2]), 0.0)


def weighted(weight, rest, concentration, n_docs) -> Partition:
    n = len(weight)
    lam = Dirichlets.from_excess(np.ones((n, 1)), 0.5)
    return Partition(
        lam, np.array(weight), rest, np.ones(n), np.arange(n), n, n_docs, concentration
    )


def test_the_known_numbers():
    draws = draws_with(np.array([[[3, 0], [1, 2]]]))
    state = weighted([0.5, 0.3], 0.2, 5.0, n_docs=10)
    tally = catvi.count(state, draws)
    assert tally.scale == 5.0
    assert tally.tables == pytest.approx([16.34920635, 8.0], abs=1e-8)
    assert tally.docs.tolist() == [10.0, 5.0]
    star, rest = catvi.best_weights(tally.tables, 5.0, "map")
    assert [rest, *star] == pytest.approx([0.15180723, 0.58253012, 0.26566265], abs=1e-8)
    star, rest = catvi.best_weights(tally.tables, 5.0, "mean")
    assert [rest, *star] == pytest.approx([0.17036236, 0.55705787, 0.27257977], abs=1e-8)
    star, rest = catvi.best_weights(tally.tables, 5.0, "jacobian")
    assert rest / star[1] == pytest.approx(6.0 / 7.0)
    printed = 5.0 * math.log(0.2) - sum(map(math.log, (0.2, 0.5, 0.3)))  # equation 12, k from 0
    for b, n in ((2.5, 3), (2.5, 1), (1.5, 2)):
        printed += 5.0 * (gammaln(b + n) - gammaln(b))
    assert catvi.objective(state, tally, 5.0, "map") == pytest.approx(printed)


@pytest.mark.parametrize("concentration", [1e-9, 1e-4, 0.3, 5.0, 400.0])
def test_expected_tables_by_digamma_and_by_the_sum(concentration):
    for n in (1, 2, 7, 64, 65, 500):
        ours = mean_table_count(n, concentration)
        slow = sum(concentration / (concentration + j) for j in range(n))
        assert ours == pytest.approx(slow, rel=1e-10)
        if concentration > 1e-3:
            by_digamma = concentration * (digamma(concentration + n) - digamma(concentration))
            assert ours == pytest.approx(by_digamma, rel=1e-9)


def softmax_state(theta: np.ndarray, concentration: float) -> Partition:
    m = np.exp(theta - theta.max())
    m /= m.sum()
    return weighted(m[1:], float(m[0]), concentration, n_docs=12)


@pytest.mark.parametrize("rule", catvi.G0_RULES)
def test_the_step_on_weights_follows_the_gradient(rule):
    """dL/dtheta = Lambda (m* - m) under softmax, by central differences."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (3, 30))  # three sweeps, three documents of ten tokens
    draws = draws_with(
        np.array([[np.bincount(d, minlength=4) for d in r.reshape(3, 10)] for r in rows])
    )
    theta, gamma = rng.normal(size=5), 2.6

    def value(theta: np.ndarray) -> float:
        state = softmax_state(theta, 3.0)
        return catvi.objective(state, catvi.count(state, draws), gamma, rule)

    state = softmax_state(theta, 3.0)
    tally = catvi.count(state, draws)
    star, star_rest = catvi.best_weights(tally.tables, gamma, rule)
    assert tally.tables.min() > 1.0
    assert star.sum() + star_rest == pytest.approx(1.0)
    of_rest, of_topic = catvi.exponents(rule, gamma, 4)
    total = of_rest + (tally.tables + of_topic).sum()
    ours = total * (np.array([star_rest, *star]) - np.array([state.rest, *state.weight]))
    step = 1e-5
    slopes = [(value(theta + step * e) - value(theta - step * e)) / (2 * step) for e in np.eye(5)]
    assert ours == pytest.approx(np.array(slopes), rel=1e-6, abs=1e-6)


def test_repeated_steps_on_weights_reach_the_maximum():
    """With the same draws the fixed point of m* has the largest objective around."""
    draws = draws_with(np.array([[[3, 0], [1, 2], [0, 4]]]))
    state = weighted([0.5, 0.3], 0.2, 5.0, n_docs=9)
    for _ in range(4000):
        star, rest = catvi.best_weights(catvi.count(state, draws).tables, 5.0, "map")
        state.weight, state.rest = 0.5 * (state.weight + star), 0.5 * (state.rest + rest)
    best = catvi.objective(state, catvi.count(state, draws), 5.0, "map")
    for move in np.random.default_rng(0).normal(0, 0.02, (30, 3)):
        m = np.array([state.rest, *state.weight]) * np.exp(move)
        other = weighted(m[1:] / m.sum(), m[0] / m.sum(), 5.0, n_docs=9)
        assert catvi.objective(other, catvi.count(other, draws), 5.0, "map") < best


@pytest.mark.parametrize("rule", catvi.G0_RULES)
def test_weights_stay_positive_where_the_formula_would_not_be(rule):
    for gamma in (1e-3, 1.0, 1.0 + 1e-9, 5.0):
        for tables in ([], [0.0], [0.3, 0.9], [0.0, 40.0]):
            star, rest = catvi.best_weights(np.array(tables), gamma, rule)
            assert np.all(star > 0)
            assert rest > 0
            assert star.sum() + rest == pytest.approx(1.0)
    star, rest = catvi.best_weights(np.array([3.0, 0.5]), 1.0, "map")  # the mean in its place
    assert [rest, *star] == pytest.approx([1 / 4.5, 3 / 4.5, 0.5 / 4.5])
    star, rest = catvi.best_weights(np.array([3.0, 0.5]), 5.0, "map")
    assert [rest, *star] == pytest.approx([4 / 6, 2 / 6, 0.0], abs=1e-9)
