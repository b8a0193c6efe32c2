"""CSV and TSV as readers: how tables are told from prose, whatever their ending."""

from .reader import MAY_BE, NAMED, TABLE, Look, Reader
from .source import TEXTS
from .table import csv_table, header_and_width, read_csv, read_tsv, sniff_delimiter, tsv_table

FEW_LINES, MORE_LINES = 2, 5
"""Lines that must be rows, of three columns or more and of two, so that prose stays prose."""
SHORT_NAME = 60


def _sniff(look: Look, tabs: bool) -> float:
    """How well a file fits as a table with tabs, or with other delimiters."""
    named = look.suffix in (TSV if tabs else CSV).suffixes
    if not look.text:
        return 0.0
    if named:
        return NAMED
    if look.text[0] in "{[":
        return 0.0
    delimiter = sniff_delimiter(look.text)
    if (delimiter == "\t") != tabs or len(look.lines) < 2:
        return 0.0
    header, share = header_and_width(look.text, delimiter)
    if len(header) < 2 or share <= 0.9:
        return 0.0
    return (
        TABLE
        if _is_clear(look, delimiter, header)
        else 0.0
        if bool(look.suffix) and look.suffix in TEXTS
        else MAY_BE
    )


def _is_clear(look: Look, delimiter: str, header: list[str]) -> bool:
    """Whether lines are rows, in spite of an ending that says text: no prose has tabs in every
    line, and none has signs in every line with no blank behind them."""
    if delimiter == "\t":
        return True
    names = [cell.strip() for cell in header]
    few = FEW_LINES if len(header) > 2 else MORE_LINES
    if len(look.lines) < few or not all(0 < len(name) <= SHORT_NAME for name in names):
        return False
    prose = sum(line.count(f"{delimiter} ") for line in look.lines)
    parts = sum(line.count(delimiter) for line in look.lines)
    return len({*names}) == len(names) and (prose < parts / 2 or _quoted(look, delimiter))


def _quoted(look: Look, delimiter: str) -> bool:
    """Whether cells stand in quotes, within which a text may have any sign."""
    return (
        sum(f'{delimiter}"' in line or f'"{delimiter}' in line for line in look.lines[1:])
        >= (len(look.lines) - 1) * 0.5
    )


CSV = Reader(
    "csv",
    "CSV",
    "A table with one document a row.",
    (".csv",),
    lambda look: _sniff(look, tabs=False),
    read_csv,
    csv_table,
)
TSV = Reader(
    "tsv",
    "TSV",
    "A table with tabs between its columns.",
    (".tsv", ".tab"),
    lambda look: _sniff(look, tabs=True),
    read_tsv,
    tsv_table,
)
