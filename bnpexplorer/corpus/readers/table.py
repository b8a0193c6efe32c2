"""Readers of tables with named columns: CSV and TSV."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Literal

from ..corpus import CorpusError
from .decoding import CHUNK, MAX_UNPACKED, Data, find_encoding, open_text
from .dialects import DELIMITERS, MAX_COLUMNS, ONE_COLUMN, SHOWN, opened_table
from .headers import named_cells
from .keeping import RawCells
from .source import Source, Upload
from .tables import Row, RowTable, read_rows

Quoting = Literal[0, 3]
"""csv.QUOTE_MINIMAL or csv.QUOTE_NONE."""


def read_csv(upload: Upload) -> Source:
    """Comma-, semicolon-, tab- or bar-separated values, one record a document.

    Quoted fields may hold delimiters, doubled quotes and line breaks. Every record must have as
    many fields as the first; a ragged one is an error with its line number, never padded or cut.
    """
    return read_rows(csv_table(upload), upload.options)


def read_tsv(upload: Upload) -> Source:
    """Tab-separated values: as CSV, with the delimiter known."""
    return read_rows(tsv_table(upload), upload.options)


def csv_table(upload: Upload) -> RowTable:
    """The rows of `read_csv`."""
    return _separated(upload, "csv", upload.options.delimiter)


def tsv_table(upload: Upload) -> RowTable:
    """The rows of `read_tsv`."""
    return _separated(upload, "tsv", upload.options.delimiter or "\t")


def header_and_width(text: str, delimiter: str) -> tuple[list[str], float]:
    """The first record of some CSV text, and the share of the other records as wide as it."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    except csv.Error:  # not CSV with this delimiter
        return [], 0.0
    if not rows:
        return [], 0.0
    # The last record of a sample may be cut short.
    rest = rows[1:-1] or rows[1:]
    same = sum(len(row) == len(rows[0]) for row in rest)
    return rows[0], same / len(rest) if rest else 1.0


def sniff_delimiter(text: str) -> str:
    """The delimiter that splits the first record, and the most other records just as widely."""
    scores = {}
    for delimiter in DELIMITERS:
        header, share = header_and_width(text, delimiter)
        if len(header) > 1:
            scores[delimiter] = (share, len(header))
    return max(scores, key=lambda d: scores[d]) if scores else ONE_COLUMN


def _separated(upload: Upload, kind: str, delimiter: str) -> RowTable:
    name, data, options = upload.name, upload.data, upload.options
    if len(delimiter) > 1 or delimiter in ("\n", "\r", '"'):
        raise CorpusError(f"{name}: the delimiter must be one character; got {delimiter!r}.")
    if options.as_of:
        return _by_content(upload, kind, delimiter)
    codec, encoding = find_encoding(name, data, options.encoding)
    head = open_text(data, codec).read(1 << 16)
    how = "as asked" if options.delimiter else "by its name" if delimiter else "sniffed"
    delimiter = delimiter or sniff_delimiter(head)
    shown = f"delimiter {SHOWN.get(delimiter, delimiter)} ({how})"
    if delimiter == ONE_COLUMN:
        shown = "a single column"
    quoting: Quoting = csv.QUOTE_MINIMAL
    if delimiter == "\t" and not _quotes_are_sound(data, codec, delimiter):
        quoting, shown = csv.QUOTE_NONE, f"{shown}, quotes taken literally"
    first = next(_records(name, data, codec, delimiter, quoting), (1, []))[1]
    check_columns(name, len(first))
    columns, has_header = named_columns(first, options.header)
    notes = [f"Read as {kind.upper()}, {shown}, {encoding}."]
    if not has_header:
        notes.append("The first row is data, not column names; columns are named by number.")
    records = _records(name, data, codec, delimiter, quoting)
    if has_header:
        next(records, None)
    rows = _checked(name, records, columns, shown)
    written = {
        "form": "csv",
        "delimiter": delimiter,
        "quotes": "" if quoting == csv.QUOTE_NONE else '"',
        "bom": "yes" if codec == "utf-8-sig" else "",
        "line_end": "\r\n" if "\r\n" in head else "\n",
        "heads": json.dumps(first) if has_header else "",
    }
    return RowTable(name, kind, rows, columns, notes, how=written)


