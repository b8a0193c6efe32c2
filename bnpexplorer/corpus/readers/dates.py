"""Dates as people write them, to days; what cannot be read becomes unknown, never an error.

Dates with the month in words: "5. März 2014", "14 octobre 2014", "2014年3月5日".
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..corpus import Column
from .spans import BEFORE_YEAR_1, first_day, folded, tidied, without_time

YEAR = re.compile(r"\d{4}(\.0)?")
ISO = re.compile(r"\d{4}(-\d{1,2}(-\d{1,2})?|([/.])\d{1,2}\3\d{1,2})([T ].*)?")
EPOCH = re.compile(r"\d{10}(\d{3})?(\.\d+)?")
PARTS = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}\b")
HAS_YEAR = re.compile(rf"\d{{4}}|{PARTS.pattern}|\d\W?[^\W\d_]+\W*\d\d\b")
"""What pandas may complete: of "12:30" or "March" it would make a day of this year or of year 1."""
GAPS = """
    na n/a n.a. nan nat none null nil unknown undated missing - -- --- — – ? . .. n.d. nd s.d. sd
    o.d. k.a. o.a. unbekannt inconnu inconnue desconocido desconocida sconosciuto sconosciuta
    desconhecido onbekend
"""
"""What stands for no date, in small letters."""
NO_DATE = frozenset(GAPS.split())

FIRST_DAY = np.datetime64("0001-01-01", "D")
"""The calendar has no year 0, and fields for dates none before year 1; numpy and pandas have."""
LONGEST = 40
"""A longer cell is no date when columns are guessed."""


@dataclass(frozen=True)
class Clues:
    """What the dates of a column tell of whether their days or their months come first."""

    first: bool = False
    """Some first number is above 12."""
    second: bool = False
    """Some second number is."""
    numbers: bool = False
    """There are days and months in numbers at all."""
    dots: bool = True
    """All of these are written with dots."""
    foreign: bool = False
    """Some month stands there in words that are not English."""

    def __or__(self, other: "Clues") -> "Clues":
        """Those of two parts of a column."""
        return Clues(
            self.first or other.first,
            self.second or other.second,
            self.numbers or other.numbers,
            self.dots and other.dots,
            self.foreign or other.foreign,
        )

    @property
    def day_first(self) -> bool | None:
        """True: 31/12/1999 or 31.12.1999; False: 12/31/1999; None: the dates do not tell."""
        if self.first != self.second:
            return self.first
        if self.numbers and (self.dots or self.foreign):
            return True
        return None if self.numbers else False


@dataclass(frozen=True)
class Unread:
    """What of a column, or of a part of it, could not be read as dates."""

    n: int = 0
    unread: int = 0
    first: str = ""
    """The first that could not."""
    missing: int = 0
    sign: str = ""
    """What first stands for no date, where anything does."""

    def __add__(self, later: "Unread") -> "Unread":
        return Unread(
            self.n + later.n,
            self.unread + later.unread,
            self.first or later.first,
            self.missing + later.missing,
            self.sign or later.sign,
        )

    def note(self, day_first: bool | None) -> str:
        """What is to be said of it; nothing where all was read and is sure."""
        notes = []
        if day_first is None:
            notes.append(
                "Dates such as 03/04/2020 were read month first; write 2020-03-04 to be sure."
            )
        gaps = []
        if self.unread:
            count = f"{self.unread:,} date{'s' * (self.unread > 1)}"
            gaps.append(f"{count} could not be read (the first is {self.first!r}): left unknown")
        if self.missing and self.missing < self.n:
            such = f" (empty or such as {self.sign!r})" if self.sign else ""
            have = "has" if self.missing == 1 else "have"
            gaps.append(f"{self.missing:,} of {self.n:,} documents {have} no date{such}")
        if gaps:
            read = percent(1 - (self.unread + self.missing) / self.n)
            notes.append(f"Dates of {read} of the texts were read; {'; '.join(gaps)}.")
        if BEFORE_YEAR_1.search(self.first):
            notes.append("Days before year 1 are not kept.")
        return " ".join(notes)


def parse_dates(values: Sequence[str], as_of: str = "") -> tuple[Column, str]:
    """Days of D strings: datetime64[D] (D,), NaT where unknown, and a sentence (or nothing).

    Read are years alone (1790), ISO dates (the day as written, whatever the time and zone; also
    2020/03/04 and 2020.03.04), months in words of some twenty languages (`dates.py`), seconds or
    milliseconds since 1970, and whatever pandas understands. Of 03/04/2020 the month comes first,
    unless some date of the column has a first number above 12 (and none a second), all use dots,
    or months in words are not English. Digits may be of any script; years are those of the
    Gregorian calendar.

    With `as_of`, a day such as 2026-03-05, also what `spans.py` reads becomes a day, and a year of
    two digits is in the hundred years up to that day: 02.02.41 is of 1941.
    """
    order = clues_of(values, as_of).day_first
    days, unread = days_of(values, order, as_of)
    return days, unread.note(order)


def clues_of(values: Sequence[str], as_of: str = "") -> Clues:
    """What a column, or a part of it, tells of the order of days and months."""
    cells = map(without_time, values) if as_of else values
    return _clues(_sorted(list(dict.fromkeys(cells)), bool(as_of)))


def days_of(
    values: Sequence[str], day_first: bool | None, as_of: str = ""
) -> tuple[Column, Unread]:
    """Days of D strings of a column whose `Clues` say which comes first: as `parse_dates`."""
    places: dict[str, int] = {}  # many texts are of one day
    cells = map(without_time, values) if as_of else values
    at = np.fromiter((places.setdefault(v, len(places)) for v in cells), np.int64, len(values))
    texts, years, iso, written, rest, _ = _sorted(list(places), bool(as_of))
    days = np.full(len(texts), np.datetime64("NaT", "D"), dtype="datetime64[D]")
    days[years] = np.array([f"{texts[i][:4]}-01-01" for i in years], "datetime64[D]")
    days[iso] = _pandas_days(written, False)
    remaining = [texts[i] for i in rest]
    days[rest] = _pandas_days(remaining, day_first is True)
    if as_of:
        days[rest] = _in_the_century_before(days[rest], remaining, as_of)
    days[days < FIRST_DAY] = np.datetime64("NaT", "D")
    empty = np.array([not text for text in texts], bool)
    unread = (np.isnat(days) & ~empty)[at]
    first = texts[at[int(unread.argmax())]][:40] if unread.any() else ""
    sign = next((v.strip() for v in places if v.strip() and is_gap(v)), "")
    return days[at], Unread(len(at), int(unread.sum()), first, int(empty[at].sum()), sign)


def _in_the_century_before(days: Column, texts: list[str], as_of: str) -> Column:
    """`days` (n,), those whose year has two digits moved into the hundred years up to `as_of`:
    pandas' own rule changes from year to year."""
    last = np.datetime64(as_of, "D")
    two = np.array([not re.search(r"\d{4}", text) for text in texts], bool) & ~np.isnat(days)
    months = days[two].astype("datetime64[M]")
    within = days[two] - months.astype("datetime64[D]")
    ahead = (last.astype("datetime64[Y]") - days[two].astype("datetime64[Y]")).astype(np.int64)
    months = months + 1200 * (ahead // 100)
    late = months.astype("datetime64[D]") + within > last
    moved = days.copy()
    moved[two] = (months - 1200 * late).astype("datetime64[D]") + within
    return moved


class _Sorted(NamedTuple):
    """The cells of a column by what kind of date they are."""

    texts: list[str]
    """All, plain; empty where there is no date."""
    years: list[int]
    """Places of years alone."""
    iso: list[int]
    """Places of those whose day is sure."""
    written: list[str]
    """These as ISO dates."""
    rest: list[int]
    """Places of those that pandas may read."""
    foreign: bool


def _sorted(values: Sequence[str], with_spans: bool = False) -> _Sorted:
    """`with_spans`: whether also what `spans.py` reads is a date."""
    plain = (tidied(_plain(value)) if with_spans else _plain(value) for value in values)
    texts = ["" if is_gap(text) else text for text in plain]
    years: list[int] = []
    rest: list[int] = []
    iso: list[int] = []
    written: list[str] = []
    foreign = False
    for i, text in enumerate(texts):
        if YEAR.fullmatch(text):
            years.append(i)
        elif ISO.fullmatch(text):
            iso.append(i)
            written.append(re.sub("[/.]", "-", re.split("[T ]", text)[0]))
            if with_spans and len(text) == 7 and not "01" <= text[5:] < "13":  # 1914-18
                written[-1] = first_day(text)
        elif with_spans and (BEFORE_YEAR_1.search(text) or text.startswith("-")):
            continue  # pandas would make a day of our era of it
        elif text:
            day, english = in_words(text)
            if with_spans and not day:
                day, english = first_day(text), True
            foreign = foreign or bool(day and not english)
            (iso if day else rest).append(i)
            written += [day] if day else []
    rest = [i for i in rest if EPOCH.fullmatch(texts[i]) or HAS_YEAR.search(texts[i])]
    if with_spans:  # pandas would make days of numbers that are none
        rest = [i for i in rest if not re.fullmatch(r"\d+|\d{4}-\d{3,}", texts[i])]
    return _Sorted(texts, years, iso, written, rest, foreign)


def _clues(cells: _Sorted) -> Clues:
    matches = [match for i in cells.rest if (match := PARTS.match(cells.texts[i]))]
    return Clues(
        any(int(m[1]) > 12 for m in matches),
        any(int(m[2]) > 12 for m in matches),
        bool(matches),
        all("." in m[0] for m in matches),
        cells.foreign,
    )


def is_gap(text: str) -> bool:
    """Whether a cell says that there is no date."""
    return text.strip().lower() in NO_DATE or not text.strip()


def share_of_dates(values: Sequence[str], as_of: str = "") -> tuple[float, str]:
    """How many of the cells that hold anything can be read, as a share, and the first that cannot;
    0 of none. Years alone count only from 1000 to 2199, since any four digits look like one.
    `as_of`: as `parse_dates`."""
    filled = [text for value in values if not is_gap(text := _plain(value))]
    days, _ = parse_dates([text[: LONGEST + 1] for text in filled], as_of)
    read = [
        len(text) <= LONGEST
        and not np.isnat(day)
        and not (YEAR.fullmatch(text) and not 1000 <= int(text[:4]) < 2200)
        for text, day in zip(filled, days, strict=True)
    ]
    unread = next((text for text, good in zip(filled, read, strict=True) if not good), "")
    return (sum(read) / len(read) if read else 0.0), unread


def _plain(value: str) -> str:
    """A date in ASCII digits, without marks of the direction of writing; else as it is."""
    text = value.strip()
    if text.isascii():
        return text
    narrow = unicodedata.normalize("NFKC", text)  # full-width digits, slashes and dashes
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign
        for sign in narrow
        if unicodedata.category(sign) != "Cf"
    ).strip()


