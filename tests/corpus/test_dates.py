"""Dates with months in words, of mixed formats, with gaps: against days written out by hand."""

import datetime

import numpy as np
import pytest

from bnpexplorer.corpus.readers import dates
from bnpexplorer.corpus.readers.dates import (
    ENGLISH,
    GAPS,
    MONTHS,
    OTHERS,
    clues_of,
    days_of,
    folded,
    in_words,
    parse_dates,
    percent,
    share_of_dates,
)
from bnpexplorer.corpus.readers.formats import read


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("5. März 2014", "2014-03-05"),
        ("5.März 2014", "2014-03-05"),
        ("Mittwoch, 5. Maerz 2014", "2014-03-05"),
        ("Mittwoch, den 5. März 2014", "2014-03-05"),
        ("Mi., 5. Jän. 2014 12:30 Uhr", "2014-01-05"),
        ("14 octobre 2014", "2014-10-14"),
        ("mardi 1er août 2014 à 10:30", "2014-08-01"),
        ("le 3 déc. 2014", "2014-12-03"),
        ("3 de marzo de 2014", "2014-03-03"),
        ("lunes, 3 de septiembre del 2014", "2014-09-03"),
        ("1º de janeiro de 2014", "2014-01-01"),
        ("terça-feira, 4 de fevereiro de 2014", "2014-02-04"),
        ("4 febbraio 2014, ore 12", "2014-02-04"),
        ("2 d'abril de 2014", "2014-04-02"),
        ("7 juli 2014", "2014-07-07"),
        ("17 września 2014 r.", "2014-09-17"),
        ("17. září 2014", "2014-09-17"),
        ("9 мая 1945 г.", "1945-05-09"),
        ("12 Ağustos 2014", "2014-08-12"),
        ("24. joulukuuta 2014", "2014-12-24"),
        ("2014年3月5日", "2014-03-05"),
        ("2014년 3월 5일", "2014-03-05"),
        ("2014年3月", "2014-03-01"),
        ("Oktober 2014", "2014-10-01"),
        ("octubre de 2014", "2014-10-01"),
        ("March 5th, 2014", "2014-03-05"),
        ("the 5th of March 2014", "2014-03-05"),
        ("5-Okt-2014", "2014-10-05"),
        ("5 apples 2014", ""),
        ("March", ""),
        ("5. März", ""),
        ("", ""),
    ],
)
def test_months_in_words(written, day):
    assert in_words(written)[0] == day
    if day:
        assert parse_dates([written])[0].astype(str).tolist() == [day]


def test_no_name_stands_for_two_months():
    for names in (ENGLISH, *OTHERS):
        assert len(names) == 12
        for number, month in enumerate(names, start=1):
            for name in month.split():
                assert MONTHS[folded(name)] == number, name


def test_days_that_are_none_are_unknown():
    never = ["31. Februar 2014", "0 mars 2014", "2014年13月1日", "99 octobre 2014"]
    assert np.isnat(parse_dates(never)[0]).all()
    # Of what names no year none is made up: pandas would take this one, or year 1.
    today = ["12:30", "now", "today", "March", "5 March", "5", "Mon"]
    assert np.isnat(parse_dates(today)[0]).all()


def test_there_is_no_year_0():
    written = ["0000", "0000-01-01", "0000/02/03", "5 March 0000", "0000年1月1日", "0001-01-01"]
    days, note = parse_dates(written)
    assert np.isnat(days).tolist() == [True] * 5 + [False]
    assert "5 dates could not be read" in note


def test_several_formats_in_one_column():
    day = datetime.date(2014, 10, 14)
    written = [
        "2014-10-14", "14.10.2014", "14/10/2014", "14 octobre 2014", "20141014", "2014/10/14",
        "14 Oct 2014", "14-Oct-14", "October 14, 2014", "2014-10-14T08:00:00Z", "1413244800",
    ]  # fmt: skip
    days, note = parse_dates(written)
    assert set(days.tolist()) == {day}
    assert note == ""


def test_months_that_are_not_english_put_the_day_first():
    assert parse_dates(["03/04/2014", "5. März 2014"])[0].astype(str)[0] == "2014-04-03"
    assert parse_dates(["03/04/2014", "March 5, 2014"])[0].astype(str)[0] == "2014-03-04"
    days, note = parse_dates(["03/04/2014", "14 octobre 2014"])
    assert days.astype(str).tolist() == ["2014-04-03", "2014-10-14"]
    assert "month first" not in note


def test_every_name_of_a_month_tells_whether_it_is_english():
    """As "mar" and "april" do, which are of other languages too; years before months are not."""
    english = {name for names in ENGLISH for name in names.split()}
    others = {name for months in OTHERS for names in months for name in names.split()}
    told = {name: in_words(f"5 {name} 2014")[1] for name in english | others}
    plain = {folded(name) for name in english}
    assert told == {name: folded(name) in plain for name in told}
    assert {"mar", "april"} <= english
    assert in_words("2014年3月5日") == ("2014-03-05", False)
    assert clues_of(["03/04/2014", "2014年3月5日"]).day_first


