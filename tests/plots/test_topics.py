"""The figures of the Topics page: what they draw is what they were given."""

import itertools

import numpy as np
import pytest

from bnpexplorer.explore.means import group_means
from bnpexplorer.explore.over_documents import Prevalence
from bnpexplorer.explore.through import River, TopicMark
from bnpexplorer.plots import topics, topics_over
from bnpexplorer.plots.style import topic_colour, topic_colours
from tests.tools.moments import made


def called(topic):
    return f"<i>{topic}</i>"


def test_the_map_has_areas_by_share_and_every_topic_answers_a_click():
    places = np.array([[0.0, 0.0], [1.0, 0.5], [0.2, 0.9]])
    moment = made({5: 100.0, 7: 400.0, 9: 0.0}, {7: "<b>War"})
    figure = topics.map_figure(moment, dict(zip((5, 7, 9), places, strict=True)), 5, False)
    (trace,) = figure.data
    assert list(trace.customdata) == [7, 5, 9], "small ones are drawn last, over large ones"
    assert np.allclose(np.stack([trace.x, trace.y], 1), places[[1, 0, 2]])
    sizes = trace.marker.size
    assert np.isclose((sizes[0] / sizes[1]) ** 2, 4.0)
    assert sizes[2] > 0, "an empty topic can still be clicked"
    assert trace.text[0] == "&lt;b&gt;War"
    assert trace.text[1] == "a b&lt; c"
    assert trace.text[2] in ("topic 9", ""), "it holds no word"
    assert "b&lt;" in trace.hovertext[0]
    ring = trace.marker.line
    assert list(ring.width).index(max(ring.width)) == 1, "the chosen topic"
    assert ring.color[0] == topic_colour(moment.look(7), False)


def named_boxes(trace, side, figure):
    """Left, bottom, right, top of every name of the map in pixels, by its topic."""
    scale = side / max(np.ptp(figure.layout.xaxis.range), np.ptp(figure.layout.yaxis.range))
    found = {}
    for topic, x, y, text, where, across in zip(
        trace.customdata, trace.x, trace.y, trace.text, trace.textposition, trace.marker.size,
        strict=True,
    ):  # fmt: skip
        if text:
            rows = text.split("<br>")
            wide, tall = 7.0 * max(map(len, rows)), 15.0 * len(rows)
            up, right = across / 2 + 2 + tall / 2, across / 2 + 2 + wide / 2
            dx = right * (where == "middle right") - right * (where == "middle left")
            dy = up * (where == "top center") - up * (where == "bottom center")
            middle = np.array([x * scale + dx, y * scale + dy])
            half = np.array([wide, tall]) / 2
            found[topic] = (*(middle - half), *(middle + half))
    return found


@pytest.mark.parametrize("side", [330.0, 430.0, 560.0])
def test_no_name_of_the_map_lies_on_another(side):
    rng = np.random.default_rng(2)
    ids, share = list(range(100, 300)), np.sort(rng.random(200))
    places = rng.normal(size=(200, 2)) * 0.1
    places[7] = places[199]  # the chosen topic lies on the largest
    names = {i: " ".join(rng.choice(["war", "treaty", "income", "insurance"], 3)) for i in ids}
    moment = made(dict(zip(ids, share, strict=True)), names)
    figure = topics.map_figure(moment, dict(zip(ids, places, strict=True)), 107, False)
    boxes = named_boxes(figure.data[0], side, figure)
    assert 107 in boxes
    assert len(boxes) >= 12, "as many as find room"
    for one, other in itertools.combinations(boxes.values(), 2):
        beside = one[2] <= other[0] + 1 or other[2] <= one[0] + 1
        assert beside or one[3] <= other[1] + 1 or other[3] <= one[1] + 1


def test_the_chosen_topic_then_given_names_then_the_largest_are_placed_first():
    at = dict.fromkeys(range(40, 70), np.zeros(2))  # identities are no places
    sizes = {40 + i: 40.0 - i for i in range(30)}
    for chosen, names, first in (
        (55, {}, 55),
        (-1, {55: "incomprehensibilities"}, 55),
        (-1, {}, 40),
    ):
        figure = topics.map_figure(made(sizes, names), at, chosen, False)
        (trace,) = figure.data
        where = dict(zip(trace.customdata, trace.text, strict=True))
        assert where[first]
        assert sum(map(bool, where.values())) < 30, "not all find room"


def test_few_topics_have_a_map():
    for n in (0, 1):
        moment = made(dict.fromkeys(range(n), 5.0))
        figure = topics.map_figure(moment, {k: np.zeros(2) for k in range(n)}, 0, True)
        assert figure.layout.xaxis.range[0] < figure.layout.xaxis.range[1]


