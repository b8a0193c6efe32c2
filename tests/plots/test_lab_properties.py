"""The Lab's pictures, read back: every number that they were given at its own place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.plots import lab
from tests.tools import profiles
from tests.tools.drawn_topics import SEEDS


@profiles.fewer(4)
@given(SEEDS, st.integers(1, 9), st.integers(0, 9))
def test_growth_has_what_came_what_is_expected_and_its_band(seed, n, now):
    rng = np.random.default_rng(seed)
    low, expected, high = np.sort(rng.random((3, n + 1)), axis=0)
    actual = rng.random(min(now, n) + 1)
    both = [lab.Growth("a", 0, actual, expected, low, high), lab.Growth("b", 1, actual, high)]
    band, *lines = lab.growth_figure(both, 2.0, False).data
    ends = {x: [] for x in range(n + 1)}
    for x, y in zip(band.x, band.y, strict=True):
        ends[x].append(y)
    assert ends == {x: [high[x], low[x]] for x in range(n + 1)}
    for line, values in zip(lines, (expected, actual, high, actual), strict=True):
        np.testing.assert_array_equal(line.x, np.arange(len(values)))
        np.testing.assert_array_equal(line.y, values)


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.integers(1, 7))
def test_sticks_and_mixtures_are_drawn_as_long_as_they_are(seed, n):
    rng = np.random.default_rng(seed)
    weights, expected = rng.dirichlet(np.ones(n + 1), 2)[:, :-1]
    ids = rng.permutation(n).tolist()
    parts = lab.strips_figure([("one", weights, ids), ("other", expected, None)], False).data
    assert [part.x[0] for part in parts] == [*weights, *expected]
    assert [part.y[0] for part in parts] == ["one"] * n + ["other"] * n
    for part, k in zip(parts, [*ids, *range(n)], strict=True):
        assert part.text in ("", str(k + 1))
        assert part.hovertemplate.startswith(f"{k + 1}: ")
    bars, diamonds = lab.beside_expected(weights, expected, ids, "x", False).data
    np.testing.assert_array_equal(bars.y, weights)
    np.testing.assert_array_equal(diamonds.y, expected)
    assert list(bars.text) == [str(k + 1) for k in ids]
    shares = rng.dirichlet(np.full(n, 0.4), 5)
    stacked = np.array([bar.y for bar in lab.mixtures_figure(shares, False).data])
    np.testing.assert_array_equal(stacked.T, shares)


@given(SEEDS, st.integers(1, 7), st.integers(1, 4), st.integers(1, 4))
def test_pictures_are_scaled_each_by_its_own_largest_pixel(seed, n, side, per_row):
    pictures = np.random.default_rng(seed).random((n, side * side)) + 0.01
    canvas = lab.pictures_canvas(pictures, per_row)
    assert np.isfinite(canvas).sum() == n * side * side
    rows = np.flatnonzero(np.isfinite(canvas).any(axis=1)).reshape(-1, side)
    found = []
    for row in rows:
        strip = canvas[row]
        columns = np.flatnonzero(np.isfinite(strip).any(axis=0)).reshape(-1, side)
        found += [strip[:, column] for column in columns]
    for picture, drawn in zip(pictures, found, strict=True):
        assert drawn.max() == 1.0
        np.testing.assert_allclose(drawn.ravel() * picture.max(), picture, rtol=1e-12)


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.integers(2, 9))
def test_lines_of_a_bound_and_of_a_contest_have_their_values(seed, n):
    rng = np.random.default_rng(seed)
    one, other = 10.0 ** -rng.uniform(0.0, 8.0, (2, n))
    lines = [("one", one, 0, "solid"), ("other", other, 2, "dot")]
    for trace, values in zip(lab.bound_figure(lines, 1e-5, False).data, (one, other), strict=True):
        np.testing.assert_array_equal(trace.x, np.arange(1, n + 1))
        np.testing.assert_array_equal(trace.y, np.where(values >= 1e-5, values, np.nan))
    contest = lab.contest_figure([("one", 0, one), ("other", 2, other)], "violins", False)
    for trace, values in zip(contest.data, (one, other), strict=True):
        np.testing.assert_array_equal(trace.x, np.arange(n))
        np.testing.assert_array_equal(trace.y, values)
    at = np.cumsum(one)
    itself, counted, steps = lab.counted_figure(at, other, (one, other), (0, 1), False).data
    np.testing.assert_array_equal([itself.x, itself.y], [at, at])
    for trace, x in ((counted, at), (steps, one)):
        np.testing.assert_array_equal(trace.x, x)
        np.testing.assert_array_equal(trace.y, other)
