"""What changed, and the sentences that say so, by their laws: read back from the words."""

import math
import re
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bnpexplorer.core.display import percent, points, rates
from bnpexplorer.corpus import Corpus
from bnpexplorer.explore import in_context
from bnpexplorer.explore.change import Changes, changes, turns
from bnpexplorer.explore.changed_words import changed_words
from bnpexplorer.explore.sentences import Basis, Sides, change_sentence, two_percents, word_sentence
from tests.tools.drawn_topics import SEEDS

NB = "\u00a0"
SHARES = st.one_of(st.floats(0.0, 1.0), st.floats(1e-7, 1e-2), st.sampled_from([0.0, 0.5, 1.0]))


@st.composite
def sides(draw, columns=3):
    """Shares (D, K), lengths, and two sides of which neither is empty and some are on none."""
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(SEEDS))
    side = rng.choice([0, 1, 2], n, p=[0.5, 0.35, 0.15])
    side[:2] = 0, 1
    shares = rng.dirichlet(np.full(columns, 0.4), n)
    shares[side == 1, 0] *= draw(st.sampled_from([1.0, 0.01]))
    return shares, rng.integers(1, 400, n).astype(float), side == 0, side == 1


def rounded(number, true, unit=100.0):
    """Whether a number that was written is the true one, as far as its digits go."""
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return abs(float(number) - unit * true) <= half * (1 + 1e-9) + 1e-9 * unit * true


# ---- topics --------------------------------------------------------------------------------------


@given(sides(), st.booleans())
def test_who_comes_first_turns_the_change_around(drawn, by_length):
    shares, lengths, before, after = drawn
    w = lengths if by_length else None
    one, other = changes(shares, before, after, w), changes(shares, after, before, w)
    np.testing.assert_allclose(one.change, -other.change)
    np.testing.assert_allclose(one.low, -other.high, atol=1e-12)
    np.testing.assert_allclose(one.sure, -other.sure, atol=1e-12)
    assert (one.n_before, one.units_after) == (other.n_after, other.units_before)
    assert (one.low <= one.change).all()
    assert (one.change <= one.high).all()
    assert (np.abs(one.sure) <= np.abs(one.change) + 1e-12).all()
    assert ((one.sure == 0) | (np.sign(one.sure) == np.sign(one.change))).all()


@given(sides(), st.integers(1, 500), st.integers(1, 500))
def test_the_more_is_compared_the_less_is_sure(drawn, some, more):
    shares, _, before, after = drawn
    few, many = sorted((some, more))
    one, other = (changes(shares, before, after, n_compared=n) for n in (few, many))
    assert (other.low <= one.low + 1e-12).all()
    assert (other.high >= one.high - 1e-12).all()


@given(sides(), st.permutations(range(3)))
def test_the_order_of_topics_changes_no_change(drawn, order):
    shares, lengths, before, after = drawn
    one = changes(shares, before, after, lengths)
    other = changes(shares[:, order], before, after, lengths)
    np.testing.assert_allclose(one.change[order], other.change, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(one.low[order], other.low, rtol=1e-6, atol=1e-9)
    assert sorted(one.order) == [0, 1, 2]
    assert (np.diff(np.abs(one.sure[one.order])) <= 0).all()


@given(sides(), st.sampled_from([1, 2]), st.booleans())
def test_turns_are_the_surest_steps_between_neighbours_with_their_own_numbers(drawn, each, mixed):
    shares, lengths, before, after = (np.concatenate([part] * 8) for part in drawn)
    dates = np.where(before, np.datetime64("2001-03-04"), np.datetime64("2003-05-06"))
    dates = np.where(before | after, dates, np.datetime64("NaT" if mixed else "2004-01-01"))
    found = turns(shares, dates, "year", [2, 0], lengths, each)
    bounds = [abs(turn.sure) for turn in found]
    assert bounds == sorted(bounds, reverse=True)
    kinds = [(turn.column, turn.sure > 0) for turn in found]
    assert max(map(kinds.count, kinds), default=0) <= each
    years = dates.astype("datetime64[Y]")
    there = sorted({*years[~np.isnat(years)].tolist()})
    for turn in found:
        steps = [
            turn.earlier.astype("datetime64[Y]").item(),
            turn.later.astype("datetime64[Y]").item(),
        ]
        assert there.index(steps[1]) == there.index(steps[0]) + 1
        for day, share, n in (
            (turn.earlier, turn.before, turn.n_earlier),
            (turn.later, turn.after, turn.n_later),
        ):
            mine = years == day.astype("datetime64[Y]")
            assert n == mine.sum()
            expected = np.average(shares[mine, turn.column], weights=lengths[mine])
            assert share == pytest.approx(expected, rel=1e-9)


# ---- sentences -----------------------------------------------------------------------------------


@given(SHARES, st.integers(0, 4))
def test_a_percentage_is_the_share_and_never_nothing_or_all(share, digits):
    said = percent(share, digits)
    how, number = re.fullmatch(rf"(under |over |)(\d+(?:\.\d+)?){NB}%", said).groups()
    if how:
        assert (100 * share < float(number)) if how == "under " else (100 * share > float(number))
    else:
        assert rounded(number, share)
        assert (float(number) == 0.0) <= (share == 0.0)
        assert (float(number) == 100.0) <= (share == 1.0)


@given(SHARES, SHARES)
def test_two_percentages_keep_their_difference(one, other):
    said = two_percents(one, other)
    numbers = [re.fullmatch(rf"(\d+(?:\.\d+)?){NB}%", part) for part in said]
    if all(numbers) and abs(one - other) > 1e-5:
        a, b = (float(number[1]) for number in numbers)
        assert abs((b - a) - 100 * (other - one)) <= 0.1 * 100 * abs(other - one) * (1 + 1e-6)


@given(SHARES, SHARES)
def test_two_rates_keep_their_difference(one, other):
    (a, b), unit = rates((one, other))
    n = float(unit.replace(",", ""))
    assert max(one, other) * n >= 1.0 or n == 1e6
    for written, share in ((a, one), (b, other)):
        if share * n > 1e-7:
            assert abs(float(written) - share * n) <= 0.1 * share * n * (1 + 1e-9), (
                "never 0 of some"
            )
    assert rounded(a, one, n)
    assert rounded(b, other, n)
    if abs(one - other) * n > 1e-4:
        assert abs((float(b) - float(a)) / n - (other - one)) <= 0.1 * abs(other - one) * (1 + 1e-6)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=5))