def _by_content(upload: Upload, kind: str, delimiter: str) -> RowTable:
    """As `_separated`, with dialect and header found by content."""
    table = opened_table(upload, delimiter, sniff_delimiter)
    names = table.header.names
    check_columns(upload.name, len(names))
    # The list grows while rows are read.
    table.notes.insert(0, f"Read as {kind.upper()}, {table.shown}, {table.encoding}.")
    rows = ((n, RawCells(named_cells(names, cells), why=why)) for n, cells, why in table.records)
    titles = table.header.titles
    return RowTable(
        upload.name, kind, rows, names, table.notes, column_titles=titles, how=table.how
    )


def _records(
    name: str, data: Data, codec: str, delimiter: str, quoting: Quoting
) -> Iterator[tuple[int, list[str]]]:
    """Every record that is not blank, with the line on which it begins."""
    csv.field_size_limit(MAX_UNPACKED)
    reader = csv.reader(open_text(data, codec), delimiter=delimiter, quoting=quoting, strict=True)
    begin = 1
    try:
        for record in reader:
            if record:
                yield begin, record
            begin = reader.line_num + 1
    except csv.Error as error:
        what = (
            "a quote opened there is never closed"
            if "unexpected end" in str(error)
            else f"a quote stands where none may ({error})"
        )
        raise CorpusError(
            f"{name}, line {begin:,}: {what}; write a quote inside a quoted field twice, or "
            "choose another delimiter."
        ) from None


def _quotes_are_sound(data: Data, codec: str, delimiter: str) -> bool:
    """Whether the file follows CSV's rules for quotes; many tab-separated files know none."""
    if not _has_quote(data, codec):
        return True
    try:
        widths = {len(r) for _, r in _records("", data, codec, delimiter, csv.QUOTE_MINIMAL)}
    except CorpusError:
        return False
    return len(widths) <= 1


def _has_quote(data: Data, codec: str) -> bool:
    stream = open_text(data, codec)
    return any('"' in piece for piece in iter(lambda: stream.read(CHUNK), ""))


def check_columns(name: str, n: int) -> None:
    """Raise CorpusError for more columns than `MAX_COLUMNS`."""
    if n > MAX_COLUMNS:
        raise CorpusError(
            f"{name} has {n:,} columns; the most is {MAX_COLUMNS:,}, so give those with texts and "
            "what is known of them, or counts as Matrix Market."
        )


def named_columns(first: list[str], header: str) -> tuple[list[str], bool]:
    """Names of the columns, unique and not empty, and whether `first` holds them."""
    has_header = header == "yes" or (header != "no" and not _is_data(first))
    names, taken = [], set[str]()
    for i, cell in enumerate(first, start=1):
        name = cell.strip() if has_header else ""
        name = name or f"column {i}"
        names.append(name if name not in taken else f"{name} ({i})")
        taken.add(names[-1])
    return names, has_header


def _is_data(record: list[str]) -> bool:
    """A first row with a long text, or with numbers, is hardly a row of names."""
    if any(len(cell) > 80 for cell in record):
        return True
    return any(cell.strip().replace(".", "", 1).isdigit() for cell in record)


def _checked(
    name: str, records: Iterator[tuple[int, list[str]]], columns: list[str], shown: str
) -> Iterator[Row]:
    for number, record in records:
        if len(record) != len(columns):
            raise CorpusError(
                f"{name}, line {number:,}: {len(record)} fields where the first row has "
                f"{len(columns)} ({shown}); quote texts that hold the delimiter, mend the line, "
                "or choose another delimiter."
            )
        yield number, dict(zip(columns, record, strict=True))
