"""CSV as programs write it: delimiters, quotes, line ends, and rows above the names of the columns
and below the data. A line that cannot be read is refused by its number.
"""

import contextlib
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from ..corpus import CorpusError
from .decoding import MAX_UNPACKED, Data, find_encoding, open_text
from .headers import FIRST_ROWS, LOOKED_AT, Header, header_of, is_total
from .source import LEAVE_OUT, Upload

DELIMITERS = (",", ";", "\t", "|")
ONE_COLUMN = "\x1f"
"""Stands for "no delimiter": a character that no text file uses."""
SHOWN = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "blank"}
SAMPLE = 1 << 18
"""Letters that are looked at."""
SEP = re.compile(r'\ufeff?"?sep=(.)"?[ \t]*(\r\n|\r|\n)', re.IGNORECASE)
LONG_NAME = 80
"""Letters of a line from which on it is hardly one of names with delimiters."""
FITS = 0.7
"""The share of records that must be as wide as most for a delimiter to fit."""
Record = tuple[int, list[str]]
"""The line on which a record begins, and its fields."""
Judged = tuple[int, list[str], str]
"""The same, and why it becomes no document; empty if it does."""
NAMES = "the names of the columns"
MAX_COLUMNS = 10_000


@dataclass(frozen=True)
class Dialect:
    """How the fields of records are told apart."""

    delimiter: str
    quote: str = '"'
    """Empty: quotes are letters."""
    backslash: bool = False
    """Whether a backslash stands before a quote that is a letter, where others write it twice."""
    lines_before: int = 0
    """Lines before the first record, such as "sep=;"."""

    @property
    def said(self) -> str:
        """Unusual parts of the dialect, for a sentence."""
        said = []
        if not self.quote:
            said.append("quotes taken literally")
        if self.quote == "'":
            said.append("single quotes around fields")
        if self.backslash:
            said.append("a backslash before quotes")
        return "".join(f", {one}" for one in said)

    def reader(self, lines: Iterable[str]) -> Any:
        """A reader of the library `csv` over lines."""
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE
        escape = "\\" if self.backslash else None
        rows = map(_unescaped(self.delimiter), lines) if self.backslash else lines
        return csv.reader(
            rows,
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            escapechar=escape,
            doublequote=True,
            quoting=quoting,
            strict=True,
        )


def _unescaped(delimiter: str) -> Callable[[str], str]:
    """Lines in which \\N, for nothing, is empty and \\n, for a line end, a blank."""
    nothing = re.compile(rf"(^|{re.escape(delimiter)})\\N(?={re.escape(delimiter)}|\s*$)")
    return lambda line: re.sub(r"(?<!\\)\\[nrt]", " ", nothing.sub(r"\1", line))


def dialect_of(text: str, delimiter: str, old: Callable[[str], str]) -> Dialect:
    """The dialect of the first letters of a file. `delimiter`: asked for, or empty; `old`: finds
    one where none fits."""
    before = 0
    if found := SEP.match(text):
        delimiter, before = delimiter or found[1], 1
        text = text[found.end() :]
    usual = Dialect(delimiter, lines_before=before)
    fits = {
        d: _fit(text, replace(usual, delimiter=d))
        for d in ([delimiter] if delimiter else DELIMITERS)
    }
    best = max(fits, key=lambda d: (fits[d][1] > 1, fits[d]))
    no_fit = (
        fits[best][0] < FITS
        or fits[best][1] < 2
        or not _has_names(text, replace(usual, delimiter=best))
    )
    if not delimiter and no_fit:
        best = old(text)
        if best in fits and fits[best][1] == 1 and fits[best][0] >= FITS and _is_prose(text):
            best = ONE_COLUMN  # a question with a comma above answers
    usual = replace(usual, delimiter=best)
    others = []
    if '\\"' in text:
        others.append(replace(usual, backslash=True))
    if text.count(f"{best}'") + text.count(f"'{best}") > 10 or text.lstrip().startswith("'"):
        others.append(replace(usual, quote="'"))
    if not others:
        return usual
    better = max(others, key=lambda one: _fit(text, one)[2])
    share, after = _fit(text, usual)[2], _fit(text, better)[2]
    if better.quote == "'":
        return better if after >= share and _quoted(text, better) > _quoted(text, usual) else usual
    return better if after > share else usual


def _has_names(text: str, dialect: Dialect) -> bool:
    """Whether a first record of one field goes with wider ones below it: as a remark above the
    names of the columns, or as the one name beside numbers of rows."""
    rows = _head(text, dialect)[: LOOKED_AT + FIRST_ROWS]
    if len(rows[0]) > 1:
        return True
    numbered = all(row[0].strip().isdigit() for row in rows[1:])
    return numbered or header_of(rows, "").skipped > 1


def _is_prose(text: str) -> bool:
    """Whether the first line is a question or long, as names of columns are not."""
    line = text.splitlines()[0].strip()
    return line.endswith("?") or len(line) > LONG_NAME


