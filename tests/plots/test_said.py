"""What figures say beside their numbers: names at their own places, hints, thresholds, ranges."""

import numpy as np
import pytest

from bnpexplorer.explore.kinship import tree
from bnpexplorer.explore.sentences import Sides
from bnpexplorer.explore.through import River, TopicMark
from bnpexplorer.plots import (
    atlas,
    chains,
    claims,
    corpus,
    labels,
    over_time,
    style,
    topics,
    topics_over,
    toy,
)
from bnpexplorer.plots.labels import change_figure, label_heatmap
from bnpexplorer.plots.style import IF_ROOM, INK, QUIET, colour, topic_colour, with_alpha
from tests.plots.test_labels import Changes
from tests.tools.moments import made

NB = "\u00a0"


# ---- one topic and another -----------------------------------------------------------------------


def test_a_word_s_and_a_topic_s_bar_have_their_own_colour_and_hint():
    moment = made({4: 9.0, 1: 6.0}, {4: "tides", 1: "<ships>"})
    bars = topics.word_topics_figure({1: (0.094, 0.00123), 4: (0.906, 0.2)}, moment, False).data[0]
    assert list(bars.marker.color) == [topic_colour(moment.look(i), False) for i in (1, 4)]
    assert list(bars.text) == ["9.4%", "91%"]
    assert list(bars.hovertext) == [
        "<b>1 · &lt;ships&gt;</b><br>9.4% of the word<br>0.123% of the topic",
        "<b>4 · tides</b><br>90.6% of the word<br>20.000% of the topic",
    ]
    bars = topics.words_figure({"war": (0.2, 0.05), "<tax>": (0.1, 0.3)}, 3, False).data[0]
    assert list(bars.hovertext) == [
        "<b>war</b><br>20.00% in this topic<br>5.00% in all texts",
        "<b>&lt;tax&gt;</b><br>10.00% in this topic<br>30.00% in all texts",
    ]


def test_a_point_of_the_map_says_its_topic_share_and_words():
    moment = made({5: 100.0, 7: 300.0}, {7: "War"})
    at = {5: np.array([0.0, 0.0]), 7: np.array([1.0, 0.5])}
    (dots,) = topics.map_figure(moment, at, 5, False).data
    assert [hint.split("<br>")[0] for hint in dots.hovertext] == [
        "<b>7 · War</b>, 75.0%", "<b>5 · a b&lt; c</b>, 25.0%",
    ]  # fmt: skip
    ink = topic_colour(moment.look(7), False)
    assert dots.marker.color[0] == with_alpha(ink, 0.55)
    assert list(dots.marker.line.color) == [ink, INK[False]]


def test_leaves_of_the_tree_are_named_and_what_hangs_together_has_the_largest_topic_s_colour():
    counts = np.array([[30, 5, 1, 0], [25, 9, 2, 0], [1, 8, 30, 2]])
    moment = made({4: 3.0, 1: 9.0, 7: 5.0}, {4: "tides", 1: "ships", 7: "fish"})
    found = tree([4, 1, 7], counts)
    low, high = (joint.heights[1] for joint in found.joints)
    for cut, n_inside in ((low / 2, 0), (low, 1), (high - 0.01, 1), (high, 2)):
        *joints, leaves = topics.tree_figure(moment, found, cut, False).data
        grey, own = QUIET[False], topic_colour(moment.look(1), False)
        assert [joint.line.color for joint in joints] == [
            *[own] * n_inside,
            *[grey] * (2 - n_inside),
        ]
        figure = topics.tree_figure(moment, found, cut, False)
        assert figure.layout.shapes[0].x0 == cut
    assert list(figure.layout.yaxis.ticktext) == [moment.head(i) for i in found.ids]
    assert list(leaves.marker.color) == [topic_colour(moment.look(i), False) for i in found.ids]
    assert high < 1.0
    assert list(figure.layout.xaxis.range) == [0.0, 1.0]
    far = tree([4, 1, 7], np.diag([100, 100, 90]))
    low, high = (joint.heights[1] for joint in far.joints)
    assert 0.9 < low < 1.0 < high
    figure = topics.tree_figure(moment, far, 0.5, False)
    assert list(figure.layout.xaxis.range) == pytest.approx([0.8, 1.05 * high])


