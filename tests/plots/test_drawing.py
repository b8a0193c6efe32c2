"""Figures put together from dictionaries are figures that Plotly itself would have made."""

import json

import plotly.graph_objects as go
import pytest

from bnpexplorer.plots import compare, live
from bnpexplorer.plots.line_ends import End, label_ends, spread
from bnpexplorer.plots.style import Drawing, base_figure
from bnpexplorer.runs.plan import Plan

AXES = list(live.AXIS_TITLES)


@pytest.fixture(scope="module")
def series(bars):
    """Runs that have something of everything: births, deaths, scores, frames, a bound."""
    found = []
    for slot, name in enumerate(("hdp-tsvi", "hdp-svi", "hdp-memoized")):
        run = Plan.of(name, batch_size=20, passes=4).split_and_start(bars[0])
        run.known = bars[1]
        while not run.done:
            run.step()
        found.append(live.Series(f"<b>{name}</b>", slot, slot, run.moment(run.snapshot())))
    kinds = {event.kind for s in found for event in s.moment.snapshot.events}
    assert "birth" in kinds
    assert "death" in kinds
    return found


def sent(figure):
    """What the browser is told."""
    return json.loads(figure.to_json(validate=False))


def figures(series, axis, dark):
    yield live.heldout_figure(series, axis, dark, unigram=-7.0)
    yield live.topics_figure(series, axis, dark)
    yield live.weights_figure(series[0], dark)
    names = {name for s in series for point in s.moment.trace for name in point.scalars}
    for name in ("bound", *sorted(names)):
        yield live.scalar_figure(series, name, axis, dark)
    others = [("another", *compare.points_of(series[0], "topics", axis))]
    for logarithmic in (False, True):
        yield compare.curves(series, "held-out", axis, logarithmic, dark)
        yield compare.curves(series, "topics", axis, logarithmic, dark, others=others)
    yield from compare.race_panels(series, "topics", dark)
    yield live.found_again_figure(series, 12, axis, dark)
    yield from compare.race_panels(series, "found again", dark, n_known=12)


@pytest.mark.second
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("axis", AXES)
def test_plotly_takes_every_property_and_changes_none(series, axis, dark):
    for figure in figures(series, axis, dark):
        assert len(figure.data) > 0
        looked_at = go.Figure(figure.to_dict())  # raises for what Plotly does not know
        assert sent(looked_at) == sent(figure)


@pytest.mark.parametrize("dark", [False, True])
def test_the_verbs_do_what_those_of_plotly_do(dark):
    ours, theirs = Drawing(dark, "x", "y", 15), base_figure(dark, "x", "y", 15)
    for figure in (ours, theirs):
        figure.add_scatter(x=[1.0, 2.0], y=[3.0, 4.0], line={"color": "red", "width": 2})
        figure.add_annotation(x=1.0, y=2.0, text="here", font={"color": "blue"})
        figure.add_annotation(x=2.0, y=2.0, text="there")
        figure.add_hline(y=-7.5, line={"color": "grey", "dash": "dot"})
        figure.update_xaxes(range=[0.0, 3.0], type="log")
        figure.update_yaxes(tickformat=".1f")
        figure.update_layout(margin={"r": 99}, uirevision="another")
    assert sent(ours.figure()) == sent(theirs)


def test_a_drawing_changes_no_other():
    first = Drawing(False, "x", "y")
    first.update_xaxes(range=[0.0, 1.0])
    first.layout["font"]["size"] = 99
    assert Drawing(False, "x", "y").layout == base_figure(False, "x", "y").to_dict()["layout"]


def test_what_plotly_does_not_know_is_found():
    wrong = Drawing(False)
    wrong.add_scatter(x=[1.0], y=[1.0], colour="red")
    with pytest.raises(ValueError, match="colour"):
        go.Figure(wrong.figure().to_dict())


def test_names_at_the_ends_of_lines_stand_in_the_order_of_the_lines():
    """And apart, as many pixels above the foot of the plot as the lines' ends are, or more."""
    drawn = Drawing(False)
    ends = [
        End(1.0, y, name, "#000000") for y, name in ((0.2, "low"), (0.9, "high"), (0.21, "mid"))
    ]
    label_ends(drawn, ends, (0.0, 1.0), 330, False)
    room = 330 - 4.0 * 14
    at = {a["text"]: room * a["y"] + a["yshift"] for a in drawn.layout["annotations"]}
    assert at["low"] + 14 < at["mid"] < at["high"] - 14
    assert at["high"] == pytest.approx(0.9 * room), "nothing is in its way"


def test_names_that_would_meet_are_moved_as_little_as_can_be():
    """By least squares, worked out by hand: each name pushes as much as any other."""
    assert spread([10.0, 50.0, 90.0], [20.0, 20.0, 20.0], 100.0) == [10.0, 50.0, 90.0]
    # Feet of the stack at 40, 34 and 16: three names together stand at their mean, 30.
    assert spread([50.0, 64.0, 66.0], [20.0] * 3, 200.0) == pytest.approx([40.0, 60.0, 80.0])
    # Of different heights, and the last with room of its own: 27 and 18 meet at 22.5.
    moved = spread([32.0, 38.0, 150.0], [10.0, 20.0, 30.0], 300.0)
    assert moved == pytest.approx([27.5, 42.5, 150.0])
    # Neither below the foot nor above the top.
    assert spread([1.0, 98.0], [20.0, 30.0], 100.0) == [10.0, 85.0]
    assert spread([1.0, 2.0], [20.0, 30.0], 40.0) == [10.0, 35.0], "no room for both"