def _pandas_days(texts: list[str], day_first: bool) -> Column:
    seconds = [
        str(pd.Timestamp(int(text[:10]), unit="s")) if EPOCH.fullmatch(text) else text
        for text in texts
    ]
    stamps = pd.to_datetime(
        pd.Series(seconds, dtype=object),
        errors="coerce",
        format="mixed",
        utc=True,
        dayfirst=day_first,
    )
    return np.asarray(stamps.dt.tz_localize(None).to_numpy().astype("datetime64[D]"))


def percent(share: float) -> str:
    """A share in whole percent; what is nearly nothing or nearly all is not rounded to it."""
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{100 * share:.0f} %"


ENGLISH = (
    "january jan",
    "february feb",
    "march mar",
    "april apr",
    "may",
    "june jun",
    "july jul",
    "august aug",
    "september sep sept",
    "october oct",
    "november nov",
    "december dec",
)
"""Names of the months from January on; so too below."""
OTHERS = (
    (
        # German, Dutch, Danish, Norwegian, Swedish, Finnish
        "januar januari jänner jän tammikuuta",
        "februar februari helmikuuta",
        "märz maerz mär mrz maart mrt marts mars maaliskuuta",
        "huhtikuuta",
        "mai maj mei toukokuuta",
        "juni kesäkuuta",
        "juli heinäkuuta",
        "augusti augustus elokuuta",
        "syyskuuta",
        "oktober okt lokakuuta",
        "marraskuuta",
        "dezember dez desember des joulukuuta",
    ),
    (
        # French, Spanish, Catalan, Italian, Portuguese, Romanian
        "janvier janv enero ene gener gennaio gen janeiro ianuarie ian",
        "février févr fév febrero febrer febbraio fevereiro februarie",
        "mars marzo març março martie",
        "avril avr abril abr aprile aprilie",
        "mai mayo maig maggio mag maio",
        "juin junio juny giugno giu junho iunie iun",
        "juillet juil julio juliol luglio lug julho iulie iul",
        "août agosto ago agost",
        "septembre setiembre septiembre setembre settembre set setembro septembrie",
        "octobre octubre ottobre ott outubro out octombrie",
        "novembre noviembre novembro noiembrie",
        "décembre déc diciembre dic desembre dicembre dezembro decembrie",
    ),
    (
        # Polish, Czech (Croatian calls October listopad, which is November in these two)
        "styczeń stycznia leden ledna",
        "luty lutego únor února",
        "marzec marca březen března",
        "kwiecień kwietnia duben dubna",
        "maja květen května",
        "czerwiec czerwca červen června",
        "lipiec lipca červenec července",
        "sierpień sierpnia srpen srpna",
        "wrzesień września září",
        "październik października říjen října",
        "listopad listopada listopadu",
        "grudzień grudnia prosinec prosince",
    ),
    (
        # Russian, Ukrainian, Turkish
        "январь января янв січня ocak",
        "февраль февраля фев лютого şubat",
        "март марта березня mart",
        "апрель апреля апр квітня nisan",
        "май мая травня mayıs",
        "июнь июня червня haziran",
        "июль июля липня temmuz",
        "август августа авг серпня ağustos",
        "сентябрь сентября сен сент вересня eylül",
        "октябрь октября окт жовтня ekim",
        "ноябрь ноября ноя листопада kasım",
        "декабрь декабря дек грудня aralık",
    ),
)

