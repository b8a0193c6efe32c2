"""From rows with named fields to a `Source`: which column is the text, which the date, ..."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from itertools import chain

import numpy as np

from ...core.display import plural
from ...core.progress import passing
from ..corpus import CorpusError, DocTable
from ..documents.file_rows import FileRows
from ..documents.joining import join
from .columns import choose
from .composing import Composing
from .dates import parse_dates
from .decoding import MAX_UNPACKED
from .guessing import Guess, guess
from .keeping import TOO_LARGE, RowKeeper, bytes_kept
from .source import FIELDS, NONE, ReadOptions, Source, check_number, strings

Row = tuple[int, dict[str, str]]
"""The line (or row) number in the file, and the fields by column; a missing field is absent."""
SAMPLE_ROWS = 500


@dataclass(frozen=True, eq=False)
class RowTable:
    """The rows of a file on their way to documents."""

    name: str
    kind: str
    """The key in `READERS` of the reader that made it."""
    rows: Iterable[Row]
    columns: Sequence[str] = ()
    """The names in order, if known beforehand (else as they appear in the rows)."""
    notes: Sequence[str] = ()
    unit: str = "line"
    """What the number of a row counts, for messages."""
    sheets: tuple[str, ...] = ()
    column_titles: Mapping[str, str] = made_by(default_factory=dict)
    """Column -> its longer title, where the file has one."""
    how: Mapping[str, str] = made_by(default_factory=dict)
    """How the file is written (`writing_back.py`)."""
    whole: bytes | None = None
    """All of it as a Parquet file, where it is one."""
    fields: Mapping[str, str] = made_by(default_factory=dict)
    """Field -> column, where the form says what its columns are, so that they are not guessed; of
    several, a line each, the first that is filled. `NONE`: the form has no such field."""


class Picked:
    """The rows of a table with the chosen columns alone: (number, field -> value), in order.

    Raises CorpusError if no column looks like text or there is no row, and at the end of the rows
    if a column asked for is absent.
    """

    def __init__(
        self, table: RowTable, options: ReadOptions, keeping: RowKeeper | None = None
    ) -> None:
        self.table, self._kept = table, keeping
        self._rest = iter(table.rows)
        self.numbers: list[int] = []
        """Those of the rows that went by."""
        self.left_out: dict[int, str] = {}
        """Place among `numbers` -> why the row becomes no document."""
        self._sample = list(_first(self._rest))
        sample = [row for _, row in self._sample if not why_left_out(row)]
        if not sample:
            raise CorpusError(
                f"{table.name} has no rows of data; give a file with at least one document."
            )
        self.seen = dict.fromkeys(table.columns)
        """All columns up to here, in order."""
        for row in sample:
            self.seen.update(dict.fromkeys(row))
        # Of several columns for a field, a line each, the first is its column.
        self.wanted = {name: getattr(options, name).split("\n")[0] for name in FIELDS}
        values = {c: [row.get(c, "") for row in sample] for c in self.seen}
        found = self._guessed(values, options)
        self.chosen, self._nearly = found.chosen, found.said
        """Field -> column."""
        self.keeping = self.chosen | ({"join": options.join} if options.join else {})
        self._composing = Composing(options, self.chosen, table.column_titles)
        self.keeping |= self._composing.beside
        self.offers = [*found.offers, *self._composing.offers(values)]

    def _guessed(self, values: dict[str, list[str]], options: ReadOptions) -> Guess:
        filled = [column for column, cells in values.items() if any(map(str.strip, cells))]
        known = {
            field: next((c for c in told.split("\n") if c in filled or field == "text"), NONE)
            for field, told in self.table.fields.items()
        }
        wanted = {field: column or known.get(field, "") for field, column in self.wanted.items()}
        if options.as_of:
            more = {*options.text.split("\n")[1:], *options.label.split("\n")[1:]}
            free = [column for column in self.seen if column not in more]
            return guess(self.table.name, free, values, wanted, options.as_of)
        return Guess(*choose(self.table.name, tuple(self.seen), values, wanted))

    def __iter__(self) -> Iterator[Row]:
        for number, row in chain(self._sample, self._rest):
            if self._kept is not None:
                self._kept.add(row)
            self.numbers.append(number)
            if why := why_left_out(row):
                self.left_out[len(self.numbers) - 1] = why
                continue
            if not self.table.columns and not row.keys() <= self.seen.keys():
                self.seen.update(dict.fromkeys(row))
            fields = {field: row.get(column, "") for field, column in self.keeping.items()}
            for document in self._composing.documents(fields):
                yield number, document
        for field, column in self.keeping.items():
            if column not in self.seen:
                raise _absent(self.table.name, column, tuple(self.seen), field)

    def refuse_ids(self, repeated: str) -> None:
        """Choose no column of ids, which repeats one as `repeated_id` says. Raises CorpusError
        where that column was asked for."""
        if self.wanted["id"]:
            raise CorpusError(
                f"{self.table.name}, {repeated}; make ids unique, or choose no id column."
            )
        self._nearly.append(f"{repeated[0].upper()}{repeated[1:]}, so it is not used as the id.")
        del self.chosen["id"]

    def notes(self, dates: str, empty: int) -> tuple[str, ...]:
        """What is to be said of the table, with the note on its dates and the number of rows
        without text."""
        said = [
            *self.table.notes,
            _sentence(self.chosen, {**self.wanted, **self.table.fields}),
            *self._nearly,
        ]
        said += [f"Column {self.chosen['date']!r}: {dates}"] if dates else []
        said += self._composing.notes()
        said += [f"{plural(empty, 'row')} without text will be left out."] if empty else []
        return tuple(said)


def why_left_out(row: Mapping[str, str]) -> str:
    """Return why a row becomes no document; empty if it does."""
    return getattr(row, "why", "")


def _first(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows up to `SAMPLE_ROWS` that become documents."""
    n = 0
    while n < SAMPLE_ROWS and (found := next(rows, None)) is not None:
        n += not why_left_out(found[1])
        yield found


