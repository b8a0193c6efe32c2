"""What the Lab says in words, sentence by sentence, and what its pages hand on to what is drawn."""

import re

import numpy as np
import pytest

from bnpexplorer.lab import document, draws, franchise, restaurant, shrinking, sticks
from bnpexplorer.lab.ordered import draw_left_over as left_over
from bnpexplorer.lab.shrinking import ShrinkingTurn
from bnpexplorer.lab.toy import Case, collapsed_log_odds, mean_field_log_odds
from bnpexplorer.ui.lab import demonstration, ordered, stepper, update, update_words
from bnpexplorer.ui.lab import document as document_page
from bnpexplorer.ui.lab import franchise as franchise_page
from bnpexplorer.ui.lab import shrinking as shrinking_page
from bnpexplorer.ui.lab import sticks as sticks_page
from tests.tools.pages import button, check, figures, html, open_lab, texts
from tests.ui.test_demonstration import positions, values


def spaced(words):
    return words.replace("\u00a0", " ")


# ---- the toy -------------------------------------------------------------------------------------


def test_numbers_of_the_toy_in_words():
    assert [update_words.copies(n) for n in (1, 2, 20)] == ["1 copy", "2 copies", "20 copies"]
    signed = {
        0.0: "0.00",
        1e-13: "0.00",
        0.1: "+0.10",
        -0.1: "−0.10",
        0.0123: "+0.012",
        -0.00456: "−0.0046",
        -1234.567: "−1,234.57",
    }
    assert {odds: update_words.signed(odds) for odds in signed} == signed
    shares = {0.5: "50 %", 0.12345: "12.3 %", 0.9949: "99.5 %", 0.99567: "99.57 %"}
    assert {share: update_words.percent(share) for share in shares} == shares


@pytest.mark.parametrize(
    ("odds", "words"),
    [
        (0.0, "exact tie: 50 % each"),
        (np.log(4.0), "component 1: 80 %"),
        (-np.log(3.0), "component 2: 75 %"),
        (np.log(9998.0), "component 1: 99.99 %"),
        (-np.log(10_001.0), "component 2: over 99.99 %"),
    ],
)
def test_the_likelier_component_and_how_likely_it_is(odds, words):
    assert update_words.decision(odds) == words


def told_of(case):
    counts = np.arange(1, 21)
    odds = [
        find(counts[:, None], case.lam1, case.lam2)
        for find in (mean_field_log_odds, collapsed_log_odds)
    ]
    return update_words.look_for(case, counts, *odds), odds


def test_what_to_look_for_names_the_line_the_side_and_the_turn():
    said, (mean, collapsed) = told_of(Case(10, 2.0, 1.0, 0.1))
    turn = int(np.flatnonzero(collapsed < 0)[0]) + 1
    assert said == (
        f"In log odds mean field is a straight line: every copy adds +{mean[0]:.2f}, so it can "
        "only grow surer of component 1. The locally collapsed line bends: at 1 copy for component "
        f"1, which expects word 1 more often ({200 / 11:.3g} % against 10 %); from {turn} copies "
        f"on it **changes sides to component 2**. So the two ways choose **different components** "
        f"from {turn} copies on."
    )
    said, (mean, _) = told_of(Case(2, 2.0, 7.0, 0.01))
    assert mean[0] > 0, "the two differ from the first copy on"
    assert f"every copy adds +{mean[0]:.2f}, so it can only grow surer of component 1." in said
    assert "at 1 copy for component 2, which expects word 1 more often (50 % against 22.2 %)" in (
        said
    )
    assert said.endswith("The two ways choose **different components** at every count.")
    said, _ = told_of(Case(10, 0.1, 1.0, 0.1))
    assert said.endswith("and it stays there up to 20 copies. The two ways agree at every count.")
    assert "at 1 copy for component 2, which expects word 1 more often (10 % against 1.1 %)" in said
    said, _ = told_of(Case(4, 0.3, 0.3, 0.3))
    assert said == (
        "Mean field is an exact tie at every count. The locally collapsed line bends: at 1 copy an "
        "**exact tie**, since both components expect word 1 equally often (25 %); and so at every "
        "count. The two ways agree at every count."
    )


