"""What reports draw, read back by their own axes: a curve, a line through time, a map, a bar."""

import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.export.drawing import (
    DrawnCurve,
    Level,
    Triangles,
    line_chart,
    numbers,
    ticks,
    time_line,
    topic_map,
)
from bnpexplorer.export.pieces import bar, topics_table
from tests.tools.drawn_topics import SEEDS
from tests.tools.moments import made

INK = ("#123456", "#abcdef")
TENTH = 0.0501
"""Places are written to a tenth of a pixel."""


def number(words):
    return float(words.replace(",", "").replace("−", "-"))


def points_of(path):
    """The corners of a path of straight lines, or of stairs."""
    found = []
    for command, rest in re.findall(r"([MLHV])([^MLHV]*)", path):
        parts = [*map(float, rest.split())]
        x, y = found[-1] if found else (0.0, 0.0)
        found.append({"H": (parts[0], y), "V": (x, parts[0])}.get(command, tuple(parts)))
    return found


def scale(marks):
    """From pixels to numbers by the first and the last mark of an axis: slope, start, slack."""
    (p, a), (q, b) = marks[0], marks[-1]
    slope = (number(b) - number(a)) / (float(q) - float(p))
    return slope, number(a) - slope * float(p), abs(slope) * 6 * TENTH


def read(chart):
    """What turns pixels of a chart into numbers, across and up, each with its slack."""
    across = re.findall(r'x="([\d.]+)" y="[\d.]+" text-anchor="middle">([\d.,]+)<', chart)
    up = [
        (float(y) - 4, words)
        for y, words in re.findall(r'y="([\d.]+)" text-anchor="end">([−\d.,]+)<', chart)
    ]
    return scale(across), scale(up)


@pytest.mark.second
@given(SEEDS, st.integers(2, 30), st.booleans(), st.sampled_from([(-9.0, 1.0), (3.0, 40.0)]))
def test_a_curve_its_level_and_its_marks_are_read_off_the_axes(seed, n, steps, at):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.integers(5, 90, n)).astype(float)
    y = at[0] + at[1] * rng.random(n)
    y = np.round(np.abs(y)) if steps else y  # counts
    above = Triangles(x[::2].tolist(), (y[::2] + 0.5).tolist(), "3 born", up=True)
    below = Triangles(x[:1].tolist(), (y[:1] - 0.25).tolist(), "1 gone", up=False)
    curve = DrawnCurve("a", x.tolist(), y.tolist(), INK, steps, (above, below))
    level = float(y.min() - 0.7)
    end = float(rng.choice([0.0, 1.5 * x[-1]]))
    chart = line_chart([curve], "x", "y", "z", Level("word frequencies", level), end)
    (a, b, slack), (c, d, high) = read(chart)
    path = re.search(r'class="curve" style="[^"]*" d="([^"]*)"', chart)[1]
    points = points_of(path)
    if steps:
        points = [points[0], *points[2::2]]
    np.testing.assert_allclose([a * px + b for px, _ in points], x, rtol=0, atol=slack)
    np.testing.assert_allclose([c * py + d for _, py in points], y, rtol=0, atol=high)
    line = re.search(r'class="level"[^>]*y1="([\d.]+)"', chart)[1]
    assert c * float(line) + d == pytest.approx(level, abs=high)
    drawn = re.findall(r'd="((?:M[\d.]+ [\d.]+l4 -?7h-8z)+)"><title>([^<]*)', chart)
    assert [words for _, words in drawn] == ["3 born", "1 gone"]
    for (path, _), marks, tip in zip(drawn, (above, below), (-4, 4), strict=True):
        corners = [
            (float(px), float(py) - tip) for px, py in re.findall(r"M([\d.]+) ([\d.]+)", path)
        ]
        np.testing.assert_allclose([a * px + b for px, _ in corners], marks.x, rtol=0, atol=slack)
        np.testing.assert_allclose([c * py + d for _, py in corners], marks.y, rtol=0, atol=high)
    said = number(re.search(r'font-weight="600">([^<]*)<', chart)[1])
    assert said == pytest.approx(y[-1], abs=0.00501)


