"""Dates with the month in words: "5. März 2014", "14 octobre 2014", "2014年3月5日"."""

import re
import unicodedata
from functools import lru_cache

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

LONGEST = 60
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
PLAIN = str.maketrans("łøđı", "lodi")


def folded(text: str) -> str:
    """In small letters without accents, as names are compared."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).translate(PLAIN)


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
    text = text[:LONGEST]
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
