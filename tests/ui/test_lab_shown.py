"""Whatever number a demonstration shows is that of its settings, counted anew beside the page."""

import re
from collections import Counter
from dataclasses import replace
from math import exp, prod

import numpy as np
import pytest
from scipy.special import digamma
from streamlit.testing.v1 import AppTest

from bnpexplorer.lab import document, draws, franchise, toy
from bnpexplorer.methods import METHODS
from bnpexplorer.plots.style import colour
from bnpexplorer.ui.lab import demonstration, formula, stepper
from tests.lab.test_assigning import terms_of
from tests.tools.pages import button, check, figures, html, open_lab, texts
from tests.tools.waiting import NEVER
from tests.ui.test_demonstration import positions
from tests.ui.test_demonstration import values as points
from tests.ui.test_lab_formulas import choices


def at_step(show, key, n, **address):
    """A demonstration that stands at a step."""
    page = open_lab(lab_show=show, **address)
    page.session_state[key] = n
    return check(page.run())


def told(page):
    """What there is to look for, its numbers without their spaces."""
    words = next(m.value for m in page.markdown if m.value.startswith("**What to look for."))
    return re.sub(r"[\s\u00a0]%", "%", words)


def share_of(words):
    """A percentage as a number."""
    return float(re.search(r"([0-9.]+)[\s\u00a0]?%", words)[1]) / 100


def value_of(sum_of):
    """(a + b) / (c + d × e), worked out."""
    a, b, c, d, e = map(float, re.findall(r"[0-9.]+", sum_of.partition("=")[0]))
    return (a + b) / (c + d * e)


# ---- the toy -------------------------------------------------------------------------------------


def test_the_table_of_the_toy_weighs_both_components_alike():
    """By the urn, token by token, and by digammas; both components have half before."""
    page = open_lab(lab_copies="3")
    table = next(h.proto.body for h in page.get("html") if "<tbody>" in h.proto.body)
    rows = table.split("<tbody>")[1].split("</tr>")[:2]
    cells = [re.findall(r"<td.*?>([^<>]+)</td>", row) for row in rows]
    lams = ((1.0, 10.0), (0.1, 1.0))
    urns = [prod((a + j) / (total + j) for j in range(3)) for a, total in lams]
    means = [exp(3 * (digamma(a) - digamma(total))) for a, total in lams]
    for row, urn, mean in zip(cells, urns, means, strict=True):
        assert float(row[0]) == 0.5
        assert float(row[1]) == pytest.approx(urn, rel=0.01)
        digits, _, power = row[2].partition(" × 10")
        power = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        assert float(digits) * 10.0 ** int(power or 0) == pytest.approx(mean, rel=0.05)
        assert share_of(row[3]) == pytest.approx(urn / sum(urns), abs=5e-4)
        assert row[4].startswith(("over 99.9", "under 0.05")) or share_of(row[4]) == pytest.approx(
            mean / sum(means), abs=5e-4
        )


def test_the_panels_have_the_colours_of_the_methods_that_update_so():
    drawn = figures(open_lab())[:2]
    for figure, method in zip(drawn, ("hdp-svi", "hdp-tsvi"), strict=True):
        assert figure["data"][0]["line"]["color"] == colour(METHODS[method].colour, False)


def test_the_toy_says_its_settings_and_how_often_word_1_is_expected():
    page = open_lab(lab_word1="2", lab_rest="5", lab_second="0.2", lab_words="8")
    words = texts(page.markdown)
    assert "**Component 1** · Dirichlet(2, 5, …, 5)" in words
    assert "**Component 2** · Dirichlet(0.2, 0.2, …, 0.2)" in words
    assert f"({100 / 8:.3g} % against {200 / 37:.3g} %)" in words
    table = next(t.value for t in page.dataframe if "copies of word 1" in t.value)
    settings = ("vocabulary", "component 1 word 1", "component 1 other words")
    settings += ("component 2 every word",)
    assert table.loc[0, list(settings)].tolist() == [8, 2.0, 5.0, 0.2]


@pytest.mark.parametrize(
    ("name", "value"), [("n_words", 12), ("word", 0.7), ("rest", 3.0), ("common", 0.5)]
)
def test_a_slider_marks_the_terms_that_it_changes(name, value):
    """Those whose numbers are others when it is moved, and no others."""
    case, slider = toy.CASES["B"], formula.KEYS[name]
    for rule in formula.RULES.values():
        before = [number for _, number, _ in terms_of(rule(case, 3, 0.0, ""))]
        after = terms_of(rule(replace(case, **{name: value}), 3, 0.0, slider))
        moved = [old != new for old, (_, new, _) in zip(before, after, strict=True)]
        assert [mark for *_, mark in after] == moved
        assert any(moved)


