"""Dates that name more than a day, such as "1860s", "c. 1851", "Q2 1990" or "2015-W02", and dates
that programs write as a number. A span becomes its first day.
"""

import datetime
import re
import unicodedata
from functools import lru_cache

LONGEST = 60
"""Letters of a cell that are looked at."""
FIRST_YEAR = 1000
"""Four digits below it are hardly a year."""
LONGEST_SPAN = 200
"""Years of a span that may be meant."""
SERIALS = (10_000, 80_000)
"""Days since 1899-12-30 that Excel writes for 1927 to 2119."""
SERIAL = re.compile(r"\d{5}(\.\d+)?")
DAY_ZERO = datetime.date(1899, 12, 30)
BEFORE_YEAR_1 = re.compile(
    r"(?i)\d\s*(b\.?\s?c\.?(\s?e\.?)?|v\.\s?chr\.?|a\.?\s?c\.|av\.\s?j\.?-?c\.?)\s*$"
)
DAY_AND_TIME = re.compile(r"([^\s:T]{6,10})[ T]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
TIME = re.compile(
    r"[\s,·]*(?:(?:T|\bat|\bum|\bà)\s*|\b)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[AaPp]\.?[Mm]\b\.?)?"
    r"(?:\s*(?:Z|UTC|GMT)?(?:[+-]\d{2}:?\d{2})?(?![\w-]))?(?:\s*\([A-Z]+\)|\s+Uhr)?"
)

ABOUT = re.compile(
    r"^(?:(?:c|ca|fy)\.?(?=\d)|(?:c|ca|circa|fy|fiscal year|um|about|approx|approximately|around"
    r"|vers|env|environ|etwa|cerca(?: de)?|hacia"
    r"|verso|omstreeks|okolo|ok|probably|vor|before|nach|after|early|mid|late|anfang|mitte|ende"
    r"|issued(?: on)?|published(?: on)?|posted(?: on)?|released(?: on)?|erschienen(?: am)?"
    r"|veroffentlicht(?: am)?|publie(?: le)?|date|datum|dated|am|vom|on|cop|copyright|printed)"
    r"\b)[.:]?[\s-]*"
)
SIGNS = str.maketrans("–—−‒", "----", "[]{}()<>?~©")
UNTIL = (
    r"\s*(?:-|/|,|\bor\b|\boder\b|\bto\b|\bbis\b|\bund\b|\band\b|\bau?\b|\buntil\b|\bhasta\b)\s*"
)
YEARS = re.compile(rf"(\d{{4}})(?:{UNTIL}(?:\d{{4}}|\d{{2}})|\s*-)")
ISO_TO_ISO = re.compile(r"(\d{4}-\d\d(?:-\d\d)?)/\d{4}-.*")
TO_A_DAY = re.compile(r"(.*\d{4}.*?)(?:\s+-\s+|\s+(?:to|bis|until|au)\s+)(?=.*\d{4}).*")
TO_A_DAY_CLOSE = re.compile(r"(\d{1,2}\.\d{1,2}\.\d{4})-\d{1,2}\.\d{1,2}\.\d{4}")
DAYS = re.compile(r"(\d{1,2})\.?\s*-\s*\d{1,2}(\.?\s+(?:of\s+)?[^\W\d_]+\.?,?\s+\d{4}.*)")
MONTHS_TO = re.compile(r"([^\W\d_]+)\.?\s*[-/]\s*[^\W\d_]+\.?,?\s+(\d{4})")
YEAR_MONTH = re.compile(
    r"(\d{4})[\s-]+([^\W\d_]{3,})\.?(?:-[^\W\d_]+\.?)?(?:[\s-]+(\d{1,2}))?(?:-\d+)?(?:;.*)?"
)
YEAR_ALONE = re.compile(r"(\d{4})(?:\s*[年년]度?)?\.?")

DECADE = re.compile(
    r"(?:the |annees |anni |anos |anios )?(\d{3})0[\s'’-]*(?:s|er|tallet|talet|luku|jahre)"
    r"(?:\s*jahre)?"
)
OPEN_DECADE = re.compile(r"(\d{3})[-?_ux]")
CENTURY = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|\.|e|eme)?\s*(?:c|cent|century|jh|jhd|jahrhundert|siecle|eeuw)\.?"
)
QUARTER_WORD = r"(?:q|t|qtr|quarter|quartal|trimestre|trimester|kwartaal)"
QUARTER = re.compile(rf"{QUARTER_WORD}\s*([1-4])[\s,./'-]*(?:of\s+)?(\d{{4}})")
NTH_QUARTER = re.compile(
    rf"([1-4])(?:st|nd|rd|th|\.|er|e|eme|o|º)?\s*{QUARTER_WORD}[\s,./'-]*(?:of\s+|de\s+)?(\d{{4}})"
)
YEAR_QUARTER = re.compile(rf"(\d{{4}})[\s,./-]*{QUARTER_WORD}\s*([1-4])")
HALF = re.compile(r"(?:[hs]\s*([12])|([12])\. ?halbjahr)[\s,./-]*(\d{4})")
YEAR_HALF = re.compile(r"(\d{4})[\s,./-]*[hs]\s*([12])")
WEEK_WORD = r"(?:w|wk|kw|week|woche|semaine|semana|settimana|uke|vecka)"
YEAR_WEEK = re.compile(rf"(\d{{4}})[\s,/-]*{WEEK_WORD}[\s.-]*(\d{{1,2}})(?:-([1-7]))?")
WEEK_YEAR = re.compile(rf"{WEEK_WORD}[\s.-]*(\d{{1,2}})[\s,/-]+(?:of\s+)?(\d{{4}})")
SEASONS = {
    3: "spring fruhling fruhjahr printemps primavera lente voorjaar wiosna var forar весна 春",
    6: "summer sommer ete verano verao estate zomer lato sommar лето 夏",
    9: "autumn fall herbst automne otono outono autunno herfst najaar jesien host efterar осень 秋",
    12: "winter hiver invierno inverno zima vinter зима 冬",
}
SEASON = {name: month for month, names in SEASONS.items() for name in names.split()}
OF_SEASON = re.compile(r"([^\W\d_]+)[\s,/'-]*(?:of\s+|de\s+)?(\d{4})(?:[-/]\d{2,4})?")
YEAR_SEASON = re.compile(r"(\d{4})[\s,/-]+([^\W\d_]+)")

