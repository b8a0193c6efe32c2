"""Dates of spans, serials and other numbers, against days written out by hand; and the century of
years with two digits."""

import numpy as np
import pytest

from bnpexplorer.corpus.readers.dates import clues_of, days_of, parse_dates
from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.readers.source import ReadOptions

AS_OF = "2026-03-05"
READ = {
    "1860-01-01": ["1860s", "1860er Jahre", "the 1860s", "186-", "186?", "early 1860s", "1860’s"],
    "1851-01-01": [
        "c. 1851",
        "ca. 1851?",
        "[1851]",
        "[ca. 1851?]",
        "c1851",
        "©1851",
        "1851-1853",
        "1851–53",
        "1851?",
        "before 1851",
        "1851/52",
        "1851 or 1852",
    ],
    "1990-04-01": [
        "Q2 1990",
        "1990Q2",
        "1990-Q2",
        "2. Quartal 1990",
        "2e trimestre 1990",
        "2nd quarter of 1990",
    ],
    "1990-07-01": [
        "H2 1990",
        "1990H2",
        "2. Halbjahr 1990",
        "July 1990",
        "07/1990",
        "199007",
        "1990/07",
    ],
    "2015-01-05": [
        "2015-W02",
        "2015W02",
        "KW 2/2015",
        "Week 2, 2015",
        "2015-W02-1",
        "2015-01-05T23:59:00+14:00",
    ],
    "1991-03-01": [
        "Spring 1991",
        "1991 Spring",
        "Frühling 1991",
        "printemps 1991",
        "Mar-Apr 1991",
        "1991 Mar-Apr",
    ],
    "1991-12-01": ["Winter 1991", "Winter 1991/92", "hiver 1991", "Dec 1991"],
    "2020-01-08": [
        "43838",
        "43838.75",
        "1578441600",
        "1578441600000",
        "1578441600000000",
        "1578441600000000000",
        "1.5784416e9",
        "20200108",
        "20200108T235900Z",
        "20200108235900",
        "2020-01-08/2020-01-12",
        "8.1.2020 - 12.1.2020",
        "8.-12. Januar 2020",
        "2020 Jan 8",
        "8-Jan-20",
        "Wed Jan 08 20:19:24 +0000 2020",
        "Wed, 8 Jan 2020 10:00:00 +0000",
        "January 8, 2020 Wednesday",
        "Issued on 8th of January 2020",
        "Erschienen am 8. Januar 2020",
        "8 Jan 2020 · 3:14 PM UTC",
    ],
    "1701-01-01": ["18th century", "18. Jahrhundert"],
    "NaT": [
        "51 BCE",
        "51 v. Chr.",
        "1200 BC",
        "-0044",
        "99999",
        "2015-W54",
        "Q5 1990",
        "2014-0123",
        "1853-1851",
        "spring",
        "the sea",
        "12:30",
        "0860s",
        "151000000000000",
        "Summer holidays 1991",
    ],
}
CELLS = [(cell, day) for day, cells in READ.items() for cell in cells]


@pytest.mark.parametrize(("cell", "day"), CELLS)
def test_a_span_is_its_first_day(cell, day):
    assert str(parse_dates([cell], AS_OF)[0][0]) == day


def test_without_a_day_of_reading_dates_are_what_they_were():
    cells = ["1860s", "c. 1851", "1851-1853", "43838", "199007", "Q2 1990", "1578441600000000000"]
    assert np.isnat(parse_dates(cells)[0]).all()


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("02.02.41", "1941-02-02"),
        ("05.03.26", "2026-03-05"),
        ("06.03.26", "1926-03-06"),
        ("01.01.27", "1927-01-01"),
        ("01.02.00", "2000-02-01"),
        ("29.02.00", "2000-02-29"),
        ("31.12.99", "1999-12-31"),
        ("14-Oct-41", "1941-10-14"),
        ("02.02.2041", "2041-02-02"),
        ("2041-02-02", "2041-02-02"),
    ],
)
def test_years_of_two_digits_are_in_the_century_before_the_first_reading(cell, day):
    assert str(parse_dates([cell], AS_OF)[0][0]) == day


def test_another_day_of_reading_is_another_century():
    for as_of, day in (
        ("1999-12-31", "1941-02-02"),
        ("2041-02-02", "2041-02-02"),
        ("2150-01-01", "2141-02-02"),
    ):
        assert str(parse_dates(["02.02.41"], as_of)[0][0]) == day


def test_what_is_not_read_is_counted_with_an_example():
    days, note = parse_dates(["c. 1851", "44 BCE", "1860s", "soon", ""], AS_OF)
    assert days.astype(str).tolist() == ["1851-01-01", "NaT", "1860-01-01", "NaT", "NaT"]
    assert "2 dates could not be read (the first is '44 BCE'): left unknown" in note
    assert "Days before year 1 are not kept." in note


def test_parts_of_a_column_are_read_as_the_whole():
    column = [
        "03/04/2020 10:00",
        "13/04/2020 11:00",
        "1860s",
        "",
        "02/02/41",
        "soon",
        "03/04/2020 12:00",
    ] * 3
    order = clues_of(column, AS_OF).day_first
    assert order is True
    whole, unread = days_of(column, order, AS_OF)
    assert whole.astype(str).tolist()[:5] == [
        "2020-04-03",
        "2020-04-13",
        "1860-01-01",
        "NaT",
        "1941-02-02",
    ]
    first, lost = days_of(column[:8], order, AS_OF)
    last, more = days_of(column[8:], order, AS_OF)
    np.testing.assert_array_equal(np.concatenate([first, last]), whole)
    assert lost + more == unread
    assert (unread.n, unread.unread, unread.missing) == (21, 3, 3)


def test_the_day_of_reading_is_an_option_and_must_be_one():
    data = b"text,day\na sea,02.02.41\na hill,03.02.41\n"
    assert str(read("a.csv", data, options=ReadOptions(as_of=AS_OF)).docs.date[0]) == "1941-02-02"
    with pytest.raises(
        ValueError, match="as_of is the day of the first reading, such as 2026-03-05; got 'soon'"
    ):
        read("a.csv", data, options=ReadOptions(as_of="soon"))
