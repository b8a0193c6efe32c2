"""From rows with named fields to a `Source`: which column is the text, which the date, ..."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from .columns import choose
from .corpus import CorpusError, DocTable
from .dates import parse_dates
from .decoding import MAX_UNPACKED
from .joining import join
from .source import FIELDS, ReadOptions, Source, check_number, plural, strings

Row = tuple[int, dict[str, str]]
"""The line (or row) number in the file, and the fields by column; a missing field is absent."""
SAMPLE_ROWS = 500


def read_rows(
    name: str,
    kind: str,
    rows: Iterable[Row],
    options: ReadOptions,
    columns: Sequence[str] = (),
    notes: Sequence[str] = (),
    unit: str = "line",
) -> Source:
    """The documents of a table, in order; only the chosen columns are kept in memory.

    `columns`: the names in order, if known beforehand (else as they appear in the rows). `unit` is
    what the number of a row counts, for messages.

    A column that was guessed to hold ids and repeats one is none, which a note says. Raises
    CorpusError if a column asked for is absent, no column looks like text, ids of a column asked
    for repeat, or there is no row.
    """
    iterator = iter(rows)
    sample = list(islice(iterator, SAMPLE_ROWS))
    if not sample:
        raise CorpusError(f"{name} has no rows of data; give a file with at least one document.")
    seen = dict.fromkeys(columns)
    for _, row in sample:
        seen.update(dict.fromkeys(row))
    wanted = {field: getattr(options, field) for field in FIELDS}
    values = {c: [row.get(c, "") for _, row in sample] for c in seen}
    chosen, nearly = choose(name, tuple(seen), values, wanted)
    kept: dict[str, list[str]] = defaultdict(list)
    keeping = chosen | ({"join": options.join} if options.join else {})
    lines: list[int] = []
    held = 0
    for number, row in chain(sample, _noting_columns(iterator, seen, bool(columns))):
        check_number(name, len(lines) + 1, f"{unit}s or more")
        lines.append(number)
        for field, column in keeping.items():
            value = row.get(column, "")
            held += sys.getsizeof(value)
            kept[field].append(value)
        if held > MAX_UNPACKED:
            raise CorpusError(
                f"{name}, {unit} {number:,}: the texts up to there take more than "
                f"{MAX_UNPACKED // 10**6:,} MB; give a part of them."
            )
    for field, column in keeping.items():
        if column not in seen:
            raise _absent(name, column, tuple(seen), field)
    repeated = _repeated(chosen["id"], kept["id"], lines, unit) if "id" in chosen else ""
    if repeated:
        if wanted["id"]:
            raise CorpusError(f"{name}, {repeated}; make ids unique, or choose no id column.")
        nearly.append(f"{repeated[0].upper()}{repeated[1:]}, so it is not used as the id.")
        del chosen["id"]
    said = [*notes, _sentence(chosen, wanted), *nearly]
    table = {
        "title": strings(kept["title"]) if "title" in chosen else None,
        "label": strings(kept["label"]) if "label" in chosen else None,
        "text": strings(kept["text"]),
    }
    if "id" in chosen:
        table["id"] = strings(kept["id"])
    if "date" in chosen:
        table["date"], note = parse_dates(kept["date"])
        said += [f"Column {chosen['date']!r}: {note}"] if note else []
    empty = sum(not text.strip() for text in kept["text"])
    if empty:
        said.append(f"{plural(empty, 'row')} without text will be left out.")
    source = Source(
        name,
        kind,
        tuple(kept["text"]),
        None,
        None,
        DocTable(**table),
        tuple(seen),
        chosen,
        notes=tuple(said),
    )
    return join(source, options.join, kept["join"], options.period) if options.join else source


def _noting_columns(rows: Iterator[Row], seen: dict[str, None], complete: bool) -> Iterator[Row]:
    for number, row in rows:
        if not complete and not row.keys() <= seen.keys():
            seen.update(dict.fromkeys(row))
        yield number, row


def _absent(name: str, column: str, columns: tuple[str, ...], field: str) -> CorpusError:
    use = "by which to join texts" if field == "join" else f"for the {field}"
    return CorpusError(
        f"{name} has no column {column!r} {use}; choose one of: {', '.join(columns)}."
    )


def _sentence(chosen: dict[str, str], wanted: dict[str, str]) -> str:
    def say(field: str) -> str:
        return f"{field} from {chosen[field]!r}" + ("" if wanted[field] else " (guessed)")

    return f"Columns: {', '.join(say(field) for field in chosen)}."


def _repeated(column: str, ids: list[str], lines: list[int], unit: str) -> str:
    """Which id stands in two rows, in words; empty if none does."""
    first: dict[str, int] = {}
    for identity, number in zip(ids, lines, strict=True):
        before = first.setdefault(identity, number)
        if identity and before != number:
            return (
                f"{unit} {number:,}: the id {identity!r} in column {column!r} was already used on "
                f"{unit} {before:,}"
            )
    return ""