def test_bands_of_the_river_are_named_where_they_are_wide_at_the_end():
    share = np.array([[0.5, 0.0, 0.2], [0.3, 0.029, 0.6]])
    river = River(
        [10, 20], [1, 8, 9], share, [TopicMark(20, 9, True, 3), TopicMark(20, 8, True, 5)]
    )
    moment = made({1: 5.0, 8: 5.0, 9: 4.0}, {1: "tides", 8: "ships", 9: "fish"})
    figure = topics_over.river_figure(moment, river, 10, False, label="mine")
    notes = {note.text: note for note in figure.layout.annotations}
    assert set(notes) == {"tides", "fish"}
    assert (notes["tides"].y, notes["fish"].y) == (0.15, pytest.approx(0.629))
    assert list(figure.data[3].y) == pytest.approx([0.3, 0.071])
    born = next(t for t in figure.data if t.name == "born")
    assert sorted(map(tuple, born.customdata)) == [("mine", 3), ("mine", 5)]
    assert set(born.hovertext) == {"fish born", "ships born"}
    assert figure.layout.xaxis.range[1] == pytest.approx(1.01 * 60)


def test_a_square_of_correlations_names_both_topics():
    correlation = np.array([[1.0, -0.3, 0.2], [-0.3, 1.0, 0.1], [0.2, 0.1, 1.0]])
    figure = topics_over.correlation_figure([4, 2, 9], correlation, lambda i: f"<t{i}>", False)
    (square,) = figure.data
    assert square.hovertext[0][1] == "&lt;t4&gt;<br>&lt;t2&gt;<br>-0.30"
    assert square.hovertext[2][1] == "&lt;t9&gt;<br>&lt;t2&gt;<br>+0.10"
    assert [list(row) for row in square.customdata] == [[4] * 3, [2] * 3, [9] * 3]
    assert list(figure.layout.yaxis.ticktext) == ["&lt;t4&gt;", "&lt;t2&gt;", "&lt;t9&gt;"]
    assert square.colorscale[0][1] == colour(1, False)
    assert square.colorscale[-1][1] == colour(0, False)
    near = topics_over.correlation_figure([4, 2], np.array([[1, 0.01], [0.01, 1]]), str, False)
    assert near.data[0].zmax == 0.05


# ---- labels and changes --------------------------------------------------------------------------


def test_only_large_squares_have_a_number_and_every_row_and_column_its_name():
    mean = np.array([[0.5, 0.2, 0.199], [np.nan, 0.35, 0.1]])
    named = [(7, "t" * 40), (2, "ships"), (5, "fish")]
    figure = label_heatmap(["Whig", "L" * 60], [3, 1200], named, mean, mean, mean, False)
    (squares,) = figure.data
    assert [list(row) for row in squares.text] == [["50", "20", ""], ["", "35", ""]]
    assert (squares.zmin, squares.zmax) == (0.0, 0.5)
    assert [len(t) for t in figure.layout.xaxis.ticktext] == [22, 5, 4]
    assert [len(t) for t in figure.layout.yaxis.ticktext] == [4, 30]
    none = label_heatmap(["a"], [1], [(1, "x")], np.array([[0.001]]), mean, mean, False)
    assert none.data[0].zmax == 0.01