@pytest.mark.parametrize(
    ("n_words", "words"),
    [(2, "Dirichlet(2, 0.5)"), (3, "Dirichlet(2, 0.5, 0.5)"), (4, "Dirichlet(2, 0.5, …, 0.5)")],
)
def test_a_dirichlet_in_words(n_words, words):
    assert update.dirichlet_text(2.0, 0.5, n_words) == words


def test_the_table_of_a_component_has_its_bars_and_whiskers():
    mean, low, high = np.array([0.5, 0.5]), np.array([0.1, 0.2]), np.array([0.8, 0.9])
    table = update.belief_table(mean, low, high)
    assert table.to_dict("list") == {
        "word": [1, 2],
        "expected": [0.5, 0.5],
        "from": [0.1, 0.2],
        "to": [0.8, 0.9],
    }


# ---- sticks --------------------------------------------------------------------------------------


def test_what_sorting_by_appearance_did_is_said_of_the_first():
    weights, order = np.array([0.125, 0.5, 0.25, 0.0625]), np.array([2, 1, 0, 3])
    assert spaced(sticks_page._forward(weights, order, 2)) == (
        "The first 2 of this draw hold 75.0 % by appearance and 62.5 % as broken; in another draw "
        "it may be the other way round."
    )


@pytest.mark.second
def test_the_page_and_the_file_of_sticks_show_the_same_draw():
    """Every stick at its place in both orders, under its own number."""
    n, seed = 7, 3
    broken = sticks.break_sticks(400, 5.0, seed)
    order = sticks.order_of_appearance(broken.weights, seed)[:n]
    assert order.tolist() != sorted(order.tolist()), "else nothing is tried"
    page = open_lab(lab_show="sticks", lab_gem="5", lab_gem_shown=f"{n}", lab_gem_seed=f"{seed}")
    file = positions(demonstration.sticks(5.0, n))[seed]
    for strips, as_broken, appeared in (figures(page), [one["figure"] for one in file["figures"]]):
        parts = [(bar["y"][0], round(values(bar, "x")[0], 9)) for bar in strips["data"]]
        expected = sticks.expected_sticks(n, 5.0).weights
        wanted = [("as broken", w) for w in broken.weights[:n]]
        wanted += [("by appearance", w) for w in broken.weights[order]]
        wanted += [("expected", w) for w in expected]
        assert parts == [(name, round(float(w), 9)) for name, w in wanted]
        for figure, ids in ((as_broken, range(n)), (appeared, order)):
            bars, diamonds = figure["data"]
            assert bars["text"] == [str(k + 1) for k in ids]
            assert values(bars) == pytest.approx(broken.weights[list(ids)])
            assert values(diamonds) == pytest.approx(expected)
    table = page.dataframe[0].value
    assert table["place"].tolist() == list(range(1, n + 1))
    assert table["stick in order of appearance"].tolist() == (order + 1).tolist()
    assert table["expected weight"].tolist() == pytest.approx(expected.tolist())
    held = 100 * broken.weights[:n].sum()
    average = 100 * (1 - (5 / 6) ** n)
    assert f"The first {n} sticks hold {held:.1f} % in this draw and {average:.1f} % on" in spaced(
        texts(page.markdown)
    )
    assert [one["title"] for one in file["figures"]] == [
        "Three sticks of length 1",
        "In the order of breaking",
        "In the order of appearance",
    ]


# ---- ordered sticks ------------------------------------------------------------------------------


def test_the_verdict_on_the_bound_goes_by_mu_and_by_the_draws():
    bound = np.array([0.7, 0.5, 0.35, 0.25])
    under, over = np.array([0.1, 0.4, 0.05, 0.01]), np.array([0.1, 0.5, 0.05, 0.3])
    closest = "(closest at n = 2: 40.00 % of draws, where 50.00 % may)"
    assert spaced(ordered._verdict(0.55, under, bound)) == (
        f"The solid line stays **below the dashed one** at every n {closest}. Few atoms suffice, "
        "and the prior knows it: the probability of another falls exponentially."
    )
    assert ordered._verdict(0.5, over, bound) == (
        "μ is not over 1/2, so theorem 2 promises nothing, and indeed **the draws pass its bound** "
        "at 2 of 4 places, first at n = 2. Move μ to the right to get under it."
    )
    assert spaced(ordered._verdict(0.5, under, bound)) == (
        "μ is not over 1/2, so theorem 2 promises nothing; the draws stay below its bound all the "
        f"same {closest}. Make μ or γ smaller to break it."
    )


