"""The Lab page, run without a browser, and the pictures it draws."""

import itertools

import numpy as np
import pytest

from bnpexplorer.lab.toy import CASES, collapsed_log_odds, mean_field_log_odds, word_probabilities
from bnpexplorer.plots.toy import MARKERS, odds_figure, shared_range, words_figure
from tests.tools.pages import check, figures, open_lab
from tests.ui.test_demonstration import values as points


def control(page, key):
    kinds = ("slider", "select_slider", "button_group")
    return next(w for kind in kinds for w in page.get(kind) if w.key == key)


def move(page, **values):
    for key, value in values.items():
        control(page, key).set_value(value)
    return check(page.run())


def numbers(page):
    return [float(m.value.replace("−", "-").replace(",", "")) for m in page.metric]


def what_to_look_for(page):
    return next(m.value for m in page.markdown if m.value.startswith("**What to look for."))


def test_it_opens_with_case_b():
    page = open_lab()
    assert control(page, "lab_case").value == "B"
    assert numbers(page) == [35.09, -3.89]
    assert page.metric[0].delta.startswith("component 1: over 99.99 %")
    assert page.metric[1].delta.startswith("component 2: 98 %")
    text = what_to_look_for(page)
    assert "every copy adds +7.02" in text
    assert "at 1 copy an **exact tie**" in text
    assert "from 2 copies on it **turns to component 2**" in text
    assert "**different components** from 2 copies on" in text


def test_the_tie_is_called_a_tie():
    page = move(open_lab(), lab_copies=1)
    assert page.metric[1].value == "0.00"
    assert page.metric[1].delta == "exact tie: 50 % each"
    assert page.metric[0].value == "+7.02"


@pytest.mark.second
def test_picking_a_case_moves_the_sliders_and_moving_a_slider_leaves_the_case():
    page = move(open_lab(), lab_rest=3.0, lab_words=20)
    assert control(page, "lab_case").value is None
    page = move(page, lab_case="A")
    keys = ("lab_words", "lab_word1", "lab_rest", "lab_second", "lab_copies")
    assert [control(page, k).value for k in keys] == [10, 0.1, 1.0, 0.1, 5]
    assert numbers(page) == [-13.65, -7.21]
    assert "agree at every count" in what_to_look_for(page)
    page = move(page, lab_word1=1.0)
    assert control(page, "lab_case").value == "B"
    assert numbers(page) == [35.09, -3.89]


@pytest.mark.second
def test_a_change_of_sides_is_pointed_out():
    page = move(open_lab(), lab_words=2, lab_word1=2.0, lab_rest=7.0, lab_second=0.01)
    assert "at 1 copy for component 2" in what_to_look_for(page)
    page = move(page, lab_words=10, lab_word1=2.0, lab_rest=1.0, lab_second=0.1)
    assert collapsed_log_odds(1, [2.0] + [1.0] * 9, [0.1] * 10) > 0
    text = what_to_look_for(page)
    assert "at 1 copy for component 1" in text
    assert "**changes sides to component 2**" in text
    first = next(
        w for w in range(1, 21) if collapsed_log_odds(w, [2.0] + [1.0] * 9, [0.1] * 10) < 0
    )
    assert f"from {first} copies on" in text


def test_equal_components_tie_at_every_count():
    page = move(open_lab(), lab_word1=0.3, lab_rest=0.3, lab_second=0.3, lab_copies=20)
    assert [m.value for m in page.metric] == ["0.00", "0.00"]
    assert "agree at every count" in what_to_look_for(page)


def test_a_link_opens_its_setting():
    page = open_lab(lab_copies="9", lab_rest="3", lab_view="Probability")
    lam1 = [1.0] + [3.0] * 9
    expected = [mean_field_log_odds(9, lam1, [0.1] * 10), collapsed_log_odds(9, lam1, [0.1] * 10)]
    assert numbers(page) == pytest.approx(expected, abs=0.005)
    assert control(page, "lab_case").value is None
    assert control(page, "lab_view").value == "Probability"


@pytest.mark.parametrize("address", [{"lab_copies": "900"}, {"lab_rest": "-1"}, {"lab_view": "x"}])
def test_a_broken_link_opens_the_usual_setting(address):
    assert numbers(open_lab(**address)) == [35.09, -3.89]


def test_the_table_holds_the_numbers_of_the_paper():
    tables = [found.value for found in open_lab().dataframe]
    table = next(t for t in tables if "copies of word 1" in t)
    case = CASES["B"]
    assert table["copies of word 1"].tolist() == list(range(1, 21))
    for w, row in enumerate(table.itertuples(index=False), 1):
        lc = collapsed_log_odds(w, case.lam1, case.lam2)
        assert row[1] == pytest.approx(mean_field_log_odds(w, case.lam1, case.lam2), abs=1e-11)
        assert row[3] == pytest.approx(lc, abs=1e-11)
        assert row[4] == pytest.approx(1 / (1 + np.exp(-lc)), abs=1e-11)
        assert row[2] == pytest.approx(1 / (1 + np.exp(-row[1])), abs=1e-11)
    assert table.iloc[0, 3] == 0.0


