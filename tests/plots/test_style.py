"""Names at the lines' ends: none over another, each as near its line as can be."""

from collections import Counter

import numpy as np
import pytest
from scipy.optimize import minimize

from bnpexplorer.methods import METHODS
from bnpexplorer.methods.making import model_class
from bnpexplorer.models import MODELS
from bnpexplorer.plots.claims import ClaimLine, against, in_rows, signs_figure
from bnpexplorer.plots.line_ends import LINE_HEIGHT, label_ends, spread
from bnpexplorer.plots.line_ends import End as LineEnd
from bnpexplorer.plots.style import INK, LIGHT, PAPER, base_figure, colour, slots_of

ROOM = 280.0


def tops_and_bottoms(centres, tall):
    return centres - np.asarray(tall) / 2, centres + np.asarray(tall) / 2


@pytest.mark.parametrize("seed", range(5))
def test_labels_are_pushed_apart_as_little_as_possible(seed):
    rng = np.random.default_rng(seed)
    wanted = np.sort(rng.uniform(-10, ROOM + 10, 6))
    tall = rng.choice([18.0, 36.0], 6)
    found = np.array(spread(wanted, tall, ROOM))
    low, high = tops_and_bottoms(found, tall)
    assert low[0] >= -1e-9
    assert high[-1] <= ROOM + 1e-9
    assert np.all(low[1:] >= high[:-1] - 1e-9)
    gaps = (tall[1:] + tall[:-1]) / 2
    limits = [{"type": "ineq", "fun": lambda c: np.diff(c) - gaps}]
    limits += [{"type": "ineq", "fun": lambda c: c[0] - tall[0] / 2}]
    limits += [{"type": "ineq", "fun": lambda c: ROOM - c[-1] - tall[-1] / 2}]
    best = minimize(lambda c: ((c - wanted) ** 2).sum(), found, constraints=limits)
    assert ((found - wanted) ** 2).sum() == pytest.approx(best.fun, abs=1e-3)


def test_labels_far_apart_stay_where_they_are():
    assert spread([50.0, 150.0], [18.0, 18.0], ROOM) == [50.0, 150.0]


def test_names_of_lines_that_end_together_do_not_meet():
    figure = base_figure(False)
    names = ["one", "two", "three<br>lines", "four"]
    ends = [LineEnd(1.0, -7.0 + 0.001 * i, name, "#000000") for i, name in enumerate(names)]
    label_ends(figure, ends, [-8.0, -6.0], 330, dark=False)
    room = 330 - 4 * 14
    places = [room * (a.y + 8.0) / 2.0 + a.yshift for a in figure.layout.annotations]
    tall = [LINE_HEIGHT * 14 * (1 + a.text.count("<br>")) for a in figure.layout.annotations]
    low, high = tops_and_bottoms(np.array(places), tall)
    assert np.all(low[1:] >= high[:-1] - 1e-9)


def test_numbers_stand_beside_names_where_there_is_no_room_below_them():
    """Six runs and word frequencies on a projector: none above the figure."""
    ends = [LineEnd(1.0, -7.0 + 0.01 * i, f"run {i}<br><b>{i}</b>", "#000000") for i in range(6)]
    ends.append(LineEnd(1.0, -7.5, "word<br>frequencies<br><b>9</b>", "#000000"))
    for height, words in ((314, "run 5 <b>5</b>"), (464, "run 5<br><b>5</b>")):
        figure = base_figure(False)
        label_ends(figure, ends, [-8.0, -6.0], height, dark=False, size=19)
        assert figure.layout.annotations[-1].text == words
        room = height - 4 * 19
        places = [room * (a.y + 8.0) / 2.0 + a.yshift for a in figure.layout.annotations]
        tall = [LINE_HEIGHT * 19 * (1 + a.text.count("<br>")) for a in figure.layout.annotations]
        low, high = tops_and_bottoms(np.array(places), tall)
        assert low[0] >= 0
        assert high[-1] <= room
        assert np.all(low[1:] >= high[:-1] - 1e-9)