@pytest.mark.second
def test_ordered_sticks_are_drawn_and_counted_with_their_own_settings():
    address = {"lab_osbp_mu": "0.3", "lab_osbp_gamma": "2", "lab_osbp_seed": "298"}
    page = open_lab(lab_show="ordered", **address)
    left = left_over(20, 0.3, 2.0, 20_000, 0)
    drawn = {}
    for bar in figures(page)[0]["data"]:
        drawn.setdefault(bar["y"][0], []).append(float(values(bar, "x")[0]))
    assert list(drawn) == ["draw 298", "draw 299", "draw 300", "draw 301"]
    for row, sticks_of in zip((298, 299, 0, 1), drawn.values(), strict=True):
        assert sticks_of == pytest.approx(-np.diff(left[row], prepend=1.0).astype(float))
    table = page.dataframe[0].value
    bound = 2.0 ** (-np.arange(1, 21) / 2)
    assert table["bound 2^(-n/2)"].tolist() == pytest.approx(bound.tolist())
    share = (left > bound).mean(axis=0)
    assert table["share of draws above it"].tolist() == pytest.approx(share.tolist())
    lines = [np.array(values(line), float) for line in figures(page)[1]["data"]]
    for line, wanted in zip((lines[0], lines[2]), (bound, share), strict=True):
        seen = np.isfinite(line)
        assert line[seen] == pytest.approx(wanted[seen])
        assert (wanted[~seen] < 1e-5).all()


# ---- a small topic -------------------------------------------------------------------------------


def turns(*tokens, spread=(2.0, 5.0)):
    ends = np.linspace(*spread, len(tokens))
    return [ShrinkingTurn(n, 0.1, float(s)) for n, s in zip(tokens, ends, strict=True)]


@pytest.mark.parametrize(
    ("lost", "kept", "words"),
    [
        (
            (1.0, 0.05, 0.049),
            (1.0, 1.5, 2.25),
            "Under mean field it is **gone after step 2**, while its average grows from 1.00 "
            "violins to 2.25. Its uncertainty, the standard deviation of its probability of a "
            "violin over the mean, went from 200 % to 500 %: the less it holds, the less it "
            "counts, and the more it loses.",
        ),
        (
            (1.0, 0.5, 0.25),
            (2.0, 1.5, 1.25),
            "Under mean field it shrinks from 1.00 to 0.25, and its average falls from 2.00 "
            "violins to 1.25. Its uncertainty went from 200 % to 500 %. Begin with less, or let "
            "the known topic count more, until mean field lets it go.",
        ),
        (
            (1.0, 2.0),
            (1.0, 2.0),
            "Under mean field it grows from 1.00 to 2.00, and its average grows from 1.00 violins "
            "to 2.00. Its uncertainty went from 200 % to 500 %. Begin with less, or let the known "
            "topic count more, until mean field lets it go.",
        ),
    ],
)
def test_what_becomes_of_a_small_topic_in_words(lost, kept, words):
    assert spaced(shrinking_page._verdict(turns(*lost), turns(*kept), 0.1)) == words


def test_the_table_of_a_small_topic_has_both_ways_in_their_columns():
    page = open_lab(
        lab_show="shrinking",
        lab_small_eta="0.5",
        lab_small_start="2",
        lab_small_known="0.3",
        lab_small_steps="4",
    )
    contest = shrinking.Contest(eta=0.5, known=0.3)
    lost, kept = (shrinking.shrinking(way, 5, 2.0, contest) for way in ("mean field", "collapsed"))
    table = page.dataframe[0].value
    assert table["step"].tolist() == list(range(5))
    for column, wanted in (
        ("violins, mean field", [turn.tokens for turn in lost]),
        ("counts for one, mean field", [turn.weight for turn in lost]),
        ("uncertainty, mean field", [turn.spread for turn in lost]),
        ("violins, collapsed", [turn.tokens for turn in kept]),
        ("counts for one, collapsed", [turn.weight for turn in kept]),
    ):
        assert table[column].tolist() == pytest.approx(wanted), column
    collapsed, mean_field = figures(page)[0]["data"]
    assert values(collapsed) == pytest.approx([turn.tokens for turn in kept])
    assert values(mean_field) == pytest.approx([turn.tokens for turn in lost])


