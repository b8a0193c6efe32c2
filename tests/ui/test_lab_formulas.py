"""Formulas of the Lab with the numbers of the moment, and customers on their way to a table."""

import itertools
import re

import numpy as np
import pytest
from scipy.special import digamma

from bnpexplorer.lab import document, restaurant, toy
from bnpexplorer.ui.lab import demonstration, formula, pictures
from bnpexplorer.ui.lab.restaurant_pictures import room, rules
from tests.lab.test_assigning import terms_of
from tests.tools.pages import button, check, html, open_lab
from tests.ui.test_demonstration import positions
from tests.ui.test_lab import move, numbers


def values(drawn):
    return [float(n.strip("()").replace("−", "-")) for _, n, _ in terms_of(drawn)]


def strips(page):
    return re.findall(r'<div class="lab lab-formula">.*?</div>', html(page))


# ---- the toy -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "copies"), [*itertools.product(toy.CASES, (1, 2, 7))])
def test_the_terms_of_the_toy_add_up_to_its_log_odds(name, copies):
    case = toy.CASES[name]
    odds = toy.mean_field_log_odds(copies, case.lam1, case.lam2)
    w, first, all_first, second, all_second = values(formula.mean_field(case, copies, odds))
    assert w * ((first - all_first) - (second - all_second)) == pytest.approx(odds, abs=0.02 * w)
    assert first == pytest.approx(digamma(case.lam1[0]), abs=0.005)
    odds = toy.collapsed_log_odds(copies, case.lam1, case.lam2)
    drawn = formula.collapsed(case, copies, odds)
    first, all_first, second, all_second = values(drawn)
    assert (first - all_first) - (second - all_second) == pytest.approx(odds, abs=0.02)
    urn = sum(np.log(case.lam2.sum() + j) for j in range(copies))
    assert all_second == pytest.approx(urn, abs=0.005)
    assert drawn.endswith(f"j = {'0' if copies == 1 else f'0, …, {copies - 1}'}</span></div>")


@pytest.mark.second
def test_the_page_has_both_rules_and_marks_what_was_moved():
    page = open_lab()
    (mean_field, collapsed) = strips(page)
    assert not any(mark for strip in (mean_field, collapsed) for *_, mark in terms_of(strip))
    page = move(page, lab_copies=3)
    (mean_field, collapsed) = strips(page)
    assert [mark for *_, mark in terms_of(mean_field)] == [True] + [False] * 4, "linear in w"
    assert all(mark for *_, mark in terms_of(collapsed))
    for strip, odds in zip((mean_field, collapsed), numbers(page), strict=True):
        assert f"= {odds:+.2f}".replace("-", "−") in strip
    page = move(page, lab_second=0.2)
    symbols = [[s for s, _, mark in terms_of(strip) if mark] for strip in strips(page)]
    assert symbols == [["ψ(λ21)", "ψ(Λ2)"], ["Σ ln(λ21 + j)", "Σ ln(Λ2 + j)"]]
    page = move(page, lab_case="A")
    assert not any(mark for strip in strips(page) for *_, mark in terms_of(strip))


# ---- the document --------------------------------------------------------------------------------


def test_a_step_ends_the_mark_of_a_slider():
    page = open_lab(lab_show="document")
    check(button(page, "Step").click().run())
    page = move(page, lab_doc_eta=0.5)
    marked = {s for strip in strips(page) for s, _, mark in terms_of(strip) if mark}
    assert marked == {"η"}
    check(button(page, "Step").click().run())
    assert not any(mark for strip in strips(page) for *_, mark in terms_of(strip))


def test_mean_field_stands_beside_the_conditional():
    page = open_lab(lab_show="document")
    check(button(page, "Step").click().run())
    table = page.dataframe[0].value
    shares = np.exp(table["mean field: log document term"] + table["mean field: log word term"])
    wanted = (shares / shares.sum()).tolist()
    assert table["mean field: probability"].tolist() == pytest.approx(wanted, abs=1e-9)
    bars = re.findall(r'data-bar="mean field".*?</i>(.*?)</td>', html(page))
    assert len(bars) == len(table)
    assert float(bars[1].removesuffix("\u00a0%")) == pytest.approx(100 * wanted[1], abs=0.005)
    assert any("**Mean field averages logarithms**" in m.value for m in page.markdown)


def choices(drawn):
    """(cells by head, bars by head, whether it is marked) of every row of choices."""
    rows = re.findall(r"<tr( class=\"taken\")?><td>(.*?)</tr>", drawn)
    return [
        (
            dict(re.findall(r'data-head="(.*?)">(.*?)</td>', row)),
            dict(re.findall(r'data-bar="(.*?)".*?</i>(.*?)</td>', row)),
            bool(mark),
        )
        for mark, row in rows
    ]


def of_power(words):
    """A number as `small` writes it."""
    digits, _, power = words.partition(" × 10")
    return float(digits) * 10 ** int(
        power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0
    )


