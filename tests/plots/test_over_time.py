"""Lines over time: their bands are in sight, unless one is so wide as to press them flat."""

import numpy as np
import pytest

from bnpexplorer.explore.over_documents import prevalence
from bnpexplorer.plots.over_time import TimeLine, lines_over_time, one_line
from bnpexplorer.plots.topics_over import prevalence_figure
from tests.tools.moments import made

STARTS = np.array(["2001-01-01", "2002-01-01", "2003-01-01"], "datetime64[D]")
DOCS = np.array([9, 0, 9])


def line(mean, high):
    """With a gap in the middle."""
    values = (np.array([mean, np.nan, mean / 2]), np.zeros(3), np.array([high, np.nan, high / 2]))
    return TimeLine("tides", "#112233", *values)


@pytest.mark.parametrize(("high", "top"), [(0.2, 0.23), (0.3, 0.315), (0.9, 0.4)])
def test_a_band_is_cut_at_twice_the_line_only(high, top):
    drawn = line(0.2, high)
    assert one_line(STARTS, drawn, False).layout.yaxis.range == pytest.approx((0.0, top))
    both = lines_over_time(STARTS, DOCS, [line(0.1, 0.1), drawn], "share", False)
    assert both.layout.yaxis.range == pytest.approx((0.0, top))


def test_nothing_to_draw_has_an_axis():
    none = line(np.nan, np.nan)
    assert one_line(STARTS, none, False).layout.yaxis.range == pytest.approx((0.0, 0.0115))
    empty = lines_over_time(STARTS, DOCS, [], "share", True)
    assert empty.layout.yaxis.range == pytest.approx((0.0, 0.0115))


def test_a_period_alone_has_whiskers_up_to_high_and_down_to_low():
    mean, low, high = (np.array([v, np.nan, v / 2]) for v in (0.4, 0.3, 0.65))
    drawn = TimeLine("tides", "#112233", mean, low, high)
    whole = lines_over_time(STARTS, DOCS, [drawn], "share", False)
    alone = one_line(STARTS, drawn, False)
    for figure in (whole, alone):
        (bars,) = [trace.error_y for trace in figure.data if trace.error_y.array is not None]
        for place in (0, 2):
            assert mean[place] + bars.array[place] == pytest.approx(high[place])
            assert mean[place] - bars.arrayminus[place] == pytest.approx(low[place])


def area(corners):
    """Of a figure in the order of its corners, (day, height) each: Gauss's formula."""
    days = np.array([day for day, _ in corners], "datetime64[D]").astype(float)
    heights = np.array([height for _, height in corners])
    return abs(np.dot(days, np.roll(heights, -1)) - np.dot(heights, np.roll(days, -1))) / 2


def test_a_shade_reaches_from_low_to_high_in_every_stretch_of_periods():
    """Every period has both ends of its interval, and the area is that between them, so that no
    edge crosses it; it ends where a gap begins."""
    starts = np.datetime64("2001-01-01", "D") + np.arange(7)
    there = np.array([1.0, 1.0, 1.0, np.nan, 1.0, 1.0, np.nan])
    mean = there * [0.3, 0.5, 0.2, 0.0, 0.6, 0.4, 0.0]
    low = mean - np.array([0.1, 0.3, 0.05, 0.0, 0.2, 0.1, 0.0])
    high = mean + np.array([0.2, 0.1, 0.3, 0.0, 0.05, 0.4, 0.0])
    drawn = TimeLine("tides", "#112233", mean, low, high)
    for figure in (
        lines_over_time(starts, DOCS, [drawn], "share", False),
        one_line(starts, drawn, False),
    ):
        shade = next(trace for trace in figure.data if trace.fill == "toself")
        gap = shade.x.index(None)
        for part, own in ((slice(gap), [0, 1, 2]), (slice(gap + 1, None), [4, 5])):
            corners = [*zip(shade.x[part], shade.y[part], strict=True)]
            ends = [(str(starts[i]), edge[i]) for i in own for edge in (low, high)]
            assert sorted(corners) == sorted(ends)
            between = np.convolve((high - low)[own], [0.5, 0.5], "valid").sum()
            assert area(corners) == pytest.approx(between)


def test_every_line_has_the_shares_and_the_shade_of_its_topic():
    moment = made({4: 9.0, 1: 6.0, 7: 3.0}, {4: "tides", 1: "ships", 7: "fish"})
    shares = np.random.default_rng(0).dirichlet([3.0, 2.0, 1.0], 60)
    days = np.datetime64("2001-01-01", "D") + 20 * np.arange(60)
    found = prevalence(shares, days, "year")
    low, high = found.means.interval()
    *drawn, bars = prevalence_figure(moment, found, [7, 4], False).data
    lines = {trace.name: trace for trace in drawn if trace.mode == "lines+markers"}
    shades = [trace for trace in drawn if trace.fill == "toself"]
    for (name, k), shade in zip((("fish", 2), ("tides", 0)), shades, strict=True):
        np.testing.assert_array_equal(lines[name].y, found.share[:, k])
        starts = found.starts.astype("datetime64[D]").astype(str)
        ends = [*zip(starts, low[:, k], strict=True), *zip(starts, high[:, k], strict=True)]
        assert sorted(zip(shade.x, shade.y, strict=True)) == sorted(ends)
    assert len(found.n_docs) > 2
    assert list(bars.y) == found.n_docs.tolist()
    assert bars.hovertemplate == f"{bars.name}: %{{y:,}}" == "documents: %{y:,}"


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        (["2001-01-01", "2002-01-01"], ("2001", "2002")),
        (["2019-12-01", "2020-01-01", "2020-02-01"], ("Dec 2019", "Jan 2020", "Feb 2020")),
        (["2020-01-06", "2020-01-13"], ("6 Jan 2020", "13 Jan 2020")),
        ([f"2020-0{month}-01" for month in range(1, 8)], None),
    ],
)
def test_few_periods_are_named_each(starts, said):
    days = np.array(starts, "datetime64[D]")
    full = np.full(len(days), 0.2)
    drawn = TimeLine("tides", "#112233", full, full, full)
    for figure in (
        one_line(days, drawn, False),
        lines_over_time(days, np.full(len(days), 9), [drawn], "share", False),
    ):
        axis = figure.layout.xaxis
        assert axis.ticktext == said
        assert axis.tickvals == (None if said is None else tuple(starts))