# ---- the document --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 12, 19])
def test_counts_of_the_document_are_those_of_its_words(n):
    page = at_step("document", "lab_doc_n", n)
    state, turn = document.sweep(n, document.DocumentSettings(2.0, 2.0, 0.1), 1)
    mine = list(zip(state.z, document.DOCUMENT.split(), strict=True))
    counts = Counter(topic for topic, _ in mine if topic >= 0)
    shown = re.search(r"words by topic now: (.*?)\. Two factors", told(page))[1]
    assert sorted(int(count) for count in re.findall(r": (\d+)", shown)) == sorted(counts.values())
    word = document.DOCUMENT.split()[turn.token]
    others = [(k, w) for k, text in document.OTHERS for w in text.split()]
    rest = others + [pair for i, pair in enumerate(mine) if i != turn.token]
    topics = (*turn.terms.topics, None)
    wanted = [sum(k == topic and w == word for k, w in rest) for topic in topics]
    sizes = [sum(k == topic for k, _ in rest) for topic in topics]
    table = page.dataframe[0].value
    assert table["n_kw"].tolist() == wanted
    assert table["n_k"].tolist() == sizes
    assert table["pi_k"].tolist() == pytest.approx(turn.terms.pi.tolist())
    for (cells, _, _), n_kw, n_k in zip(choices(html(page)), wanted, sizes, strict=True):
        said = cells["word: (n_kw + η) / (n_k + V η)"]
        assert said.startswith(f"({n_kw} + 0.1) / ({n_k} + {len(document.VOCAB)} × 0.1) = ")
        assert float(said.rpartition("= ")[2]) == pytest.approx(value_of(said), abs=6e-5)


# ---- the franchise -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 7, 20])
def test_every_choice_of_the_next_customer_is_a_product_of_its_fractions(n):
    page = at_step("franchise", "lab_crf_n", n, lab_crf_gamma="5")
    state, _ = franchise.fill(n, 3, 2.0, 5.0, 0)
    house = n % 3
    assert f"comes to restaurant {house + 1}" in texts(page.markdown)
    dishes = Counter(table.dish for tables in state for table in tables)
    here, total = sum(table.customers for table in state[house]), sum(dishes.values())
    wanted = [table.customers / (here + 2) for table in state[house]]
    new = 2 / (here + 2)
    wanted += [new * dishes[k] / (total + 5) for k in range(len(dishes))] + [new * 5 / (total + 5)]
    rows, fractions = choices(html(page)), []
    for cells, _, _ in rows:
        parts = [list(map(float, re.findall(r"[0-9.]+", cell))) for cell in cells.values()]
        fractions.append(prod(a / (b + c) for a, b, c in filter(None, parts)))
    assert fractions == pytest.approx(wanted)
    assert sum(wanted) == pytest.approx(1.0)
    bars = [share_of(bars["probability"]) for _, bars, _ in rows]
    assert bars == pytest.approx(wanted, abs=5.1e-4)


def test_the_table_of_the_franchise_counts_tables_and_dishes():
    table = at_step("franchise", "lab_crf_n", 25, lab_crf_alpha="5").dataframe[0].value
    for n in range(26):
        state, _ = franchise.fill(n, 3, 5.0, 2.0, 0)
        served = [one.dish for tables in state for one in tables]
        assert (table["tables"][n], table["dishes"][n]) == (len(served), len(set(served)))
    assert table["tables"][25] > table["dishes"][25], "else nothing is tried"


def test_a_tick_of_a_demonstration_is_one_step(monkeypatch):
    """Whenever it is drawn here while it plays, it ticks once, too."""

    def ticking(seconds):
        assert seconds is None or seconds == stepper.PACES["Medium"]
        return lambda draw: lambda: [draw() for _ in range(1 if seconds is None else 2)]

    monkeypatch.setattr(stepper, "ticking", ticking)
    alone = "from bnpexplorer.ui.lab.stepper import stepper; stepper('it', 9, 'Turn', str)"
    page = check(AppTest.from_string(alone, default_timeout=NEVER).run())
    check(button(page, "Play").click().run())
    assert page.session_state["it_n"] == 1
    assert [caption.value for caption in page.caption] == ["Turn 0 of 9", "Turn 1 of 9"]


def test_what_was_played_to_its_end_is_still_when_it_starts_over(monkeypatch):
    """Whenever it is drawn here while it plays, it ticks to its end."""
    monkeypatch.setattr(
        stepper,
        "ticking",
        lambda seconds: lambda draw: lambda: [draw() for _ in range(1 if seconds is None else 4)],
    )
    alone = "from bnpexplorer.ui.lab.stepper import stepper; stepper('it', 3, 'Turn', str)"
    page = check(AppTest.from_string(alone).run())
    check(button(page, "Play").click().run())
    assert page.session_state["it_n"] == 3
    assert button(page, "Play").disabled
    check(button(page, "Start over").click().run())
    assert [caption.value for caption in page.caption] == ["Turn 0 of 3"]
    assert not button(page, "Play").disabled


# ---- sticks and the restaurant -------------------------------------------------------------------