# ---- the restaurant and the franchise ------------------------------------------------------------


def at_step(show, key, n, **address):
    page = open_lab(lab_show=show, **address)
    page.session_state[key] = n
    return check(page.run())


def test_the_table_of_the_restaurant_has_the_draw_and_its_law():
    table = at_step("restaurant", "lab_crp_n", 30, lab_crp="5", lab_crp_seed="2").dataframe[0].value
    seats = restaurant.seat(30, 5.0, 2)
    low, high = restaurant.spread_of_tables(30, 5.0)
    assert table["customers"].tolist() == list(range(31))
    assert table["tables"].tolist() == [len({*seats[:n].tolist()}) for n in range(31)]
    assert table["expected tables"].tolist() == pytest.approx(
        [sum(5 / (5 + i) for i in range(n)) for n in range(31)]
    )
    assert table["5 % of draws up to"].tolist() == low.tolist()
    assert table["95 % of draws up to"].tolist() == high.tolist()
    assert low[-1] < high[-1]


def test_the_franchise_says_what_came_and_what_was_expected():
    n = 9
    address = {"lab_crf_alpha": "5", "lab_crf_gamma": "1", "lab_crf_houses": "2"}
    page = at_step("franchise", "lab_crf_n", n, **address, lab_crf_seed="4")
    tables = [franchise.expected_tables(i, 2, 5.0) for i in range(n + 1)]
    dishes = [franchise.expected_dishes(i, 2, 5.0, 1.0) for i in range(n + 1)]
    shown = page.dataframe[0].value
    assert shown["customers"].tolist() == list(range(n + 1))
    assert shown["expected tables"].tolist() == pytest.approx(tables)
    assert shown["expected dishes"].tolist() == pytest.approx(dishes)
    state, last = franchise.fill(n, 2, 5.0, 1.0, 4)
    served = [table.dish for house in state for table in house]
    n_tables, n_dishes = len(served), len(set(served))
    assert n_tables > n_dishes > 1
    said = f"After 9 customers {n_tables} tables ({tables[n]:.1f} expected) and {n_dishes} dishes"
    assert f"{said} ({dishes[n]:.1f} expected)." in texts(page.markdown)
    rooms = re.findall(r"<ul.*?</ul>", html(page))
    places = [re.findall(r'<li class="([^"]*)" style="left:[0-9.]+%;top', room) for room in rooms]
    marked = [["last" in place.split() for place in room] for room in places]
    wanted = [
        [(j, t) == (last.restaurant, last.table) for t in range(len(house))]
        for j, house in enumerate(state)
    ]
    assert marked == wanted, "the one at which the last customer sat down"


@pytest.mark.parametrize(
    ("dish", "name"), [(0, "A"), (25, "Z"), (26, "A2"), (27, "B2"), (52, "A3")]
)
def test_dishes_have_letters(dish, name):
    assert franchise_page.dish_name(dish) == name


# ---- the document --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 14])
def test_a_turn_says_where_the_word_came_from_and_goes(n):
    page = at_step("document", "lab_doc_n", n)
    _, turn = document.sweep(n, document.DocumentSettings(2.0, 2.0, 0.1), 1)
    names = {0: "topic 1, baking", 1: "topic 2, railway"}

    def name(topic):
        return names.get(topic, f"topic {topic + 1}, new")

    assert document_page._name(7) == "topic 8, new"
    came = "had no topic yet" if turn.before < 0 else f"came from {name(turn.before)}"
    word = document.DOCUMENT.split()[turn.token]
    head = f"## Word {turn.token + 1}, “{word}”: {came}, goes to {name(turn.after)}"
    assert head in texts(page.markdown)
    assert (turn.before < 0) == (n == 5), "both kinds are tried"


