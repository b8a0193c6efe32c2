"""The toy example of Wang & Blei 2012, figure 2, against independent evaluations."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import dblquad, quad

from bnpexplorer.lab.toy import (
    CASES,
    collapsed_log_odds,
    favoured,
    mean_field_log_odds,
    probability,
    word_probabilities,
)

# w, case A mean field, case A collapsed, case B mean field, case B collapsed: the closed forms,
# evaluated with fifty digits.
FIGURE_2 = [
    (1, -2.7295399121, -2.2082744135, 7.0175710215, 0.0000000000),
    (2, -5.4590798242, -3.8276626568, 14.0351420431, -1.1069110915),
    (3, -8.1886197363, -5.1359954765, 21.0527130646, -2.1365305087),
    (4, -10.9181596484, -6.2429065679, 28.0702840862, -3.0602932554),
    (5, -13.6476995605, -7.2060808857, 35.0878551077, -3.8914617338),
    (6, -16.3772394726, -8.0604962139, 42.1054261292, -4.6452335362),
    (7, -19.1067793847, -8.8292808086, 49.1229971508, -5.3342907315),
    (8, -21.8363192968, -9.5286585389, 56.1405681723, -5.9687157763),
    (9, -24.5658592090, -10.1705124251, 63.1581391939, -6.5565024412),
    (10, -27.2953991211, -10.7638392704, 70.1757102154, -7.1040456479),
]
BOTH = pytest.mark.parametrize("log_odds", [mean_field_log_odds, collapsed_log_odds])


@pytest.mark.parametrize("row", FIGURE_2, ids=lambda row: f"w={row[0]}")
def test_figure_2(row):
    w, *expected = row
    ours = [
        log_odds(w, case.lam1, case.lam2)
        for case in (CASES["A"], CASES["B"])
        for log_odds in (mean_field_log_odds, collapsed_log_odds)
    ]
    assert ours == pytest.approx(expected, abs=6e-11)


def test_the_cases_are_those_of_the_paper():
    assert CASES["A"].lam1.tolist() == [0.1] + [1.0] * 9
    assert CASES["B"].lam1.tolist() == [1.0] * 10
    assert CASES["A"].lam2.tolist() == CASES["B"].lam2.tolist() == [0.1] * 10


def test_one_copy_of_the_word_is_a_tie_in_case_b():
    odds = collapsed_log_odds(1, CASES["B"].lam1, CASES["B"].lam2)
    assert abs(odds) < 1e-12
    assert favoured(odds) == 0


def test_mean_field_keeps_its_sign_and_the_collapsed_update_changes_it():
    counts = np.arange(1, 21)[:, None]
    weak = np.array([2.0, 8.0]), np.array([0.15, 0.85])  # 0.2 against 0.15 at first, then the urn
    assert set(favoured(mean_field_log_odds(counts, *weak))) == {1}
    chosen = favoured(collapsed_log_odds(counts, *weak))
    assert chosen[0] == 1
    assert chosen[-1] == 2


# --- independent evaluations -------------------------------------------------------------------


def over_beta(function, a, b):
    """E[function(x, 1 - x)], x ~ Beta(a, b), in halves, each with x^a or (1-x)^b as the variable,
    which removes the poles at 0 and 1."""
    log_norm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def left(t):
        x = t ** (1 / a)
        return function(x, 1 - x) * (1 - x) ** (b - 1) / a

    def right(t):
        y = t ** (1 / b)
        return function(1 - y, y) * (1 - y) ** (a - 1) / b

    tight = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 400}
    halves = quad(left, 0, 0.5**a, **tight)[0] + quad(right, 0, 0.5**b, **tight)[0]
    return math.exp(log_norm) * halves


def below(x, a, b):
    """P(X < x), X ~ Beta(a, b), with X^a as the variable."""
    log_norm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    area = quad(lambda t: (1 - t ** (1 / a)) ** (b - 1) / a, 0, x**a, epsabs=1e-13)[0]
    return math.exp(log_norm) * area


@pytest.mark.parametrize("seed", range(4))
def test_two_words_against_quadrature(seed):
    rng = np.random.default_rng(seed)
    lam1, lam2 = rng.gamma(1.0, 1.0, 2) + 0.15, rng.gamma(1.0, 3.0, 2) + 0.15
    n = rng.integers(0, 6, 2)
    log_of, value_of = [], []
    for lam in (lam1, lam2):
        value_of.append(over_beta(lambda x, y: x ** n[0] * y ** n[1], *lam))
        log_of.append(over_beta(lambda x, y: n[0] * math.log(x) + n[1] * math.log(y), *lam))
    assert collapsed_log_odds(n, lam1, lam2) == pytest.approx(
        math.log(value_of[0] / value_of[1]), abs=1e-9
    )
    assert mean_field_log_odds(n, lam1, lam2) == pytest.approx(log_of[0] - log_of[1], abs=1e-8)


@pytest.mark.second
def test_three_words_against_quadrature_over_the_simplex():
    lam1, lam2, n = np.array([1.5, 2.0, 3.0]), np.array([4.0, 1.2, 1.1]), np.array([2, 1, 3])

    def expectation(lam, function):
        norm = math.exp(math.lgamma(lam.sum()) - sum(math.lgamma(x) for x in lam))

        def integrand(y, x):
            theta = np.array([x, y, max(1 - x - y, 1e-300)])
            return norm * np.prod(theta ** (lam - 1)) * function(theta)

        return dblquad(integrand, 0, 1, 0, lambda x: 1 - x, epsabs=1e-9)[0]

    value = [expectation(lam, lambda t: np.prod(t**n)) for lam in (lam1, lam2)]
    logs = [expectation(lam, lambda t: n @ np.log(t)) for lam in (lam1, lam2)]
    assert collapsed_log_odds(n, lam1, lam2) == pytest.approx(
        math.log(value[0] / value[1]), abs=1e-5
    )
    assert mean_field_log_odds(n, lam1, lam2) == pytest.approx(logs[0] - logs[1], abs=1e-5)


def test_five_words_against_simulation():
    rng = np.random.default_rng(5)
    lam1, lam2, n = rng.gamma(2.0, 1.0, 5) + 0.5, rng.gamma(2.0, 1.0, 5) + 0.5, [2, 0, 1, 0, 3]
    values, logs, errors = [], [], []
    for lam in (lam1, lam2):
        theta = rng.dirichlet(lam, 400_000)
        likelihood = np.prod(theta**n, axis=1)
        values.append(likelihood.mean())
        logs.append((np.log(theta) @ n).mean())
        errors.append(likelihood.std() / likelihood.mean() / math.sqrt(len(theta)))
        errors.append((np.log(theta) @ n).std() / math.sqrt(len(theta)))
    within = 5 * max(errors)
    assert within < 0.06
    collapsed = math.log(values[0] / values[1])
    assert collapsed_log_odds(n, lam1, lam2) == pytest.approx(collapsed, abs=within)
    assert mean_field_log_odds(n, lam1, lam2) == pytest.approx(logs[0] - logs[1], abs=within)


def urn(n, lam):
    """The predictive probability one token at a time, updating the parameters in between."""
    lam, log_p = [float(x) for x in lam], 0.0
    for v, copies in enumerate(n):
        for _ in range(copies):
            log_p += math.log(lam[v] / math.fsum(lam))
            lam[v] += 1
    return log_p


@pytest.mark.parametrize("seed", range(5))
def test_collapsed_equals_the_urn_and_the_order_of_words_is_irrelevant(seed):
    rng = np.random.default_rng(100 + seed)
    size = int(rng.integers(2, 30))
    lam1, lam2 = rng.gamma(0.7, 2.0, size) + 1e-3, rng.gamma(0.7, 2.0, size) + 1e-3
    n = rng.poisson(1.5, size)
    ours = collapsed_log_odds(n, lam1, lam2)
    assert ours == pytest.approx(urn(n, lam1) - urn(n, lam2), abs=1e-10)
    order = rng.permutation(size)
    assert ours == pytest.approx(collapsed_log_odds(n[order], lam1[order], lam2[order]), abs=1e-10)


@BOTH
def test_swapping_the_components_negates(log_odds):
    rng = np.random.default_rng(7)
    lam1, lam2 = rng.gamma(1.0, 2.0, 12) + 0.01, rng.gamma(1.0, 2.0, 12) + 0.01
    n = rng.poisson(2.0, (6, 12))
    np.testing.assert_allclose(log_odds(n, lam1, lam2), -log_odds(n, lam2, lam1), rtol=1e-12)
    assert np.abs(log_odds(n, lam1, lam2)).min() > 1e-3
    np.testing.assert_array_equal(log_odds(n, lam1, lam1), 0.0)


@BOTH
def test_an_empty_document_says_nothing(log_odds):
    assert log_odds(0, [2.0, 3.0], [0.1, 0.1]) == 0.0
    assert log_odds([0, 0], [2.0, 3.0], [0.1, 0.1]) == 0.0


@BOTH
def test_components_that_are_certain_agree_with_the_multinomial(log_odds):
    p1, p2, n = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]), np.array([3, 1, 2])
    certain = log_odds(n, 1e9 * p1, 1e9 * p2)
    assert certain == pytest.approx(n @ np.log(p1 / p2), abs=1e-6)


@pytest.mark.parametrize("w", [65_535, 65_536, 65_537, 120_000])
def test_long_documents_take_another_way_to_the_same_number(w):
    case = CASES["B"]
    drawn = [
        math.log((1 + j) / (10 + j)) - math.log((0.1 + j) / (1 + j)) for j in range(w)
    ]  # the closed form of case B, summed exactly
    assert collapsed_log_odds(w, case.lam1, case.lam2) == pytest.approx(math.fsum(drawn), abs=1e-8)


def test_long_documents_of_many_words():
    rng = np.random.default_rng(3)
    lam1, lam2 = rng.gamma(1.0, 2.0, 6) + 0.1, rng.gamma(1.0, 2.0, 6) + 0.1
    n = rng.integers(10_000, 20_000, 6)
    assert n.sum() > 65_536

    def exact(lam):
        words = [math.log(lam[v] + j) for v in range(6) for j in range(n[v])]
        return math.fsum(words) - math.fsum(math.log(sum(lam) + j) for j in range(n.sum()))

    ours = collapsed_log_odds(n, lam1, lam2)
    assert ours == pytest.approx(exact(lam1) - exact(lam2), abs=1e-7)


def test_a_million_million_copies():
    """Gamma(x + n) / Gamma(y + n) tends to n^(x - y), so the odds of case B fall like n^-8.1."""
    case, n = CASES["B"], 1e12
    limit = -8.1 * math.log(n) + math.lgamma(10) + math.lgamma(0.1) - 2 * math.lgamma(1)
    assert collapsed_log_odds(n, case.lam1, case.lam2) == pytest.approx(limit, abs=1e-6)


# --- shapes and errors -------------------------------------------------------------------------


@BOTH
def test_shapes(log_odds):
    lam1, lam2 = [0.5, 1.0, 2.0], [0.2, 0.2, 0.2]
    single = [log_odds(w, lam1, lam2) for w in (1, 2, 5, 9)]
    assert all(type(x) is float for x in single)
    column = log_odds(np.array([[1], [2], [5], [9]]), lam1, lam2)
    assert column.tolist() == pytest.approx(single, abs=1e-13)
    rows = log_odds(np.array([[1, 0, 0], [5, 0, 0]]), lam1, lam2)
    assert rows.tolist() == pytest.approx([single[0], single[2]], abs=1e-13)
    assert log_odds([5, 0, 0], lam1, lam2) == pytest.approx(single[2], abs=1e-13)
    assert log_odds([0, 5, 0], lam1, lam2) != pytest.approx(single[2], abs=1e-3)


BAD = [
    ("lam1 and lam2", 1, [1.0, 1.0], [1.0]),
    ("lam1", 1, [1.0, 0.0], [1.0, 1.0]),
    ("lam2", 1, [1.0, 1.0], [1.0, -2.0]),
    ("lam1", 1, [1.0, math.nan], [1.0, 1.0]),
    ("lam2", 1, [1.0, 1.0], [1.0, math.inf]),
    ("lam1", 1, [], []),
    ("lam1", 1, [[1.0, 1.0]], [1.0, 1.0]),
    ("lam1", 1, ["a", "b"], [1.0, 1.0]),
    ("w", -1, [1.0, 1.0], [1.0, 1.0]),
    ("w", 1.5, [1.0, 1.0], [1.0, 1.0]),
    ("w", math.nan, [1.0, 1.0], [1.0, 1.0]),
    ("w", "three", [1.0, 1.0], [1.0, 1.0]),
    ("w", [1, 2, 3], [1.0, 1.0], [1.0, 1.0]),
    ("w", [], [1.0, 1.0], [1.0, 1.0]),
    ("w", np.ones((2, 2, 2)), [1.0, 1.0], [1.0, 1.0]),
]


WHOLE = [
    ((1, [1.0, 2.0, 3.0], [4.0]), "lam1 and lam2 differ in length: 3 and 1 words."),
    (
        (1, [1.0, 0.0], [1.0, 2.0]),
        "lam1 must be positive and finite in every entry; got [1.0, 0.0].",
    ),
    (
        (1, [1.0, 2.0], np.ones((2, 3))),
        "lam2 must be a vector, one entry a word; got shape (2, 3).",
    ),
    ((1, [1.0, 2.0], ["a"]), "lam2 must hold numbers; got ['a']."),
    (("x", [1.0], [2.0]), "w must hold whole numbers; got 'x'."),
    ((1.5, [1.0], [2.0]), "w must hold whole numbers of at least 0; got 1.5."),
    (
        (np.ones((4, 3)), [1.0, 2.0], [3.0, 4.0]),
        "w has shape (4, 3): its last axis must run over the 2 words, or have length 1 for copies "
        "of word 1 alone (many counts are a column: shape (N, 1)).",
    ),
]


@pytest.mark.parametrize(("given", "words"), WHOLE)
def test_an_error_has_its_own_numbers(given, words):
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        collapsed_log_odds(*given)


@BOTH
@pytest.mark.parametrize(("name", "w", "lam1", "lam2"), BAD)
def test_errors_name_the_argument(log_odds, name, w, lam1, lam2):
    with pytest.raises(ValueError, match=rf"^{name} "):
        log_odds(w, lam1, lam2)


# --- what the page shows beside ----------------------------------------------------------------


def test_probability_and_favoured():
    assert probability(0.0) == 0.5
    assert probability(math.log(3)) == pytest.approx(0.75)
    assert probability([-800.0, 800.0]).tolist() == [0.0, 1.0]
    assert favoured([2.0, -2.0, 4e-16, -4e-16]).tolist() == [1, 2, 0, 0]


def test_spread_of_the_words_against_the_beta_distribution():
    lam = np.array([0.1, 1.0, 2.5, 0.4])
    mean, low, high = word_probabilities(lam)
    for v in range(4):
        a, b = lam[v], lam.sum() - lam[v]
        assert mean[v] == pytest.approx(over_beta(lambda x, y: x, a, b), abs=1e-9)
        assert below(low[v], a, b) == pytest.approx(0.05, abs=1e-9)
        assert below(1 - high[v], b, a) == pytest.approx(0.05, abs=1e-9)
    assert [x.tolist() for x in word_probabilities([3.0])] == [[1.0], [1.0], [1.0]]
