"""Means of few documents, what changed, and the sentences that say so: twins, and simulation."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, norm
from scipy.stats import t as student

from bnpexplorer.core.display import points
from bnpexplorer.corpus import Corpus
from bnpexplorer.explore import change, changed_words, means, periods
from bnpexplorer.explore.sentences import (
    Basis,
    Sides,
    change_sentence,
    turn_sentence,
    two_percents,
    word_sentence,
)

K = 12


def some_shares(seed, n_docs, concentration=2.0):
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.full(K, 0.7))
    return rng.dirichlet(np.maximum(base * concentration, 1e-3), n_docs).astype(np.float32)


# ---- means of groups -----------------------------------------------------------------------------


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_means_and_intervals_are_those_of_a_slow_twin(weighted, together):
    """Deviations are added up within texts (`together`: of documents) before they are squared."""
    x = some_shares(1, 60).astype(np.float64)
    rng = np.random.default_rng(2)
    groups = rng.integers(-1, 4, 60)
    groups[groups == 3] = 2
    groups[7] = 3  # one document alone; group 4 has none
    w = rng.integers(1, 80, 60).astype(float)
    units = rng.integers(0, 30, 60) if together else None
    found = means.group_means(x, groups, 5, w if weighted else None, units)
    w = w if weighted else np.ones(60)
    units = units if together else np.arange(60)
    low, high = found.interval(0.9)
    around, expected, a2, a4, n = np.zeros((4, K)), np.zeros(4), np.ones(4), np.ones(4), np.ones(4)
    n_eff, mean = np.zeros(4), np.full((5, K), np.nan)
    for g in range(4):
        rows = np.flatnonzero(groups == g)
        texts = [rows[units[rows] == u] for u in np.unique(units[rows])]
        a = np.array([w[text].sum() for text in texts])
        mean[g] = sum(w[r] * x[r] for r in rows) / w[rows].sum()
        n[g], a2[g], a4[g] = len(texts), (a**2).sum(), (a**4).sum()
        n_eff[g] = a.sum() ** 2 / a2[g]
        if len(texts) < 2:
            continue
        around[g] = sum(sum(w[r] * (x[r] - mean[g]) for r in text) ** 2 for text in texts)
        # the same for shares that are independent with variance one, by its expectation
        m = np.eye(len(texts)) - np.outer(np.ones(len(texts)), a) / a.sum()
        expected[g] = sum(a[i] ** 2 * (m[i] ** 2).sum() for i in range(len(texts)))
    spread = np.zeros((4, K))
    for scale in (a2 / n, a4 / a2):  # as many as there are, and as the long ones alone are
        differs = around / scale[:, None]
        possible = (expected / scale)[:, None] * mean[:4] * (1 - mean[:4])
        overall = (differs.sum() + 1) / (possible.sum() + 1)
        own = (differs.sum(0) + 5 * overall) / (possible.sum(0) + 5)
        one = np.clip((differs + 5 * own) / (possible + 5), 0, 1)
        spread = np.maximum(spread, one)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(found.spread[:4], spread, rtol=1e-7)
    for g in range(4):
        n = n_eff[g] / spread[g] * (norm.isf(0.05) / student.isf(0.05, 9 + n_eff[g])) ** 2
        wanted = np.nan_to_num(beta.ppf(0.05, n * mean[g], n * (1 - mean[g]) + 1))
        np.testing.assert_allclose(low[g], wanted, rtol=1e-6)
        np.testing.assert_allclose(high[g], beta.isf(0.05, n * mean[g] + 1, n * (1 - mean[g])))
    assert np.isnan(low[4]).all()
    assert found.n_docs.tolist() == [np.sum(groups == g) for g in range(5)]
    assert found.n_units.tolist() == [len(set(units[groups == g])) for g in range(5)]


def test_intervals_of_few_documents_hold_what_they_promise():
    """At least 94 % of the intervals of 1, 2, 5 and 30 documents hold the true mean."""
    rng = np.random.default_rng(5)
    sizes = (1, 2, 5, 30)
    for concentration in (0.5, 3.0, 30.0):
        inside = {n: [] for n in sizes}
        for _ in range(60):
            true = rng.dirichlet(np.full(K, 0.8), len(sizes))
            alpha = np.maximum(true * concentration, 1e-3)
            true = alpha / alpha.sum(axis=1, keepdims=True)
            x = np.concatenate([rng.dirichlet(a, n) for a, n in zip(alpha, sizes, strict=True)])
            lengths = rng.integers(20, 200, len(x)).astype(float)
            found = means.group_means(x, np.repeat(np.arange(4), sizes), 4, lengths)
            low, high = found.interval()
            for g, n in enumerate(sizes):
                inside[n].append(np.mean((low[g] <= true[g]) & (true[g] <= high[g])))
        for n in sizes:
            assert np.mean(inside[n]) >= 0.94, (concentration, n)


def test_one_document_is_no_certainty_and_never_a_point():
    x = np.array([[1.0, 0.0], [0.2, 0.8], [0.2, 0.8], [0.2, 0.8]])
    low, high = means.group_means(x, np.array([0, 1, 1, 1]), 2).interval()
    assert np.all(high - low > 0.01), "also where all documents are the same"
    assert high[0, 0] == 1.0
    assert low[0, 0] < 0.5
    alone = means.group_means(x[:1], np.array([0]), 1)
    assert np.all(alone.interval()[1] - alone.interval()[0] > 0.9), "nothing is known of spread"


def test_columns_of_topics_may_be_added():
    x = some_shares(3, 50)
    groups = np.arange(50) % 3
    both = means.group_means(x[:, :2].sum(axis=1, keepdims=True), groups, 3)
    apart = means.group_means(x, groups, 3)
    np.testing.assert_allclose(both.mean[:, 0], apart.mean[:, :2].sum(axis=1), rtol=1e-6)


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="have 2 groups"):
        means.group_means(np.ones((3, 1)), np.zeros(2, np.int64), 1)


# ---- topics between two sets ---------------------------------------------------------------------


@pytest.mark.parametrize(("n_before", "n_after"), [(1, 100), (6, 6), (20, 150)])
def test_noise_is_not_called_a_change(n_before, n_after):
    """Of 60 corpora without a change at most 5 (8 %) show one, among all topics together."""
    wrong = 0
    for seed in range(60):
        x = some_shares(seed, n_before + n_after, 1.0)
        before = np.arange(len(x)) < n_before
        wrong += bool(change.changes(x, before, ~before).sure.any())
    assert wrong <= 5


def test_a_true_change_is_found_and_its_bound_is_true():
    rng = np.random.default_rng(8)
    one, other = np.array([1.0, 6, 3]), np.array([3.0, 4, 3])
    x = np.concatenate([rng.dirichlet(one, 400), rng.dirichlet(other, 400)])
    before = np.arange(800) < 400
    found = change.changes(x, before, ~before)
    assert found.order[:2].tolist() in ([0, 1], [1, 0])
    assert 0.0 < found.sure[0] < 0.2 < found.high[0]
    assert -0.2 < found.sure[1] < 0.0
    assert found.sure[2] == 0.0
    with pytest.raises(ValueError, match="both sides"):
        change.changes(x, before, before)
    nobody = change.changes(x, before, np.zeros(800, bool))
    assert not nobody.sure.any()
    assert np.isnan(nobody.change).all()


def test_the_change_of_means_is_newcombes():
    """Newcombe 1998, table II, method 10 needs Wilson's intervals; here those of `means`."""
    x = some_shares(4, 30)
    before = np.arange(30) < 12
    found = change.changes(x, before, ~before, n_compared=7)
    both = means.group_means(x, np.where(before, 0, 1), 2)
    (la, lb), (ha, hb) = both.interval(1 - 0.05 / 7)
    a, b = both.mean
    np.testing.assert_allclose(found.low, b - a - np.hypot(b - lb, ha - a))
    np.testing.assert_allclose(found.high, b - a + np.hypot(hb - b, a - la))


