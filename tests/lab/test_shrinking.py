"""A small topic beside draws of its Dirichlet, and beside a step worked out by hand."""

import numpy as np
import pytest

from bnpexplorer.lab.shrinking import Contest, exp_psi, shrinking


def test_weights_and_spread_are_those_of_the_topic_s_dirichlet():
    contest = Contest(n_words=20, eta=0.5, n_tokens=10, known=0.3)
    mine, rest = 0.5 + 3.0, 19 * 0.5
    word = np.random.default_rng(0).beta(mine, rest, 400_000)
    [lost] = shrinking("mean field", 1, 3.0, contest)
    [kept] = shrinking("collapsed", 1, 3.0, contest)
    assert lost.weight == pytest.approx(np.exp(np.log(word).mean()), rel=0.005)
    assert kept.weight == pytest.approx(word.mean(), rel=0.005)
    assert kept.spread == lost.spread == pytest.approx(word.std() / word.mean(), rel=0.005)


def test_a_step_divides_the_tokens_by_what_both_count():
    contest = Contest(n_words=20, eta=0.5, n_tokens=10, known=0.3)
    first, second = shrinking("collapsed", 2, 3.0, contest)
    weight = 3.5 / 13.0
    assert (first.tokens, second.tokens) == (3.0, pytest.approx(10 * weight / (weight + 0.3)))


def test_exp_psi_is_the_exponential_of_the_mean_logarithm():
    for shape in (0.5, 2.0, 7.0):
        drawn = np.random.default_rng(0).gamma(shape, size=400_000)
        assert exp_psi(shape) == pytest.approx(np.exp(np.log(drawn).mean()), rel=0.01)