def test_points_are_the_changes_with_their_signs(values):
    for said, change in zip(points(values), values, strict=True):
        assert rounded(said.lstrip("+-"), abs(change))
        assert said[0] == ("-" if math.copysign(1.0, change) < 0 else "+")


def bound_of(detail):
    """What a sentence promises at least, in points, with its sign and its last digit."""
    way, number = re.search(r"(up|down) by at least ([\d.]+) points", detail).groups()
    step = 10.0 ** -len(number.partition(".")[2])
    return float(number) * (1 if way == "up" else -1), step


COUNTS = st.integers(1, 5000)


@given(SHARES, SHARES, SHARES, COUNTS, COUNTS, COUNTS, COUNTS, st.integers(1, 900))
def test_a_sentence_of_a_change_says_what_was_computed(a, b, part, n, m, texts, others, compared):
    sure = part * (b - a)
    low, high = (sure, 1.0) if sure > 0 else (-1.0, sure) if sure < 0 else (-1.0, 1.0)
    one = [np.array([value]) for value in (a, b, low, high)]
    found = Changes(n, m, min(n, texts), min(m, others), *one, compared)
    said = change_sentence("tax", found, 0, Sides("1990", "1991"), Basis("words"))
    verb = "rose" if b > a else "fell" if b < a else "stayed"
    before, after = two_percents(a, b)
    expected = f"Topic “tax” {verb} from {before} of the words (1990) to {after} (1991)."
    assert said.text == expected
    assert said.detail.startswith(f"{n:,} document{'s' * (n > 1)} and {m:,}")
    if (found.units_before, found.units_after) != (n, m):
        assert f" {found.units_before:,} and {found.units_after:,} different texts" in said.detail
    if sure and "at least" in said.detail:
        bound, step = bound_of(said.detail)
        assert abs(bound) <= 100 * abs(sure) < abs(bound) + step * (1 + 1e-9)
        assert math.copysign(1, bound) == math.copysign(1, sure)
        assert (f"all {compared:,} comparisons" in said.detail) == (compared > 1)
    elif sure:
        assert abs(sure) < 1e-4
        assert f"surely {'up' if sure > 0 else 'down'}, by less than 0.01 points" in said.detail
    else:
        assert "do not make this sure" in said.detail


@given(SHARES, SHARES, COUNTS, COUNTS)
def test_of_labels_every_number_stands_beside_its_own(a, b, n, m):
    one = [np.array([value]) for value in (a, b, -1.0, 1.0)]
    found = Changes(n, m, n, m, *one, 1)
    said = change_sentence("tax", found, 0, Sides("Whig", "Tory", True), Basis("words"))
    before, after = two_percents(a, b)
    assert said.text == (
        f"Topic “tax” is {after} of the words of “Tory” and {before} of those of “Whig”."
    )
    assert f"{m:,} document{'s' * (m > 1)} of “Tory” and {n:,} of “Whig”" in said.detail


@st.composite
def counted(draw):
    """Counts (D, V) of which some words are bursts, and two sides."""
    rng = np.random.default_rng(draw(SEEDS))
    n = draw(st.integers(12, 60))
    rates = rng.gamma(0.5, 3.0, (n, 6)) if draw(st.booleans()) else rng.gamma(2.0, 1.0, 6)
    counts = rng.poisson(rates, (n, 6))
    counts[:, 0] += 1
    before = rng.random(n) < draw(st.sampled_from([0.2, 0.5]))
    before[:2] = True, False
    return counts, before