# ---- from period to period -----------------------------------------------------------------------


def dated(seed=9):
    """Four months, of which one is empty: topic 1 rises in the last."""
    rng = np.random.default_rng(seed)
    months = ["2014-07", "2014-08", "2014-10"]
    alpha = ([2.0, 0.1, 5], [2.0, 0.1, 5], [2.0, 3.0, 5])
    x = np.concatenate([rng.dirichlet(a, 150) for a in alpha]).astype(np.float32)
    days = np.repeat(np.array(months, "datetime64[M]").astype("datetime64[D]"), 150)
    days = days + rng.integers(0, 28, 450)
    lengths = rng.integers(10, 90, 450).astype(float)
    return x, days, lengths


def test_a_turn_is_told_with_the_period_before_it_and_its_numbers_are_true():
    x, days, lengths = dated()
    found = change.turns(x, days, "month", [0, 1, 2], lengths)
    turn = found[0]
    assert (turn.column, str(turn.earlier), str(turn.later)) == (1, "2014-08-01", "2014-10-01")
    assert turn.n_compared == 6, "two steps of three topics; the empty month is none"
    said = turn_sentence("ebola outbreak", turn, "month", Basis("words"))
    match = re.fullmatch(
        r"In October 2014 topic “ebola outbreak” rose from ([\d.]+)\s% in August 2014 to "
        r"([\d.]+)\s% of the words\.",
        said.text,
    )
    assert match, said
    month = days.astype("datetime64[M]").astype(str)
    for number, when in zip(match.groups(), ("2014-08", "2014-10"), strict=True):
        rows = np.flatnonzero(month == when)
        true = 100 * sum(lengths[r] * float(x[r, 1]) for r in rows) / sum(lengths[r] for r in rows)
        half = 0.5 * 10.0 ** -len(number.partition(".")[2])
        assert abs(float(number) - true) <= half + 1e-6
    least = float(re.search(r"up by at least ([\d.]+) points", said.detail)[1])
    assert least <= 100 * turn.sure < least + 1
    assert "150 documents in August 2014, 150 in October 2014" in said.detail


