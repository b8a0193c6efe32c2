"""Topics by label as figures."""

import math
import re

import numpy as np
import pytest

from bnpexplorer.explore.change import Changes
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.plots.labels import change_figure, label_dots, label_heatmap
from tests.tools.contrast import contrast


@pytest.mark.parametrize("high", [0.004, 0.012, 0.02, 0.027, 0.029, 0.031, 0.05, 0.3, 0.9])
def test_two_marks_of_a_share_never_read_the_same(high):
    """Plotly's steps: 1, 2 or 5 times a power of ten, the least with at most `nticks` in all."""
    one = np.array([high])
    axis = label_dots(["a"], [9], one / 2, one / 3, one, "share", "#000000", False).layout.xaxis
    least = axis.range[1] / axis.nticks
    power = 10.0 ** math.floor(math.log10(least))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))
    marks = np.arange(0.0, axis.range[1], step)
    said = [format(mark, axis.tickformat.lstrip("~")) for mark in marks]
    assert len(set(said)) == len(said) > 1


def test_every_row_has_its_own_interval_documents_and_hint():
    names, n_docs = ["Whig", "Tory"], [1, 1200]
    mean, low, high = np.array([[0.5, 0.2], [0.3, 0.1], [0.9, 0.25]])
    (dots,) = label_dots(names, n_docs, mean, low, high, "share", "#112233", False).data
    for row, name in enumerate(names):
        assert dots.x[row] + dots.error_x.array[row] == pytest.approx(high[row])
        assert dots.x[row] - dots.error_x.arrayminus[row] == pytest.approx(low[row])
        assert (dots.y[row], dots.customdata[row]) == (row, row)
        hint = dots.hovertext[row]
        assert name in hint
        assert hint.endswith(("<br>1 document", "<br>1,200 documents")[row])
        ends = [f"{100 * x:.1f}" for x in (mean[row], low[row], high[row])]
        assert re.findall(r"\d+\.\d", hint) == ends


def test_every_square_has_the_share_of_its_label_and_topic():
    mean = np.array([[0.5, 0.1, 0.0], [0.2, 0.3, 0.4]])
    topics = [(7, "tides"), (2, "ships"), (5, "fish")]
    names, low, high = ["Whig", "Tory"], mean / 2, np.minimum(mean + 0.05, 1.0)
    (squares,) = label_heatmap(names, [3, 1200], topics, mean, low, high, False).data
    for row, name in enumerate(names):
        for k, (topic, words) in enumerate(topics):
            assert list(squares.customdata[row][k]) == [row, topic]
            assert squares.z[row][k] == mean[row, k]
            hint = squares.hovertext[row][k]
            assert name in hint
            assert words in hint
            ends = [f"{100 * x[row, k]:.1f}" for x in (mean, low, high)]
            assert [f"{float(x):.1f}" for x in re.findall(r"[\d.]+(?=\s?%)", hint)] == ends


def test_numbers_in_dark_squares_can_be_read():
    """A number stands in squares of `NUMBERED` of the largest share and more."""
    one = np.ones((1, 1))
    (squares,) = label_heatmap(["Whig"], [3], [(7, "tides")], one, one, one, True).data
    (_, paper), (_, strongest) = squares.colorscale
    ink = squares.textfont.color
    assert min(contrast(ink, paper), contrast(ink, strongest)) >= 4.5
    assert contrast(paper, strongest) >= 3, "they tell much from nothing"


def test_every_change_has_its_own_interval_and_says_whether_it_is_sure():
    before, after = np.array([0.1, 0.4, 0.3]), np.array([0.3, 0.1, 0.35])
    low, high = np.array([0.1, -0.5, -0.1]), np.array([0.25, -0.2, 0.15])
    found = Changes(40, 50, 40, 50, before, after, low, high, 3)
    names, topics, columns = ["fish", "tides", "ships"], [5, 7, 2], [2, 0, 1]
    drawn = change_figure(names, topics, found, columns, Sides("then", "now"), False).data
    *bars, dots = drawn
    for row, k in enumerate(columns):
        assert list(bars[row].x) == [100 * low[k], 100 * high[k]]
        assert set(bars[row].y) == {row}
        assert dots.x[row] == pytest.approx(100 * (after[k] - before[k]))
        assert dots.customdata[row] == topics[row]
        assert names[row] in dots.hovertext[row]
        assert dots.marker.symbol[row] == ("circle" if low[k] * high[k] > 0 else "circle-open")
    assert len(set(dots.marker.color)) == 3, "risen, fallen and neither"