@pytest.mark.parametrize("sides", [Sides("then", "now"), Sides("Whig party", "<b>", True)])
def test_what_rose_stands_on_the_right_and_fell_on_the_left(sides):
    ends = np.array([0.1, -0.5]), np.array([0.3, -0.2])
    found = Changes(40, 50, 40, 50, np.array([0.1, 0.6]), np.array([0.3, 0.3]), *ends, 2)
    figure = change_figure(["fish", "tides"], [5, 7], found, [0, 1], sides, False)
    left, right = figure.layout.annotations
    words = ("Whig party", "&lt;b&gt;") if sides.labels else ("fell", "rose")
    assert (left.text, right.text) == (f"← {words[0]}", f"{words[1]} →")
    assert (left.x, right.x) == (0.0, 1.0)
    assert (left.font.color, right.font.color) == (colour(1, False), colour(0, False))
    dots = figure.data[-1]
    assert list(dots.marker.color) == [colour(0, False), colour(1, False)]
    what = "difference" if sides.labels else "change"
    assert figure.layout.xaxis.title.text == f"{what} of the share, in points"
    low, high = figure.layout.xaxis.range
    assert (low, high) == (pytest.approx(-50 - 3.2), pytest.approx(30 + 3.2))


@pytest.mark.parametrize(("n", "height"), [(0, 142), (2, 142), (3, 168), (10, 350)])
def test_a_figure_of_rows_is_as_high_as_they_need(n, height):
    assert labels.rows_height(n) == height
    assert labels.rows_height(n, 100) == height + 10
    assert topics.rows_height(max(n, 1)) == 23 * max(n, 1) + 70 + 32
    assert topics.rows_height(4, 28) == 2 * 23 * 4 + 140 + 32


# ---- documents -----------------------------------------------------------------------------------


def test_a_wide_part_of_a_document_holds_its_name_and_a_narrow_one_says_it():
    moment = made({4: 9.0, 1: 6.0, 7: 3.0}, {4: "tides and ships", 1: "ships", 7: "fish"})
    theta = np.array([0.5, 0.09, 0.0899])
    parts = corpus.shares_in_a_line(moment, theta, False).data
    assert [p.text[0] for p in parts] == [
        f"tides and ships 50{NB}%", f"ships 9{NB}%", "", f"all others 32{NB}%",
    ]  # fmt: skip
    assert [p.hovertext[0].split("  ")[0] for p in parts] == [
        "tides and ships", "ships", "fish", "all others",
    ]  # fmt: skip
    inks = [with_alpha(topic_colour(moment.look(i), False), 0.35) for i in (4, 1, 7)]
    assert [p.marker.color for p in parts][:3] == inks


# ---- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (["2001-01-01"], ["2000-07-05", "2001-06-30"]),
        (["2001-01-01", "2002-01-01", "2003-01-01"], ["2000-07-02", "2003-07-03"]),
        (["2001-01-01", "2001-01-08"], ["2000-12-28", "2001-01-12"]),
        ([], None),
    ],
)
def test_the_axis_of_dates_has_half_a_period_on_both_sides(days, expected):
    assert over_time._whole(np.array(days, "datetime64[D]")) == expected


def test_each_line_over_time_is_named_at_its_last_period_with_its_sign():
    starts = np.array(["2001-01-01", "2002-01-01", "2003-01-01"], "datetime64[D]")
    one = over_time.TimeLine("<one>", "#111111", *[np.array([0.1, 0.2, np.nan])] * 3)
    two = over_time.TimeLine("two", "#222222", *[np.array([0.3, 0.4, 0.5])] * 3)
    figure = over_time.lines_over_time(starts, np.array([1, 2, 3]), [one, two], "share", False)
    ends = {note.text: (str(note.x), note.y) for note in figure.layout.annotations}
    assert ends == {"● &lt;one&gt;": ("2002-01-01", 0.2), "■ two": ("2003-01-01", 0.5)}
    lines = [t for t in figure.data[:-1] if t.mode == "lines+markers"]
    assert [(t.line.color, t.line.dash) for t in lines] == [
        ("#111111", "solid"),
        ("#222222", "dash"),
    ]
    words = over_time.lines_over_time(
        starts, np.array([1, 2, 3]), [one], "share", False, tickformat=".2%"
    )
    assert words.data[1].hovertemplate == "%{y:.2%}"
    assert figure.data[1].hovertemplate == "%{y:.1%}"
    assert figure.layout.yaxis.title.text == "share"


# ---- chains and claims ---------------------------------------------------------------------------