@given(counted())
def test_words_of_two_sides_change_places_with_them(drawn):
    counts, before = drawn
    corpus = Corpus.from_csr(counts)
    one, other = changed_words(corpus, before, ~before), changed_words(corpus, ~before, before)
    np.testing.assert_array_equal(one.before, counts[before].sum(axis=0))
    np.testing.assert_array_equal(one.docs_after, (counts[~before] > 0).sum(axis=0))
    assert (one.n_before, one.n_after) == (counts[before].sum(), counts[~before].sum())
    assert (one.least, one.n_compared) == (other.least, other.n_compared)
    np.testing.assert_allclose(one.z, -other.z, rtol=1e-9, atol=1e-12)
    if counts[before].sum() * counts[~before].sum():
        level = 0.025 / max(one.n_compared, 1)
        texts = np.arange(len(before)) if corpus.units is None else corpus.units
        freedom = max(min(len({*texts[side]}) for side in (before, ~before)) - 1, 1)
        assert one.least == pytest.approx(stats.t.isf(level, freedom), rel=1e-9)


@given(counted(), st.permutations(range(6)))
def test_words_do_not_depend_on_their_order_or_that_of_documents(drawn, order):
    counts, before = drawn
    one = changed_words(Corpus.from_csr(counts), before, ~before)
    turned = changed_words(Corpus.from_csr(counts[::-1][:, order]), before[::-1], ~before[::-1])
    np.testing.assert_allclose(one.z[order], turned.z, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.log_odds[order], turned.log_odds, rtol=1e-9, atol=1e-12)


@given(counted(), st.integers(0, 5), st.booleans())
def test_a_sentence_of_a_word_has_the_counts_of_its_own_side(drawn, w, of_labels):
    counts, before = drawn
    found = changed_words(Corpus.from_csr(counts), before, ~before)
    said = word_sentence("tax", found, w, Sides("A", "B", of_labels))
    y, docs = ([x[side, w].sum() for side in (before, ~before)] for x in (counts, counts > 0))
    rate = [k / counts[side].sum() for k, side in zip(y, (before, ~before), strict=True)]
    pattern = (
        r"stands ([\d.]+) times in ([\d,]+) words of “B” and ([\d.]+) times in those of “A”"
        if of_labels
        else r"(?:rose|fell) from ([\d.]+) \(A\) to ([\d.]+) in ([\d,]+) words \(B\)"
    )
    parts = re.search(pattern, said.text).groups()
    b, unit, a = parts if of_labels else (parts[1], parts[2], parts[0])
    for number, true in ((a, rate[0]), (b, rate[1])):
        assert rounded(number, true, float(unit.replace(",", "")))
    sides_ = [1, 0] if of_labels else [0, 1]
    numbers = [
        int(n.replace(",", "")) for n in re.findall(r"([\d,]+) (?:times|documents?)", said.detail)
    ]
    first, second = sides_
    assert numbers[:3] == [y[first], docs[first], y[second]]
    assert f" times in {docs[second]:,}; {abs(found.z[w]):.1f} standard errors" in said.detail
    assert ("sure with" in said.detail) == bool(found.sure[w])


# ---- words that travel together ------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60), st.integers(1, 60))
def test_the_ratio_of_likelihoods_is_that_of_scipy(both, one, other, none):
    found = in_context.log_likelihood(
        np.array([both]), both + one, np.array([both + other]), both + one + other + none
    )
    table = [[both, one], [other, none]]
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    assert found[0] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(counted(), st.integers(0, 5))
def test_companions_are_counted_as_by_loops(drawn, word):
    holds = drawn[0] > 1
    counts = np.where(holds, drawn[0], 0)
    counts[:, 0] += 1
    holds = counts > 0
    with patch.object(Corpus, "units", None):
        found = in_context.companions(Corpus.from_csr(counts), word, 6)
    n, mine = len(holds), holds[:, word]
    expected = {
        w: int((holds[:, w] & mine).sum())
        for w in range(6)
        if w != word
        and (holds[:, w] & mine).sum() >= 3
        and (holds[:, w] & mine).sum() * n > holds[:, w].sum() * mine.sum()
    }
    assert dict(zip(found.words.tolist(), found.both.tolist(), strict=True)) == expected
    assert (np.diff(found.likelihood) <= 0).all()
    for w, both, alone, npmi in zip(found.words, found.both, found.alone, found.npmi, strict=True):
        assert alone == holds[:, w].sum()
        if both < n:
            p = both / n
            expected_ = np.log(p / (mine.mean() * holds[:, w].mean())) / -np.log(p)
            assert npmi == pytest.approx(expected_, rel=1e-9, abs=1e-12)