def test_what_is_compared_are_the_columns_asked_for_and_each_side_has_its_own_counts():
    x = some_shares(6, 40).astype(np.float64)
    before, after = np.arange(40) < 11, np.arange(40) >= 15
    units = np.arange(40) // 2  # 11 documents of 6 texts, 25 of 13
    found = change.changes(x, before, after, units=units, columns=[4, 1])
    assert (found.n_before, found.n_after) == (11, 25)
    assert (found.units_before, found.units_after) == (6, 13)
    assert found.n_compared == 2
    alone = change.changes(x[:, [4, 1]], before, after, units=units, n_compared=2)
    np.testing.assert_allclose(found.low, alone.low)
    np.testing.assert_allclose(found.high, alone.high)
    assert (
        "for all 2 comparisons together"
        in change_sentence(
            "tax", replace(found, low=np.full(2, 0.1)), 0, Sides("a", "b"), Basis("words")
        ).detail
    )


def test_what_is_not_sure_is_ordered_by_its_size_up_or_down():
    """The surest first, of either sign; then the largest, of either sign."""
    x = some_shares(4, 20)
    found = change.changes(x[:, :5], np.arange(20) < 10, np.arange(20) >= 10)
    moved = np.array([0.01, -0.2, 0.1, 0.3, -0.4])
    low, high = np.full(5, -0.5), np.full(5, 0.5)
    low[3], high[4] = 0.05, -0.15
    made = replace(found, before=np.full(5, 0.5), after=0.5 + moved, low=low, high=high)
    assert made.order.tolist() == [4, 3, 1, 2, 0]


@pytest.mark.parametrize("each", [1, 2])
def test_of_a_topic_so_many_rises_and_as_many_falls_are_told(each):
    shares = np.repeat([0.1, 0.9, 0.2, 0.8, 0.1], 40)
    days = np.repeat(np.arange("2020-01", "2020-06", dtype="datetime64[M]"), 40)
    units = np.arange(200) // np.repeat([1, 2, 4, 1, 5], 40)
    found = change.turns(
        np.column_stack([shares, 1 - shares]), days.astype("M8[D]"), "month", [0], None, each, units
    )
    assert sum(turn.sure > 0 for turn in found) == each
    assert sum(turn.sure < 0 for turn in found) == each
    told = {str(turn.later): (turn.units_earlier, turn.units_later) for turn in found}
    texts = {"2020-02-01": (40, 20), "2020-03-01": (20, 10), "2020-04-01": (10, 40)}
    texts["2020-05-01"] = (40, 8)
    assert told.items() <= texts.items()
    bounds = [abs(turn.sure) for turn in found]
    assert bounds == sorted(bounds, reverse=True)