def test_every_quantity_of_chains_has_a_panel_of_its_own_from_top_to_bottom():
    draws = np.array([0.0, 10.0, 20.0])
    one = chains.ChainLine("<a>", 2, 1, draws, {"x": draws, "y": -draws})
    two = chains.ChainLine("b", 3, 0, draws[:2], {"y": draws[:2] + 1})
    figure = chains.chains_figure([one, two], ["x", "y"], 10.0, False)
    found = {
        (t.name, t.yaxis): (list(t.x), list(t.y), t.line.color, t.line.dash) for t in figure.data
    }
    assert found == {
        ("&lt;a&gt;", "y"): ([0, 10, 20], [0, 10, 20], colour(2, False), "dash"),
        ("&lt;a&gt;", "y2"): ([0, 10, 20], [0, -10, -20], colour(2, False), "dash"),
        ("b", "y2"): ([0, 10], [1, 11], colour(3, False), "solid"),
    }
    top, bottom = figure.layout.yaxis.domain, figure.layout.yaxis2.domain
    assert top[1] == pytest.approx(1.0)
    assert bottom[0] == pytest.approx(0.0)
    assert top[0] - bottom[1] == pytest.approx(chains.GAP)
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis2.title.text) == ("x", "y")
    (judged,) = figure.layout.shapes
    assert (judged.x0, judged.x1) == (10.0, 10.0)
    assert chains.chains_height(3) == 510


@pytest.mark.parametrize("logarithmic", [False, True])
def test_lines_of_a_claim_are_named_at_their_last_place_and_the_ticks_are_the_settings(logarithmic):
    lines = [
        claims.ClaimLine("one", 0, [{1.0: 2.0, 10.0: 4.0}, {10.0: 5.0}]),
        claims.ClaimLine("two", 1, [{1.0: 3.0, 100.0: 7.0}]),
        claims.ClaimLine("none", 2, [{}]),
    ]
    figure = claims.against(lines, "x", "y", False, logarithmic)
    ends = {note.text: (note.x, note.y) for note in figure.layout.annotations}
    at = np.log10 if logarithmic else float
    assert ends == {"one": (at(10.0), 4.5), "two": (at(100.0), 7.0)}
    low, high = figure.layout.xaxis.range
    assert (low, high) == (
        pytest.approx(at(1.0) - 0.03 * (at(100.0) - at(1.0))),
        pytest.approx(at(100.0) + 0.03 * (at(100.0) - at(1.0))),
    )
    if logarithmic:
        assert list(figure.layout.xaxis.ticktext) == ["1", "10", "100"]
    assert list(figure.layout.yaxis.range) == pytest.approx([2 - 0.3, 7 + 0.3])


# ---- the map of texts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "pixels"),
    [(0, 9.0), (800, 9.0), (1000, 8.22), (5000, 3.68), (10_000, 2.6), (99_999, 2.6)],
)
def test_points_are_smaller_where_there_are_many(n, pixels):
    assert atlas._dot(n) == pytest.approx(pixels, abs=0.01)


def test_some_points_are_drawn_in_the_frame_of_all_and_names_are_left_to_the_browser():
    places = np.array([[0, 0], [10, 5], [100, 50]], np.float32)
    groups = atlas.Groups(np.array([0, 1, -1]), ["a", "b"], ["#111111", "#222222"])
    name = atlas.Name(3.0, 4.0, "tides", "#111111")
    figure = atlas.atlas_figure(places, groups, None, [name], False, drawn=np.array([0, 1]))
    assert [t.customdata.tolist() for t in figure.data] == [[0], [1]]
    assert list(figure.layout.xaxis.range) == pytest.approx([-4, 104])
    assert list(figure.layout.yaxis.range) == pytest.approx([-2, 52])
    (note,) = figure.layout.annotations
    assert (note.x, note.y, note.text, note.name) == (3.0, 4.0, "<b>tides</b>", IF_ROOM)
    assert [t.hovertemplate.split("<br>")[0] for t in figure.data] == ["<b>a</b>", "<b>b</b>"]
    assert not figure.layout.shapes


