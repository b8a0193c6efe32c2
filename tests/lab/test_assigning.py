"""One token by both rules: the collapsed conditional, and what mean field would give."""

import itertools
import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import digamma
from scipy.stats import beta, kstest

from bnpexplorer.lab import document
from bnpexplorer.lab.document import TOKENS, VOCAB, DocumentSettings, sweep
from bnpexplorer.lab.shrinking import exp_psi
from bnpexplorer.ui.lab.formula import Fraction, Term, both, difference, formula, small

MANY = list(itertools.product((1, 5, 7, 23), (0.5, 2.0), (1.0, 10.0), (0.2, 1.0)))


def mean_log(a, b):
    """E ln x under Beta(a, b), by integrating over quantiles, which has no singular end."""
    return quad(lambda u: np.log(beta.ppf(u, a, b)), 0.0, 1.0, limit=400)[0]


@pytest.mark.second
@pytest.mark.parametrize(("n", "alpha", "gamma", "eta"), MANY)
def test_mean_field_averages_logarithms_under_the_q_that_the_counts_make(n, alpha, gamma, eta):
    """A share of a Dirichlet is a Beta: word w of topic k, and choice k of the document."""
    _, turn = sweep(n, DocumentSettings(alpha, gamma, eta), 3)
    terms, n_words = turn.terms, len(VOCAB)
    mine = terms.n_dk + alpha * terms.pi
    logs = []
    for i, n_kw in enumerate(terms.n_kw):
        has = n_kw + eta
        of_word = mean_log(has, terms.n_k[i] + n_words * eta - has)
        of_document = mean_log(mine[i], mine.sum() - mine[i])
        assert terms.log_word[i] == pytest.approx(of_word, abs=2e-4)
        logs.append(of_word + of_document)
    wanted = np.exp(logs) / np.exp(logs).sum()
    np.testing.assert_allclose(terms.mean_field, wanted, rtol=2e-3, atol=1e-12)
    assert terms.mean_field.sum() == pytest.approx(1.0)


@pytest.mark.second
@pytest.mark.parametrize(("n", "alpha", "gamma", "eta"), MANY)
def test_both_rules_are_averages_under_the_same_q(n, alpha, gamma, eta):
    """The collapsed one is a product of means, which a sample of q has, too."""
    _, turn = sweep(n, DocumentSettings(alpha, gamma, eta), 3)
    terms, rng = turn.terms, np.random.default_rng(0)
    word = TOKENS[turn.token]
    theta = rng.dirichlet(terms.n_dk + alpha * terms.pi, 40_000)
    means = []
    for i in range(len(terms.n_k)):
        lam = np.full(len(VOCAB), eta)
        lam[word] += terms.n_kw[i]
        lam[word - 1] += terms.n_k[i] - terms.n_kw[i]  # the others together
        means.append(theta[:, i].mean() * rng.dirichlet(lam, 40_000)[:, word].mean())
    np.testing.assert_allclose(terms.probability, np.array(means) / sum(means), atol=0.02)
    digammas = digamma(terms.n_dk + alpha * terms.pi)
    np.testing.assert_allclose(terms.log_document, digammas)


@pytest.mark.second
def test_every_setting_of_the_sliders_has_probabilities():
    from bnpexplorer.ui.lab.parts import CONCENTRATIONS, SMALL_PRIORS

    grid = itertools.product(CONCENTRATIONS, CONCENTRATIONS, SMALL_PRIORS)
    for alpha, gamma, eta in grid:
        _, turn = sweep(12, DocumentSettings(alpha, gamma, eta), 1)
        assert np.isfinite(turn.terms.mean_field).all()
        assert turn.terms.mean_field.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("gamma", [0.5, 3.0])
def test_a_new_topic_breaks_off_a_beta_of_one_and_gamma(gamma):
    """Of what was left for new topics; the chance that opens one says nothing of how much."""
    settings, broken = DocumentSettings(5.0, gamma, 0.1), []
    for seed in range(3000):
        state, turn = sweep(1, settings, seed)
        if turn.after == 2:
            broken.append(state.pi[2] / turn.terms.pi[-1])
    assert len(broken) > 200
    assert kstest(broken, beta(1.0, gamma).cdf).pvalue > 0.01


def test_weights_before_the_document_are_those_of_a_table_for_every_other_one():
    """Two documents of each topic, and gamma for new ones."""
    _, turn = sweep(1, DocumentSettings(2.0, 3.0, 0.1), 0)
    assert len(document.OTHERS) == 4
    assert turn.terms.pi.tolist() == pytest.approx([2 / 7, 2 / 7, 3 / 7])


def test_a_token_whose_turn_comes_again_is_told_where_it_stood():
    settings, n = DocumentSettings(2.0, 2.0, 0.1), len(TOKENS)
    for token in range(n):
        first, again = (sweep(token + 1 + n * round_, settings, 4)[1] for round_ in (0, 1))
        assert (first.before, again.before) == (-1, first.after)
        assert first.token == again.token == token


# ---- what the page says of it --------------------------------------------------------------------


def percents(words):
    return [float(x) for x in re.findall(r"([0-9.]+)\u00a0%", words)]


def test_mean_field_hardly_opens_a_topic_for_a_word_that_another_has():
    _, turn = sweep(1, DocumentSettings(2.0, 2.0, 0.1), 1)
    words = difference(turn, DocumentSettings(2.0, 2.0, 0.1))
    assert "A topic has “train” already" in words
    lam = np.array([turn.terms.n_kw, turn.terms.n_k])
    logs = digamma(turn.terms.n_dk + 2.0 * turn.terms.pi)
    logs += digamma(lam[0] + 0.1) - digamma(lam[1] + 1.1)
    theirs = 100 * np.exp(logs[-1]) / np.exp(logs).sum()
    assert theirs < 0.1 < 20.0 < 100 * turn.terms.probability[-1]
    assert "**under 0.05\u00a0%** by mean field" in words
    assert f"**{100 * turn.terms.probability[-1]:.1f}\u00a0%** collapsed" in words
    assert "exp ψ(η) = 3.0 × 10⁻⁵ stands for η = 0.1" in words
    assert f"{exp_psi(0.1):.1e}" == "3.0e-05"