def test_turns_of_noise_are_few_and_one_document_makes_none():
    wrong = 0
    for seed in range(20):
        days = np.datetime64("2020-01-01") + np.arange(200) % 12 * 31
        wrong += bool(change.turns(some_shares(seed, 200), days, "month", range(K)))
    assert wrong <= 3
    two = change.turns(np.eye(2), np.array(["2020-01-01", "2020-02-01"], "M8[D]"), "month", [0, 1])
    assert two == []
    same = np.array(["2020-01-01", "NaT"], "M8[D]")
    assert change.turns(np.eye(2), same, "day", [0, 1]) == []


@pytest.mark.parametrize(
    ("period", "words", "last"),
    [
        ("day", "on 29 October 2014", "2014-10-29"),
        ("week", "in the week of 27 October 2014", "2014-11-02"),
        ("month", "in October 2014", "2014-10-31"),
        ("quarter", "in the fourth quarter of 2014", "2014-12-31"),
        ("year", "in 2014", "2014-12-31"),
        ("5 years", "in 2010–2014", "2014-12-31"),
        ("10 years", "in the 2010s", "2019-12-31"),
        ("50 years", "in 2000–2049", "2049-12-31"),
    ],
)
def test_periods_are_called_as_calendars_call_them(period, words, last):
    day = np.array(["2014-10-29"], "datetime64[D]")
    first = periods.start(periods.index(day, period), period)[0]
    assert periods.in_words(first, period) == words
    assert str(periods.last_day(first, period)) == last
    assert str(periods.last_day(day[0], period)) == last


def test_weeks_begin_on_mondays_before_1970_too():
    days = np.arange("1969-12-01", "1970-02-01", dtype="datetime64[D]")
    starts = periods.start(periods.index(days, "week"), "week")
    assert {day.astype(object).weekday() for day in starts} == {0}
    assert np.all((days - starts).astype(int) < 7)


# ---- words ---------------------------------------------------------------------------------------


def bursts(seed, n_docs, strength=20.0, v=300):
    """Documents whose words come in bursts: each has its own shares of words."""
    rng = np.random.default_rng(seed)
    p = np.random.default_rng(0).dirichlet(np.full(v, 0.4)) * strength
    lengths = rng.geometric(1 / 50, n_docs) + 5
    return np.array([rng.multinomial(n, rng.dirichlet(p + 1e-9)) for n in lengths])


def monroe(x, before, after, prior=0.25):
    """`changed_words` by loops: z of every word by the equations of the file's head."""
    n_a, n_b = x[before].sum(), x[after].sum()
    a0, z = prior * min(n_a, n_b), []
    for w in range(x.shape[1]):
        y_a, y_b = x[before, w].sum(), x[after, w].sum()
        commoner = after if y_b * n_a >= y_a * n_b else before
        if np.sum(x[commoner, w] > 0) < 5:
            z.append(0.0)
            continue
        aw = a0 * (y_a + y_b) / (n_a + n_b)
        delta = np.log((y_b + aw) / (n_b + a0 - y_b - aw))
        delta -= np.log((y_a + aw) / (n_a + a0 - y_a - aw))
        differs = expected = 0.0
        for side, n, y in ((before, n_a, y_a), (after, n_b, y_b)):
            p = y / n
            for row in np.flatnonzero(side):
                length = x[row].sum()
                differs += (x[row, w] - p * length) ** 2
                expected += p * (1 - p) * length * (1 - length / n)
        f = max(differs / expected, 1.0)
        z.append(delta / np.sqrt((1 / (y_a + aw) + 1 / (y_b + aw)) * f))
    return np.array(z)


def test_log_odds_are_those_of_a_slow_twin():
    x = bursts(3, 70)
    before, after = np.arange(70) < 25, (np.arange(70) >= 25) & (np.arange(70) < 60)
    found = changed_words.changed_words(Corpus.from_csr(x), before, after)
    np.testing.assert_allclose(found.z, monroe(x, before, after), rtol=1e-9, atol=1e-12)
    assert (found.n_before, found.n_after) == (x[before].sum(), x[after].sum())
    np.testing.assert_array_equal(found.docs_before, (x[before] > 0).sum(axis=0))
    np.testing.assert_array_equal(found.docs_after, (x[after] > 0).sum(axis=0))
    tail = 0.05 / 2 / np.count_nonzero(found.log_odds)
    assert found.least == pytest.approx(student.isf(tail, 25 - 1)), "by the side of fewer texts"


