"""Test what the figures of a report draw: axes, curves, lines through time and the map."""

import re

import numpy as np
import pytest

from bnpexplorer.export.drawing import (
    LEFT,
    RIGHT,
    WIDTH,
    DrawnCurve,
    Level,
    line_chart,
    time_line,
    topic_map,
)
from bnpexplorer.export.pieces import DrawnRun, curves, curves_of
from tests.tools.export import small_result


def test_every_circle_of_a_map_has_its_own_colour_and_the_largest_have_their_names():
    """Three names in one place: only that of the largest is written; one apart is written too."""
    inks = [(f"#00000{k}", f"#fffff{k}") for k in range(4)]
    points = np.array([[0.0, 0.0], [0.001, 0.0], [0.0, 0.001], [1.0, 1.0]])
    picture = topic_map(points, np.array([0.2, 0.4, 0.1, 0.3]), list("abcd"), inks, "x")
    circles = re.findall(r'class="topic" style="([^"]*)".*?<title>(\w),', picture, re.DOTALL)
    assert circles == [(f"--l:{inks[k][0]};--d:{inks[k][1]}", "abcd"[k]) for k in (1, 3, 0, 2)], (
        "the largest lies below"
    )
    assert re.findall(r'class="name"[^>]*>(\w)<', picture) == ["b", "d"]


def test_several_runs_in_one_figure_have_no_births_and_each_its_colour_and_end():
    one, two = small_result("hdp-tsvi", steps=5), small_result("hdp-svi", steps=5)
    drawn = [DrawnRun("first", one.moment, 0), DrawnRun("second", two.moment, 3)]
    both = curves_of(drawn, "As it is.", -7.25, x_end=5000.0)
    assert "Triangles" not in both
    assert both.count(" born") == 0
    assert curves_of(drawn[:1], "", None).count("<title>") >= 1
    ends = re.findall(r'class="end ink"[^>]*>(\w+)\s*<tspan[^>]*>([^<]*)<', both)
    assert ends == [
        ("first", f"{one.score:.2f}".replace("-", "−")),
        ("second", f"{two.score:.2f}".replace("-", "−")),
        ("first", str(one.snapshot.trace[-1].n_topics)),
        ("second", str(two.snapshot.trace[-1].n_topics)),
    ]
    assert both.count(">5,000</text>") == 2, "both axes have room for what is planned"


def heights_of(*curves, level=None, x_end=0.0):
    """The numbers on both axes of a chart."""
    chart = line_chart([*curves], "x", "y", "z", level, x_end)
    up = re.findall(r'text-anchor="end">([−\d.,]+)<', chart)
    across = re.findall(r'y="[\d.]+" text-anchor="middle">([\d.,]+)<', chart)
    return [[float(n.replace("−", "-").replace(",", "")) for n in one] for one in (up, across)]


def drawn(y, steps=False):
    return DrawnCurve("a", [0.0, 50.0], list(y), ("#000", "#fff"), steps)


def test_axes_begin_at_nothing_unless_numbers_lie_below_and_have_room_for_all():
    up, across = heights_of(drawn([0.0, 8.0]))
    assert (up[0], across[0], across[-1]) == (0.0, 0.0, 50.0)
    assert 8.0 <= up[-1] + (up[1] - up[0]) <= 12.0
    assert heights_of(drawn([5.0, 8.0]))[0][0] == 0.0
    up, _ = heights_of(drawn([-7.4, -7.0]))
    assert -7.45 < up[0] <= -7.3
    assert up[-1] <= -6.95
    up, _ = heights_of(drawn([-7.0, -7.0]))
    assert (min(up), max(up)) == (-7.4, -6.6), "half a unit around one number"
    up, _ = heights_of(drawn([-7.4, -7.0]), level=Level("word frequencies", -9.0))
    assert up[0] == -9.0
    assert heights_of(drawn([1.0, 2.0]), x_end=200.0)[1][-1] == 200.0
    assert heights_of(drawn([1.0, 2.0]), x_end=20.0)[1][-1] == 50.0
    assert heights_of(drawn([0.0, 1.0], True))[0] == [0.0, 1.0], "counts are whole"
    assert 0.4 in heights_of(drawn([0.0, 1.0], True), drawn([0.0, 1.0]))[0]


def test_a_long_curve_is_drawn_from_its_first_point_to_its_last():
    n = 5000
    curve = DrawnCurve("a", list(range(n)), [i % 7 for i in range(n)], ("#000", "#fff"))
    path = re.search(r'class="curve"[^>]* d="M([^"]*)"', line_chart([curve], "x", "y", "z"))[1]
    across = [float(point.split()[0]) for point in path.split("L")]
    assert len(across) == 400
    assert (across[0], across[-1]) == (LEFT, WIDTH - RIGHT)
    assert np.ptp(np.diff(across)) < 0.3, "evenly"


@pytest.mark.parametrize(("place", "side"), [(0, "start"), (5, "middle"), (9, "end")])
def test_the_peak_of_a_line_through_time_is_named_where_there_is_room(place, side):
    shares = np.full(10, 0.1)
    shares[place] = 0.4
    picture = time_line(shares, [f"d{i}" for i in range(10)], ("#000", "#fff"), "x")
    assert re.findall(r'text-anchor="(\w+)">40\.0 % d(\d)<', picture) == [(side, str(place))]


def test_a_share_through_time_fills_the_height_and_one_alone_is_a_dot():
    picture = time_line(np.array([0.02, np.nan, 0.01]), list("abc"), ("#000", "#fff"), "x")
    assert picture.count("<circle") == 2 + 1, "each stands alone; and the peak"
    tops = [float(y) for y in re.findall(r'cy="([\d.]+)"', picture)]
    assert min(tops) == 26.0, "the highest, however small"


def test_only_curves_that_are_still_drawn_have_room_for_what_is_to_come():
    result = small_result("hdp-tsvi", steps=3)
    run, moment = result.run, result.moment
    room = [
        max(float(n.replace(",", "")) for n in re.findall(r'middle">([\d,]+)</text>', html))
        for html in (curves(run, moment, None), curves(run, moment, None, to_the_end=True))
    ]
    assert room[0] <= moment.snapshot.docs_seen == 120
    assert 200 <= room[1] <= moment.planned_docs == 288