def test_long_names_are_broken_evenly():
    assert in_rows("HDP") == "HDP"
    assert in_rows("mean field, case B") == "mean field,<br>case B"
    assert in_rows("truncated mean field") == "truncated<br>mean field"
    assert in_rows("unbreakablyverylongname") == "unbreakablyverylongname"


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_picture_of_one_point_and_of_none_can_be_drawn(logarithmic):
    assert not against([ClaimLine("a", 0, [])], "x", "y", False, logarithmic).layout.annotations
    figure = against([ClaimLine("a", 0, [{5.0: 0.0}])], "x", "y", False, logarithmic)
    low, high = figure.layout.yaxis.range
    assert low < 0.0 < high
    assert len(figure.layout.annotations) == 1


def test_first_scores_may_lie_below_a_picture_over_time_and_ends_may_not():
    learns = ClaimLine("a", 0, [{0.0: -9.5, 8.0: -7.9, 16.0: -7.8}])
    fails = ClaimLine("b", 1, [{0.0: -9.4, 16.0: -9.0}])
    for lines, low in (([learns], -8.5), ([learns, fails], -9.0)):
        figure = against(lines, "x", "y", False, levels=[-8.1], over_time=True)
        bottom, top = figure.layout.yaxis.range
        assert bottom == pytest.approx(low - 0.06 * (-7.8 - low))
        assert top > -7.8
        bottom, _ = against(lines, "x", "y", False, levels=[-8.1]).layout.yaxis.range
        assert bottom < -9.5, "where the axis is a setting, all is shown"


def test_log_odds_of_a_toy_have_a_colour_a_method_and_a_dash_a_case():
    odds = {("tsvi", "A"): [1.0, 3.0], ("mean field", "A"): [2.0, -4.0], ("tsvi", "B"): [0.5, 1.5]}
    figure = signs_figure([1, 9], odds, False)
    found = {
        line.name: (list(line.x), list(line.y), line.line.color, line.line.dash)
        for line in figure.data
    }
    assert found == {
        "tsvi, case A": ([1, 9], [1.0, 3.0], colour(1, False), "solid"),
        "mean field, case A": ([1, 9], [2.0, -4.0], colour(0, False), "solid"),
        "tsvi, case B": ([1, 9], [0.5, 1.5], colour(1, False), "dash"),
    }
    ends = {note.text: (note.x, note.y) for note in figure.layout.annotations}
    assert ends == {
        "tsvi, case A": (9, 3.0),
        "mean field,<br>case A": (9, -4.0),
        "tsvi, case B": (9, 1.5),
    }
    (even,) = figure.layout.shapes
    assert (even.y0, even.y1) == (0.0, 0.0)
    assert list(figure.layout.xaxis.range) == pytest.approx([0.76, 9.24])
    assert list(figure.layout.yaxis.range) == pytest.approx([-4.42, 3.42])


def test_figures_of_one_style_are_not_one_figure():
    first, second = base_figure(False, "x", "y"), base_figure(False, "x", "y")
    first.add_scatter(x=[1], y=[1])
    first.update_xaxes(range=[0, 5])
    assert not second.data
    assert second.layout.xaxis.range is None
    assert second.layout.xaxis.separatethousands
    assert second.layout.yaxis.separatethousands
    assert base_figure(True, "x", "y").layout != second.layout


@pytest.mark.parametrize("dark", [False, True])
def test_no_line_shines_through_the_box_below_the_pointer(dark):
    figure = base_figure(dark)
    assert figure.layout.hoverlabel.bgcolor == PAPER[dark] != figure.layout.paper_bgcolor
    assert figure.layout.hoverlabel.font.color == INK[dark]


def test_methods_of_one_model_have_colours_of_their_own():
    """As long as there is one that is free."""
    for model in MODELS:
        used = Counter(
            METHODS[n].colour for n in METHODS.ours if model_class(METHODS[n]).name == model
        )
        assert len(used) == len(LIGHT) or max(used.values()) == 1
    assert {METHODS[n].colour for n in METHODS.ours} <= set(range(len(LIGHT)))


def test_runs_of_one_colour_have_dashes_of_their_own():
    assert slots_of([2, 0, 2, 2]) == [(2, 0), (0, 0), (2, 1), (2, 2)]
