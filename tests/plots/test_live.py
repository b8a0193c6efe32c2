"""The live figures: each run's numbers at their own places, in the units of the axis."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore.likeness import FOUND_AGAIN
from bnpexplorer.plots import compare, live
from bnpexplorer.plots.style import DASHES, colour, topic_colour
from bnpexplorer.state.snapshot import Event, Frame, TracePoint
from tests.tools.moments import made

NAN = float("nan")
TRACE = (
    TracePoint(1, 12, 0.5, 2, NAN, NAN, {"rate": 0.9, FOUND_AGAIN: 0.0}),
    TracePoint(2, 45, 1.5, 7, -80.0, -8.2, {FOUND_AGAIN: 2.0}),
    TracePoint(3, 60, 4.0, 5, -70.0, -7.6, {"rate": 0.4, FOUND_AGAIN: 1.0}),
)
PLACES = {"documents": [12, 45, 60], "seconds": [0.5, 1.5, 4.0], "passes": [0.4, 1.5, 2.0]}


def series(trace=TRACE, label="one", slot=1, dash=2, planned=90, frames=()):
    moment = made(
        {4: 9.0, 1: 6.0, 7: 3.0}, {4: "tides", 1: "ships"}, planned_docs=planned, trace=trace
    )
    last = trace[-1] if trace else TracePoint(0, 0, 0.0, 0, NAN, NAN)
    at = {"step": last.step, "docs_seen": last.docs_seen, "seconds": last.seconds}
    moment = replace(moment, snapshot=replace(moment.snapshot, frames=tuple(frames), **at))
    return live.Series(label, slot, dash, moment)


def named(figure):
    return {t.name: t for t in figure.data if t.mode != "markers"}


@pytest.mark.parametrize("axis", list(PLACES))
def test_every_figure_has_its_own_numbers_over_the_axis_that_was_chosen(axis):
    one = series()
    x = PLACES[axis]
    end = {"documents": 90, "seconds": 4.0, "passes": 3.0}[axis]
    for figure, places, values in (
        (live.heldout_figure([one], axis, False), x[1:], [-8.2, -7.6]),
        (live.topics_figure([one], axis, False), x, [2, 7, 5]),
        (live.found_again_figure([one], 3, axis, False), x, [0, 2, 1]),
        (live.scalar_figure([one], "rate", axis, False), [x[0], x[2]], [0.9, 0.4]),
        (live.scalar_figure([one], "bound", axis, False), x[1:], [-80.0, -70.0]),
    ):
        line = named(figure)["one"]
        assert list(line.x) == pytest.approx(places)
        assert list(line.y) == values
        assert (line.line.color, line.line.dash) == (colour(1, False), DASHES[2])
        assert list(figure.layout.xaxis.range) == pytest.approx([0.0, 1.02 * end])
        assert figure.layout.xaxis.title.text == live.AXIS_TITLES[axis]


def test_a_run_without_a_series_has_no_line_of_it_beside_one_that_has():
    other = series(tuple(replace(p, bound=NAN, scalars={}) for p in TRACE), "two")
    for name in ("rate", "bound"):
        assert list(named(live.scalar_figure([other, series()], name, "documents", False))) == [
            "one"
        ]
    assert list(named(live.found_again_figure([other, series()], 3, "documents", False))) == ["one"]
    unscored = series(tuple(replace(p, heldout=NAN) for p in TRACE), "two")
    figure = compare.curves([unscored, series()], "held-out", "documents", False, False)
    assert list(named(figure)) == ["one"]


def test_the_axis_reaches_as_far_as_the_longest_run():
    some = [series(), series(label="two", planned=300)]
    assert live.heldout_figure(some, "documents", False).layout.xaxis.range[1] == pytest.approx(306)
    assert live.heldout_figure(some, "passes", False).layout.xaxis.range[1] == pytest.approx(10.2)
    some = [series(TRACE[:2]), series(), series(TRACE[:1])]
    for draw in (live.heldout_figure, live.topics_figure):
        assert list(draw(some, "seconds", False).layout.xaxis.range) == pytest.approx([0, 4.08])


@pytest.mark.parametrize("axis", list(PLACES))
def test_a_logarithmic_axis_begins_at_the_first_place_and_names_stand_at_the_ends(axis):
    later = series(TRACE[1:], "two")
    figure = live.topics_figure([series(), later], axis, False, logarithmic=True)
    first, end = PLACES[axis][0], {"documents": 90, "seconds": 4.0, "passes": 3.0}[axis]
    assert figure.layout.xaxis.type == "log"
    expected = [math.log10(first), math.log10(1.02 * end)]
    assert list(figure.layout.xaxis.range) == pytest.approx(expected)
    for note in figure.layout.annotations:
        assert note.x == pytest.approx(math.log10(PLACES[axis][-1]))
        assert note.text.endswith("<b>5</b>")


@pytest.mark.parametrize("draw", [live.topics_figure, compare.curves])
def test_a_zoom_lasts_until_another_axis_is_chosen(draw):
    def revision(axis, logarithmic, trace=TRACE):
        if draw is compare.curves:
            figure = compare.curves([series(trace)], "topics", axis, logarithmic, False)
        else:
            figure = live.topics_figure([series(trace)], axis, False, logarithmic=logarithmic)
        return figure.layout.uirevision

    found = {revision(axis, logarithmic) for axis in PLACES for logarithmic in (False, True)}
    assert len(found) == 6
    assert revision("seconds", True, TRACE[:2]) == revision("seconds", True)


def test_the_names_at_the_ends_have_the_last_value_of_their_run():
    two = series((*TRACE[:2], replace(TRACE[2], heldout=-7.123, n_topics=11)), "two")
    for figure, words in (
        (live.heldout_figure([series(), two], "documents", False), ["−7.60", "−7.12"]),
        (live.topics_figure([series(), two], "documents", False), ["5", "11"]),
    ):
        ends = {note.text.split("<br>")[0]: note.text for note in figure.layout.annotations}
        for name, word in zip(("one", "two"), words, strict=True):
            assert ends[name] == f"{name}<br><b>{word}</b>"


@pytest.mark.parametrize(
    ("scores", "unigram", "expected"),
    [
        ((-8.2, -7.6), None, (-8.3, -7.5)),
        ((-8.2, -7.6), -7.0, (-7.7, -6.9)),
        ((-8.2, -7.6), -9.0, (-9.1, -7.5)),
        ((-9.9, -7.6), -8.0, (-8.5, -7.5)),
        ((-9.9, -9.8), -8.0, (-9.9, -7.9)),
    ],
)
def test_scores_far_below_word_frequencies_leave_the_picture_and_the_last_never_does(
    scores, unigram, expected
):
    trace = tuple(replace(p, heldout=s) for p, s in zip(TRACE[1:], scores, strict=True))
    figure = live.heldout_figure([series(trace)], "documents", False, unigram)
    assert list(figure.layout.yaxis.range) == pytest.approx(expected)


@pytest.mark.parametrize(("most", "top"), [(7, 10), (20, 25), (21, 30), (50, 60)])
def test_the_axis_of_topics_grows_in_steps_above_the_highest(most, top):
    trace = (*TRACE[:2], replace(TRACE[2], n_topics=most))
    assert list(live.topics_figure([series(trace)], "documents", False).layout.yaxis.range) == [
        0,
        top,
    ]


def test_a_long_history_is_thinned_and_keeps_its_first_and_last_point():
    trace = tuple(TracePoint(i, 10 * i, i / 9, 3, NAN, -9.0 + i / 999) for i in range(1, 1300))
    line = named(live.heldout_figure([series(trace)], "documents", False))["one"]
    assert len(line.x) == live.MAX_POINTS
    assert (line.x[0], line.x[-1]) == (10, 12_990)
    few = trace[: live.MAX_POINTS]
    line = named(live.heldout_figure([series(few)], "documents", False))["one"]
    assert len(line.x) == live.MAX_POINTS


def test_found_again_says_of_how_many_and_the_dotted_line_is_all_of_them():
    figure = live.found_again_figure([series()], 3, "documents", False)
    (line,) = figure.layout.shapes
    assert (line.y0, line.y1) == (3, 3)
    assert list(figure.layout.yaxis.range) == pytest.approx([0.0, 3.36])
    assert named(figure)["one"].hovertemplate == "%{y:.0f} of 3"
    assert "true<br><b>3</b>" in [note.text for note in figure.layout.annotations]


def frame(docs, weights):
    ids = np.array([*weights])
    words = np.zeros((len(ids), 1), int)
    return Frame(docs, docs, ids, np.array([*weights.values()]), words, np.ones((len(ids), 1)))


def test_shares_are_stacked_of_the_topics_that_are_largest_now_and_the_rest_is_grey():
    frames = [frame(10, {4: 0.6, 7: 0.4}), frame(40, {7: 0.1, 1: 0.5, 4: 0.3})]
    one = series(frames=frames)
    *bands, rest = live.weights_figure(one, False, n_largest=2).data
    assert [(b.name, b.y.tolist()) for b in bands] == [("ships", [0.0, 0.5]), ("tides", [0.6, 0.3])]
    assert [b.line.color for b in bands] == [
        topic_colour(one.moment.look(i), False) for i in (1, 4)
    ]
    assert list(rest.y) == pytest.approx([0.4, 0.2])
    assert list(rest.x) == [10, 40]
    whole = live.weights_figure(one, False)
    assert len(whole.data) == 4
    assert list(whole.layout.xaxis.range) == pytest.approx([0, 1.02 * 90])
    assert whole.layout.yaxis.title.text == "share of all words"


# ---- runs side by side ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "logarithmic", "expected"),
    [
        ("documents", False, (0.0, 1.02 * 60)),
        ("documents", True, (math.log10(12) - 0.05, math.log10(60) + 0.05)),
        ("passes", True, (math.log10(0.4) - 0.05, math.log10(2) + 0.05)),
        ("seconds", False, (0.0, 1.02 * 4)),
    ],
)
def test_curves_reach_from_the_first_to_the_last_place_of_all_runs(axis, logarithmic, expected):
    some = [series(), series(TRACE[:2], "two")]
    figure = compare.curves(some, "topics", axis, logarithmic, False)
    assert list(figure.layout.xaxis.range) == pytest.approx(expected)
    assert figure.layout.yaxis.range[0] == 0.0
    ends = {note.text.split(" ")[0]: (note.x, note.text) for note in figure.layout.annotations}
    for name, place, value in (("one", 2, 5), ("two", 1, 7)):
        x = PLACES[axis][place]
        assert ends[name] == (
            pytest.approx(math.log10(x) if logarithmic else x),
            f"{name} <b>{value}</b>",
        )


@pytest.mark.parametrize("axis", list(PLACES))
def test_curves_of_topics_begin_at_zero_where_the_run_began_with_no_topic(axis):
    """And those of what is measured do not, in figures of one run and of several."""
    one = series(frames=[frame(12, {4: 0.7, 1: 0.3})])
    born = Event("birth", (), (4, 1), 1, 12)
    snapshot = replace(one.moment.snapshot, events=(born,))
    one = replace(one, moment=replace(one.moment, snapshot=snapshot))
    for figure in (
        live.topics_figure([one], axis, False),
        compare.curves([one], "topics", axis, False, False),
        *(compare.race_panels([one], "topics", False) if axis == "documents" else ()),
    ):
        line = named(figure)["one"]
        assert list(line.x) == pytest.approx([0, *PLACES[axis]])
        assert list(line.y) == [0, 2, 7, 5]
    for quantity, values in (("held-out", [-8.2, -7.6]), ("found again", [0, 2, 1])):
        line = named(compare.curves([one], quantity, axis, False, False))["one"]
        assert list(line.x) == pytest.approx(PLACES[axis][-len(values) :])
        assert list(line.y) == values


def test_of_a_race_each_panel_draws_its_own_run_in_its_colour_and_the_others_in_grey():
    some = [series(), series(TRACE[:2], "two", slot=3, dash=1)]
    for quantity in ("held-out", "topics", "found again"):
        panels = compare.race_panels(some, quantity, False, unigram=-9.0, n_known=3)
        for mine, figure in enumerate(panels):
            lines = named(figure)
            own, other = (some[k].label for k in (mine, 1 - mine))
            assert lines[own].line.color == colour(some[mine].slot, False)
            assert lines[own].line.width > lines[other].line.width
            assert "rgba" in lines[other].line.color
            assert [t.name for t in figure.data if t.name in lines][-1] == own, "on top"
            dotted = [s["y0"] for s in figure.layout.shapes]
            assert dotted == {"held-out": [-9.0], "topics": [], "found again": [3]}[quantity]
        ranges = {tuple(panel.layout.yaxis.range) for panel in panels}
        assert len(ranges) == 1


@pytest.mark.parametrize(
    ("quantity", "values", "levels", "expected"),
    [
        ("topics", [3.0, 20.0], (), (0, 25)),
        ("topics", [3.0, 21.0], (), (0, 30)),
        ("found again", [3.0, 4.0], (12.0,), (0, 15)),
        ("held-out", [-9.55, -8.0], (-8.5,), (-9.6, -7.9)),
        ("held-out", [-8.0, -7.0], (-9.0, math.nan), (-9.1, -6.9)),
        ("held-out", [-20.0, *[-8.0] * 9, -7.0], (), (-8.1, -6.9)),
    ],
)
def test_the_range_of_a_comparison_holds_all_but_the_first_tenth_and_the_levels(
    quantity, values, levels, expected
):
    drawn = [(np.arange(len(values), dtype=float), np.array(values))]
    assert compare._y_range(drawn, quantity, levels) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "height"), [(1, 300), (10, 300), (30, 680), (60, 1150), (61, 720)])
def test_an_alignment_is_as_high_as_its_rows_need(n, height):
    assert compare.alignment_height(n) == height