def _head(text: str, dialect: Dialect) -> list[list[str]]:
    """The first records, the last of which may be cut short; none where quotes are unsound."""
    try:
        rows = [row for row in dialect.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        if "unexpected end" not in str(error) or len(text) < SAMPLE:
            return []
        rows = _before_cut(text, dialect)
    return rows[:-1] if len(text) >= SAMPLE else rows


def _before_cut(text: str, dialect: Dialect) -> list[list[str]]:
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # `extend` keeps what came before
        rows.extend(dialect.reader(io.StringIO(text, newline="")))
    return [row for row in rows if row]


def _fit(text: str, dialect: Dialect) -> tuple[float, int, float]:
    """How well a dialect fits: the share of records that are as wide as most (in steps of 5 %), how
    wide that is, and the share itself. Narrower ones above all others do not count."""
    rows = _head(text, dialect)
    if not rows:
        return 0.0, 0, 0.0
    width, n = Counter(map(len, rows)).most_common(1)[0]
    above = next(i for i, row in enumerate(rows) if len(row) >= width)
    share = n / (len(rows) - min(above, FIRST_ROWS - 1))
    return round(20 * share) / 20, width, share


def _quoted(text: str, dialect: Dialect) -> int:
    """How many fields stand in the quotes of a dialect."""
    d, q = re.escape(dialect.delimiter), re.escape(dialect.quote)
    return len(re.findall(rf"(?:^|{d}){q}[^\n]*?{q}(?={d}|\r|\n|$)", text, re.MULTILINE))


@dataclass(frozen=True)
class OpenedTable:
    """A CSV file of which the dialect and the names of columns are known."""

    header: Header
    shown: str
    """The delimiter and what is unusual, for sentences."""
    encoding: str
    records: Iterator[Judged]
    """All but the names of the columns."""
    notes: list[str]
    """Sentences; some are known once all records were read."""
    how: dict[str, str]
    """How the file is written (`writing_back.py`)."""


def opened_table(upload: Upload, delimiter: str, old: Callable[[str], str]) -> OpenedTable:
    """Open a CSV file by its content. Raises CorpusError."""
    name, options = upload.name, upload.options
    data = upload.data
    codec, encoding = find_encoding(name, data, options.encoding)
    head = open_text(data, codec).read(SAMPLE)
    how = "as asked" if options.delimiter else "by its name" if delimiter else "found out"
    dialect = dialect_of(head, delimiter, old)
    if dialect.delimiter == "\t" and '"' in head and not dialect.backslash:
        dialect = _of_tabs(data, codec, dialect)
    single = dialect.delimiter == ONE_COLUMN
    shown = (
        "a single column"
        if single
        else f"delimiter {SHOWN.get(dialect.delimiter, dialect.delimiter)} ({how})"
    )
    shown += dialect.said
    first = [*islice(records_of(name, data, codec, dialect), LOOKED_AT + 10)]
    header = header_of([row for _, row in first], options.header) if first else Header([], 0, False)
    notes = header.notes
    records = records_of(name, data, codec, dialect)
    rows = checked(name, records, header, shown, options.ragged == LEAVE_OUT)
    written = {
        "form": "csv",
        "delimiter": dialect.delimiter,
        "quotes": dialect.quote,
        "bom": "yes" if codec == "utf-8-sig" else "",
        "line_end": "\r\n" if "\r\n" in head else "\n",
        "heads": json.dumps(header.cells) if header.named else "",
        "heads_at": str(first[header.row][0]) if header.named else "",
        "sep": "yes" if dialect.lines_before else "",
    }
    return OpenedTable(header, shown, encoding, rows, notes, written)


def _of_tabs(data: Data, codec: str, dialect: Dialect) -> Dialect:
    """Many files with tabs know no quotes: these are letters where they do not fit."""
    try:
        widths = {len(row) for _, row in records_of("", data, codec, dialect)}
    except CorpusError:
        return replace(dialect, quote="")
    return dialect if len(widths) <= 1 else replace(dialect, quote="")


def records_of(name: str, data: Data, codec: str, dialect: Dialect) -> Iterator[Record]:
    """Every record that is not blank, with the line on which it begins. Raises CorpusError."""
    csv.field_size_limit(MAX_UNPACKED)
    lines = open_text(data, codec)
    for _ in range(dialect.lines_before):
        lines.readline()
    reader = dialect.reader(lines)
    begin = 1 + dialect.lines_before
    try:
        for record in reader:
            if record:
                yield begin, record
            begin = reader.line_num + 1 + dialect.lines_before
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


def checked(
    name: str, records: Iterator[Record], header: Header, shown: str, lenient: bool
) -> Iterator[Judged]:
    """All records but the names of the columns, with the reason of those that hold no document:
    rows above the names, a total at the end and, if `lenient`, rows of another width.

    Raises CorpusError, which names the line, for one of another width. Adds to the notes of the
    header at the end.
    """
    ragged: list[int] = []
    width, notes = len(header.names), header.notes
    for place, (number, record) in enumerate(islice(records, header.skipped)):
        if place != header.row:
            yield number, record, f"{'above' if place < header.row else 'below'} {NAMES}"
    waiting = next(records, None)
    while waiting is not None:
        number, record = waiting
        waiting = next(records, None)
        if waiting is None and is_total(record, width):
            notes.append(f"The last row ({_short(record)}) holds a total, and was left out.")
            yield number, record, "a total"
        elif len(record) == width:
            yield number, record, ""
        elif lenient:
            ragged.append(number)
            yield number, record[:MAX_COLUMNS], "another number of fields than the header"
        else:
            raise CorpusError(
                f"{name}, line {number:,}: {len(record)} fields where the header has {width} "
                f"({shown}); quote texts that hold the delimiter, mend the line, choose another "
                "delimiter, or leave out rows of another width (--ragged 'leave out')."
            )
    if ragged:
        lines = ", ".join(f"{line:,}" for line in ragged[:3]) + (", ..." if len(ragged) > 3 else "")
        have = "row has" if len(ragged) == 1 else "rows have"
        notes.append(f"{len(ragged):,} {have} not {width} fields and were left out (line {lines}).")


def _short(record: list[str]) -> str:
    return repr(" ".join(cell.strip() for cell in record if cell.strip())[:40])
