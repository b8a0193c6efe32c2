"""Every demonstration of the Lab opened without a browser: its numbers and its buttons."""

import itertools
import re

import numpy as np
import pytest
from scipy.special import digamma

from bnpexplorer.lab import DEMONSTRATIONS, document, restaurant
from bnpexplorer.lab.controls import KNOWN, SMALL_PRIORS, STARTS
from bnpexplorer.lab.shrinking import Contest, shrinking
from bnpexplorer.ui.lab import pictures
from bnpexplorer.ui.lab.page import SHOW
from tests.tools.pages import button, check, figures, html, open_lab, texts


def open_page(show, **address):
    return open_lab(lab_show=show, **address)


def press(page, words):
    return check(button(page, words).click().run())


def test_every_demonstration_has_its_function():
    assert list(SHOW) == list(DEMONSTRATIONS)


@pytest.mark.parametrize("name", list(DEMONSTRATIONS))
def test_it_opens_with_what_to_look_for_and_a_table(name):
    page = open_page(name)
    assert "**What to look for.**" in texts(page.markdown)
    if name == "document":
        press(page, "Step")
    assert len(page.dataframe) == (3 if name == "update" else 1)
    assert page.query_params["lab_show"] == name


def test_an_unknown_demonstration_opens_the_first():
    page = open_page("juggling")
    assert page.query_params["lab_show"] == "update"


def test_the_restaurant_goes_step_by_step_and_back():
    page = open_page("restaurant", lab_crp="5", lab_crp_seed="3")
    assert "5 / (0 + 5)" in html(page)
    assert "100.0\u00a0%" in html(page)
    press(page, "Step")
    press(page, "10 steps")
    seats = restaurant.seat(11, 5.0, 3)
    tables = [int((seats == k).sum()) for k in range(seats.max() + 1)]
    for count in tables:
        assert f"{count} / (11 + 5)" in html(page)
    noun = "table" if len(tables) == 1 else "tables"
    assert f"**{len(tables)} {noun}**" in texts(page.markdown)
    table = page.dataframe[0].value
    assert table["tables"].tolist()[-1] == len(tables)
    press(page, "Back")
    assert page.session_state["lab_crp_n"] == 10
    press(page, "Start over")
    assert "Nobody is here yet" in html(page)


def test_play_becomes_pause_and_single_steps_wait():
    page = press(open_page("franchise"), "Play")
    off = {b.label: b.disabled for b in page.button}
    assert off["Pause"] is False
    assert off["Step"] is True
    press(page, "Pause")
    assert {b.label: b.disabled for b in page.button}["Step"] is False


def test_a_step_at_the_end_is_not_offered():
    page = open_page("document")
    for _ in range(5):
        press(page, "10 steps")
    off = {b.label: b.disabled for b in page.button}
    assert off["Step"]
    assert off["Play"]
    assert not off["Back"]


def test_the_conditional_shows_the_numbers_that_it_multiplies():
    page = press(open_page("document"), "Step")
    table = page.dataframe[0].value
    product = table["document term"] * table["word term"]
    assert table["probability"].tolist() == pytest.approx(
        (product / product.sum()).tolist(), abs=1e-4
    )
    assert "← taken" in html(page)


@pytest.mark.parametrize("model", ["LDA", "HDP", "DP mixture", "Gamma-DP"])
def test_a_corpus_from_every_prior(model):
    page = open_page("corpora", lab_prior=model)
    pictures, mixtures, documents = figures(page)
    assert mixtures["layout"]["barmode"] == "stack"
    assert len(documents["layout"]["annotations"]) == 12
    assert 1 <= len(pictures["layout"]["annotations"]) <= 18


def test_the_theorem_is_said_to_hold_only_under_its_condition():
    assert "stays **below the dashed one**" in texts(open_page("ordered").markdown)
    page = open_page("ordered", lab_osbp_mu="0.1", lab_osbp_gamma="0.05")
    assert "theorem 2 promises nothing" in texts(page.markdown)
    assert "pass its bound" in texts(page.markdown)


def test_the_same_sticks_stand_in_both_orders():
    page = open_page("sticks", lab_gem="1")
    table = page.dataframe[0].value
    first = table["stick in order of appearance"].tolist().index(1)
    assert table["its weight"][first] == pytest.approx(table["weight as broken"][0], abs=1e-6)


