"""What changed of topics, between two sets of documents and from period to period."""

import re
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.explore import change, means, periods
from bnpexplorer.explore.sentences import Basis, Sides, change_sentence, turn_sentence
from tests.explore.test_group_means import K, some_shares

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


def test_the_change_of_means_is_newcombes(monkeypatch):
    """Newcombe 1998, table II, method 10 needs Wilson's intervals; here the exact ones of
    `means`, at the level at which all hold together."""
    x = some_shares(4, 30)
    before = np.arange(30) < 12
    monkeypatch.setattr(change, "miss_together", lambda *_: 0.05 / 7)
    found = change.changes(x, before, ~before)
    both = replace(means.group_means(x, np.where(before, 0, 1), 2), exact=True)
    (la, lb), (ha, hb) = both.interval(1 - 0.05 / 7)
    a, b = both.mean
    np.testing.assert_allclose(found.low, b - a - np.hypot(b - lb, ha - a))
    np.testing.assert_allclose(found.high, b - a + np.hypot(hb - b, a - la))


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