def read_rows(table: RowTable, options: ReadOptions) -> Source:
    """The documents of a table, in order; only the chosen columns are kept as they are, and all of
    them packed.

    A column that was guessed to hold ids and repeats one is none, which a note says. Raises
    CorpusError if a column asked for is absent, no column looks like text, ids of a column asked
    for repeat, or there is no row.
    """
    name, unit = table.name, table.unit
    keeping = RowKeeper(table.columns) if table.whole is None else None
    picked = Picked(table, options, keeping)
    kept: dict[str, list[str]] = defaultdict(list)
    lines: list[int] = []
    places: list[int] = []
    held = 0
    for number, row in passing(picked, f"{unit}s"):
        check_number(name, len(lines) + 1, f"{unit}s or more")
        lines.append(number)
        places.append(len(picked.numbers) - 1)
        for field, value in row.items():
            held += sys.getsizeof(value)
            kept[field].append(value)
        if held > MAX_UNPACKED:
            raise CorpusError(
                f"{name}, {unit} {number:,}: the texts up to there take more than "
                f"{MAX_UNPACKED // 10**6:,} MB; give a part of them."
            )
    chosen = picked.chosen
    repeated = _repeated(chosen["id"], kept["id"], lines, unit) if "id" in chosen else ""
    if repeated:
        picked.refuse_ids(repeated)
        kept.pop("id")
    columns = {"text": strings(kept["text"]), "row": np.array(places, dtype=np.int64)}
    columns |= {f: strings(kept[f]) for f in ("id", "title", "label") if f in kept}
    note = ""
    if "date" in chosen:
        columns["date"], note = parse_dates(kept["date"], options.as_of)
    empty = sum(not text.strip() for text in kept["text"])
    cells = keeping.packed() if keeping is not None else bytes_kept(table.whole or b"")
    rows = FileRows.of(picked.numbers, unit, cells, table.how, picked.left_out)
    source = Source(
        name,
        table.kind,
        tuple(kept["text"]),
        None,
        None,
        DocTable(**columns),
        tuple(picked.seen),
        chosen,
        table.sheets,
        (*picked.notes(note, empty), *([TOO_LARGE] if cells is None else [])),
        offers=tuple(picked.offers),
        column_titles=dict(table.column_titles),
        rows=rows,
    )
    return join(source, options.join, kept["join"], options.period) if options.join else source


def _absent(name: str, column: str, columns: tuple[str, ...], field: str) -> CorpusError:
    use = "by which to join texts" if field == "join" else f"for the {field}"
    return CorpusError(
        f"{name} has no column {column!r} {use}; choose one of: {', '.join(columns)}."
    )


def _sentence(chosen: dict[str, str], told: Mapping[str, str]) -> str:
    def say(field: str) -> str:
        return f"{field} from {chosen[field]!r}" + ("" if told[field] else " (guessed)")

    return f"Columns: {', '.join(say(field) for field in chosen)}."


def _repeated(column: str, ids: list[str], lines: list[int], unit: str) -> str:
    """Which id stands in two rows, in words; empty if none does."""
    first: dict[str, int] = {}
    for identity, number in zip(ids, lines, strict=True):
        before = first.setdefault(identity, number)
        if identity and before != number:
            return repeated_id(identity, column, unit, before, number)
    return ""


def repeated_id(identity: str, column: str, unit: str, before: int, number: int) -> str:
    """That an id stands in two rows, for a sentence."""
    return (
        f"{unit} {number:,}: the id {identity!r} in column {column!r} was already used on "
        f"{unit} {before:,}"
    )