def test_gaps_are_said_with_their_share():
    days, note = parse_dates(["2014-03-05"] * 7 + ["n/a", "", "whenever"])
    assert np.isnat(days).sum() == 3
    assert note == (
        "Dates of 70 % of the texts were read; 1 date could not be read (the first is "
        "'whenever'): left unknown; 2 of 10 documents have no date (empty or such as 'n/a')."
    )
    assert parse_dates(["", "-"])[1] == ""
    assert all(gap == gap.lower() for gap in GAPS.split())


def test_shares_are_not_rounded_to_nothing_or_all():
    shares = [0, 0.001, 0.0099, 0.01, 0.5, 0.99, 0.9901, 0.996, 1]
    assert [percent(s) for s in shares] == [
        "0 %",
        "less than 1 %",
        "less than 1 %",
        "1 %",
        "50 %",
        "99 %",
        "more than 99 %",
        "more than 99 %",
        "100 %",
    ]


def test_the_share_of_dates_leaves_out_gaps_and_numbers():
    assert share_of_dates(["1999", "n/a", "", "2001-02-03"]) == (1.0, "")
    assert share_of_dates(["1999", "0042", "2750", "x" * 50]) == (0.25, "0042")
    assert share_of_dates(["2024.0", "2750.0"]) == (0.5, "2750.0")
    assert share_of_dates(["", "-"]) == (0.0, "")
    # A cell that goes on is a text that mentions a day.
    assert share_of_dates(["5. März 2014 sprach er lange über den Haushalt des Landes"])[0] == 0.0


@pytest.mark.parametrize(
    ("cell", "is_one"),
    [("0999", 0), ("1000", 1), ("2199", 1), ("2200", 0), ("2200-01-01", 1), ("0999-01-01", 1),
     ("5. März 2014" + "," * 28, 1), ("5. März 2014" + "," * 29, 0)],
)  # fmt: skip
def test_what_counts_as_a_date_where_columns_are_guessed(cell, is_one):
    """Four digits alone only within the years of texts, and up to 40 letters."""
    assert share_of_dates([cell]) == (is_one, "" if is_one else cell)


def test_parts_of_a_column_tell_what_the_whole_column_tells():
    """As where it is read in pieces: the order of days and months, what is unread and missing."""
    columns = (
        ["03/04/2020", "13/04/2020", "", "soon"],
        ["-", "03/04/2020", "n/a", "04/13/2020", "-"],
        ["03.04.2020", "1999", "later", "n/a", "never"],
        ["03/04/2020", "2020-05-01"],
        ["03/04/2020", "5. März 2014", "03.04.2020"],
        ["2020-01-02", "1999", "May 2001"],
        ["03/13/2020", "13/03/2020"],
        ["2020-05-01", "03/04/2020"],
    )
    orders = [True, False, True, None, True, False, None, None]
    for column, order in zip(columns, orders, strict=True):
        assert clues_of(column).day_first is order
        whole, unread = days_of(column, order)
        for cut in range(len(column) + 1):
            one, other = column[:cut], column[cut:]
            both = (clues_of(one) | clues_of(other)) if one and other else clues_of(column)
            assert both.day_first is order
            (first, lost), (last, more) = days_of(one, order), days_of(other, order)
            assert lost + more == unread
            np.testing.assert_array_equal(np.concatenate([first, last]), whole)
        assert parse_dates(column)[1] == unread.note(order)


def test_a_note_says_what_was_lost_and_what_is_unsure():
    unsure = "Dates such as 03/04/2020 were read month first; write 2020-03-04 to be sure."
    assert parse_dates(["03/04/2020"])[1] == unsure
    assert parse_dates(["03/04/2020", "x" * 50, "", "y"])[1] == (
        f"{unsure} Dates of 25 % of the texts were read; 2 dates could not be read (the first is "
        f"'{'x' * 40}'): left unknown; 1 of 4 documents has no date."
    )
    assert parse_dates(["2020-03-04", "", "k.A.", " - "])[1] == (
        "Dates of 25 % of the texts were read; 3 of 4 documents have no date (empty or such as "
        "'k.A.')."
    )
    assert parse_dates(["n/a", ""])[1] == "", "without any date there is nothing to say"


def test_seconds_and_milliseconds_are_days_of_greenwich():
    """The last second of a day and the first of the next."""
    written = ["1577836799", "1577836800", "1577836799999", "1577836800.5", "-1577836800", "157783"]
    days = ["2019-12-31", "2020-01-01", "2019-12-31", "2020-01-01", "NaT", "NaT"]
    assert parse_dates(written)[0].astype(str).tolist() == days


def test_a_long_cell_takes_no_time():
    assert in_words("a " * 1_000_000) == ("", False)
    assert in_words("5. März 2014 " + "x" * 10**6)[0] == "2014-03-05"
    assert dates.LONGEST_MONTH == 60


def test_twelve_may_be_a_month_and_thirteen_is_a_day():
    days, note = parse_dates(["12/05/2020", "05/12/2020"])
    assert days.astype(str).tolist() == ["2020-12-05", "2020-05-12"]
    assert "month first" in note
    source = read("a.csv", b"text,day\na sea,12/05/2020\na hill,05/12/2020\n")
    assert source.notes[-1] == f"Column 'day': {note}"
    days, note = parse_dates(["12/05/2020", "13/05/2020"])
    assert days.astype(str).tolist() == ["2020-05-12", "2020-05-13"]
    assert note == ""