def test_the_seed_chooses_the_ordered_sticks():
    """Four draws are shown, so that two neighbouring seeds have three of them in common."""

    def sticks(seed):
        drawn = figures(open_lab(lab_show="ordered", lab_osbp_seed=str(seed)))[0]["data"]
        found = {}
        for bar in drawn:
            found.setdefault(bar["y"][0], []).append(float(points(bar, "x")[0]))
        return found

    first, second = sticks(3), sticks(4)
    assert list(first) == [f"draw {k}" for k in (3, 4, 5, 6)]
    assert [first[f"draw {k}"] for k in (4, 5, 6)] == [second[f"draw {k}"] for k in (4, 5, 6)]
    assert first["draw 3"] != first["draw 4"]
    assert second["draw 7"] not in first.values()


def test_where_the_bound_is_the_nearest_is_told_by_the_ratio():
    page = open_lab(lab_show="ordered")
    table = page.dataframe[0].value
    ratio = table["share of draws above it"] / table["bound 2^(-n/2)"]
    assert f"closest at n = {int(table['n'][ratio.argmax()])}:" in texts(page.markdown)
    markov = [min(1.0, (0.4 * 2**0.5) ** n) for n in table["n"]]
    assert table["Markov's bound of that share"].tolist() == pytest.approx(markov)
    assert table["expected probability of a new atom"].tolist() == pytest.approx(
        [0.4**n for n in table["n"]]
    )


@pytest.mark.second
def test_expected_tables_are_those_of_the_customers_who_came():
    expected = [sum(2 / (2 + i) for i in range(n)) for n in range(101)]
    for n in (1, 3, 40):
        page = at_step("restaurant", "lab_crp_n", n)
        assert f"; {expected[n]:.1f} are expected." in told(page)
    for n, one in enumerate(positions(demonstration.tables(2.0, 5))):
        assert f"expected {expected[n]:.1f};" in one["said"]


@pytest.mark.second
def test_files_for_slides_say_what_sticks_hold_on_average():
    for one in positions(demonstration.sticks(3.0, 10)):
        assert f"and {100 * (1 - 0.75**10):.1f}\u00a0% on average" in one["said"]


@pytest.mark.second
def test_files_for_slides_round_nothing_up_to_all():
    """As on the page, which has the same words for next to all and for large log odds."""
    for one in positions(demonstration.sticks(0.1, 10)):
        assert "100.0" not in one["said"]
        assert "over 99.99\u00a0% on average" in one["said"]
    sure = positions(demonstration.toy(toy.Case(10, 100.0, 100.0, 0.01)))[-1]
    odds = toy.mean_field_log_odds(10, [100.0] * 10, [0.01] * 10)
    assert f"(log odds {odds:+,.2f}, over 99.99\u00a0%)" in sure["said"]
    assert f"= {odds:+,.2f}" in sure["pictures"], "as the formula has it"


# ---- a small topic -------------------------------------------------------------------------------


def test_what_a_small_topic_counts_goes_by_its_prior_and_its_words():
    page = open_lab(lab_show="shrinking", lab_small_eta="0.5", lab_small_start="2")
    table = page.dataframe[0].value
    kept, lost = 0.5 + table["violins, collapsed"], 0.5 + table["violins, mean field"]
    np.testing.assert_allclose(table["counts for one, collapsed"], kept / (49.5 + kept))
    counted = np.exp(digamma(lost) - digamma(49.5 + lost))
    np.testing.assert_allclose(table["counts for one, mean field"], counted)
    dots = next(t for t in figures(page)[1]["data"] if "text" in t)
    np.testing.assert_allclose(points(dots, "x"), lost)
    np.testing.assert_allclose(points(dots), np.exp(digamma(lost)))


# ---- drawn corpora -------------------------------------------------------------------------------


def n_for(shares):
    """How many of them, the largest first, make up nine tenths."""
    whole, held = sum(shares), 0.0
    for n, share in enumerate(sorted(shares, reverse=True), 1):
        held += share
        if held >= 0.9 * whole - 1e-9:
            return n
    raise AssertionError


def test_what_is_said_of_a_drawn_corpus_is_counted_in_it():
    page = open_lab(lab_show="corpora", lab_prior_gamma="5")
    small = draws.draw("hdp", {"eta": 0.1, "gamma": 5.0, "alpha": 2.0}, 12, 80, 0)
    documents = [n_for(row) for row in small.doc_topic.tolist()]
    words = [n_for(row) for row in small.topic_word.tolist()]
    said = told(page)
    assert f"{np.mean(documents):.1f} make up 90% of a document" in said
    assert f"{np.mean(words):.1f} of 25 words make up 90% of a topic" in said
    assert round(float(np.median(words)), 1) != round(float(np.mean(words)), 1)
    shown = page.dataframe[0].value.drop(columns="document")
    np.testing.assert_allclose(shown, small.doc_topic)
