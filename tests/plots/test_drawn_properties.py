"""What figures draw, read back from them: every number at its own place, whatever the numbers."""

import re
from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.explore.change import Changes
from bnpexplorer.explore.kinship import loss, tree
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.plots import claims, compare, corpus, labels, over_time, topics
from bnpexplorer.plots.claims import ClaimLine
from bnpexplorer.plots.corpus import numbers_of
from bnpexplorer.plots.live import Series
from bnpexplorer.plots.topics import tree_figure
from bnpexplorer.state.snapshot import TracePoint
from tests.tools import profiles
from tests.tools.drawn_topics import SEEDS
from tests.tools.moments import made

NB = "\u00a0"


def intervals(rng, *shape):
    """Means with ends that are not as far below as above."""
    low, mean, high = np.sort(rng.random((3, *shape)), axis=0)
    return mean, low, high


def is_percent(said, share):
    """Whether words give a share as far as their digits go."""
    how, number = re.fullmatch(rf"(under |over |)([\d.]+)(?:{NB}| |)%", said).groups()
    if how:
        return (100 * share < float(number)) == (how == "under ")
    return abs(float(number) - 100 * share) <= 0.5001 * 10.0 ** -len(number.partition(".")[2])


# ---- shares by label, and what changed -----------------------------------------------------------


@profiles.fewer(4)
@given(SEEDS, st.integers(1, 5), st.integers(1, 4))
def test_a_square_is_the_share_of_its_label_and_topic(seed, n_labels, n_topics):
    rng = np.random.default_rng(seed)
    mean, low, high = intervals(rng, n_labels, n_topics)
    n_docs = rng.integers(2, 9999, n_labels)
    names = [f"label {i}" for i in range(n_labels)]
    heads = [(10 * k + 3, f"topic {k}") for k in range(n_topics)]
    (square,) = labels.label_heatmap(names, n_docs, heads, mean, low, high, False).data
    np.testing.assert_array_equal(square.z, mean)
    for row, name in enumerate(names):
        for k, (topic, head) in enumerate(heads):
            assert list(square.customdata[row][k]) == [row, topic]
            first, second, third = square.hovertext[row][k].split("<br>")
            assert first == f"<b>{name}</b>, {n_docs[row]:,} documents"
            assert second == head
            shares = re.fullmatch(r"(.+), between (.+) and (.+)", third).groups()
            ends = (mean[row, k], low[row, k], high[row, k])
            assert all(map(is_percent, shares, ends))
            written = square.text[row][k]
            assert written in ("", f"{100 * mean[row, k]:.0f}")


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.integers(1, 6))
def test_a_dot_has_its_share_and_both_ends_of_its_interval(seed, n):
    rng = np.random.default_rng(seed)
    mean, low, high = intervals(rng, n)
    n_docs = rng.integers(2, 9999, n)
    names = [f"l{i}" for i in range(n)]
    figure = labels.label_dots(names, n_docs, mean, low, high, "share", "#123456", False)
    (dots,) = figure.data
    np.testing.assert_allclose(dots.x, mean)
    np.testing.assert_allclose(dots.x + np.array(dots.error_x.array), high)
    np.testing.assert_allclose(dots.x - np.array(dots.error_x.arrayminus), low)
    assert [*figure.layout.yaxis.ticktext] == [f"l{i}  ({k:,})" for i, k in enumerate(n_docs)]
    for hint, *ends in zip(dots.hovertext, mean, low, high, strict=True):
        shares = re.search(r"<br>(.+), between (.+) and (.+)<br>", hint).groups()
        assert all(map(is_percent, shares, ends))
    assert figure.layout.xaxis.range[1] >= high.max()


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.permutations(range(4)).map(lambda order: order[:3]), st.booleans())
def test_a_change_is_drawn_in_points_with_its_own_interval(seed, columns, by_label):
    rng = np.random.default_rng(seed)
    before, after = rng.random((2, 4))
    low, high = after - before - rng.random(4), after - before + rng.random(4)
    found = Changes(5, 7, 5, 7, before, after, low, high, 4)
    sides = Sides("A", "B", by_label)
    figure = labels.change_figure(["x", "y", "z"], [8, 3, 5], found, columns, sides, False)
    *whiskers, dots = figure.data
    np.testing.assert_allclose(dots.x, 100 * (after - before)[columns])
    assert list(dots.customdata) == [8, 3, 5]
    for place, k in enumerate(columns):
        np.testing.assert_allclose(whiskers[place].x, [100 * low[k], 100 * high[k]])
        assert list(whiskers[place].y) == [place, place] == [dots.y[place]] * 2
        sure = low[k] > 0 or high[k] < 0
        assert dots.marker.symbol[place] == ("circle" if sure else "circle-open")
        heads = ("in A", "in B") if by_label else ("before", "after")
        shares, points_ = dots.hovertext[place].split("<br>")[1:]
        one, other = re.fullmatch(rf"(.+) {heads[0]}, (.+) {heads[1]}", shares).groups()
        assert is_percent(one, before[k])
        assert is_percent(other, after[k])
        numbers = re.findall(r"[+-][\d.]+", points_)
        expected = [100 * (after - before)[k], 100 * low[k], 100 * high[k]]
        np.testing.assert_allclose([*map(float, numbers)], expected, rtol=0, atol=0.0501)