def test_words_and_their_topics_are_escaped_bars():
    figure = topics.words_figure({"<a>": (0.2, 0.05), "b": (0.1, 0.1)}, 3, False)
    bar, line = figure.data
    assert list(bar.customdata) == ["<a>", "b"], "a click gives the word itself"
    assert list(figure.layout.yaxis.ticktext) == ["&lt;a&gt;", "b"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "the first on top"
    assert list(line.x) == [0.05, 0.1]
    one = topics.word_topics_figure(
        {4: (0.9, 0.2), 2: (0.02, 0.1)}, made({4: 2.0, 2: 1.0}, {4: "<i>4", 2: "<i>2"}), False
    )
    assert list(one.data[0].text) == ["90%", "2.0%"]
    assert list(one.layout.yaxis.ticktext) == ["&lt;i&gt;4", "&lt;i&gt;2"]


def test_the_river_fills_its_bed_and_marks_who_came_and_went():
    share = np.array([[0.5, 0.0], [0.3, 0.2], [0.0, 0.6]])
    marks = [
        TopicMark(10, 1, True),
        TopicMark(20, 8, True),
        TopicMark(30, 1, False),
        TopicMark(30, 99, True),
    ]
    river = River([10, 20, 30], [1, 8], share, marks)
    figure = topics_over.river_figure(made({1: 5.0, 8: 5.0}), river, 20, False)
    bands = [trace for trace in figure.data if trace.stackgroup]
    assert np.allclose(sum(np.asarray(trace.y) for trace in bands), 1.0)
    born = next(trace for trace in figure.data if trace.name == "born")
    gone = next(trace for trace in figure.data if trace.name == "gone")
    assert list(born.x) == [10, 20], "others than those drawn have no place in it"
    assert np.allclose(born.y, [0.25, 0.4]), "in the middle of its band"
    assert list(gone.x) == [30]
    assert figure.layout.shapes[0].x0 == 20, "the moment of the slider"


def test_marks_of_one_moment_stand_apart_in_the_river():
    """Also those of topics that have nothing left, all of which are at the river's surface."""
    share = np.array([[0.6, 0.4, 0.0, 0.0], [0.995, 0.0, 0.005, 0.0]])
    marks = [
        TopicMark(20, 1, False),
        TopicMark(20, 8, True),
        TopicMark(20, 9, True),
        TopicMark(10, 0, True),
    ]
    river = River([10, 20], [0, 1, 8, 9], share, marks)
    moment = made({0: 5.0, 8: 5.0})
    figure = topics_over.river_figure(moment, river, 20, False)
    assert figure.layout.xaxis.range[1] > moment.planned_docs, "room for half a mark at the end"
    marked = [trace for trace in figure.data if trace.name in ("born", "gone")]
    heights = sorted(y for t in marked for x, y in zip(t.x, t.y, strict=True) if x == 20)
    assert np.diff(heights).min() > 0.039
    assert 0.0 < heights[0] < heights[-1] < 1.0
    assert next(t for t in marked if t.name == "born").y[-1] == pytest.approx(0.3), "alone"
    assert max(t.x[-1] for t in marked) < figure.layout.xaxis.range[1]


def test_prevalence_breaks_where_there_are_no_documents():
    starts = np.array(["1790-01-01", "1800-01-01", "1810-01-01"], "datetime64[D]")
    shares = np.array([*[0.1, 0.3] * 4, 0.2, 0.4])[:, None]
    place = np.array([0] * 9 + [2])
    found = Prevalence(starts, group_means(shares, place, 3), 0, place)
    figure = topics_over.prevalence_figure(made({3: 5.0}), found, [3], False)
    band, line, faint, bars = figure.data
    assert np.isnan(line.y[1:]).all()
    assert line.connectgaps is False
    low, high = (ends[[0, 2], 0] for ends in found.means.interval())
    assert band.y == (high[0], low[0]), "no band goes over a gap, or to one document"
    assert line.error_y.visible
    assert np.allclose(line.error_y.array, [high[0] - 0.2, 0, 0])
    assert np.isnan(faint.y[:2]).all()
    assert faint.y[2] == 0.4
    assert faint.opacity < 0.5
    assert np.allclose(faint.error_y.array, [0, 0, high[1] - 0.4])
    assert np.allclose(faint.error_y.arrayminus, [0, 0, 0.4 - low[1]])
    assert figure.layout.yaxis.range[1] < 1.15 * 0.4, "one document does not set the axis"
    assert high[1] - low[1] > 0.5 > high[0] - low[0] > 0, "one document is no certainty"
    assert list(bars.y) == [9, 0, 1]


@pytest.mark.parametrize("dark", [False, True])
def test_few_topics_have_colours_of_their_own_and_most_their_usual(dark):
    assert topic_colours([1, 2, 7], dark) == [topic_colour(k, dark) for k in (1, 2, 7)]
    found = topic_colours([85, 127, 141, 0], dark)
    assert len(set(found)) == 4
    assert found[0] == topic_colour(85, dark)
    assert found[3] == topic_colour(0, dark), "nobody takes the colour of another's own"
    many = topic_colours(range(20), dark)
    assert many[:14] == [topic_colour(k, dark) for k in range(14)]
    assert len(set(many)) == 14


def test_lines_of_one_colour_are_told_apart_by_the_sign_before_their_name():
    starts = np.array(["1790-01-01", "1800-01-01"], "datetime64[D]")
    both = np.tile([[0.2], [0.4]], 17)
    place = np.array([0, 1])
    found = Prevalence(starts, group_means(both, place, 2), 0, place)
    moment = made({i: 50.0 - i for i in range(17)})
    assert moment.look(15) % 14 == moment.look(1)
    figure = topics_over.prevalence_figure(moment, found, [1, 15], False)
    lines = [t for t in figure.data if t.type == "scatter" and t.mode == "lines+markers"]
    assert lines[0].line.color == topic_colour(1, False), "the first has its own"
    assert lines[1].line.color != topic_colour(1, False)
    signs = [note.text[0] for note in figure.layout.annotations]
    assert [topics_over.SIGNS[line.marker.symbol] for line in lines] == ["●", "■"]
    assert sorted(signs) == sorted("●■")
    first, last = figure.layout.xaxis.range
    assert first < "1790-01-01" < "1800-01-01" < last < "1810-01-01", "no room is given away"


def test_correlations_are_drawn_around_zero_without_the_diagonal():
    correlation = np.array([[1.0, -0.3], [-0.3, 1.0]])
    (square,) = topics_over.correlation_figure([4, 2], correlation, called, False).data
    assert (square.zmin, square.zmax) == (-0.3, 0.3)
    assert np.isnan(square.z[0][0])
    assert square.z[0][1] == -0.3
    assert correlation[0, 0] == 1.0, "what was given stays as it is"