# ---- drawn corpora -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "address", "settings"),
    [
        (
            "lda",
            {"lab_prior_topics": "5", "lab_prior_lda_alpha": "0.2", "lab_prior_hdp_alpha": "5"},
            {"n_topics": 5, "alpha": 0.2},
        ),
        (
            "hdp",
            {"lab_prior_gamma": "5", "lab_prior_hdp_alpha": "10", "lab_prior_lda_alpha": "0.2"},
            {"gamma": 5.0, "alpha": 10.0},
        ),
        ("dpm", {"lab_prior_gamma": "10"}, {"gamma": 10.0}),
        ("gdp", {"lab_prior_gamma": "2"}, {"gamma": 2.0}),
    ],
)
def test_a_corpus_is_drawn_with_the_settings_of_its_own_model(model, address, settings):
    page = open_lab(
        lab_show="corpora",
        lab_prior={"lda": "LDA", "hdp": "HDP", "dpm": "DP mixture", "gdp": "Gamma-DP"}[model],
        lab_prior_eta="0.5",
        lab_prior_seed="7",
        **address,
    )
    small = draws.draw(model, {"eta": 0.5, **settings}, 12, 80, 7)
    table = page.dataframe[0].value
    assert table["document"].tolist() == list(range(1, 13))
    assert list(table)[1:] == [f"topic {k + 1}" for k in range(len(small.topic_word))]
    np.testing.assert_allclose(table.drop(columns="document"), small.doc_topic)
    topics, _, documents = figures(page)
    many = len(small.topic_word) > 18
    assert len(topics["layout"]["annotations"]) == min(len(small.topic_word), 18)
    assert f"**{len(small.topic_word)} topics in all; " in texts(page.markdown)
    said = f"The 18 largest of {len(small.topic_word)} topics."
    assert (said in texts(page.caption)) == many
    counts = small.corpus.to_csr().toarray()
    drawn = values(documents["data"][0], "z")
    assert np.nanmax(drawn.astype(float)) == 1.0
    assert np.isfinite(drawn.astype(float)).sum() == counts.size


# ---- steps ---------------------------------------------------------------------------------------


def test_buttons_step_by_one_or_ten_and_not_beyond_the_ends():
    alone = "from bnpexplorer.ui.lab.stepper import stepper; stepper('it', 23, 'Turn', str)"
    from streamlit.testing.v1 import AppTest

    page = check(AppTest.from_string(alone).run())
    places = []
    for words in ("Step", "10 steps", "Back", "10 steps", "10 steps", "Back", "Start over"):
        check(button(page, words).click().run())
        places.append(page.session_state["it_n"])
    assert places == [1, 11, 10, 20, 23, 22, 0]
    assert button(page, "Back").disabled
    assert button(page, "Start over").disabled
    assert not button(page, "Step").disabled
    assert [caption.value for caption in page.caption] == ["Turn 0 of 23"]
    page.session_state["it_n"] = 99
    assert [caption.value for caption in check(page.run()).caption] == ["Turn 23 of 23"]


@pytest.mark.parametrize(("pace", "walk"), [(None, 0.48), ("Slow", 0.9), ("Fast", 0.2)])
def test_a_customer_walks_no_longer_than_the_next_step(monkeypatch, pace, walk):
    monkeypatch.setattr(stepper.st, "session_state", {"it-pace": pace} if pace else {})
    assert stepper.walk_of("it") == pytest.approx(walk)
    assert stepper.walk_of("it") < stepper.pace_of("it")


# ---- files for slides ----------------------------------------------------------------------------


@pytest.mark.second
def test_files_say_their_settings_and_open_where_there_is_something_to_see():
    """Of the toy at five copies, as the page; the figures stand before the rules."""
    file = demonstration.toy(Case(12, 2.0, 0.5, 0.2))
    assert "12 words; component 1: 2 for word 1 and 0.5 for every other; component 2: 0.2" in file
    found = positions(file)
    assert [one["said"].split(" of")[0] for one in found[:2]] == ["With 1", "With 2"]
    assert re.search(r'max="9"[^>]*value="4"', file)
    tables = demonstration.tables(5.0, 3)
    assert "Concentration 5, seed 3." in tables
    assert re.search(r'max="100"[^>]*value="0"', tables)
    assert "Concentration 10." in demonstration.sticks(10.0, 12)


@pytest.mark.parametrize(
    ("left", "words"), [(0.25, "75.0 %"), (1e-4, "99.99 %"), (0.99e-4, "over 99.99 %")]
)
def test_next_to_all_is_never_called_all(left, words):
    assert spaced(demonstration.all_but(left)) == words
