"""What stands in and around the Lab's pictures and the figures by label: numbers, names, ranges."""

import numpy as np
import pytest

from bnpexplorer.explore.change import Changes
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.plots import lab, labels
from bnpexplorer.plots.style import QUIET, colour, topic_colour


def notes(figure):
    return {note.text: note for note in figure.layout.annotations}


# ---- the Lab -------------------------------------------------------------------------------------


def test_parts_of_a_stick_have_numbers_where_there_is_room_and_their_own_colours():
    weights = np.array([0.5, 0.03, 0.031])
    strips = [("one", weights, [4, 0, 2]), ("other", weights, None)]
    figure = lab.strips_figure(strips, False)
    assert [bar.text for bar in figure.data] == ["5", "", "3", "1", "", "3"]
    inks = [bar.marker.color for bar in figure.data]
    assert inks[:3] == [topic_colour(k, False) for k in (4, 0, 2)]
    assert len(set(inks[3:])) == 1, "what is no one's is grey"
    assert inks[3] not in inks[:3]
    assert list(figure.layout.yaxis.range) == [1.6, -0.6], "the first strip is on top"


@pytest.mark.parametrize("n", [20, 21])
def test_bars_have_numbers_up_to_twenty_of_them(n):
    drawn, expected = np.linspace(0.4, 0.1, n), np.linspace(0.2, 0.6, n)
    figure = lab.beside_expected(drawn, expected, list(range(n)), "place", False)
    assert (figure.data[0].text is None) == (n > 20)
    assert figure.layout.yaxis.range[1] == pytest.approx(1.15 * 0.6), "both have room"
    assert list(figure.layout.xaxis.range) == [0.3, n + 0.7]


def test_growth_names_each_line_at_the_end_of_what_is_expected():
    lines = [
        lab.Growth("tables", 1, np.array([0, 1]), np.array([0.0, 1.0, 1.5, 3.0])),
        lab.Growth("dishes", 0, np.array([0, 1]), np.array([0.0, 1.0, 1.25, 8.0])),
    ]
    figure = lab.growth_figure(lines, 9.0, False)
    ends = notes(figure)
    assert list(ends) == ["tables<br>expected", "dishes<br>expected"]
    assert [(note.x, note.y) for note in ends.values()] == [(3.0, 3.0), (3.0, 8.0)]
    assert [trace.line.color for trace in figure.data[::2]] == [colour(1, False), colour(0, False)]
    assert list(figure.layout.xaxis.range) == [0.0, 3.0]
    assert list(figure.layout.yaxis.range) == [0.0, 9.0]


def test_a_bound_has_a_decade_a_mark_and_names_where_each_line_is_last_seen():
    lines = [
        ("gone", np.array([1.0, 1e-2, 1e-9]), 0, "solid"),
        ("stays", np.array([1.0, 0.5, 0.25]), 2, "dot"),
    ]
    figure = lab.bound_figure(lines, 1e-4, False)
    assert list(figure.layout.yaxis.tickvals) == [1.0, 0.1, 0.01, 0.001, 1e-4]
    assert list(figure.layout.yaxis.ticktext) == ["100%", "10%", "1%", "0.1%", "0.01%"]
    ends = {text: (note.x, note.y) for text, note in notes(figure).items()}
    assert ends == {"gone": (2.0, -2.0), "stays": (3.0, pytest.approx(np.log10(0.25)))}
    assert [trace.line.dash for trace in figure.data] == ["solid", "dot"]
    assert list(figure.layout.xaxis.range) == [0.5, 3.5]


def test_every_picture_has_its_name_above_its_middle():
    pictures = np.ones((5, 9))
    figure = lab.pictures_figure(pictures, list("abcde"), 2, False)
    places = {text: (note.x, note.y) for text, note in notes(figure).items()}
    assert {text: x for text, (x, _) in places.items()} == {
        "a": 1.0,
        "b": 5.0,
        "c": 1.0,
        "d": 5.0,
        "e": 1.0,
    }
    rows = np.flatnonzero(np.isfinite(lab.pictures_canvas(pictures, 2)).any(axis=1))[::3]
    assert [places[text][1] for text in "ace"] == pytest.approx([row - 1.15 for row in rows])
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "rows go downwards"