@pytest.mark.parametrize("n", [1, 5, 11, 20])
def test_every_choice_has_its_factors_by_both_rules_and_the_taken_one_is_marked(n):
    page = open_lab(lab_show="document")
    page.session_state["lab_doc_n"] = n
    rows = choices(html(check(page.run())))
    _, turn = document.sweep(n, document.DocumentSettings(2.0, 2.0, 0.1), 1)
    products = []
    for cells, _, _ in rows:
        first, second = re.findall(
            r"[0-9.]+(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", cells["mean field: document × word"]
        )[-2:]
        products.append(of_power(first) * of_power(second))
    wanted = np.exp(turn.terms.log_document + turn.terms.log_word)
    np.testing.assert_allclose(products, wanted, rtol=0.05)
    new = turn.after not in turn.terms.topics
    likeliest = int(turn.terms.probability.argmax())
    taken = len(rows) - 1 if new else turn.terms.topics.index(turn.after)
    assert [mark for *_, mark in rows] == [i == taken for i in range(len(rows))]
    assert (taken != likeliest) == (n == 11), "one that is not the likeliest is among them"
    marked = [bars["collapsed"].endswith("← taken") for _, bars, _ in rows]
    assert marked == [i == taken for i in range(len(rows))]


# ---- the restaurant ------------------------------------------------------------------------------


def test_the_rule_of_the_restaurant_has_its_numbers():
    old, new = rules([3, 8, 1], 2.0).split('<div class="lab lab-formula">')[1:]
    assert [n for _, n, _ in terms_of(old)] == ["8", "12", "2"]
    assert f"p(table 2) ={'</span>'}" in old
    assert f"= {100 * 8 / 14:.1f}\u00a0%" in old
    assert [n for _, n, _ in terms_of(new)] == ["2", "12", "2"]
    assert f"= {100 * 2 / 14:.1f}\u00a0%" in new
    assert "table 1" not in rules([], 2.0), "an empty one has a new table alone"
    marked = [s for s, _, mark in terms_of(rules([3], 2.0, "lab_crp")) if mark]
    assert marked == ["α"] * 3


PLACE = re.compile(
    r'<li class="([^"]*)" style="left:([0-9.]+)%;top:([0-9.]+)rem"><i style="width:([0-9.]+)'
)
WALKER = re.compile(r'class="walker".*?left:calc\(([0-9.]+)% \+ ([0-9.]+)rem\);top:([0-9.]+)rem')


@pytest.mark.parametrize(("alpha", "n"), [*itertools.product((0.1, 2.0, 50.0), (1, 30, 100))])
def test_no_table_stands_on_another_on_a_phone(alpha, n):
    """A room of 22 sizes of letters, as on a phone of 390 pixels."""
    counts = np.bincount(restaurant.seat(n, alpha, 0)).tolist()
    drawn = room(counts, len(counts) - 1, False, 0.5)
    tables = [
        (22 * float(x) / 100, float(y) + float(w) / 2, float(w) / 2)
        for _, x, y, w in PLACE.findall(drawn)
    ]
    assert len(tables) == len(counts)
    for (x, y, r), (u, v, s) in itertools.combinations(tables, 2):
        assert np.hypot(x - u, y - v) > r + s
    assert all(x - r > 0 and x + r < 22 for x, _, r in tables)
    bottom = float(re.search(r'<ul style="height:([0-9.]+)rem', drawn)[1])
    assert all(y + r + 1 < bottom for _, y, r in tables)


def test_the_walker_ends_at_the_edge_of_its_table():
    drawn = pictures.room(
        [pictures.Seat(9, "a", "#000"), pictures.Seat(4, "b", "#111", True)], "it", 0.2
    )
    (_, x, y, wide) = PLACE.findall(drawn)[1]
    at, across, top = map(float, WALKER.search(drawn).groups())
    assert at == float(x)
    from_middle = (across, top - float(y) - float(wide) / 2)
    assert np.hypot(*from_middle) == pytest.approx(float(wide) / 2, abs=0.02)
    assert "--walk:0.20s" in drawn
    assert 'class="last opened"' not in drawn
    alone = pictures.room([pictures.Seat(1, "a", "#000", True)], "it")
    assert 'class="last opened"' in alone
    still = pictures.room([pictures.Seat(1, "a", "#000")], "it")
    assert "walker" not in still
    assert "opened" not in still, "another table was opened since"


def test_who_walks_is_there_before_the_next_one_comes():
    page = open_lab(lab_show="restaurant")
    for pace, seconds in (("Slow", "0.90"), ("Medium", "0.48"), ("Fast", "0.20")):
        page.session_state["lab_crp-pace"] = pace
        check(button(page, "Step").click().run())
        assert f"--walk:{seconds}s" in html(page)
        assert html(page).count('class="walker"') == 1


def test_motion_is_only_where_nobody_asks_for_less():
    outside, _, inside = pictures.CSS.partition("no-preference")
    assert "animation:" not in outside
    assert "lab-walk" in inside


@pytest.mark.second
def test_files_for_slides_have_the_same_pictures():
    found = positions(demonstration.tables(2.0, 5))
    seats = restaurant.seat(100, 2.0, 5)
    for n in (0, 1, 40, 100):
        counts = np.bincount(seats[:n]).tolist() if n else []
        drawn = room(counts, int(seats[n - 1]) if n else -1, False, demonstration.WALK)
        assert found[n]["pictures"] == drawn + rules(counts, 2.0)
    page = demonstration.toy(toy.CASES["B"])
    odds = toy.collapsed_log_odds(5, toy.CASES["B"].lam1, toy.CASES["B"].lam2)
    strip = formula.collapsed(toy.CASES["B"], 5, odds)
    assert strip in positions(page)[4]["pictures"]
    assert "lab-walk" in page.partition("</head>")[0]
