"""Dates by their laws: what is written in a form that can be read comes back."""

import calendar
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.corpus.readers.dates import (
    Clues,
    Unread,
    clues_of,
    days_of,
    parse_dates,
    share_of_dates,
)

DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))
SINCE_1970 = st.dates(date(2001, 9, 10), date(2262, 1, 1))
"""Days of which the seconds since 1970 have ten digits."""
PERIODS = {"january": 1, "März": 3, "octobre": 10, "agosto": 8, "grudnia": 12, "мая": 5, "şubat": 2}


def _english(day, short=False):
    return (calendar.month_abbr if short else calendar.month_name)[day.month]


FORMS = {
    "iso": lambda d: f"{d:%Y-%m-%d}".zfill(10),
    "time": lambda d: f"{d.isoformat()}T23:59:59.999+14:00",
    "blank and time": lambda d: f"  {d.isoformat()} 00:00 ",
    "slashes": lambda d: f"{d.year:04}/{d.month}/{d.day}",
    "dots": lambda d: f"{d.year:04}.{d.month:02}.{d.day:02}",
    "day month": lambda d: f"{d.day} {_english(d)} {d.year:04}",
    "month day": lambda d: f"{_english(d)} {d.day}, {d.year:04}",
    "short": lambda d: f"{d.day}-{_english(d, True)}-{d.year:04}",
    "capitals": lambda d: f"{_english(d, True).upper()} {d.day:02} {d.year:04}",
    "chinese": lambda d: f"{d.year:04}年{d.month}月{d.day}日",
    "korean": lambda d: f"{d.year:04}년 {d.month}월 {d.day}일",
    "german": lambda d: f"{d.day}.{d.month}.{d.year:04}",
    "arabic digits": lambda d: "".join(
        chr(0x660 + int(c)) if c.isdigit() else c for c in d.isoformat()
    ),
    "full width": lambda d: "".join(chr(ord(c) + 0xFEE0) for c in d.isoformat()),
}


def read(values):
    """Days as Python's dates, None where unknown."""
    return parse_dates(values)[0].astype("datetime64[D]").astype(object).tolist()


@pytest.mark.parametrize("form", FORMS)
@given(days=st.lists(DAYS, min_size=1, max_size=6))
def test_a_day_that_is_written_is_read_back(form, days):
    cells = [FORMS[form](day) for day in days]
    assert read(cells) == days
    assert parse_dates(cells)[1] == "", "nothing is left to be said"


@given(year=st.integers(1, 9999), month=st.sampled_from([*PERIODS]))
def test_a_year_or_month_alone_is_its_first_day(year, month):
    first = date(year, PERIODS[month], 1)
    assert read([f"{year:04}"]) == read([f"{year:04}.0"]) == [date(year, 1, 1)]
    assert read([f"{year:04}-{first.month}", f"{month} {year:04}"]) == [first, first]


@given(day=SINCE_1970, seconds=st.integers(0, 86_399), thousandths=st.integers(0, 999))
def test_seconds_since_1970_are_of_the_day_in_greenwich(day, seconds, thousandths):
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=seconds)
    stamp = f"{moment.timestamp():.0f}"
    assert read([stamp, f"{stamp}{thousandths:03}", f"{stamp}.{thousandths}"]) == [day] * 3


def order_of(pairs, sign):
    """Whether days come first, by what the help says: a number above 12 tells, else dots do."""
    first, second = (any(pair[i] > 12 for pair in pairs) for i in (0, 1))
    return first if first != second else sign == "."


@given(
    st.lists(st.tuples(st.integers(1, 28), st.integers(1, 12)), min_size=1, max_size=5),
    st.sampled_from("./-"),
    st.booleans(),
    st.integers(1000, 9999),
)
def test_the_order_of_day_and_month_goes_by_what_the_column_tells(pairs, sign, turned, year):
    """Of 13/2 it is known, and tells of 3/2 in the same column."""
    written = [pair[::-1] if turned else pair for pair in pairs]
    day_first = order_of(written, sign)
    days = [pair if day_first else pair[::-1] for pair in written]
    if all(month <= 12 for _, month in days):
        cells = [f"{a:02}{sign}{b:02}{sign}{year}" for a, b in written]
        assert read(cells) == [date(year, month, day) for day, month in days]


CELLS = st.one_of(
    st.builds(lambda form, day: FORMS[form](day), st.sampled_from([*FORMS]), DAYS),
    st.from_regex(r"\d{1,2}[./-]\d{1,2}[./-](\d\d|\d{4})", fullmatch=True),
    st.sampled_from(["", " ", "n/a", "NaT", "1790", "1700000000", "March", "12:30", "30 Feb 2001"]),
    st.text(max_size=20),
)
COLUMNS = st.lists(CELLS, min_size=1, max_size=8)


@pytest.mark.second
@given(COLUMNS, st.randoms(use_true_random=False))
def test_a_column_in_another_order_has_the_same_days(cells, random):
    order = random.sample(range(len(cells)), len(cells))
    assert read([cells[i] for i in order]) == [read(cells)[i] for i in order]


@pytest.mark.second
@given(COLUMNS, COLUMNS)
def test_two_parts_of_a_column_tell_what_the_whole_does(one, other):
    whole = clues_of(one + other)
    assert clues_of(one) | clues_of(other) == whole
    assert Clues() | whole == whole
    days, unread = days_of(one + other, whole.day_first)
    parts = [days_of(part, whole.day_first) for part in (one, other)]
    np.testing.assert_array_equal(days, np.concatenate([part for part, _ in parts]))
    assert unread == parts[0][1] + parts[1][1] == Unread() + unread


@pytest.mark.second
@given(COLUMNS)
def test_every_cell_is_read_or_counted_as_unread_or_missing(cells):
    days, unread = days_of(cells, clues_of(cells).day_first)
    known = days[~np.isnat(days)]
    assert (unread.n, len(known)) == (len(cells), len(cells) - unread.unread - unread.missing)
    assert all(1 <= day.year <= 9999 for day in known.astype(object).tolist())
    share, first = share_of_dates(cells)
    assert 0.0 <= share <= 1.0
    assert bool(first) == (share < 1.0 and unread.missing < len(cells))
