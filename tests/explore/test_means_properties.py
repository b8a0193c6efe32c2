"""Means and their intervals by their laws, for groups of any documents, against scipy and loops."""

from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bnpexplorer.explore import means as quantiles
from bnpexplorer.explore import periods
from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.over_documents import correlations, prevalence, side_by_side
from tests.tools.drawn_topics import SEEDS

G = 3
LEVELS = st.floats(0.5, 0.9995)


@st.composite
def documents(draw, most=30, columns=4):
    """Shares (D, K), groups, lengths and texts (D,), of which some documents have one in common."""
    n, seed = draw(st.integers(1, most)), draw(SEEDS)
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(columns, draw(st.sampled_from([0.05, 0.5, 5.0]))), n)
    groups = rng.integers(-1, G, n)
    groups[0] = 1
    lengths = rng.integers(1, draw(st.sampled_from([2, 50, 5000])), n).astype(float)
    return shares, groups, lengths, rng.integers(0, draw(st.integers(1, n)), n)


WAYS = st.tuples(st.booleans(), st.booleans())
"""By lengths or not, by texts or by documents."""


def means(docs, way, rows=slice(None)):
    shares, groups, lengths, units = (part[rows] for part in docs)
    return group_means(shares, groups, G, lengths if way[0] else None, units if way[1] else None)


def same(one, other, rtol=1e-7):
    for name in ("n_docs", "n_units", "effective", "mean", "error", "spread"):
        a, b = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-9, err_msg=name)


@given(documents(), WAYS)
def test_a_mean_is_that_of_numpy_and_lies_in_its_interval(docs, way):
    shares, groups, lengths, _ = docs
    found = means(docs, way)
    low, high = found.interval()
    for g in range(G):
        mine = groups == g
        assert found.n_docs[g] == mine.sum()
        if not mine.any():
            assert np.isnan([found.mean[g], low[g], high[g]]).all()
            continue
        w = lengths[mine] if way[0] else None
        np.testing.assert_allclose(found.mean[g], np.average(shares[mine], 0, w), rtol=1e-9)
        assert (low[g] >= 0.0).all()
        assert (low[g] <= found.mean[g]).all()
        assert (found.mean[g] <= high[g]).all()
        assert (high[g] <= 1.0).all()
        assert (high[g] > low[g]).all(), "never a point"