# ---- documents and texts -------------------------------------------------------------------------


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.integers(1, 12), st.floats(0.5, 1.0))
def test_all_of_a_document_is_drawn_the_largest_shares_first(seed, n, seen):
    theta = seen * np.random.default_rng(seed).dirichlet(np.full(n, 0.3))
    moment = made({k + 20: 5.0 + k for k in range(n)})
    (bars,) = corpus.proportions_figure(moment, theta, False).data
    largest = [share for share in sorted(theta, reverse=True)[:6] if share >= 0.005]
    rest = {"others": theta.sum() - sum(largest), "unseen": 1.0 - theta.sum()}
    expected = [*largest, *(share for share in rest.values() if share >= 0.005)]
    np.testing.assert_allclose(bars.x, 100 * np.array(expected))
    assert all(map(is_percent, bars.text, expected))
    parts = corpus.shares_in_a_line(moment, theta, False).data
    lengths = [part.x[0] for part in parts]
    np.testing.assert_allclose(lengths, [100 * share for share in [*largest, 1 - sum(largest)]])
    assert sum(lengths) == pytest.approx(100.0)
    for part, share in zip(parts, [*largest, 1 - sum(largest)], strict=True):
        assert is_percent(part.hovertext[0].split("  ")[1], share)


@profiles.fewer(4)
@given(st.lists(st.integers(1, 5000), min_size=1, max_size=60))
def test_every_step_of_lengths_is_as_high_as_it_has_documents(values):
    found = corpus.lengths_of(np.array(values, np.int64))
    assert found.median == median(values)
    step = corpus.lengths_figure(found, False).data[0]
    edges, heights = np.append(step.x[::2], step.x[-1]), np.array(step.y[::2])
    for low, high, height in zip(edges, edges[1:], heights, strict=False):
        last = high == edges[-1]
        assert height == sum(low <= v < high or (last and v == high) for v in values)


# ---- over time and over a setting ----------------------------------------------------------------


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.integers(1, 12))
def test_lines_over_time_have_their_numbers_bands_and_whiskers(seed, n):
    rng = np.random.default_rng(seed)
    mean, low, high = intervals(rng, n)
    gone = rng.random(n) < 0.4
    for part in (mean, low, high):
        part[gone] = np.nan
    starts = np.datetime64("2001-02-03") + 31 * np.arange(n)
    n_docs = rng.integers(0, 99, n)
    line = over_time.TimeLine("a", "#123456", mean, low, high)
    figures = over_time.lines_over_time(starts, n_docs, [line], "share", False)
    band, drawn, bars = figures.data
    np.testing.assert_array_equal(bars.y, n_docs)
    for trace in (drawn, over_time.one_line(starts, line, False).data[1]):
        np.testing.assert_array_equal(trace.y, mean)
        assert list(trace.x) == [*map(str, starts)]
        up, down = (np.array(getattr(trace.error_y, name)) for name in ("array", "arrayminus"))
        padded = np.concatenate([[True], gone, [True]])
        alone = ~gone & padded[:-2] & padded[2:]
        np.testing.assert_allclose((mean + up)[alone], high[alone])
        np.testing.assert_allclose((mean - down)[alone], low[alone])
        assert not up[~alone].any()
        assert not down[~alone].any()
    corners: dict[str, list[float]] = {}
    for x, y in zip(band.x, band.y, strict=True):
        corners.setdefault(x, []).append(y)
    corners.pop(None, None)
    assert {x: sorted(ends) for x, ends in corners.items()} == {
        str(starts[i]): [low[i], high[i]] for i in np.flatnonzero(~gone)
    }


SEED_LINES = st.lists(
    st.dictionaries(st.sampled_from([1.0, 2.5, 10.0, 30.0]), st.floats(-9.0, 9.0), min_size=1),
    min_size=1,
    max_size=4,
)


