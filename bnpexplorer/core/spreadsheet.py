"""CSV as every export writes it: no text in it is executed, whichever spreadsheet opens it.

`csv_text` writes rows of values. Whoever has millions of them makes their cells by `cell`, each
distinct one once, and joins them by `csv_lines`. Open it when something new is to be exported as a
table.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NewType

Cell = NewType("Cell", str)
"""One cell as it stands in a file, quoted where that is needed."""

INVISIBLE = (
    r"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5"
    r"\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that a spreadsheet may drop at the beginning of a cell."""
FORMULA = re.compile(
    rf'(^(?=[{INVISIBLE}"\t\r\n]*[=+\-@＝＋－＠])|[;\t\r\n](?=[{INVISIBLE}"]*[=+\-@＝＋－＠]))'
)
"""Where a formula would begin: in a cell, or where a spreadsheet that parts at semicolons or tabs
would see one begin. The wide signs count in some languages."""

TO_QUOTE = re.compile(r'[,"\n\r]')
"""What a cell may hold between quotation marks only (RFC 4180)."""


def defused(text: str) -> str:
    """Return text that no spreadsheet executes: with an apostrophe before what begins a formula.

    Also where a semicolon, a tab or the end of a line comes before it: a spreadsheet whose language
    parts cells there does not see the quotation marks around the whole.
    """
    safe = FORMULA.sub(r"\1'", text)
    return "'" + safe if safe[:1] in ("\t", "\r", "\n") else safe


def cell(value: Any, number: Callable[[Any], str] = str) -> Cell:
    """Return one cell: text without formulas, a number as `number` writes it, nothing for None and
    nan."""
    if value is None or value != value:
        return Cell("")
    text = defused(value) if isinstance(value, str) else number(value)
    return Cell('"' + text.replace('"', '""') + '"' if TO_QUOTE.search(text) else text)


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows of values as CSV."""
    return csv_lines([cell(value) for value in row] for row in rows)


def csv_lines(rows: Iterable[Iterable[Cell]]) -> str:
    """Return rows of cells, each with a line feed; one empty cell alone is quoted, as a row."""
    lines = []
    for row in rows:
        cells = [*row]
        lines.append(",".join(cells) if cells != [""] else '""')
    return "\n".join([*lines, ""])


def encoded(text: str, bom: bool = False) -> bytes:
    """Return text of a file as UTF-8. `bom`: with the mark by which Excel knows it."""
    return text.encode("utf-8-sig" if bom else "utf-8")