MONTH_YEAR = re.compile(r"(\d{1,2})[/.-](\d{4})")
YEAR_SLASH_MONTH = re.compile(r"(\d{4})(?:/(?=\d\d?$)|\.(?=\d\d$))(\d+)")
DIGITS = re.compile(r"\d+")
FLOAT = re.compile(r"\d(?:\.\d+)?e\+?\d{1,2}|\d{16,19}\.0")
COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:t?\d{4}(?:\d{2})?(?:\.\d+)?z?)?")
UNITS = {9: 1, 10: 1, 13: 10**3, 16: 10**6, 19: 10**9}
"""Digits of the time since 1970 in seconds, ms, us and ns of 1973 to 2286 -> ticks in a second."""
TWO_DIGITS = re.compile(r"(\d{1,2}[\s.-]+[^\W\d_]+[\s.,'’-]+)(\d{2})")


PLAIN = str.maketrans("łøđı", "lodi")


def folded(text: str) -> str:
    """In small letters without accents, as names are compared."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).translate(PLAIN)


def without_time(text: str) -> str:
    """A date without the time of its day, and the day of a number of seconds (or ms, us, ns) since
    1970: many of one day are then read once."""
    if ":" in text:
        found = DAY_AND_TIME.fullmatch(text)  # the usual form, ten times as fast
        return found[1] if found else _cut_time(text[:LONGEST]) or text
    if len(text) in UNITS and text.isascii() and text.isdigit():
        return _since_1970(int(text) // UNITS[len(text)] // 86_400)
    return text


def _cut_time(text: str) -> str:
    found = TIME.search(text, max(text.find(":") - 6, 0))
    return (text[: found.start()] + text[found.end() :]).strip() if found else text


@lru_cache(1 << 14)
def _since_1970(days: int) -> str:
    return str(datetime.date(1970, 1, 1) + datetime.timedelta(days=days))


@lru_cache(1 << 14)
def tidied(text: str) -> str:
    """A date without what says that it is not sure, and the first of a span of days; else the text
    itself."""
    if len(text) > LONGEST or text.isdigit() or OPEN_DECADE.fullmatch(text):
        return text
    plain = " ".join(text.translate(SIGNS).split())
    low = folded(plain)
    if found := ABOUT.match(low):
        # Folding keeps the places of letters unless some are written as two.
        plain = plain[found.end() :] if len(low) == len(plain) else low[found.end() :]
    if (
        found := TO_A_DAY_CLOSE.fullmatch(plain)
        or ISO_TO_ISO.fullmatch(plain)
        or TO_A_DAY.fullmatch(plain)
    ):
        plain = found[1].strip()
    elif found := DAYS.fullmatch(plain):
        plain = found[1] + found[2]
    elif found := MONTHS_TO.fullmatch(plain):  # also of seasons
        plain = f"{found[1]} {found[2]}"
    elif (found := YEAR_MONTH.fullmatch(plain)) and folded(found[2]) not in SEASON:
        plain = f"{found[3] or ''} {found[2]} {found[1]}".strip()  # PubMed's "2015 Mar 5"
    return plain or text


@lru_cache(1 << 14)
def first_day(text: str) -> str:
    """The first day of a span as 2014-03-05, or the day of a number of seconds, a serial of Excel
    or a compact date; an empty string for anything else."""
    text = folded(text[:LONGEST]).strip()
    try:
        if not any(map(str.isdigit, text)) or _backwards(text):
            return ""
        day = _of_number(text) if text[0].isdigit() and not _has_word(text) else None
        return str(day or _of_words(text) or "")
    except (ValueError, OverflowError):  # such as week 54 or month 13
        return ""


def _has_word(text: str) -> bool:
    return any(c.isalpha() for c in text) and not FLOAT.fullmatch(text) and "t" not in text


def _of_number(text: str) -> datetime.date | None:
    if FLOAT.fullmatch(text):
        text = str(int(float(text)))
    if ticks := UNITS.get(len(text)) if DIGITS.fullmatch(text) else None:
        return datetime.date.fromisoformat(_since_1970(int(text) // ticks // 86_400))
    if SERIAL.fullmatch(text):
        days = int(text[:5])
        within = SERIALS[0] <= days < SERIALS[1]
        return DAY_ZERO + datetime.timedelta(days=days) if within else None
    if DIGITS.fullmatch(text) and len(text) == 6:
        return datetime.date(_year(text[:4]), int(text[4:]), 1)
    if found := COMPACT.fullmatch(text):
        return datetime.date(_year(found[1]), int(found[2]), int(found[3]))
    if found := MONTH_YEAR.fullmatch(text):
        return datetime.date(int(found[2]), int(found[1]), 1)
    if (found := YEAR_SLASH_MONTH.fullmatch(text)) and 1 <= int(found[2]) <= 12:
        return datetime.date(int(found[1]), int(found[2]), 1)
    if found := YEARS.fullmatch(text) or YEAR_ALONE.fullmatch(text):
        return datetime.date(_year(found[1]), 1, 1)
    if found := OPEN_DECADE.fullmatch(text):
        return datetime.date(int(found[1]) * 10, 1, 1)
    return None


def _backwards(text: str) -> bool:
    """Whether these are two numbers of four digits but no years of a span, as in 2014-0123."""
    found = re.fullmatch(r"(\d{4})\W+(\d{4})", text)
    return found is not None and not 0 <= int(found[2]) - int(found[1]) <= LONGEST_SPAN


def _of_words(text: str) -> datetime.date | None:
    if found := DECADE.fullmatch(text) or OPEN_DECADE.fullmatch(text):
        return datetime.date(_year(f"{found[1]}0"), 1, 1)
    if found := CENTURY.fullmatch(text):
        return datetime.date(int(found[1]) * 100 - 99, 1, 1)
    if found := YEARS.fullmatch(text) or YEAR_ALONE.fullmatch(text):
        return datetime.date(_year(found[1]), 1, 1)
    if found := QUARTER.fullmatch(text) or NTH_QUARTER.fullmatch(text):
        return datetime.date(int(found[2]), 3 * int(found[1]) - 2, 1)
    if found := YEAR_QUARTER.fullmatch(text):
        return datetime.date(int(found[1]), 3 * int(found[2]) - 2, 1)
    if found := HALF.fullmatch(text):
        return datetime.date(int(found[3]), 6 * int(found[1] or found[2]) - 5, 1)
    if found := YEAR_HALF.fullmatch(text):
        return datetime.date(int(found[1]), 6 * int(found[2]) - 5, 1)
    if found := YEAR_WEEK.fullmatch(text):
        return datetime.date.fromisocalendar(int(found[1]), int(found[2]), int(found[3] or 1))
    if found := WEEK_YEAR.fullmatch(text):
        return datetime.date.fromisocalendar(int(found[2]), int(found[1]), 1)
    if (found := OF_SEASON.fullmatch(text)) and found[1] in SEASON:
        return datetime.date(int(found[2]), SEASON[found[1]], 1)
    if (found := YEAR_SEASON.fullmatch(text)) and found[2] in SEASON:
        return datetime.date(int(found[1]), SEASON[found[2]], 1)
    return None


def _year(digits: str) -> int:
    year = int(digits)
    if year < FIRST_YEAR:
        raise ValueError(digits)
    return year