# ---- the toy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_probability", [False, True])
def test_the_odds_of_a_toy_mark_the_chosen_count_and_who_is_likelier(as_probability):
    counts, values = (
        np.array([1, 2, 3]),
        np.array([0.9, 0.5, 0.2]) if as_probability else np.array([2.0, 0.0, -1.0]),
    )
    figure = toy.odds_figure(
        counts, values, np.array([1, 0, 2]), 3, (-3, 3), "exact", 1, False, as_probability
    )
    (line,) = figure.data
    assert list(line.y) == values.tolist()
    assert list(line.marker.symbol) == ["triangle-up", "circle", "triangle-down"]
    assert list(line.marker.size) == [10, 10, 16]
    assert list(line.marker.line.width) == [0, 0, 2]
    even = 0.5 if as_probability else 0.0
    stem = figure.layout.shapes[-1]
    assert (stem.x0, stem.x1, stem.y0, stem.y1) == (3, 3, even, values[2])
    sides = {note.text: note.y for note in figure.layout.annotations[:2]}
    assert sides == {"more likely component 1": 1.0, "more likely component 2": 0.0}
    title = "probability of component 1" if as_probability else "log odds"
    assert figure.layout.yaxis.title.text == title
    end = figure.layout.annotations[2]
    assert (end.x, end.y, end.text, end.yanchor) == (3.0, values[2], "exact", "top")


def test_the_range_of_odds_holds_zero_and_room_for_words():
    low, high = toy.shared_range(np.array([1.0, 3.0]), np.array([2.0, 5.0]))
    assert (high - 5.0) / (high - low) == pytest.approx(0.14)
    assert (0.0 - low) / (high - low) == pytest.approx(0.14)
    low, high = toy.shared_range(np.array([-4.0]), np.array([-1.0]))
    assert low < -4.0 < 0.0 < high


def test_bars_of_a_toy_s_words_are_percent_with_both_ends():
    mean, low, high = np.array([0.5, 0.2]), np.array([0.3, 0.19]), np.array([0.6, 0.4])
    (bars,) = toy.words_figure(mean, low, high, 0.7, False).data
    assert list(bars.y) == [50.0, 20.0]
    np.testing.assert_allclose(bars.y + np.array(bars.error_y.array), [60, 40])
    np.testing.assert_allclose(bars.y - np.array(bars.error_y.arrayminus), [30, 19])
    np.testing.assert_allclose(bars.customdata, [[30, 60], [19, 40]])
    assert bars.marker.color[0] == colour(0, False) != bars.marker.color[1]


# ---- names and colours ---------------------------------------------------------------------------


def test_names_are_cut_at_their_last_letter_and_numbers_have_a_real_minus():
    assert style.shortened("a" * 30) == "a" * 30
    assert style.shortened("a" * 31) == "a" * 29 + "…"
    assert style.shortened("ab cd", 4) == "ab…"
    assert style.minus(-7.126) == "−7.13"
    assert style.minus(0.5) == "0.50"
    assert style.topic_symbol(13) == "circle"
    assert [style.topic_symbol(14 * k) for k in range(5)] == [*style.SYMBOLS, "circle"]
    assert [colour(k, True) for k in (0, 8)] == [style.DARK[0]] * 2
    assert with_alpha("#0A10FF", 0.25) == "rgba(10,16,255,0.25)"


@pytest.mark.parametrize("kind", ["nothing", "gaps", "one"])
def test_a_figure_without_numbers_says_so_in_place_of_its_axes(kind):
    figure = style.base_figure(False, "x", "y")
    figure.add_hline(y=1.0)
    if kind != "nothing":
        figure.add_scatter(x=[1.0, 2.0], y=[np.nan, None] if kind == "gaps" else [np.nan, 3.0])
    found = style.finished(figure, "Not *yet*.")
    empty = kind != "one"
    assert [note.text for note in found.layout.annotations] == (["Not *yet*."] if empty else [])
    assert (found.layout.xaxis.visible is False) == empty
    assert bool(found.layout.shapes) != empty
