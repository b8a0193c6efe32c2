"""Means of few documents and their intervals: a slow twin, and simulation."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, norm
from scipy.stats import t as student

from bnpexplorer.explore import means

K = 12


def some_shares(seed, n_docs, concentration=2.0):
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.full(K, 0.7))
    return rng.dirichlet(np.maximum(base * concentration, 1e-3), n_docs).astype(np.float32)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_and_intervals_are_those_of_a_slow_twin(weighted, together):
    """Deviations are added up within texts (`together`: of documents) before they are squared."""
    x = some_shares(1, 60).astype(np.float64)
    rng = np.random.default_rng(2)
    groups = rng.integers(-1, 4, 60)
    groups[groups == 3] = 2
    groups[7] = 3  # one document alone; group 4 has none
    w = rng.integers(1, 80, 60).astype(float)
    units = rng.integers(0, 30, 60) if together else None
    found = means.group_means(x, groups, 5, w if weighted else None, units)
    w = w if weighted else np.ones(60)
    units = units if together else np.arange(60)
    low, high = found.interval(0.9)
    around, expected, a2, a4, n = np.zeros((4, K)), np.zeros(4), np.ones(4), np.ones(4), np.ones(4)
    n_eff, mean = np.zeros(4), np.full((5, K), np.nan)
    for g in range(4):
        rows = np.flatnonzero(groups == g)
        texts = [rows[units[rows] == u] for u in np.unique(units[rows])]
        a = np.array([w[text].sum() for text in texts])
        mean[g] = sum(w[r] * x[r] for r in rows) / w[rows].sum()
        n[g], a2[g], a4[g] = len(texts), (a**2).sum(), (a**4).sum()
        n_eff[g] = a.sum() ** 2 / a2[g]
        if len(texts) < 2:
            continue
        around[g] = sum(sum(w[r] * (x[r] - mean[g]) for r in text) ** 2 for text in texts)
        # the same for shares that are independent with variance one, by its expectation
        m = np.eye(len(texts)) - np.outer(np.ones(len(texts)), a) / a.sum()
        expected[g] = sum(a[i] ** 2 * (m[i] ** 2).sum() for i in range(len(texts)))
    spread = np.zeros((4, K))
    for scale in (a2 / n, a4 / a2):  # as many as there are, and as the long ones alone are
        differs = around / scale[:, None]
        possible = (expected / scale)[:, None] * mean[:4] * (1 - mean[:4])
        overall = (differs.sum() + 1) / (possible.sum() + 1)
        own = (differs.sum(0) + 5 * overall) / (possible.sum(0) + 5)
        # a group more varied than all are has its columns moved towards as much more
        more = (differs.sum(1) + 5 * overall) / (possible.sum(1) + 5) / overall
        target = own * np.maximum(more, 1)[:, None]
        one = np.clip((differs + 5 * target) / (possible + 5), 0, 1)
        spread = np.maximum(spread, one)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(found.spread[:4], spread, rtol=1e-7)
    exact = replace(found, exact=True).interval(0.9)
    for g in range(4):
        n = n_eff[g] / spread[g] * (norm.isf(0.05) / student.isf(0.05, 9 + n_eff[g])) ** 2
        yes, no = n * mean[g], n * (1 - mean[g])
        for (down, up), half in (((low, high), 0.5), (exact, 1.0)):
            wanted = np.nan_to_num(beta.ppf(0.05, yes + 1 - half, no + half))
            np.testing.assert_allclose(down[g], np.minimum(wanted, mean[g]), 1e-6, 1e-15)
            wanted = beta.isf(0.05, yes + half, no + 1 - half)
            np.testing.assert_allclose(up[g], np.maximum(wanted, mean[g]), 1e-6)
    assert np.isnan(low[4]).all()
    assert found.n_docs.tolist() == [np.sum(groups == g) for g in range(5)]
    assert found.n_units.tolist() == [len(set(units[groups == g])) for g in range(5)]


def test_intervals_of_few_documents_hold_what_they_promise():
    """At least 94 % of the intervals of 1, 2, 5 and 30 documents hold the true mean."""
    rng = np.random.default_rng(5)
    sizes = (1, 2, 5, 30)
    for concentration in (0.5, 3.0, 30.0):
        inside = {n: [] for n in sizes}
        for _ in range(60):
            true = rng.dirichlet(np.full(K, 0.8), len(sizes))
            alpha = np.maximum(true * concentration, 1e-3)
            true = alpha / alpha.sum(axis=1, keepdims=True)
            x = np.concatenate([rng.dirichlet(a, n) for a, n in zip(alpha, sizes, strict=True)])
            lengths = rng.integers(20, 200, len(x)).astype(float)
            found = means.group_means(x, np.repeat(np.arange(4), sizes), 4, lengths)
            low, high = found.interval()
            for g, n in enumerate(sizes):
                inside[n].append(np.mean((low[g] <= true[g]) & (true[g] <= high[g])))
        for n in sizes:
            assert np.mean(inside[n]) >= 0.94, (concentration, n)


def test_one_document_is_no_certainty_and_never_a_point():
    x = np.array([[1.0, 0.0], [0.2, 0.8], [0.2, 0.8], [0.2, 0.8]])
    low, high = means.group_means(x, np.array([0, 1, 1, 1]), 2).interval()
    assert np.all(high - low > 0.01), "also where all documents are the same"
    assert high[0, 0] == 1.0
    assert low[0, 0] < 0.5
    alone = means.group_means(x[:1], np.array([0]), 1)
    assert np.all(alone.interval()[1] - alone.interval()[0] > 0.85), "nothing is known of spread"


def test_columns_of_topics_may_be_added():
    x = some_shares(3, 50)
    groups = np.arange(50) % 3
    both = means.group_means(x[:, :2].sum(axis=1, keepdims=True), groups, 3)
    apart = means.group_means(x, groups, 3)
    np.testing.assert_allclose(both.mean[:, 0], apart.mean[:, :2].sum(axis=1), rtol=1e-6)


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="have 2 groups"):
        means.group_means(np.ones((3, 1)), np.zeros(2, np.int64), 1)