LONGEST_MONTH = 60
"""Letters of a cell that are looked at."""
WORD = r"([^\W\d_]+)"
OF = r"(?:\s*\b(?:de|del|di|do|of|d)\b)?[\s'’./-]*"
WEEKDAY = r"(?:[^\W\d_]+(?:-feira)?\.?,?\s+)?(?:el\s+|le\s+|il\s+|den\s+|the\s+)?"
REST = r"(?:\s*г\.?)?(?:[\s,;(].*)?"
DAY_MONTH = re.compile(
    rf"{WEEKDAY}(\d{{1,2}})(?:er|st|nd|rd|th|[.oa°])?{OF}{WORD}{OF}(\d{{4}}){REST}"
)
MONTH_DAY = re.compile(rf"{WEEKDAY}{WORD}\.?\s+(\d{{1,2}})(?:st|nd|rd|th|\.)?,?\s+(\d{{4}}){REST}")
MONTH = re.compile(rf"{WORD}[,.]?{OF}(\d{{4}})")
EAST_ASIAN = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日号號일])?.*")


def _numbers(*languages: tuple[str, ...]) -> dict[str, int]:
    return {
        folded(name): number
        for months in languages
        for number, names in enumerate(months, start=1)
        for name in names.split()
    }


IN_ENGLISH = _numbers(ENGLISH)
MONTHS = _numbers(*OTHERS) | IN_ENGLISH


@lru_cache(1 << 14)  # many texts are of one day
def in_words(text: str) -> tuple[str, bool]:
    """The day of such a date as 2014-03-05 (without a day: the first), whatever follows it, and
    whether its month is in English; an empty string for anything else."""
    text = text[:LONGEST_MONTH]
    if east := EAST_ASIAN.fullmatch(unicodedata.normalize("NFC", text)):
        return _iso(east[1], int(east[2]), east[3] or "1"), False
    text = folded(text)
    if (found := DAY_MONTH.fullmatch(text)) and found[2] in MONTHS:
        day, month, year = found.groups()
    elif (found := MONTH_DAY.fullmatch(text)) and found[1] in MONTHS:
        month, day, year = found.groups()
    elif (found := MONTH.fullmatch(text)) and found[1] in MONTHS:
        month, year, day = found[1], found[2], "1"
    else:
        return "", False
    return _iso(year, MONTHS[month], day), month in IN_ENGLISH


def _iso(year: str, month: int, day: str) -> str:
    return f"{year}-{month:02}-{int(day):02}"