@pytest.mark.second
def test_every_corner_of_the_sliders_works():
    page, ends = open_lab(), (0.01, 100.0)
    corners = itertools.product((2, 50), ends, ends, ends, (1, 20))
    for words, word, rest, second, n in corners:
        move(page, lab_words=words, lab_word1=word, lab_rest=rest, lab_second=second, lab_copies=n)
        lam1, lam2 = [word] + [rest] * (words - 1), [second] * words
        expected = [mean_field_log_odds(n, lam1, lam2), collapsed_log_odds(n, lam1, lam2)]
        assert numbers(page) == pytest.approx(expected, rel=0.06, abs=0.005)
        assert len(figures(page)) == 4


@pytest.mark.second
def test_each_panel_has_the_range_in_which_its_line_can_be_seen():
    for view, copies in itertools.product(("Log odds", "Probability"), (5, 14)):
        page = move(open_lab(), lab_view=view, lab_copies=copies)
        left, right = figures(page)[:2]
        ranges = [f["layout"]["yaxis"]["range"] for f in (left, right)]
        assert all(low < 0 < high for low, high in ranges)
        assert (ranges[0] == ranges[1]) == (view == "Probability")
        for figure, (low, high) in zip((left, right), ranges, strict=True):
            values = points(figure["data"][0])
            assert view == "Probability" or np.ptp([0, *values]) > 0.6 * (high - low)
        assert left["layout"]["xaxis"]["range"] == right["layout"]["xaxis"]["range"]
        assert {t["type"] for f in figures(page) for t in f["data"]} <= {"scatter", "bar"}


@pytest.mark.parametrize(("copies", "shown"), [(10, 10), (11, 20)])
@pytest.mark.parametrize("view", ["Log odds", "Probability"])
def test_each_panel_draws_its_own_rule_as_far_as_the_document_reaches(view, copies, shown):
    page = move(open_lab(), lab_view=view, lab_copies=copies)
    counts, case = np.arange(1, shown + 1), CASES["B"]
    for figure, rule in zip(figures(page), (mean_field_log_odds, collapsed_log_odds), strict=False):
        odds = rule(counts[:, None], case.lam1, case.lam2)
        line = figure["data"][0]
        assert points(line, "x").tolist() == counts.tolist()
        wanted = odds if view == "Log odds" else 1 / (1 + np.exp(-odds))
        assert points(line) == pytest.approx(wanted, abs=1e-9)
        sizes = line["marker"]["size"]
        sizes = points(line["marker"], "size") if isinstance(sizes, dict) else np.array(sizes)
        assert int(sizes.argmax()) + 1 == copies, "the document at hand"


def test_names_stand_at_the_lines_and_signs_are_markers():
    values = np.array([0.0, -1.0, 2.0])
    arguments = (np.arange(1, 4), values, np.array([0, 2, 1]), 2, (-2.0, 3.0), "collapsed", 0)
    for dark in (False, True):
        figure = odds_figure(*arguments, dark)
        (trace,) = figure.data
        assert list(trace.y) == [0.0, -1.0, 2.0]
        assert list(trace.marker.symbol) == [MARKERS[0], MARKERS[2], MARKERS[1]]
        assert np.argmax(trace.marker.size) == 1
        labels = {a.text: a for a in figure.layout.annotations}
        sides = {"more likely component 1", "more likely component 2"}
        assert set(labels) == {"collapsed"} | sides
        assert (labels["collapsed"].x, labels["collapsed"].y) == (3.0, 2.0)
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"


def test_the_shared_range_leaves_room_for_words_on_both_sides():
    for series in ([1.0, 140.0], [-30.0, -2.0], [0.0, 0.0], [-7.0, 70.0]):
        low, high = shared_range(np.array(series), np.zeros(2))
        room = 0.13 * (high - low)
        assert low + room < min(0.0, *series)
        assert high - room > max(0.0, *series)


def test_the_bars_show_means_and_whiskers():
    mean, low, high = word_probabilities([0.1, 1.0, 2.0])
    (bar,) = words_figure(mean, low, high, 1.0, dark=False).data
    np.testing.assert_allclose(bar.y, 100 * mean)
    np.testing.assert_allclose(np.add(bar.y, bar.error_y.array), 100 * high)
    np.testing.assert_allclose(np.subtract(bar.y, bar.error_y.arrayminus), 100 * low, atol=1e-12)
    colours = bar.marker.color
    assert colours[0] != colours[1] == colours[2]
