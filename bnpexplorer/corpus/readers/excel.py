"""Reader of Excel files (.xlsx): one sheet of them, by python-calamine.

It is small (1 MB), expands no XML entities and opens no link. Two things it leaves to us: how much
the parts of a file unpack to, and that it lays out every cell between the first and the last one,
so that a file of 2 kB with a cell in the last corner asked for 550 GB. What still takes too much
meets the limits of the process that reads (`corpus/intake/usage.py`).
"""

import datetime
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetVisibleEnum

from ...core.progress import say
from ..corpus import CorpusError
from .archives import BROKEN, MAX_ENTRIES, ZIPS
from .decoding import CHUNK, MAX_UNPACKED, Data, opened
from .dialects import Judged, checked
from .headers import FIRST_ROWS, LOOKED_AT, header_of, named_cells
from .json_tables import plain_value
from .keeping import RawCells
from .reader import SURE, Reader
from .source import Source, Upload, check_number, reason
from .table import check_columns, named_columns
from .tables import Row, RowTable, read_rows

WORKBOOK = "xl/workbook.xml"
"""The part that makes a ZIP archive an Excel file."""
MAX_CELLS = 5_000_000
"""Most cells between the corners of a sheet, empty ones included: each takes 64 bytes."""
PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]*)(\d+)["']""")
NO_DATE = datetime.date(1899, 12, 30)
"""What a cell gives that is written as a date and holds none: the day 0 of Excel's count."""
LONGEST_PLACE = 40
"""Bytes of a cell's place that may be cut by the end of a chunk."""


def is_excel(data: Data) -> bool:
    """Whether a file is an Excel file."""
    if data[:4] not in ZIPS:
        return False
    try:
        with zipfile.ZipFile(opened(data)) as archive:
            return WORKBOOK in archive.namelist()
    except BROKEN:
        return False


def read_excel(upload: Upload) -> Source:
    """The sheet with most rows, or the one that is asked for, as CSV is read: by its first row
    with anything in it. Dates and numbers come as they are, formulas as what they last gave.

    Raises CorpusError for a file that is damaged or too large, and where there is no such sheet.
    """
    return read_rows(excel_table(upload), upload.options)


def excel_table(upload: Upload) -> RowTable:
    """The rows of `read_excel`."""
    name, options = upload.name, upload.options
    data = upload.data[: len(upload.data)]  # also of a file on the disk: five million cells at most
    _check_parts(name, data)
    try:
        say("opening the workbook")
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheet = _sheet(name, book, options.sheet)
    except CorpusError:
        raise
    except (CalamineError, OSError, ValueError) as error:
        raise CorpusError(
            f"{name} is a damaged or unusual Excel file ({reason(error)}); save it again, or as "
            "CSV."
        ) from None
    check_number(name, sheet.total_height, "rows")
    rows = _filled(name, sheet)
    at, first = next(rows, (0, Filled()))
    if not first:
        raise _empty(name, sheet.name)
    check_columns(name, len(first))
    notes = [f"Read as Excel, sheet {sheet.name!r}."]
    others = [other for other in book.sheet_names if other != sheet.name]
    if others:
        listed = ", ".join(map(repr, others[:5])) + (", ..." if len(others) > 5 else "")
        notes[0] = f"Read as Excel, sheet {sheet.name!r}; not read: {listed}."
    sheets = tuple(book.sheet_names)
    if options.as_of:
        head = [*islice(_filled(name, sheet), LOOKED_AT + FIRST_ROWS)]
        header = header_of([row for _, row in head], options.header)
        notes += header.notes
        header.notes = notes
        records = checked(name, _filled(name, sheet), header, "Excel", False)
        names = head[header.row] if header.named else None
        return RowTable(
            name,
            "excel",
            _cells(header.names, records),
            header.names,
            notes,
            "row",
            sheets,
            header.titles,
            _written_as(sheet, names),
        )
    columns, has_header = named_columns(first, options.header)
    if not has_header:
        notes.append("The first row is data, not column names; columns are named by number.")
        rows = _filled(name, sheet)
    how = _written_as(sheet, (at, first) if has_header else None)
    cells = _cells(columns, ((number, row, "") for number, row in rows))
    return RowTable(name, "excel", cells, columns, notes, "row", sheets, how=how)


class Filled(list[str]):
    """The cells of a row as people write them, and `raw`, as they are."""

    def __init__(self, texts: Iterable[str] = (), raw: Sequence[Any] = ()) -> None:
        super().__init__(texts)
        self.raw = raw


def _written_as(sheet: CalamineSheet, heads: tuple[int, Filled] | None) -> dict[str, str]:
    """How the file is written (`writing_back.py`); `heads`: the row that names the columns."""
    how = {"form": "excel", "sheet": sheet.name, "heads_at": "", "heads": ""}
    how["left"] = str(sheet.start[1]) if sheet.start else ""
    if heads is not None:
        how |= {"heads_at": str(heads[0]), "heads": json.dumps([*map(_typed, heads[1].raw)])}
    return how