def test_for_a_word_that_no_topic_has_both_may_open_one():
    settings = DocumentSettings(2.0, 2.0, 0.1)
    _, turn = sweep(5, settings, 1)
    assert not turn.terms.n_kw.any()
    words = difference(turn, settings)
    assert "No topic has “violin” yet" in words
    shares = percents(words)
    assert shares == [
        round(100 * float(p[-1]), 1) for p in (turn.terms.mean_field, turn.terms.probability)
    ]
    assert min(shares) > 50.0


def test_where_mean_field_opens_a_topic_sooner_it_is_said():
    settings = DocumentSettings(0.1, 3.0, 0.5)
    _, turn = sweep(1, settings, 1)
    assert turn.terms.mean_field[-1] > turn.terms.probability[-1]
    assert "mean field that would open one sooner" in difference(turn, settings)
    usual = DocumentSettings(2.0, 2.0, 0.1)
    assert "sooner" not in difference(sweep(1, usual, 1)[1], usual)


# ---- formulas with numbers -----------------------------------------------------------------------


def terms_of(drawn):
    """(symbol, number, whether it is marked) of every term, in their order."""
    found = re.findall(r'<span class="term( moved)?"><i>(.*?)</i><b>(.*?)</b></span>', drawn)
    return [(re.sub("<.*?>", "", symbol), number, bool(mark)) for mark, symbol, number in found]


@pytest.mark.parametrize("gamma", [2.0, 5.0])
def test_a_rule_is_its_numbers(gamma):
    """With a gamma of 2 known topics and new ones weigh alike at first."""
    settings = DocumentSettings(2.0, gamma, 0.1)
    _, turn = sweep(3, settings, 1)
    taken, new = both(turn, settings, "").split('<div class="lab lab-formula">')[1:]
    numbers = [float(number) for _, number, _ in terms_of(taken)]
    n_dk, alpha, pi, n_kw, eta, n_k, n_words, _ = numbers
    i = turn.terms.topics.index(turn.after)
    product = (n_dk + alpha * pi) * (n_kw + eta) / (n_k + n_words * eta)
    exact = turn.terms.document_term[i] * turn.terms.word_term[i]
    assert product == pytest.approx(exact, rel=2e-3)
    assert f"= {exact:.4f}, {100 * turn.terms.probability[i]:.1f}\u00a0% of all" in taken
    alpha, pi, eta, n_words, _ = (float(number) for _, number, _ in terms_of(new))
    exact = turn.terms.document_term[-1] * turn.terms.word_term[-1]
    assert alpha * pi * eta / (n_words * eta) == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize(
    ("slider", "marked"), [("lab_doc_eta", "η"), ("lab_doc_alpha", "α"), ("lab_doc_gamma", "π")]
)
def test_the_slider_that_was_moved_marks_its_terms_alone(slider, marked):
    settings = DocumentSettings(2.0, 2.0, 0.1)
    _, turn = sweep(3, settings, 1)
    found = terms_of(both(turn, settings, slider))
    assert {symbol[0] for symbol, _, mark in found if mark} == {marked}
    assert {symbol[0] for symbol, _, mark in found if not mark} == {*"nαπηV"} - {marked}
    assert not any(mark for *_, mark in terms_of(both(turn, settings, "")))


def test_what_stands_in_a_formula_is_text():
    drawn = formula(["<", Fraction([Term("a_b", "<1>")], ["&"])], "> 2")
    assert "<sub>b</sub>" in drawn
    for raw in (">&lt;<", "&lt;1&gt;", "&amp;", "&gt; 2"):
        assert raw in drawn


@pytest.mark.parametrize(
    ("x", "words"),
    [(2.5, "2.500"), (0.2331, "0.2331"), (0.001, "0.0010"), (3e-5, "3.0 × 10⁻⁵"), (0.0, "0")],
)
def test_a_number_next_to_nothing_keeps_its_digits(x, words):
    assert small(x) == words


def test_a_state_before_any_turn_has_no_conditional():
    assert document.sweep(0, DocumentSettings(2.0, 2.0, 0.1), 0)[1] is None


def test_mean_field_refuses_a_topic_that_the_collapsed_update_opens():
    """Where one railway word is a violin: recomputed from the counts."""
    settings = DocumentSettings(2.0, 2.0, 0.1, document.HEARD[1])
    state = document.start(settings)
    terms = document.conditional(state, 4, settings)  # the first violin, with no word seated
    assert terms.n_kw.tolist() == [0, 1, 0]
    assert terms.n_k.tolist() == [12, 12, 0]
    mine, has, of = np.full(3, 2 / 3), np.array([0.1, 1.1, 0.1]), np.array([13.1, 13.1, 1.1])
    opened = mine * has / of
    refused = np.exp(digamma(mine) + digamma(has) - digamma(of))
    np.testing.assert_allclose(terms.probability, opened / opened.sum())
    np.testing.assert_allclose(terms.mean_field, refused / refused.sum())
    _, turn = sweep(5, settings, 1)
    assert turn.terms.probability[-1] == pytest.approx(0.188, abs=0.0005)
    assert turn.terms.mean_field[-1] == pytest.approx(0.00009, abs=0.000005)
