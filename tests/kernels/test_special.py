"""Special functions of the kernels against scipy and against published values."""

import math

import numpy as np
import pytest
from scipy import special

from bnpexplorer.kernels.jit import kernel
from bnpexplorer.kernels.special import (
    digamma,
    digamma_many,
    distinct_words,
    draw_from_logs,
    draw_index,
    exp,
    ln,
    log_gamma_ratio,
    log_rising,
    trigamma,
)


def test_digamma_has_its_known_values():
    assert digamma(1.0) == pytest.approx(-0.5772156649015329, abs=3e-14)
    assert digamma(0.1) == pytest.approx(-10.4237549404110768, abs=1e-13)
    assert digamma(0.5) == pytest.approx(-0.5772156649015329 - 2.0 * math.log(2.0), abs=3e-14)


def test_trigamma_equals_scipy_over_a_wide_range():
    for x in np.geomspace(1e-9, 1e12, 500):
        assert trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-13), x


def test_digamma_equals_scipy_over_a_wide_range():
    """Absolute error below 1e-13 from 0.01 on, relative below 1e-14 under it."""
    for x in np.concatenate((np.geomspace(0.01, 1e12, 20001), np.arange(0.25, 30.0, 0.25))):
        expected = special.digamma(x)
        assert abs(digamma(x) - expected) < max(1e-13, 4e-16 * abs(expected)), x
    for x in np.geomspace(1e-100, 0.01, 2001):
        assert digamma(x) == pytest.approx(special.digamma(x), rel=1e-14)


def test_many_digammas_are_single_ones():
    x = np.geomspace(1e-50, 1e20, 1003)
    out = np.empty_like(x)
    digamma_many(x, out)
    single = np.array([digamma(value) for value in x])
    np.testing.assert_allclose(out, single, rtol=1e-15, atol=4e-15)


@kernel
def _elementary(x, exponentials, logarithms):
    for k in range(x.size):
        exponentials[k], logarithms[k] = exp(-x[k]), ln(x[k])


def test_exp_and_ln_equal_those_of_the_c_library():
    """Over all that they promise: exp down to -700 and no further, ln of all normal numbers."""
    x = np.concatenate((np.linspace(1.0, 699.9, 100001), np.geomspace(1.0, 1e300, 100001)))
    exponentials, logarithms = np.empty_like(x), np.empty_like(x)
    _elementary(x, exponentials, logarithms)
    np.testing.assert_allclose(exponentials, np.exp(-np.minimum(x, 700.0)), rtol=1e-15)
    np.testing.assert_array_max_ulp(logarithms, np.log(x), 1)
    below = np.geomspace(1e-300, 1.0, 100001)
    _elementary(below, exponentials[:100001], logarithms[:100001])
    np.testing.assert_array_max_ulp(logarithms[:100001], np.log(below), 1)
    small = np.linspace(-700.0, 700.0, 1001)
    _elementary(-small, exponentials[:1001], logarithms[:1001])
    np.testing.assert_allclose(exponentials[:1001], np.exp(small), rtol=1e-15)


def test_digamma_obeys_its_recurrence():
    for x in np.linspace(5.5, 8.5, 301):
        assert digamma(x + 1.0) - digamma(x) == pytest.approx(1.0 / x, abs=3e-14)


@pytest.mark.parametrize("x", [1e-20, 1e-9, 0.01, 0.5, 3.7, 9999.0, 1e4, 3e7, 1e20])
@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 40, 3000])
def test_log_rising_is_the_sum_of_its_factors(x, count):
    expected = math.fsum(math.log(x + j) for j in range(count))
    assert log_rising(x, count) == pytest.approx(expected, rel=1e-13, abs=1e-12)


@pytest.mark.parametrize("count", [3, 30])
def test_log_rising_keeps_its_precision_where_lgammas_cancel(count):
    exact = math.fsum(math.log1p(j / 1e7) for j in range(count)) + count * math.log(1e7)
    assert log_rising(1e7, count) == pytest.approx(exact, rel=1e-14)
    assert abs(special.gammaln(1e7 + count) - special.gammaln(1e7) - exact) > 1e-10


@pytest.mark.parametrize("x", [1e-9, 0.3, 7.0, 9999.5, 1e4, 3e7])
@pytest.mark.parametrize("amount", [0.25, 0.5, 3.7, 41.2])
def test_log_gamma_ratio_of_amounts_that_are_not_whole(x, amount):
    """Its parts add up to whole factors; scipy's, where it has the digits."""
    rest = 1.0 - amount % 1.0
    n = math.ceil(amount)
    whole = math.fsum(math.log(x + j) for j in range(n))
    found = log_gamma_ratio(x, amount) + log_gamma_ratio(x + amount, rest)
    assert found == pytest.approx(whole, rel=1e-13, abs=2e-11)
    if x < 1e3:
        expected = special.gammaln(x + amount) - special.gammaln(x)
        assert log_gamma_ratio(x, amount) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_draw_index_is_the_inverse_of_the_cumulative_weights():
    weights = np.array([0.0, 2.0, 0.0, 1.0, 5.0, 0.0])
    cumulative = np.cumsum(weights)
    grid = (np.arange(8000) + 0.5) / 8000
    drawn = np.array([draw_index(cumulative, 6, u) for u in grid])
    np.testing.assert_allclose(np.bincount(drawn, minlength=6) / 8000, weights / 8.0, atol=2e-4)
    assert draw_index(cumulative, 6, 0.0) == 1
    assert draw_index(cumulative, 2, 0.999) == 1
    assert draw_index(cumulative, 6, math.nextafter(1.0, 0.0)) == 4


def test_draw_from_logs_does_not_mind_their_level():
    grid = (np.arange(4000) + 0.5) / 4000
    for level in (-1e5, 0.0, 1e5):
        logs = np.log([1.0, 3.0, 4.0]) + level
        drawn = [draw_from_logs(np.append(logs, 99.0), 3, u) for u in grid]
        share = np.bincount(drawn, minlength=3) / 4000
        np.testing.assert_allclose(share, [0.125, 0.375, 0.5], atol=1e-3)


def test_distinct_words_are_numpys_unique():
    rng = np.random.default_rng(0)
    for n in (1, 5, 200):
        word_ids = rng.integers(50, size=n).astype(np.int32)
        words, local = distinct_words(word_ids, 60)
        expected, inverse = np.unique(word_ids, return_inverse=True)
        np.testing.assert_array_equal(words, expected)
        np.testing.assert_array_equal(local, inverse)
        assert words.dtype == local.dtype == np.int32
