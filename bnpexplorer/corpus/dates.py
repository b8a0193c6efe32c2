"""Dates as people write them, to days; what cannot be read becomes unknown, never an error."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pandas as pd

from .corpus import Column
from .months import in_words

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


def parse_dates(values: Sequence[str]) -> tuple[Column, str]:
    """Days of D strings: datetime64[D] (D,), NaT where unknown, and a sentence (or nothing).

    Read are years alone (1790), ISO dates (the day as written, whatever the time and zone; also
    2020/03/04 and 2020.03.04), months in words of some twenty languages (`months.py`), seconds or
    milliseconds since 1970, and whatever pandas understands. Of 03/04/2020 the month comes first,
    unless some date of the column has a first number above 12 (and none a second), all use dots,
    or months in words are not English. Digits may be of any script; years are those of the
    Gregorian calendar.
    """
    texts = ["" if is_gap(text := _plain(value)) else text for value in values]
    days = np.full(len(texts), np.datetime64("NaT", "D"), dtype="datetime64[D]")
    rest: list[int] = []
    iso: list[int] = []
    written: list[str] = []
    foreign = False
    for i, text in enumerate(texts):
        if YEAR.fullmatch(text):
            days[i] = np.datetime64(f"{text[:4]}-01-01", "D")
        elif ISO.fullmatch(text):
            iso.append(i)
            written.append(re.sub("[/.]", "-", re.split("[T ]", text)[0]))
        elif text:
            day, english = in_words(text)
            foreign = foreign or bool(day and not english)
            (iso if day else rest).append(i)
            written += [day] if day else []
    days[iso] = _pandas_days(written, False)
    rest = [i for i in rest if EPOCH.fullmatch(texts[i]) or HAS_YEAR.search(texts[i])]
    order = _day_first([texts[i] for i in rest])
    if order is None and foreign:
        order = True
    days[rest] = _pandas_days([texts[i] for i in rest], order is True)
    days[days < FIRST_DAY] = np.datetime64("NaT", "D")
    return days, _note(values, texts, days, order)


def is_gap(text: str) -> bool:
    """Whether a cell says that there is no date."""
    return text.strip().lower() in NO_DATE or not text.strip()


def share_of_dates(values: Sequence[str]) -> tuple[float, str]:
    """How many of the cells that hold anything can be read, as a share, and the first that cannot;
    0 of none. Years alone count only from 1000 to 2199, since any four digits look like one."""
    filled = [text for value in values if not is_gap(text := _plain(value))]
    days, _ = parse_dates([text[: LONGEST + 1] for text in filled])
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


def _day_first(texts: Sequence[str]) -> bool | None:
    """True: 31/12/1999 or 31.12.1999; False: 12/31/1999; None: the dates do not tell."""
    matches = [match for text in texts if (match := PARTS.match(text))]
    first = any(int(m[1]) > 12 for m in matches)
    second = any(int(m[2]) > 12 for m in matches)
    if first != second:
        return first
    if matches and all("." in m[0] for m in matches):
        return True
    return None if matches else False


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


def _note(values: Sequence[str], texts: Sequence[str], days: Column, order: bool | None) -> str:
    unread = [text for text, day in zip(texts, days, strict=True) if text and np.isnat(day)]
    missing = sum(not text for text in texts)
    notes = []
    if order is None:
        notes.append("Dates such as 03/04/2020 were read month first; write 2020-03-04 to be sure.")
    gaps = []
    if unread:
        count = f"{len(unread):,} date{'s' * (len(unread) > 1)}"
        gaps.append(f"{count} could not be read (the first is {unread[0][:40]!r}): left unknown")
    if missing and missing < len(texts):
        sign = next((v.strip() for v in values if v.strip() and is_gap(v)), "")
        such = f" (empty or such as {sign!r})" if sign else ""
        gaps.append(f"{missing:,} of {len(texts):,} documents have no date{such}")
    if gaps:
        read = percent(1 - np.isnat(days).mean())
        notes.append(f"Dates of {read} of the texts were read; {'; '.join(gaps)}.")
    return " ".join(notes)


def percent(share: float) -> str:
    """A share in whole percent; what is nearly nothing or nearly all is not rounded to it."""
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{100 * share:.0f} %"
