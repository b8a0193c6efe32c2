"""Dates as people write them, to days; what cannot be read becomes unknown, never an error."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pandas as pd

from .corpus import Column

YEAR = re.compile(r"\d{4}(\.0)?")
ISO = re.compile(r"\d{4}(-\d{1,2}(-\d{1,2})?|([/.])\d{1,2}\3\d{1,2})([T ].*)?")
EPOCH = re.compile(r"\d{10}(\d{3})?(\.\d+)?")
PARTS = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-]\d{2,4}\b")

LONGEST = 40
"""A column with a longer cell is no column of dates."""


def parse_dates(values: Sequence[str]) -> tuple[Column, str]:
    """Days of D strings: datetime64[D] (D,), NaT where unknown, and a sentence (or nothing).

    Read are years alone (1790), ISO dates (the day as written, whatever the time and zone; also
    2020/03/04 and 2020.03.04), seconds or milliseconds since 1970, and whatever pandas understands
    ("May 5, 1850"). Of 03/04/2020 the month comes first, unless some date of the column has a first
    number above 12 (and none a second) or all use dots. Digits may be of any script; years are
    those of the Gregorian calendar.
    """
    texts = [_plain(value) for value in values]
    days = np.full(len(texts), np.datetime64("NaT", "D"), dtype="datetime64[D]")
    rest = []
    for i, text in enumerate(texts):
        if YEAR.fullmatch(text):
            days[i] = _day(f"{text[:4]}-01-01")
        elif text:
            rest.append(i)
    iso = [i for i in rest if ISO.fullmatch(texts[i])]
    as_written = [re.split("[T ]", texts[i])[0] for i in iso]
    days[iso] = _pandas_days([re.sub("[/.]", "-", day) for day in as_written], False)
    others = [i for i in rest if not ISO.fullmatch(texts[i])]
    order = _day_first([texts[i] for i in others])
    days[others] = _pandas_days([texts[i] for i in others], order is True)
    return days, _note(texts, days, order)


def looks_like_dates(values: Sequence[str]) -> bool:
    """Whether nearly all of some strings are dates (years alone count only from 1000 to 2199)."""
    filled = [text for value in values if (text := value.strip())]
    if not filled or any(len(text) > LONGEST for text in filled):
        return False
    filled = [_plain(text) for text in filled]
    years = [int(value[:4]) for value in filled if YEAR.fullmatch(value)]
    if any(not 1000 <= year < 2200 for year in years):
        return False
    days, _ = parse_dates(filled)
    return bool(np.isnat(days).mean() < 0.1)


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


def _day(text: str) -> np.datetime64:
    return np.datetime64(text, "D") if text[:4] != "0000" else np.datetime64("NaT", "D")


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


def _note(texts: Sequence[str], days: Column, order: bool | None) -> str:
    unread = [text for text, day in zip(texts, days, strict=True) if text and np.isnat(day)]
    missing = sum(not text for text in texts)
    notes = []
    if order is None:
        notes.append("Dates such as 03/04/2020 were read month first; write 2020-03-04 to be sure.")
    if unread:
        count = f"{len(unread):,} date{'s' * (len(unread) > 1)}"
        notes.append(f"{count} could not be read (the first is {unread[0][:40]!r}): left unknown.")
    if missing and missing < len(texts):
        notes.append(f"{missing:,} of {len(texts):,} documents have no date.")
    return " ".join(notes)