@pytest.mark.second
@profiles.fewer(4)
@given(SEED_LINES, SEED_LINES, st.booleans())
def test_a_setting_has_the_median_of_its_seeds_and_their_extremes(one, other, logarithmic):
    lines = [ClaimLine("one", 0, one), ClaimLine("other", 3, other)]
    table = numbers_of(claims.against(lines, "x", "y", False, logarithmic))
    rows = list(zip(*table.values(), strict=True))
    expected = []
    for line in lines:
        for x in sorted({x for seed in line.seeds for x in seed}):
            values = [seed[x] for seed in line.seeds if x in seed]
            expected.append((line.name, x, median(values), min(values), max(values)))
    assert [row[0] for row in rows] == [row[0] for row in expected]
    found, wanted = ([row[1:] for row in some] for some in (rows, expected))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


AXES = st.sampled_from(["documents", "passes", "seconds"])


@profiles.fewer(4)
@given(SEEDS, st.integers(1, 9), AXES, st.sampled_from(["held-out", "topics"]), st.booleans())
def test_curves_of_runs_have_their_history(seed, n, axis, quantity, logarithmic):
    rng = np.random.default_rng(seed)
    docs, seconds = np.cumsum(rng.integers(1, 90, n)).tolist(), np.cumsum(rng.random(n)).tolist()
    scores, used = rng.normal(-8, 1, n).tolist(), rng.integers(1, 40, n).tolist()
    trace = tuple(TracePoint(i, docs[i], seconds[i], used[i], 0.0, scores[i], {}) for i in range(n))
    moment = made({}, trace=trace)
    moment = replace(moment, snapshot=replace(moment.snapshot, step=n - 1, docs_seen=docs[-1]))
    one = Series("run", 0, 0, moment)
    (line,) = compare.curves([one], quantity, axis, logarithmic, False).data
    x = {"documents": docs, "seconds": seconds, "passes": [d / 30 for d in docs]}[axis]
    np.testing.assert_allclose(line.x, x)
    np.testing.assert_allclose(line.y, scores if quantity == "held-out" else used)


# ---- topics and their words ----------------------------------------------------------------------


@pytest.mark.second
@profiles.fewer(4)
@given(SEEDS, st.integers(1, 6))
def test_bars_of_words_and_topics_have_their_own_probabilities(seed, n):
    inside, outside = np.random.default_rng(seed).random((2, n))
    pairs = list(zip(inside.tolist(), outside.tolist(), strict=True))
    bar, line = topics.words_figure(dict(zip("abcdef"[:n], pairs, strict=True)), 3, False).data
    np.testing.assert_array_equal(bar.x, inside)
    np.testing.assert_array_equal(line.x, outside)
    for hint, *ends in zip(bar.hovertext, inside, outside, strict=True):
        shares = re.findall(r"([\d.]+%)", hint)
        assert all(map(is_percent, shares, ends))
    ids = [10 + 7 * k for k in range(n)]
    moment = made(dict.fromkeys(ids, 3.0))
    (bar,) = topics.word_topics_figure(dict(zip(ids, pairs, strict=True)), moment, False).data
    np.testing.assert_array_equal(bar.x, inside)
    assert list(bar.customdata) == ids
    assert all(map(is_percent, bar.text, inside))
    for hint, *ends in zip(bar.hovertext, inside, outside, strict=True):
        assert all(map(is_percent, re.findall(r"([\d.]+%)", hint), ends))


@profiles.fewer(4)
@given(SEEDS, st.integers(2, 7))
def test_a_tree_joins_parts_at_what_all_joints_in_them_lose(seed, n):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.5, 9.0, (n, 6))) + np.eye(n, 6, dtype=np.int64)
    ids = [3 * k + 1 for k in range(n)]
    found = tree(ids, counts)
    cut = found.proposed
    figure = tree_figure(made(dict.fromkeys(ids, 4.0)), found, cut, False)
    *joints, leaves = figure.data
    left, right = figure.layout.xaxis.range
    parts = {
        float(k): (counts[ids.index(topic)], 0.0, 0.0) for k, topic in enumerate(leaves.customdata)
    }
    for joint in sorted(joints, key=lambda joint: (joint.x[1], abs(joint.y[3] - joint.y[0]))):
        (one, *before), (other, *beside) = parts.pop(joint.y[0]), parts.pop(joint.y[3])
        within = before[0] + beside[0] + float(loss(one, other))
        height = max(before[1], beside[1], within / (one + other).sum() / np.log(2.0))
        assert left <= joint.x[1] == joint.x[2] <= right
        assert joint.x[1] == pytest.approx(max(height, left))
        parts[(joint.y[1] + joint.y[2]) / 2] = one + other, within, height
