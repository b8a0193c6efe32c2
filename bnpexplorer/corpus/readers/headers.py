"""Which row of a table names its columns: the one that differs from the rows below it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .columns import KNOWN, plain_name
from .dates import is_gap, share_of_dates
from .kinds import LINK, NUMBER

LOOKED_AT = 40
"""Rows below a row that it is compared with."""
FIRST_ROWS = 10
"""Rows among which the names of the columns are looked for."""
LONG = 40
"""Letters of a cell on average from which on a column holds texts."""
IMPORT_ID = re.compile(r'\{"ImportId":.*\}')
"""What Qualtrics writes in a third row of names."""
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
TOTAL = re.compile(
    r"\s*(?:(?:grand |sub)?totals?|sum|summe|gesamt(?:summe)?|insgesamt|total général|totale|suma"
    r"|totaal|razem"
    r"|итого|всего|合计|合計|총계|n|count|rows|anzahl|average|mean|generated|source|quelle|exported)\b.*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass
class Header:
    """Where the names of the columns stand."""

    names: list[str]
    """Unique and not empty."""
    skipped: int
    """Records before the first of data."""
    named: bool
    """Whether a row names the columns."""
    notes: list[str] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    """Column -> its longer title."""
    cells: list[str] = field(default_factory=list)
    """The names as they stand in the file."""
    row: int = 0
    """The place of the record that names the columns."""


def header_of(records: Sequence[list[str]], asked: str) -> Header:
    """Where the names of the columns are, and what stands above them and below.

    `records`: the first rows, blank ones left out; `asked`: "yes" or "no" for the first row.
    """
    at = {"yes": 0, "no": -1}.get(asked)
    if at is None:
        at = _row_of_names(records)
    if at < 0:
        width = len(records[0])
        names = unique_names([""] * width)
        note = "The first row is data, not column names; columns are named by number."
        return Header(names, 0, False, [note])
    first, below = list(records[at]), records[at + 1 :]
    notes = []
    if at:
        rows = f"the first {at} rows" if at > 1 else "the first row"
        notes.append(f"The names of the columns are in row {at + 1}; {rows} above them left out.")
    if below and all(len(row) == len(first) + 1 for row in below):
        # R writes no name above the numbers of rows; others end each row with a delimiter.
        ends = all(not row[-1].strip() for row in below)
        first = [*first, ""] if ends else ["", *first]
    header = Header(unique_names(first), at + 1, True, notes, cells=first, row=at)
    qualtrics = next((i for i, row in enumerate(below[:2]) if _is_import(row)), None)
    if qualtrics is not None:
        if qualtrics:
            header.titles = {
                name: title.strip()
                for name, title in zip(header.names, below[0], strict=False)
                if title.strip() and title.strip() != name
            }
        header.skipped += qualtrics + 1
        said = "one row" if not qualtrics else "two rows"
        header.notes.append(f"Below the names {said} of Qualtrics were left out.")
    return header


def unique_names(cells: Sequence[str]) -> list[str]:
    """Return distinct names of columns: a second "a" becomes "a (2)", an empty name "column 3"."""
    plain = [cell.strip() or f"column {i}" for i, cell in enumerate(cells, start=1)]
    given, taken, names = Counter(plain), set[str](), list[str]()
    for i, name in enumerate(plain, start=1):
        new, number = name, i
        while new in taken or (new != name and new in given):
            new, number = f"{name} ({number})", number + 1
        taken.add(new)
        names.append(new)
    return names


def named_cells(names: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    """Column -> cell of a row; cells beyond the columns have names by their number."""
    if len(cells) > len(names):
        names = unique_names([*names, *[""] * (len(cells) - len(names))])
    return dict(zip(names, cells, strict=False))


def is_total(record: Sequence[str], width: int) -> bool:
    """Whether a last record holds a total or a remark, and no document."""
    filled = [cell for cell in record if cell.strip()]
    if width < 2 or not filled or len(filled) > (width + 1) // 2 or len(filled[0]) > LONG:
        return False
    return bool(TOTAL.fullmatch(filled[0]))


def _is_import(row: Sequence[str]) -> bool:
    filled = [cell.strip() for cell in row if cell.strip()]
    return bool(filled) and all(IMPORT_ID.fullmatch(cell) for cell in filled)


def _row_of_names(records: Sequence[list[str]]) -> int:
    """The place of the row that names the columns; -1 where none does."""
    width = Counter(len(_filled(row)) for row in records[1:] or records).most_common(1)[0][0]
    # Only rows with fewer cells may stand above the names.
    last = next((i for i, row in enumerate(records) if len(_filled(row)) >= width), 0)
    places = range(min(last, FIRST_ROWS - 1) + 1)
    scores = [unlike(records[i], records[i + 1 :]) for i in places]
    best = max(places, key=lambda i: scores[i])
    if best and scores[best] > 0:
        return best
    return 0 if scores[0] >= 0 else -1


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if cell.strip()]


def unlike(first: Sequence[str], below: Sequence[Sequence[str]]) -> float:
    """How much a row differs from those below it: above 0 where it names their columns, below 0
    where it is one of them."""
    if not below:
        return _alone(first)
    score = 0.0
    for i, cell in enumerate(first):
        column = [row[i].strip() for row in below[:LOOKED_AT] if i < len(row) and row[i].strip()]
        if cell.strip() and column:
            score += _differs(cell.strip(), column)
    return score - (len(_filled(first)) > len(set(_filled(first)))) * 0.5


def _alone(first: Sequence[str]) -> float:
    """As `unlike`, of a row without any below."""
    return -1.0 if any(len(c) > 80 or NUMBER.fullmatch(c.strip()) for c in first) else 1.0


def _differs(cell: str, column: list[str]) -> float:
    if _is_name(cell):
        return 2.0
    # The shortest is a year.
    dated = sum(map(str.isdigit, cell)) > 3 and share_of_dates([cell], AS_LONG_AGO)[0] > 0
    number, link = bool(NUMBER.fullmatch(cell)), bool(LINK.fullmatch(cell))
    numbers = sum(bool(NUMBER.fullmatch(c)) for c in column) / len(column)
    if YEAR.fullmatch(cell) and numbers > 0.5 and not any(map(YEAR.fullmatch, column)):
        return 0.0  # a count for each year
    if number or dated or link:
        return -3.0 if dated or link or numbers > 0.5 else -0.5
    if numbers > 0.8:
        return 2.0
    if share_of_dates(column[:10], AS_LONG_AGO)[0] > 0.8 or all(map(LINK.fullmatch, column[:10])):
        return 2.0
    if cell in column:
        return -1.0
    mean = sum(map(len, column)) / len(column)
    if mean >= LONG:
        question = cell.endswith(("?", ":", "？"))
        if len(cell) <= mean / 3 or question:
            return 1.0
        return -1.0 if len(cell) > mean / 2 and len(cell) > LONG else 0.0
    few = len(set(column)) < len(column) / 2
    return 1.0 if few else 0.0


AS_LONG_AGO = "9999-12-31"
"""Any day is before it: only whether a cell is a date counts here."""


def _is_name(cell: str) -> bool:
    return any(plain_name(cell) in known for known in KNOWN.values()) and not is_gap(cell)