@given(documents(), WAYS, st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_no_interval(docs, way, random):
    order = random.sample(range(len(docs[0])), len(docs[0]))
    same(means(docs, way), means(docs, way, order))


@given(documents(), WAYS, st.permutations(range(G)), st.permutations(range(40)))
def test_what_groups_and_texts_are_called_changes_no_interval(docs, way, groups_, texts):
    shares, groups, lengths, units = docs
    turned = np.append(groups_, -1)[groups]
    found, other = means(docs, way), means((shares, turned, lengths, np.array(texts)[units]), way)
    for name in ("n_units", "effective", "mean", "spread"):
        a, b = getattr(found, name), getattr(other, name)[list(groups_)]
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


@given(documents(), WAYS, st.floats(0.01, 100.0))
def test_the_unit_of_lengths_does_not_count(docs, way, factor):
    shares, groups, lengths, units = docs
    same(means(docs, way), means((shares, groups, factor * lengths, units), way), rtol=1e-5)


@given(documents(), WAYS)
def test_the_interval_of_what_is_left_is_the_mirror_image(docs, way):
    """A topic and all others together: what is low for the one is high for the others."""
    shares, *rest = docs
    one, other = (
        group_means(np.ascontiguousarray(x), rest[0], G, rest[1] if way[0] else None).interval()
        for x in (shares[:, :1], 1.0 - shares[:, :1])
    )
    np.testing.assert_allclose(one[0], 1.0 - other[1], atol=1e-7)
    np.testing.assert_allclose(one[1], 1.0 - other[0], atol=1e-7)


@given(documents(), WAYS, LEVELS, LEVELS)
def test_surer_intervals_hold_the_others(docs, way, one, other):
    found = means(docs, way)
    (low, high), (lower, higher) = (found.interval(level) for level in sorted((one, other)))
    there = ~np.isnan(low)
    assert (lower[there] <= low[there] + 1e-12).all()
    assert (higher[there] >= high[there] - 1e-12).all()


@given(documents(), st.booleans(), st.integers(2, 6))
def test_more_documents_of_the_same_kind_make_it_narrower(docs, by_length, times):
    again = tuple(np.concatenate([part] * times) for part in docs)
    (low, high), (lower, higher) = (means(d, (by_length, False)).interval() for d in (docs, again))
    there = ~np.isnan(low)
    assert (higher[there] - lower[there] < high[there] - low[there]).all()


@given(documents(), st.booleans(), st.integers(2, 6))
def test_passages_of_the_same_text_are_no_more_than_the_text(docs, by_length, times):
    """Cut into equal passages, each of which has an equal part of its length."""
    shares, groups, lengths, _ = docs
    texts = np.arange(len(shares))
    cut = [np.repeat(part, times, axis=0) for part in (shares, groups, lengths / times, texts)]
    one, other = (
        means((shares, groups, lengths, texts), (by_length, True)),
        means(cut, (by_length, True)),
    )
    for name in ("n_units", "effective", "mean", "spread"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-5, atol=1e-9)


@given(documents(), WAYS, st.permutations(range(4)).map(lambda order: order[:2]), LEVELS)
def test_some_columns_alone_are_those_of_all_in_their_means(docs, way, columns, level):
    shares, groups, lengths, units = docs
    more = (lengths if way[0] else None, units if way[1] else None)
    some = group_means(shares, groups, G, *more, columns=columns)
    every = means(docs, way)
    np.testing.assert_allclose(some.mean, every.mean[:, columns], rtol=1e-12)
    np.testing.assert_allclose(some.error, every.error[:, columns], rtol=1e-12)
    for one, other in zip(every.interval(level, columns), every.interval(level), strict=True):
        np.testing.assert_array_equal(one, other[:, columns])


@pytest.mark.second
@given(documents(), st.booleans())
def test_the_error_of_equal_documents_is_that_of_scipy(docs, by_text):
    shares, groups, _, _ = docs
    found = means((*docs[:3], np.arange(len(shares))), (False, by_text))
    for g in range(G):
        mine = shares[groups == g]
        if len(mine) > 1:
            np.testing.assert_allclose(found.error[g], stats.sem(mine), rtol=1e-5, atol=1e-9)
        else:
            assert np.isnan(found.error[g]).all()


@given(st.floats(1e-9, 0.5), st.floats(1.0, 1e4))
def test_quantiles_are_those_of_scipy(tail, freedom):
    assert quantiles.normal_above(tail) == pytest.approx(stats.norm.isf(tail), rel=1e-9, abs=1e-12)
    expected = stats.t.isf(tail, freedom)
    assert quantiles.student_above(tail, freedom) == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert quantiles.student_below(tail, freedom) == pytest.approx(-expected, rel=1e-7, abs=1e-9)


# ---- periods -------------------------------------------------------------------------------------

DAYS = st.lists(st.dates(), min_size=1, max_size=12).map(lambda d: np.array(d, "datetime64[D]"))
PERIOD = st.sampled_from(periods.PERIODS)


@given(DAYS, PERIOD)
def test_every_day_is_in_its_period_and_in_no_other(days, period):
    number = periods.index(days, period)
    first, after = periods.start(number, period), periods.start(number + 1, period)
    assert (first <= days).all()
    assert (days < after).all()
    np.testing.assert_array_equal(periods.index(first, period), number)
    np.testing.assert_array_equal(periods.index(after, period), number + 1)
    last = [periods.last_day(day, period) for day in days]
    np.testing.assert_array_equal(last, after - np.timedelta64(1, "D"))
    assert periods.count(days, period) == number.max() - number.min() + 1


@pytest.mark.second
@given(documents(), st.data(), st.sampled_from(["month", "quarter", "year", "50 years"]))
def test_the_share_of_a_period_is_the_mean_of_its_documents(docs, data, period):
    shares, _, lengths, _ = docs
    day = st.one_of(st.none(), st.dates(date(1899, 2, 3), date(1931, 5, 6)))
    drawn = data.draw(st.lists(day, min_size=len(shares), max_size=len(shares)))
    assume(any(drawn))
    dates = np.array([np.datetime64(d or "NaT", "D") for d in drawn])
    found = prevalence(shares, dates, period, lengths)
    assert found.n_undated == drawn.count(None)
    assert found.n_docs.sum() == len(drawn) - found.n_undated
    for p, begin in enumerate(found.starts):
        mine = [
            i
            for i, d in enumerate(drawn)
            if d and begin <= dates[i] <= periods.last_day(begin, period)
        ]
        assert found.n_docs[p] == len(mine)
        if mine:
            expected = np.average(shares[mine], 0, lengths[mine])
            np.testing.assert_allclose(found.share[p], expected, rtol=1e-9)


@given(documents())
def test_correlations_are_those_of_numpy(docs):
    shares = docs[0].astype(np.float32)
    found = correlations(shares)
    assert (np.diag(found) == 1.0).all()
    np.testing.assert_allclose(found, found.T, atol=1e-6)
    spread = shares.astype(float).std(axis=0)
    for a in range(4):
        for b in range(a):
            if len(shares) > 1 and min(spread[a], spread[b]) > 1e-3:
                expected = np.corrcoef(shares[:, a].astype(float), shares[:, b].astype(float))[0, 1]
                assert found[a, b] == pytest.approx(expected, abs=1e-4)
    assert sorted(side_by_side(found)) == [0, 1, 2, 3]
