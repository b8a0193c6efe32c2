"""Lines over time: their bands are in sight, unless one is so wide as to press them flat."""

import numpy as np
import pytest

from bnpexplorer.plots.over_time import Line, lines_over_time, one_line

STARTS = np.array(["2001-01-01", "2002-01-01", "2003-01-01"], "datetime64[D]")
DOCS = np.array([9, 0, 9])


def line(mean, high):
    """With a gap in the middle."""
    values = (np.array([mean, np.nan, mean / 2]), np.zeros(3), np.array([high, np.nan, high / 2]))
    return Line("tides", "#112233", *values)


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
    drawn = Line("tides", "#112233", mean, low, high)
    whole = lines_over_time(STARTS, DOCS, [drawn], "share", False)
    alone = one_line(STARTS, drawn, False)
    for figure in (whole, alone):
        (bars,) = [trace.error_y for trace in figure.data if trace.error_y.array is not None]
        for place in (0, 2):
            assert mean[place] + bars.array[place] == pytest.approx(high[place])
            assert mean[place] - bars.arrayminus[place] == pytest.approx(low[place])
