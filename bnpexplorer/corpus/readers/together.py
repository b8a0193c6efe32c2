"""Several tables read as one, such as a file a year."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ..corpus import CorpusError
from .files import date_in
from .keeping import RawCells
from .source import ReadOptions
from .tables import Row, RowTable

FILE, FILE_DATE = "file", "date of the file"
"""Columns that say from which table a row is, and the date in its name."""


def together(
    name: str, tables: Sequence[tuple[str, RowTable]], options: ReadOptions
) -> tuple[RowTable, ReadOptions]:
    """The rows of tables (path, rows) one after the other, with a column for their file, and the
    options by which they are read. Raises CorpusError for columns that differ."""
    first_path, first = tables[0]
    for path, table in tables[1:]:
        if {*table.columns} != {*first.columns}:
            differ = sorted({*table.columns} ^ {*first.columns})
            raise CorpusError(
                f"{name}: {path} has other columns than {first_path} ({', '.join(differ[:5])}); "
                "choose one of them."
            )
    dated = "date" in options.file_names
    own = [FILE, FILE_DATE] if dated else [FILE]
    columns = [*first.columns, *(c for c in own if c not in first.columns)]
    notes = [
        f"{len(tables):,} tables are read as one; the column {FILE!r} names them.",
        *first.notes,
    ]
    rows = _rows(tables, dated)
    names = columns if first.columns else ()
    joined = RowTable(name, first.kind, rows, names, notes, "row", fields=first.fields)
    return joined, replace(options, date=options.date or FILE_DATE) if dated else options


def _rows(tables: Sequence[tuple[str, RowTable]], dated: bool) -> Iterator[Row]:
    number = 0
    for path, table in tables:
        own = {FILE: path} | ({FILE_DATE: date_in(PurePosixPath(path))} if dated else {})
        for _, row in table.rows:
            number += 1
            yield number, RawCells(own | row, why=getattr(row, "why", ""))