def test_parts_of_a_document_have_their_topic_where_there_is_room():
    figure = lab.mixtures_figure(np.array([[0.92, 0.08], [0.1, 0.9]]), False)
    assert [list(bar.text) for bar in figure.data] == [["1", "1"], ["", "2"]]
    assert [list(bar.x) for bar in figure.data] == [[1, 2], [1, 2]]
    assert [bar.marker.color for bar in figure.data] == [topic_colour(k, False) for k in (0, 1)]


def test_a_contest_leaves_room_above_its_highest_line_and_names_both():
    lines = [("collapsed", 0, np.array([1.0, 3.0])), ("mean field", 1, np.array([1.0, 0.1]))]
    figure = lab.contest_figure(lines, "violins", False)
    assert figure.layout.yaxis.range[1] == pytest.approx(3.3)
    assert figure.layout.yaxis.title.text == "violins of the small topic"
    assert {text: (note.x, note.y) for text, note in notes(figure).items()} == {
        "collapsed": (1.0, 3.0),
        "mean field": (1.0, 0.1),
    }
    assert [trace.line.color for trace in figure.data] == [colour(0, False), colour(1, False)]


def test_only_the_first_and_the_last_step_of_mean_field_are_numbered():
    at = np.linspace(0.01, 2.0, 5)
    steps = (np.array([1.0, 0.5, 0.2]), np.array([0.6, 0.1, 0.01]))
    figure = lab.counted_figure(at, at**2, steps, (1, 0), False)
    itself, counted, dots = figure.data
    assert list(dots.text) == ["0", "", "2"]
    assert itself.line.color == colour(0, False)
    assert counted.line.color == dots.marker.color == colour(1, False)
    ends = {text: (note.x, note.y) for text, note in notes(figure).items()}
    assert ends == {"λ itself": (2.0, 2.0), "exp ψ(λ)": (2.0, 4.0)}
    assert list(figure.layout.xaxis.range) == [0, 2.0]


# ---- by label ------------------------------------------------------------------------------------


def test_squares_that_are_dark_enough_have_their_share_in_percent():
    mean = np.array([[0.5, 0.2, 0.199]])
    topics = [(7, "tides"), (2, "ships"), (5, "fish")]
    figure = labels.label_heatmap(["Whig"], [3], topics, mean, mean, mean, False)
    (squares,) = figure.data
    assert [list(row) for row in squares.text] == [["50", "20", ""]]
    assert (squares.zmin, squares.zmax) == (0.0, 0.5)
    assert list(figure.layout.xaxis.ticktext) == ["tides", "ships", "fish"]
    assert list(figure.layout.yaxis.ticktext) == ["Whig"]
    low = labels.label_heatmap(["Whig"], [3], topics, mean / 100, mean, mean, False)
    assert low.data[0].zmax == 0.01, "next to nothing is not dark"


@pytest.mark.parametrize(
    ("by_label", "ways"), [(False, ["← fell", "rose →"]), (True, ["← Whig", "Tory →"])]
)
def test_both_halves_say_which_way_is_more(by_label, ways):
    numbers = np.array([0.1, 0.4])
    found = Changes(4, 5, 4, 5, numbers, numbers[::-1], numbers - 0.9, numbers + 0.1, 2)
    sides = Sides("Whig", "Tory", by_label)
    figure = labels.change_figure(["a", "b"], [5, 7], found, [0, 1], sides, False)
    assert [(note.text, note.x) for note in figure.layout.annotations] == [
        (ways[0], 0.0),
        (ways[1], 1.0),
    ]
    inks = [note.font.color for note in figure.layout.annotations]
    assert inks == [colour(1, False), colour(0, False)]
    assert figure.layout.xaxis.title.text == (
        "difference of the share, in points" if by_label else "change of the share, in points"
    )
    assert list(figure.data[-1].marker.color) == [QUIET[False]] * 2, "neither is sure"
    low, high = figure.layout.xaxis.range
    assert low < 100 * (numbers - 0.9).min()
    assert high > 100 * (numbers + 0.1).max()


@pytest.mark.parametrize(("n", "pixels"), [(1, 142), (2, 142), (3, 168)])
def test_a_figure_has_a_row_of_pixels_for_every_label(n, pixels):
    assert labels.rows_height(n) == pixels
    assert labels.rows_height(n, 10) == pixels - 80