def _cells(columns: Sequence[str], rows: Iterable[Judged]) -> Iterator[Row]:
    """Rows with named fields."""
    for number, row, why in rows:
        assert isinstance(row, Filled)
        typed = named_cells(columns, [*map(_typed, row.raw)])
        yield number, RawCells(named_cells(columns, row), typed, why)


def _check_parts(name: str, data: bytes) -> None:
    """Read all parts once, within the budget: what their heads say may be wrong."""
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_ENTRIES or WORKBOOK not in archive.namelist():
                raise CorpusError(
                    f"{name} is no Excel file that can be read here; save it as .xlsx or CSV."
                )
            for part in parts:
                size += _unpacked_size(name, archive, part, MAX_UNPACKED - size)
    except CorpusError:
        raise
    except BROKEN as error:
        raise CorpusError(
            f"{name} is a damaged Excel file ({reason(error)}); save or copy it again."
        ) from None


def _unpacked_size(name: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo, most: int) -> int:
    """Bytes of a part. Raises CorpusError for more than `most`, and for a sheet that is too wide
    and long."""
    size, before, row, column = 0, b"", 0, 0
    with archive.open(part) as stream:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if size > most:
                raise CorpusError(
                    f"{name} unpacks to more than {MAX_UNPACKED // 10**6:,} MB; save the sheet "
                    "with the texts as CSV, or give a part of it."
                )
            if "worksheets/" not in part.filename:
                continue
            for letters, digits in PLACE.findall(before + chunk):
                row, column = max(row, int(digits[:9])), max(column, _column(letters))
            if row * column > MAX_CELLS:
                raise CorpusError(
                    f"{name} has a sheet with cells up to row {row:,} and column {column:,}; the "
                    f"most is {MAX_CELLS:,} cells between the corners, so delete what lies apart, "
                    "or save the texts as CSV."
                )
            before = chunk[-LONGEST_PLACE:]
    return size


def _column(letters: bytes) -> int:
    """The number of a column: 1 for A, 28 for AB."""
    number = 0
    for letter in letters[:4].upper():
        number = 26 * number + letter - 64
    return number


def _sheet(name: str, book: CalamineWorkbook, asked: str) -> CalamineSheet:
    if asked and asked not in book.sheet_names:
        listed = ", ".join(book.sheet_names[:10])
        raise CorpusError(f"{name} has no sheet {asked!r}; choose one of: {listed}.")
    seen = [s.name for s in book.sheets_metadata if s.visible == SheetVisibleEnum.Visible]
    sheets = [
        book.get_sheet_by_name(one) for one in ([asked] if asked else seen or book.sheet_names)
    ]
    longest = max(sheets, key=lambda sheet: sheet.height)  # a sheet of notes is shorter
    if not longest.height:
        raise _empty(name, asked)
    return longest


def _empty(name: str, sheet: str) -> CorpusError:
    which = f"{name}, sheet {sheet!r}," if sheet else name
    return CorpusError(f"{which} has no rows of data; choose a sheet with at least one document.")


def _filled(name: str, sheet: CalamineSheet) -> Iterator[tuple[int, Filled]]:
    """The rows that hold anything, with their numbers, from the first column that does: as people
    write them, and as they are."""
    for number, row in enumerate(_rows(name, sheet), start=1):
        cells = [_written(cell) for cell in row]
        if any(cells):
            yield number, Filled(cells, row)


def _rows(name: str, sheet: CalamineSheet) -> Iterator[list[Any]]:
    """Its rows. Raises CorpusError for a cell at which the library gives up."""
    rows, number = iter(sheet.iter_rows()), 0
    while True:
        try:
            row = next(rows, None)
        except BaseException as error:  # its panic is no Exception
            if type(error).__name__ != "PanicException":
                raise
            raise CorpusError(
                f"{name}, sheet {sheet.name!r}, has a cell below row {number:,} that cannot be "
                "read, such as a date beyond all calendars; mend it, or save the sheet as CSV."
            ) from None
        if row is None:
            return
        number += 1
        yield row


def _typed(cell: Any) -> Any:
    """Return a cell for JSON: None for an empty one, and times with the name of their type."""
    if isinstance(cell, datetime.timedelta):
        return {"duration": cell.total_seconds()}
    if isinstance(cell, datetime.date | datetime.time):  # a datetime is a date
        return {type(cell).__name__: cell.isoformat()}
    return None if cell == "" else cell


def _written(cell: Any) -> str:
    """A cell as people write it: whole numbers without a point, days without a time."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return f"{cell:.15g}" if abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime.datetime):
        if cell.date() == NO_DATE:
            return ""
        return cell.isoformat(" ") if cell.time() != datetime.time() else cell.date().isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return "" if cell == NO_DATE else cell.isoformat()
    return plain_value(cell).strip()


READERS = (
    Reader(
        "excel",
        "Excel",
        "A sheet with one document a row.",
        (".xlsx", ".xlsm"),
        lambda look: SURE * is_excel(look.data),
        read_excel,
        excel_table,
        binary=True,
    ),
)
