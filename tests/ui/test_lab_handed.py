"""What the Lab hands to its figures: of which rule, which draw, which word and how many."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core.html import Markup
from bnpexplorer.lab import document as of_document
from bnpexplorer.lab import draws, restaurant
from bnpexplorer.lab.document import DocumentSettings
from bnpexplorer.lab.toy import CASES, collapsed_log_odds, mean_field_log_odds, probability
from bnpexplorer.ui.lab import (
    corpora,
    demonstration,
    document,
    ordered,
    parts,
    stepper,
    sticks,
    update,
)
from tests.tools.alone import drawn, handed
from tests.tools.pages import texts

COUNTS = np.arange(1, 11)


@pytest.mark.parametrize("as_probability", [True, False])
def test_each_rule_of_the_toy_example_has_its_own_numbers_and_winners(monkeypatch, as_probability):
    given, case = [], CASES["B"]
    handed(monkeypatch, update)
    monkeypatch.setattr(update, "odds_figure", lambda *what: given.append(what))
    drawn(update.draw_odds, case, 4, as_probability, False)
    winners = []
    rules = (mean_field_log_odds, collapsed_log_odds)
    for rule, (counts, values, favoured, chosen, *_, dark, share, _) in zip(
        rules, given, strict=True
    ):
        odds = rule(COUNTS[:, None], case.lam1, case.lam2)
        np.testing.assert_array_equal(counts, COUNTS)
        np.testing.assert_allclose(values, probability(odds) if as_probability else odds)
        sure = np.abs(odds) > 1e-9
        winners.append(np.where(sure, np.where(odds > 0, 1, 2), 0).tolist())
        assert favoured.tolist() == winners[-1]
        assert (chosen, dark, share) == (4, False, as_probability)
    assert winners[0] != winners[1], "that is what it shows"


SETTINGS = DocumentSettings(2.0, 2.0, 0.1)


@pytest.mark.parametrize(
    ("before", "came"),
    [(-1, "had no topic yet"), (0, "came from topic 1, baking"), (2, "came from topic 3, new")],
)
def test_the_word_at_hand_says_where_it_came_from(before, came):
    _, turn = of_document.sweep(5, SETTINGS, 1)
    app = drawn(document._conditional, replace(turn, before=before), SETTINGS, False)
    assert f": {came}, goes to" in texts(app.markdown)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_word_whose_turn_it_was_is_marked(n):
    state, turn = of_document.sweep(n, SETTINGS, 1)
    marked = [k for k, one in enumerate(document._tokens(state, turn, False)) if one.last]
    assert marked == ([n - 1] if n else [])


def test_of_many_topics_the_largest_are_pictured_and_documents_in_rows_of_twelve(monkeypatch):
    small, rows = draws.draw("hdp", {"eta": 0.1, "gamma": 3.0, "alpha": 2.0}, 12, 80, 0), {}
    handed(monkeypatch, corpora)
    monkeypatch.setattr(
        corpora, "_pictures",
        lambda pictures, names, per_row, key, alt: rows.update({key: (len(names), per_row)}),
    )  # fmt: skip
    n = len(small.topic_word)
    for most, said in ((n, ""), (n - 1, f"The {n - 1} largest of {n} topics.")):
        monkeypatch.setattr(corpora, "MOST_TOPICS", most)
        app = drawn(corpora._figures, small)
        assert texts(app.caption) == said
        assert rows == {"lab_prior_pictures": (most, 6), "lab_prior_docs": (12, 12)}
    few = replace(small, corpus=small.corpus.take(range(6)))
    drawn(corpora._figures, few)
    assert rows["lab_prior_docs"] == (6, 6)


@pytest.mark.parametrize(("concentration", "broken"), [(3.0, 400), (20.0, 400), (50.0, 1000)])
def test_many_more_sticks_are_broken_than_shown(monkeypatch, concentration, broken):
    """By appearance a small one may come from far behind."""
    asked, real = [], sticks.break_sticks
    handed(monkeypatch, sticks)
    monkeypatch.setattr(sticks, "break_sticks", lambda *what: asked.append(what) or real(*what))
    monkeypatch.setattr(sticks, "setting", lambda *what: concentration)
    monkeypatch.setattr(sticks, "whole", lambda *what: 7)
    monkeypatch.setattr(sticks, "seed_input", lambda *what: 4)
    drawn(sticks.show)
    assert asked == [(broken, concentration, 4)]


def test_draws_of_ordered_sticks_have_the_mean_and_precision_that_are_set(monkeypatch):
    asked = []
    left = np.arange(500 * ordered.N_ATOMS).reshape(500, ordered.N_ATOMS)
    monkeypatch.setattr(ordered.ordered, "draw_left_over", lambda *what: asked.append(what) or left)
    monkeypatch.setattr(ordered.ordered, "share_above", lambda found: found.shape)
    kept, share = ordered._draws(0.61, 0.37)
    assert asked == [(20, 0.61, 0.37, 20_000, 0)]
    assert (kept.shape, share) == ((300, 20), (500, 20)), "of all draws"


@pytest.mark.parametrize(("most", "plays"), [(5, False), (6, True)])
def test_what_plays_stops_at_its_end(tab, monkeypatch, most, plays):
    """Also where another setting has brought the end nearer."""
    given, ticks = [], []
    monkeypatch.setattr(stepper, "_buttons", lambda *what: given.append(what) or 0.6)
    monkeypatch.setattr(
        stepper, "ticking", lambda seconds: ticks.append(seconds) or (lambda part: part)
    )
    tab |= {"it_n": 5, "it_playing": True}
    drawn_at = []
    stepper.stepper("it", most, "Turn", drawn_at.append)
    assert given == [("it", 5, most, plays)]
    assert ticks == [0.6 if plays else None]
    assert drawn_at == [5]


def test_bars_of_sticks_are_in_the_order_of_their_title(monkeypatch):
    given = []
    handed(monkeypatch, sticks)
    monkeypatch.setattr(sticks, "beside_expected", lambda *what: given.append(what[:3]))
    weights, order = np.array([0.4, 0.1, 0.3, 0.05, 0.15]), np.array([2, 0, 4])
    expected = np.array([0.5, 0.25, 0.125])
    drawn(sticks._figures, weights, expected, order)
    (broken, _, ids), (appeared, _, others) = given
    assert (broken.tolist(), list(ids)) == ([0.4, 0.1, 0.3], [0, 1, 2])
    assert (appeared.tolist(), list(others)) == ([0.3, 0.4, 0.15], [2, 0, 4])


def test_a_case_of_the_paper_sets_every_slider_but_the_word_count_and_marks_nothing(tab):
    before = {parts.MOVED: "lab_word", update.KEYS["copies"]: 7, "lab_case": "A"}
    tab |= before
    update.load_case()
    case = CASES["A"]
    for name in ("n_words", "word", "rest", "common"):
        assert tab[update.KEYS[name]] == getattr(case, name)
    assert (tab[update.KEYS["copies"]], parts.moved()) == (7, "")
    tab["lab_case"] = None
    tab[update.KEYS["word"]] = 0.3
    update.load_case()
    assert tab[update.KEYS["word"]] == 0.3, "none was picked"


# ---- one file of a demonstration -----------------------------------------------------------------


@pytest.fixture
def made(monkeypatch):
    """What a file is made of, and what is drawn for each of its positions."""
    found = SimpleNamespace(rules=[], rooms=[])
    monkeypatch.setattr(
        demonstration, "html",
        lambda *what, first=0, **more: found.__dict__.update(positions=what[4], first=first),
    )  # fmt: skip
    monkeypatch.setattr(demonstration, "draw", lambda *what, **more: Markup())
    return found


def test_every_position_of_the_toy_example_has_the_formulas_of_its_own_odds(made, monkeypatch):
    case = CASES["B"]
    rules = {
        name: lambda case, n, odds, moved, name=name: made.rules.append((name, n, odds))
        for name in demonstration.RULES
    }
    monkeypatch.setattr(demonstration, "RULES", rules)
    demonstration.toy(case)
    assert [one.name for one in made.positions] == [f"{n}" for n in range(1, 11)]
    assert made.positions[made.first].name == "5", "as the page has it at first"
    odds = {
        demonstration.MEAN_FIELD: mean_field_log_odds(COUNTS[:, None], case.lam1, case.lam2),
        demonstration.COLLAPSED: collapsed_log_odds(COUNTS[:, None], case.lam1, case.lam2),
    }
    assert made.rules == [(name, n, odds[name][n - 1]) for n in range(1, 11) for name in rules]


def test_every_position_of_the_restaurant_has_its_own_tables_and_newest_customer(made, monkeypatch):
    seats = restaurant.seat(demonstration.CUSTOMERS, 2.0, 3)
    expected = restaurant.expected_tables(demonstration.CUSTOMERS, 2.0)
    monkeypatch.setattr(
        demonstration, "room", lambda sizes, last, *_: made.rooms.append((sizes, last)) or Markup()
    )
    monkeypatch.setattr(demonstration, "rules", lambda *_: Markup())
    demonstration.tables(2.0, 3)
    for n in (0, 1, 7, 100):
        sizes = np.bincount(seats[:n]).tolist() if n else []
        assert made.rooms[n] == (sizes, seats[n - 1] if n else -1)
        said = f"Tables: **{len(sizes)}**, expected {expected[n]:.1f}; customers at each: "
        assert made.positions[n].said.startswith(said)


@pytest.mark.second
def test_every_draw_of_sticks_says_what_they_hold_in_it_and_on_average(made):
    demonstration.sticks(3.0, 4)
    left = (3.0 / 4.0) ** 4
    for seed in (0, 7):
        broken = sticks.break_sticks(400, 3.0, seed).weights[:4].sum()
        here, average = (demonstration.all_but(x) for x in (1.0 - broken, left))
        assert made.positions[seed].said == (
            f"The first 4 sticks hold {here} in this draw, and {average} on average (diamonds)."
        )
