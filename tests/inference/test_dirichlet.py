"""The lazily scaled topic Dirichlets against a dense twin, over random sequences of operations."""

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import expon, kstest

from bnpexplorer.inference import dirichlet as module
from bnpexplorer.inference.dirichlet import Dirichlets, random_excess
from bnpexplorer.inference.pool import Threads
from bnpexplorer.kernels.dirichlet import BLOCK, exp_shifted, expected_log
from bnpexplorer.kernels.special import digamma as kernel_digamma
from bnpexplorer.kernels.tuples import Lam
from tests.tools.pools import Sent
from tests.twins.meanfield import elog_topics, topics_bound

V, ETA = 11, 0.3


def spread(words, excess):
    """(K, V) from (W, K) at `words`."""
    out = np.zeros((excess.shape[1], V))
    out[:, words] = excess.T
    return out


def some_words(rng):
    n = int(rng.integers(1, V + 1))
    return np.sort(rng.choice(V, n, replace=False)).astype(np.int32)


def assert_same(lazy, lam):
    every = np.arange(V, dtype=np.int32)
    assert len(lazy) == len(lam)
    np.testing.assert_allclose(lazy.at(every).T, lam, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(lazy.total, lam.sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(lazy.size, (lam - ETA).sum(axis=1), rtol=1e-9, atol=1e-9)
    if len(lam):
        mean = lam / lam.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(lazy.expected(), mean, rtol=1e-6)
        assert lazy.expected().dtype == np.float32
        np.testing.assert_allclose(lazy.expected_log(every).T, elog_topics(lam), rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_random_sequences_equal_the_dense_twin(seed):
    rng = np.random.default_rng(seed)
    lazy, lam = Dirichlets.empty(V, ETA, capacity=2), np.zeros((0, V))
    happened = set()
    for _ in range(120):
        what = rng.choice(
            ["blend", "whole", "append", "keep", "reorder"], p=[0.5, 0.05, 0.2, 0.1, 0.15]
        )
        words = some_words(rng)
        happened.add(str(what))
        if what in ("blend", "whole"):
            rho = 1.0 if what == "whole" else rng.uniform(0.0, 0.999)
            excess = rng.gamma(0.5, 3.0, size=(len(words), len(lam)))
            lazy.blend(rho, words, excess)
            lam = (1 - rho) * lam + rho * (ETA + spread(words, excess))
        elif what == "append" and len(lam) < 12:
            excess = rng.gamma(0.5, 3.0, size=(len(words), int(rng.integers(1, 4))))
            lazy.append(words, excess)
            lam = np.vstack((lam, ETA + spread(words, excess)))
        elif what == "keep":
            mask = rng.random(len(lam)) < 0.7
            lazy.keep(mask)
            lam = lam[mask]
        elif what == "reorder":
            order = rng.permutation(len(lam))
            lazy.reorder(order)
            lam = lam[order]
        assert_same(lazy, lam)
    assert len(happened) == 5


def test_scale_is_multiplied_in_before_it_vanishes(monkeypatch):
    """Hundreds of large steps would underflow the scale; results must not notice."""
    rng = np.random.default_rng(1)
    lazy = Dirichlets.from_excess(rng.gamma(1.0, size=(3, V)), ETA)
    lam = lazy.at(np.arange(V, dtype=np.int32)).T.copy()
    smallest = 1.0
    for _ in range(400):
        words = some_words(rng)
        excess = rng.gamma(0.5, 3.0, size=(len(words), 3))
        lazy.blend(0.9, words, excess)
        lam = 0.1 * lam + 0.9 * (ETA + spread(words, excess))
        smallest = min(smallest, lazy.scale)
        assert lazy.scale >= module.TINY_SCALE
    assert smallest < 1e-70
    assert_same(lazy, lam)


def test_slots_are_used_again_and_freed_ones_are_clean():
    lazy = Dirichlets.empty(V, ETA, capacity=2)
    every = np.arange(V, dtype=np.int32)
    lazy.append(every, np.full((V, 2), 5.0))
    lazy.keep(np.array([False, True]))
    lazy.append(every[:1], np.ones((1, 1)))
    assert lazy.stats.shape == (V, 2)
    np.testing.assert_allclose(lazy.at(every)[:, 1], ETA + np.eye(1, V)[0])
    np.testing.assert_allclose(lazy.size, [5.0 * V, 1.0])


def test_bound_is_expected_log_prior_plus_entropy():
    rng = np.random.default_rng(2)
    excess = rng.gamma(0.5, 4.0, size=(5, V))
    excess[2] = 0.0  # a topic at the prior
    excess[3, 4:] = 0.0
    lazy = Dirichlets.from_excess(excess, ETA)
    assert lazy.bound() == pytest.approx(topics_bound(ETA + excess, ETA), rel=1e-12)
    lazy.blend(0.3, np.arange(V, dtype=np.int32), np.ones((V, 5)))
    lazy.keep(np.array([True, False, True, True, True]))
    lam = 0.7 * (ETA + excess) + 0.3 * (ETA + 1.0)
    expected = topics_bound(lam[[0, 2, 3, 4]], ETA)
    assert lazy.bound() == pytest.approx(expected, rel=1e-12)


def test_bound_of_the_prior_is_zero():
    lazy = Dirichlets.from_excess(np.zeros((3, V)), ETA)
    assert lazy.bound() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("low", [0.003, 0.01, 0.5, 20.0])
def test_expected_log_of_wide_ranges(low):
    rng = np.random.default_rng(3)
    lam = np.ascontiguousarray(low * np.exp(rng.uniform(0.0, 12.0, size=(13, 37))))
    total = lam.sum(axis=0)
    expected = digamma(lam) - digamma(total)
    logs, (n_words, n_topics) = np.empty_like(lam), lam.shape
    every = np.arange(n_words, dtype=np.int32)
    lazy = Lam(lam / 2.0 - 0.0005, np.arange(n_topics), 2.0, 0.001)
    expected_log(0, n_words, lazy, every, total, logs)
    np.testing.assert_allclose(logs, expected, rtol=1e-13, atol=2e-13)
    one_by_one = [
        [kernel_digamma(x) - kernel_digamma(t) for x, t in zip(row, total, strict=True)]
        for row in lam
    ]
    np.testing.assert_allclose(logs, one_by_one, rtol=1e-15, atol=1e-14)


def test_exp_shifted_keeps_ratios_and_reports_the_shift():
    logs = np.array([[-700.0, -702.0, -2000.0], [3.0, 1.0, 2.0]])
    factors, shift = exp_shifted(logs, 1e-150)
    np.testing.assert_allclose(shift, [-700.0, 3.0])
    np.testing.assert_allclose(factors[0], [1.0, np.exp(-2.0), 1e-150], rtol=1e-14)
    np.testing.assert_allclose(factors[1], np.exp(logs[1] - 3.0), rtol=1e-14)


def test_random_excess_has_the_mean_of_the_footnote():
    excess = random_excess(20, 500, 3000, 100.0, np.random.default_rng(0))
    assert excess.shape == (20, 500)
    mean = 3000 * 100.0 / (20 * 500)
    assert excess.mean() == pytest.approx(mean, abs=4 * mean / np.sqrt(excess.size))
    assert kstest(excess.ravel(), expon(scale=mean).cdf).pvalue > 1e-4


def test_sums_over_words_have_equal_bits_for_any_pool():
    """Over more words than a block holds, and a number that is no multiple of it."""
    n_words, n_topics = 3 * BLOCK + 5, 6
    found = []
    with Threads(2) as two, Threads(3) as three:
        for pool in (None, two, three, Sent()):
            rng = np.random.default_rng(7)
            lazy = Dirichlets.from_excess(rng.gamma(0.5, size=(n_topics, n_words)), ETA)
            for rho in (0.3, 0.9, 1.0, 0.2):
                n = int(rng.integers(BLOCK, n_words))
                words = np.sort(rng.choice(n_words, n, replace=False)).astype(np.int32)
                lazy.blend(rho, words, rng.gamma(0.5, 9.0, size=(n, n_topics)), 3.0, pool)
            lazy.append(words, rng.gamma(0.5, size=(n, 2)), pool)
            lazy.add(words, rng.gamma(0.5, size=(n, n_topics + 2)), 0.5, pool)
            logs, factor = lazy.expected_log(words, pool), lazy.word_factor(words, pool)
            sums = lazy.bound(pool), lazy.sum_expected_log(pool), *lazy.log_normaliser_terms(pool)
            arrays = [lazy.stats, lazy.row_sum, logs, *factor, *map(np.asarray, sums)]
            found.append([array.tobytes() for array in arrays])
    assert all(other == found[0] for other in found[1:])
    np.testing.assert_allclose(factor[0], np.exp(logs - factor[1][:, None]), rtol=1e-13)
    np.testing.assert_array_equal(factor[1], logs.max(axis=1))
    np.testing.assert_allclose(lazy.row_sum[lazy.slots], lazy.stats[:, lazy.slots].sum(axis=0))