@pytest.mark.parametrize(
    ("known", "start", "said"),
    [("0.6", "1", "**gone after step 9**"), ("0.2", "2", "Under mean field it grows from 2.00")],
)
def test_what_becomes_of_a_small_topic(known, start, said):
    page = open_page("shrinking", lab_small_known=known, lab_small_start=start)
    words, table = texts(page.markdown).replace("\u00a0%", "%"), page.dataframe[0].value
    assert said in words
    lost, kept = table["violins, mean field"], table["violins, collapsed"]
    if "gone" in said:
        assert lost[8] >= 0.05 > lost[9]
    else:
        assert f"to {lost.iloc[-1]:.2f}, and its average" in words
    assert f"grows from {kept[0]:.2f} violins to {kept.iloc[-1]:.2f}" in words
    spread = table["uncertainty, mean field"]
    assert f"{100 * spread[0]:.0f}% to {100 * spread.iloc[-1]:.0f}%" in words


@pytest.mark.parametrize("eta", SMALL_PRIORS)
def test_how_to_lose_a_small_topic_is_said_only_where_it_can_be(eta):
    page = open_page("shrinking", lab_small_start="5", lab_small_eta=f"{eta:g}")
    words = next(m.value for m in page.markdown if m.value.startswith("**What to look for."))
    if "gone after" in words:
        return
    beginnings = itertools.product(STARTS, KNOWN)
    ends = [shrinking("mean field", 31, n, Contest(eta=eta, known=c))[-1] for n, c in beginnings]
    possible = min(turn.tokens for turn in ends) < 0.05
    assert ("Begin with less" in words, f"With η = {eta:g}" in words) == (possible, not possible)
    if not possible:
        assert f"counts {np.exp(digamma(eta)):.2f} under mean field" in words
    assert possible == (eta < 1)


def test_what_the_order_does_to_a_draw_is_counted_in_it():
    for seed in range(3):
        page = open_page("sticks", lab_gem_seed=str(seed))
        table = page.dataframe[0].value
        appeared, broken = (
            100 * table[column][:5].sum() for column in ("its weight", "weight as broken")
        )
        words = texts(page.markdown).replace("\u00a0%", "%").replace(" %", "%")
        assert (
            f"The first 5 of this draw hold {appeared:.1f}% by appearance and {broken:.1f}% as"
            in words
        ), seed


@pytest.mark.second
def test_the_restaurant_says_how_unequal_it_is():
    for alpha in ("50", "0.1"):
        page = open_page("restaurant", lab_crp=alpha)
        for _ in range(10):
            press(page, "10 steps")
        counts = np.sort(np.bincount(restaurant.seat(100, float(alpha), 0)))[::-1]
        most = int(np.searchsorted(counts.cumsum(), 90)) + 1
        words = texts(page.markdown)
        assert f"The largest holds {counts[0]} of 100 customers" in words
        assert f"{most} of {len(counts)} hold 90 %" in words


def test_the_area_of_a_table_goes_with_its_customers():
    seats = [pictures.Seat(n, f"table {n}", "#000") for n in (1, 4, 60)]
    drawn = pictures.room(seats, "tables")
    widths = [float(w) for w in re.findall(r"width:([0-9.]+)rem", drawn)]
    assert [w**2 / widths[0] ** 2 for w in widths] == pytest.approx([1, 4, 60], rel=0.01)
    assert "60 · table 60" in drawn


def test_what_a_violin_changes_is_said_only_where_it_is_so():
    page = open_page("document")
    for turn in range(1, 8):
        press(page, "Step")
        state, _ = document.sweep(turn, document.DocumentSettings(2.0, 2.0, 0.1), 1)
        holders = {
            k
            for k, w in zip(state.z, document.DOCUMENT.split(), strict=True)
            if w == "violin" and k >= 0
        }
        words = texts(page.markdown)
        assert words.count("has a violin now") == len(holders)
        for k in holders:
            term = (state.counts[k][document.VOCAB.index("violin")] + 0.1) / (
                state.counts[k].sum() + 1.1
            )
            assert f"{term:.3f}" in words


def test_one_topic_and_near_certainty_are_written_so():
    words = texts(open_page("corpora", lab_prior_gamma="0.1", lab_prior_hdp_alpha="0.1").markdown)
    assert "**1 topic in all;" in words
    words = texts(open_page("sticks", lab_gem="0.1").markdown)
    assert "and over 99.99\u00a0% on average" in words
    assert "100%" not in words


def test_the_bound_has_percentages_on_its_axis():
    axis = figures(open_page("ordered"))[1]["layout"]["yaxis"]
    assert axis["ticktext"][:3] == ["100%", "10%", "1%"]
    assert axis["tickvals"][:3] == [1.0, 0.1, 0.01]
