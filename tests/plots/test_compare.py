"""Figures that lay runs side by side: names of any length and kind, axes that races share."""

import dataclasses

import numpy as np
import pytest

from bnpexplorer.plots import compare
from bnpexplorer.plots.live import Series
from bnpexplorer.plots.style import INK, PAPER
from bnpexplorer.state.snapshot import TracePoint
from tests.tools.moments import made

NAME = 'a run with a very long name that somebody gave to it <a href="x">here</a>'


def series(name, seen=1000, planned=64_000):
    trace = tuple(
        TracePoint(i, docs, docs / 100, 5 + i, 0.0, -8.0 + i / 10, {})
        for i, docs in enumerate((seen // 2, seen))
    )
    moment = made({}, planned_docs=planned, trace=trace)
    snapshot = dataclasses.replace(moment.snapshot, step=1, docs_seen=seen, seconds=seen / 100)
    return Series(name, 0, 0, dataclasses.replace(moment, snapshot=snapshot, docs_in_pass=16_000))


def at(series, **changed):
    """The same line of a snapshot that differs so."""
    snapshot = dataclasses.replace(series.moment.snapshot, **changed)
    return dataclasses.replace(series, moment=dataclasses.replace(series.moment, snapshot=snapshot))


@pytest.mark.parametrize("quantity", ["held-out", "topics"])
def test_long_names_leave_room_for_the_lines_and_nothing_in_them_is_a_tag(quantity):
    figure = compare.curves([series(NAME), series("short")], quantity, "documents", False, False)
    (words,) = [a.text for a in figure.layout.annotations if a.text.startswith("a run")]
    assert "href" not in words
    assert max(map(len, words.split("<br>"))) <= 16 + len(" <b>−7.90</b>")
    assert figure.layout.margin.r < 190
    assert figure.data[0].name.count("<") == 0


def test_other_programs_are_drawn_in_grey_behind_the_runs_and_named():
    other = ("<b>theirs</b>", np.array([1.0, 40.0]), np.array([-9.0, -7.0]))
    plain, with_other = (
        compare.curves([series("ours")], "held-out", "seconds", False, False, others=others)
        for others in ((), (other,))
    )
    theirs, ours = with_other.data
    assert (list(theirs.x), list(theirs.y)) == ([1.0, 40.0], [-9.0, -7.0])
    assert theirs.line.color != ours.line.color == plain.data[0].line.color
    assert with_other.layout.xaxis.range[1] > 40.0 > plain.layout.xaxis.range[1]
    assert any(
        "theirs" in a.text and "<b>theirs" not in a.text for a in with_other.layout.annotations
    )


def test_on_a_logarithmic_axis_other_programs_begin_after_zero_and_are_named_at_their_end():
    other = ("theirs", np.array([0.0, 10.0, 100.0]), np.array([-9.0, -8.0, -7.0]))
    figure = compare.curves([], "held-out", "seconds", True, False, others=[other])
    (line,) = figure.data
    assert (list(line.x), list(line.y)) == ([10.0, 100.0], [-8.0, -7.0])
    (note,) = figure.layout.annotations
    assert (note.x, note.y, note.text) == (2.0, -7.0, "theirs −7.00")
    assert list(figure.layout.xaxis.range) == pytest.approx([0.95, 2.05])


def test_the_axis_of_a_race_grows_in_halves_and_is_the_same_in_all_panels():
    ends = []
    for seen in (500, 999, 1000, 1001, 32_001, 64_000):
        panels = compare.race_panels(
            [series("one", seen), series("two", seen // 2)], "held-out", False
        )
        (end,) = {panel.layout.xaxis.range[1] for panel in panels}
        assert seen <= end
        ends.append(end / 1.02)
    assert ends == [500, 1000, 1000, 2000, 64_000, 64_000]
    unseen = at(series("one"), docs_seen=0, trace=())
    (panel, _) = compare.race_panels([unseen] * 2, "topics", False)
    assert panel.layout.xaxis.range[1] == pytest.approx(1.02 * 64_000)


@pytest.mark.parametrize("n", [3, compare.MOST_LABELS + 1])
def test_a_hover_over_an_alignment_has_whole_names_however_many(n):
    rows = [f"{i}: {'a name longer than a phone is wide ' * 2}<b>" for i in range(n)]
    figure = compare.alignment_figure(np.eye(n), rows, rows, [], ("one", "other"), False)
    square, y = figure.data[0], figure.layout.yaxis
    if n == 3:
        assert all(len(text) < 60 for text in y.ticktext), "what is written is cut"
        assert "<b>" not in square.customdata[0][2]
        assert rows[2][:60] in square.customdata[0][2]
        assert "customdata" in square.hovertemplate
    else:
        assert square.customdata is None, "a name for every cell would be megabytes"
        assert not y.showticklabels
        for axis in (figure.layout.xaxis, y):
            assert [
                text.replace("&lt;", "<").replace("&gt;", ">") for text in axis.ticktext
            ] == rows


def test_an_alignment_has_its_first_side_in_rows_and_a_mark_where_two_belong_together():
    distances = np.array([[0.1, 0.9, 0.8], [0.7, 0.2346, 0.3]])
    marks = [(0, 0, "matched"), (1, 1, "split"), (1, 2, "split"), (0, 2, "merged")]
    names = (["one", "two"], ["x", "y", "z"])
    figure = compare.alignment_figure(distances, *names, marks, ("first", "<second>"), False)
    square, *signs = figure.data
    assert square.z.tolist() == [[0.1, 0.9, 0.8], [0.7, 0.235, 0.3]]
    assert (square.zmin, square.zmax) == (0.0, 1.0)
    assert square.customdata[1][2] == "two<br>z"
    assert {sign.name: (list(sign.x), list(sign.y), sign.marker.symbol) for sign in signs} == {
        "matched": ([0], [0], "circle"),
        "split": ([1, 2], [1, 1], "triangle-right"),
        "merged": ([2], [0], "triangle-down"),
    }
    across, down = figure.layout.xaxis, figure.layout.yaxis
    assert (down.title.text, across.title.text) == ("first", "&lt;second&gt;")
    assert (list(down.ticktext), list(across.ticktext)) == names
    assert (list(down.range), list(across.range)) == ([1.5, -0.5], [-0.5, 2.5])
    assert square.colorscale[0][1] == INK[False], "the nearest are darkest"
    assert square.colorscale[-1][1] == PAPER[False]
