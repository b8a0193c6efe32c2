"""Kinds of columns by their cells: dates, numbers, few repeated values, texts and others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .dates import is_gap, share_of_dates

Kind = Literal[
    "empty",
    "dates",
    "numbers",
    "truth",
    "few",
    "lists",
    "texts",
    "ids",
    "links",
    "objects",
    "short",
]
DATES_SURE = 0.8
"""A column holds dates whatever its name if so many of its filled cells can be read."""
SHORTEST_DATE = 3
"""Cells with no more letters are no dates: tables of counts have thousands of columns of them,
which would take a minute."""
SEVERAL = 10
"""Rows from which on it shows whether values repeat."""
MOST_VALUES = 60
"""Different values of a column in which few are repeated."""
LONG_WORDS, LONG_LETTERS = 8, 60
"""On average in a cell of a column with texts."""
SEPARATOR = re.compile(r"\s*[;|]\s*")
DOTTED = re.compile(r"\d{1,4}\.\d{1,2}\.\d{1,4}")
"""Days such as 05.03.2014, which `NUMBER` takes for numbers."""
NUMBER = re.compile(r"[-+]?[\d.,\s]*\d[\d.,]*(?:e[+-]?\d+)?\s*[%€$£]?", re.IGNORECASE)
WHOLE = re.compile(r"-?\d+(\.0)?")
LINK = re.compile(r"(?:https?://|www\.)\S+|[^@\s]+@[^@\s]+\.\w+|10\.\d{4,}/\S+|\d+(?:\.\d+){3}")
TRUTH = frozenset(
    "true false yes no ja nein oui non sí si t f y n wahr falsch".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class ColumnCells:
    """Facts about the first cells of a column."""

    kind: Kind
    n: int
    """Filled cells."""
    n_values: int = 0
    """Different ones."""
    words: float = 0.0
    """On average in a filled cell."""
    letters: float = 0.0
    """On average in a cell, empty ones included."""
    dates: float = 0.0
    """The share of filled cells that can be read as dates; of numbers, if they are some."""
    unread: str = ""
    """The first that cannot."""
    whole: bool = False
    """Whether all are whole numbers."""

    @property
    def repeats(self) -> bool:
        """Whether most values stand in several rows."""
        return self.n >= SEVERAL and self.n_values <= self.n / 2

    @property
    def unique(self) -> bool:
        return self.n_values == self.n


def cells_of(cells: Sequence[str], as_of: str) -> ColumnCells:
    """Return the facts about the cells of a column."""
    filled = [cell.strip() for cell in cells if not is_gap(cell)]
    if not filled:
        return ColumnCells("empty", 0)
    short = all(len(cell) <= SHORTEST_DATE for cell in filled)
    if short and all(map(str.isdecimal, filled)):
        return ColumnCells(
            "numbers", len(filled), len(set(filled)), 1.0, unread=filled[0], whole=True
        )
    dates, unread = (0.0, filled[0]) if short else share_of_dates(filled, as_of)
    kind = _kind(filled, dates)
    words = sum(len(cell[:2000].split()) for cell in filled) / len(filled)
    letters = sum(sum(map(str.isalpha, cell[:2000])) for cell in filled) / len(cells)
    whole = kind == "numbers" and all(WHOLE.fullmatch(cell) for cell in filled)
    return ColumnCells(kind, len(filled), len(set(filled)), words, letters, dates, unread, whole)


def _kind(filled: list[str], dates: float) -> Kind:
    def most(form: re.Pattern[str], share: float = 0.8) -> bool:
        return sum(bool(form.fullmatch(cell)) for cell in filled) >= share * len(filled)

    values, n = set(filled), len(filled)
    if sum(cell[0] == "{" and cell[-1] == "}" for cell in filled) > n / 2:
        return "objects"
    if most(LINK):
        return "links"
    if dates >= DATES_SURE and most(DOTTED):
        return "dates"
    if most(NUMBER, 0.9):
        return "numbers"
    if dates >= DATES_SURE:
        return "dates"
    if {value.lower() for value in values} <= TRUTH:
        return "truth"
    length = sum(map(len, filled)) / n
    words = sum(len(cell.split()) for cell in filled) / n
    few = len(values) <= min(MOST_VALUES, n / 2) if n >= SEVERAL else len(values) < n
    if few and length < 2 * LONG_LETTERS:
        return "few"
    parts = {part for cell in filled for part in SEPARATOR.split(cell)}
    many = sum(len(SEPARATOR.split(cell)) > 1 for cell in filled)
    if many >= 0.2 * n and length < 4 * LONG_LETTERS and words < 4 * LONG_WORDS:
        return "lists" if len(parts) <= min(MOST_VALUES, n) else "short"
    if words >= LONG_WORDS or length >= LONG_LETTERS:
        return "texts"
    digits = sum(any(map(str.isdigit, cell)) for cell in filled)
    compact = len(values) == n and all(" " not in cell for cell in filled)
    return "ids" if compact and digits > n / 2 else "short"


def is_years(cells: Sequence[str], as_of: str) -> bool:
    """Whether all filled cells are years from 1500 to the day of reading."""
    last = int(as_of[:4]) + 1
    filled = [cell.strip() for cell in cells if not is_gap(cell)]
    return bool(filled) and all(
        re.fullmatch(r"\d{4}(\.0)?", cell) and 1500 <= int(cell[:4]) <= last for cell in filled
    )