@given(st.floats(-1e5, 1e5), st.floats(1e-3, 1e5), st.booleans())
def test_marks_of_an_axis_are_even_inside_and_written_as_they_are(low, span, whole):
    found = ticks(low, low + span, whole=whole)
    steps = np.diff(found)
    np.testing.assert_allclose(steps, steps.mean() if len(steps) else 0.0, rtol=1e-6)
    assert all(low - 1e-6 * span <= mark <= low + span * (1 + 1e-6) for mark in found)
    if whole:
        assert all(abs(mark - round(mark)) < 1e-6 for mark in found)
    for mark, words in zip(found, numbers(found), strict=True):
        assert number(words) == pytest.approx(mark, rel=1e-6, abs=1e-6)


SHARES = st.one_of(st.sampled_from([np.nan, 0.0]), st.floats(1e-6, 1.0))


@given(st.lists(SHARES, min_size=1, max_size=20))
def test_a_line_through_time_is_as_high_as_its_shares(values):
    shares, days = np.array(values), [f"day {i}" for i in range(len(values))]
    known = np.flatnonzero(np.isfinite(shares))
    if not len(known) or not shares[known].any():
        return
    picture = time_line(shares, days, INK, "x")
    ground = float(re.search(r'class="grid"[^>]*y1="([\d.]+)"', picture)[1])
    stretches = [points_of(path) for path in re.findall(r'class="curve"[^>]* d="([^"]*)"', picture)]
    assert len(stretches) == 1 + int((np.diff(known) > 1).sum())
    points = [point for stretch in stretches for point in stretch]
    assert len(points) == len(known)
    heights = np.array([ground - y for _, y in points])
    np.testing.assert_allclose(
        heights / heights.max(), shares[known] / shares[known].max(), rtol=0, atol=0.002
    )
    places = np.array([x for x, _ in points])
    even = 8.0 + 464.0 * known / max(len(values) - 1, 1)
    np.testing.assert_allclose(places, even, rtol=0, atol=TENTH)
    best = int(known[shares[known].argmax()])
    words = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)<", picture)]
    assert words == [f"{100 * shares[best]:.1f} % day {best}", days[0], days[-1]]


@given(SEEDS, st.integers(2, 12))
def test_a_map_keeps_its_places_and_has_areas_by_share(seed, n):
    rng = np.random.default_rng(seed)
    points, shares = rng.normal(size=(n, 2)), rng.dirichlet(np.ones(n))
    picture = topic_map(points, shares, [f"name {k}" for k in range(n)], [INK] * n, "x")
    circles = re.findall(
        r'cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"><title>name (\d+), ([\d.]+) %', picture
    )
    order = [int(circle[3]) for circle in circles]
    assert sorted(order) == [*range(n)]
    assert (np.diff(shares[order]) <= 0).all(), "small ones lie on large ones"
    x, y, radius = (np.array([float(circle[i]) for circle in circles]) for i in range(3))
    for axis, drawn in ((0, x), (1, y)):
        true = points[order, axis]
        even = (true - true.min()) / (true.max() - true.min())
        np.testing.assert_allclose((drawn - drawn.min()) / np.ptp(drawn), even, rtol=0, atol=1e-3)
    area = np.maximum(np.sqrt(shares[order] / shares.max()) * radius.max(), 3.0)
    np.testing.assert_allclose(radius, area, rtol=0, atol=2 * TENTH)
    for circle, k in zip(circles, order, strict=True):
        assert float(circle[4]) == pytest.approx(100 * shares[k], abs=0.0501)


@given(st.lists(st.floats(1.0, 1e5), min_size=1, max_size=8))
def test_the_table_of_topics_has_shares_and_bars_in_proportion(sizes):
    moment = made({10 + k: size for k, size in enumerate(sizes)})
    rows = re.findall(
        r'<td class="n">(\d+)<.*?width:([\d.]+)rem.*?>([\d.]+) %<', topics_table(moment)
    )
    ordered = sorted(range(len(sizes)), key=lambda k: -sizes[k])
    assert [int(topic) for topic, _, _ in rows] == [10 + k for k in ordered]
    longest = float(rows[0][1])
    for (_, wide, said), k in zip(rows, ordered, strict=True):
        assert float(said) == pytest.approx(100 * sizes[k] / sum(sizes), abs=0.0501)
        assert float(wide) == pytest.approx(longest * sizes[k] / max(sizes), abs=0.00501)
    assert f"width:{longest / 2:.2f}rem" in bar(0.2, 0.4, INK)