def test_bursts_are_not_called_sure_though_words_drawn_singly_would_be():
    wrong = naive = 0
    for seed in range(20):
        x = bursts(seed, 80)
        before = np.arange(80) < 40
        found = changed_words.changed_words(Corpus.from_csr(x), before, ~before)
        wrong += bool(found.sure.any())
        both = (found.before + found.after) / x.sum()
        alpha = 0.25 * min(found.n_before, found.n_after) * both + 1e-12
        plain = found.log_odds / np.sqrt(1 / (found.before + alpha) + 1 / (found.after + alpha))
        naive += bool(np.any(np.abs(plain) > found.least))
    assert wrong <= 2
    assert naive >= 15, "the correction is needed"


def test_a_word_that_came_is_sure_unless_one_document_says_it():
    x = bursts(5, 200)
    x = np.hstack([x, np.zeros((200, 2), int)])
    x[120:180, -2] = 2
    x[150, -1] = 120
    before = np.arange(200) < 100
    found = changed_words.changed_words(Corpus.from_csr(x), before, ~before)
    assert found.risen(1).tolist() == [300]
    assert found.sure[300]
    assert found.z[301] == 0.0
    said = word_sentence("ebola", found, 300, Sides("2013", "2014"))
    rate = 120 / x[100:].sum()
    match = re.fullmatch(
        r"The word “ebola” rose from 0 \(2013\) to (\d+) in ([\d,]+) words \(2014\)\.", said.text
    )
    assert match, said
    assert abs(float(match[1]) / float(match[2].replace(",", "")) / rate - 1) < 0.1
    assert "0 times in 0 documents, then 120 times in 60" in said.detail
    both = word_sentence("ebola", found, 300, Sides("Whig", "Democratic", True))
    assert both.detail.startswith("120 times in 60 documents and 0 times in 0; ")
    assert re.search(r"stands \d+ times in [\d,]+ words of “Democratic” and 0 times", both.text)
    with pytest.raises(ValueError, match="no documents"):
        changed_words.changed_words(Corpus.from_csr(x), before, np.zeros(200, bool))


# ---- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.01, 0.12, ("1 %", "12 %")),
        (0.014, 0.016, ("1.4 %", "1.6 %")),
        (0.0002, 0.12, ("under 0.5 %", "12 %")),
        (0.004, 0.03, ("0.4 %", "3.0 %")),
        (0.000356, 0.000095, ("0.036 %", "0.009 %")),
        (0.00002, 0.00004, ("0.002 %", "0.004 %")),
    ],
)
def test_shares_are_rounded_as_far_as_the_change_stays_right(one, other, said):
    assert tuple(x.replace("\u00a0", " ") for x in two_percents(one, other)) == said


@pytest.mark.parametrize("sure", [0.01299, 0.1999, 0.00999, 0.000199, -0.0129, -0.499])
def test_a_bound_is_rounded_so_that_it_stays_true(sure):
    x = some_shares(4, 20)
    found = change.changes(x[:, :1], np.arange(20) < 10, np.arange(20) >= 10)
    end = {"low": np.array([sure - 1]), "high": np.array([sure])}
    end = {"low": np.array([sure]), "high": np.array([sure + 1])} if sure > 0 else end
    said = change_sentence("tax", replace(found, **end), 0, Sides("a", "b"), Basis("words")).detail
    way, number = re.search(r"(up|down) by at least ([\d.]+) points", said).groups()
    step = 10.0 ** -len(number.partition(".")[2])
    assert (way == "up") == (sure > 0)
    assert float(number) <= 100 * abs(sure) < float(number) + step + 1e-9


@pytest.mark.parametrize(
    ("changes_", "said"),
    [
        ([0.12, 0.05, 0.19], ["+12.0", "+5.0", "+19.0"]),
        ([0.0003, 0.0002, 0.0004], ["+0.03", "+0.02", "+0.04"]),
        ([-0.0003, -0.00005, 0.0], ["-0.030", "-0.005", "+0.000"]),
    ],
)
def test_small_changes_do_not_look_like_none(changes_, said):
    assert points(changes_) == said


def test_sentences_say_what_they_are_shares_of():
    x = some_shares(4, 300)
    x[150:, 0] += 0.5 * (1 - x[150:, 0])
    before = np.arange(300) < 150
    found = change.changes(x[:, :1], before, ~before)
    means_ = [100 * float(x[rows, 0].mean()) for rows in (before, ~before)]
    for basis, of in (
        (Basis("documents"), "of the average document"),
        (Basis("documents", True, "cluster"), "of the documents"),
    ):
        said = change_sentence("tax", found, 0, Sides("1990", "1991"), basis).text
        noun = basis.noun.capitalize()
        match = re.fullmatch(
            rf"{noun} “tax” rose from ([\d.]+)\s% {of} \(1990\) to ([\d.]+)\s% \(1991\)\.", said
        )
        assert match, said
        for number, true in zip(match.groups(), means_, strict=True):
            assert abs(float(number) - true) <= 0.5 * 10.0 ** -len(number.partition(".")[2])
    both = change_sentence("tax", found, 0, Sides("Whig", "Democratic", True), Basis("words"))
    assert re.fullmatch(
        r"Topic “tax” is [\d.]+\s% of the words of “Democratic” and [\d.]+\s% of those of “Whig”\.",
        both.text,
    )
    least = re.fullmatch(
        r"150 documents of “Democratic” and 150 of “Whig”; at least ([\d.]+) points more in "
        r"“Democratic” than in “Whig”, with 95\s% certainty\.",
        both.detail,
    )
    assert least, both.detail
    assert 0 <= 100 * found.sure[0] - float(least[1]) < 1
    turned = change.changes(x[:, :1], ~before, before)
    both = change_sentence("tax", turned, 0, Sides("Whig", "Democratic", True), Basis("words"))
    assert "points more in “Whig” than in “Democratic”" in both.detail
    nothing = change.changes(x[:, :1], np.arange(300) == 0, np.arange(300) == 200)
    unsure = change_sentence("tax", nothing, 0, Sides("a", "b"), Basis("words"))
    assert "do not make this sure" in unsure.detail


def words_changed(before, after, n_before, n_after, **other):
    """What `word_sentence` needs of one word."""
    ones = np.ones(1, np.int64)
    found = changed_words.ChangedWords(
        np.array([before]), np.array([after]), 2 * ones, 3 * ones, n_before, n_after,
        np.zeros(1), np.zeros(1), 2.0, 1,
    )  # fmt: skip
    return replace(found, **other)


@pytest.mark.parametrize(
    ("counts", "totals"), [((3, 5), (1_000, 4_000)), ((70, 9), (2_000, 90_000)), ((0, 2), (50, 7))]
)
def test_each_rate_of_a_word_is_by_the_words_of_its_own_side(counts, totals):
    found = words_changed(*counts, *totals)
    said = word_sentence("tide", found, 0, Sides("May", "June")).text
    match = re.fullmatch(
        r"The word “tide” (?:rose|fell) from ([\d.]+) \(May\) to ([\d.]+) in ([\d,]+) words "
        r"\(June\)\.",
        said,
    )
    assert match, said
    unit = int(match[3].replace(",", ""))
    for written, count, total in zip(match.groups()[:2], counts, totals, strict=True):
        decimals = len(written.partition(".")[2])
        assert abs(float(written) - unit * count / total) <= 0.5 * 10.0**-decimals + 1e-9


def test_which_side_comes_first_is_the_same_to_a_word_as_common_on_both():
    """Six texts use it on one side and one on the other, as often in all: it is compared anyway."""
    x = np.zeros((12, 3), int)
    x[:, 1], x[:, 2] = np.arange(12) + 1, np.roll(np.arange(12) + 1, 6)
    x[:6, 0], x[6, 0] = 1, 6
    x[6:, 2] += x[:6, 1:].sum() // 6 - x[6:, 1:].sum() // 6
    before = np.arange(12) < 6
    assert x[before].sum() == x[~before].sum()
    found = [
        changed_words.changed_words(Corpus.from_csr(x), one, ~one).n_compared
        for one in (before, ~before)
    ]
    assert found == [3, 3]


def test_words_are_sure_by_the_freedom_of_the_side_with_fewer_texts():
    """Twelve texts before and forty after: eleven degrees of freedom, not fifty."""
    x = bursts(3, 52)
    before = np.arange(52) < 12
    found = changed_words.changed_words(Corpus.from_csr(x), before, ~before)
    tail = (1 - means.LEVEL) / 2 / found.n_compared
    assert found.least == pytest.approx(student.isf(tail, 11), rel=1e-6)
