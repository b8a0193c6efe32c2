"""The rows of a file with columns added, in the form that the file had: CSV, JSON, Excel, Parquet.

What stands in the file is written as it stood there. `FileRows.how` says how it was written: its
`form` ("csv", "json lines", "json list", "excel", "parquet"; empty: plain text), and of CSV
`delimiter`, `quotes`, `bom`, `line_end`, `sep` (whether its first line names the delimiter),
`heads`, the cells that name its columns, and `heads_at`, their line; of Excel the same two, `sheet`
and `left`, the number of empty columns before the first.
"""

import datetime
import io
import json
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ...core.spreadsheet import defused
from ...core.xlsx import sheet_bytes
from ..corpus import CorpusError
from ..documents.added import SUFFIXES, Added, free_names, suffix_of
from ..documents.file_rows import FileRows
from .json_tables import plain_value

MOST_COLUMNS = 16_384
"""Of a sheet of Excel."""
TIMES: dict[str, Any] = {
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "duration": lambda seconds: datetime.timedelta(seconds=seconds),
}


def with_columns(rows: FileRows, added: Sequence[Added], suffix: str = "") -> bytes:
    """The file with these columns after its own, as a file with this `suffix` has them (empty: its
    own). A name that the file has already gets "(bnpexplorer)" behind it.

    Texts that are added are made safe for spreadsheets; cells of the file are left alone. Where
    the columns of the file were not kept, the number of each row stands in their place.

    Raises CorpusError for an unknown suffix.
    """
    suffix = suffix or suffix_of(rows)
    if suffix not in SUFFIXES:
        raise CorpusError(
            f"A table cannot be written as {suffix or 'a file without ending'}; choose one of "
            f"{', '.join(SUFFIXES)}."
        )
    table = table_of(rows)
    named = [*zip(free_names(table.column_names, added), added, strict=True)]
    if suffix == ".parquet":
        return _as_parquet(rows, table, named)
    if suffix in (".jsonl", ".json"):
        return _as_json(rows, table, named, suffix == ".json")
    if suffix == ".xlsx":
        return _as_excel(rows, table, named)
    return _as_csv(rows, table, named, suffix)


def table_of(rows: FileRows) -> pa.Table:
    """The columns of the file as they are kept, or the numbers of its rows. Raises CorpusError."""
    if rows.cells is None:
        return pa.table({rows.unit: rows.number})
    try:
        table = pq.read_table(io.BytesIO(rows.cells.tobytes()))
        table.validate(full=True)
    except (pa.ArrowException, OSError) as problem:
        raise CorpusError(
            "The columns that were kept of the file are damaged; read the file again."
        ) from problem
    if len(table) != len(rows):
        raise CorpusError("The columns that were kept are those of another file; read it again.")
    return table


def frame_of(rows: FileRows, added: Sequence[Added]) -> pd.DataFrame:
    """The columns of the file, strings of CSV, else of the types that the file had; and `added`."""
    table = table_of(rows)
    names = free_names(table.column_names, added)
    if rows.cells is None or rows.how.get("form") == "parquet":
        frame = pd.DataFrame(table.to_pandas(ignore_metadata=True))
    else:
        values = {name: _values(rows, table[name]) for name in table.column_names}
        own = {name: pd.Series(column, dtype=object) for name, column in values.items()}
        frame = pd.DataFrame(own).infer_objects()
    beside = {
        name: pd.Series(column.values(), dtype=column.kind)
        for name, column in zip(names, added, strict=True)
    }
    return pd.concat([frame, pd.DataFrame(beside)], axis=1)


def _values(rows: FileRows, column: Any) -> list[Any]:
    values: list[Any] = column.to_pylist()
    form = rows.how.get("form", "")
    if rows.cells is None or form not in ("json lines", "json list", "excel"):
        return values
    found = [None if value is None else json.loads(value) for value in values]
    if form != "excel":
        return found
    return [_time(value) if isinstance(value, dict) else value for value in found]


def _time(value: dict[str, Any]) -> Any:
    ((kind, said),) = value.items()
    return TIMES[kind](said)


Named = Sequence[tuple[str, Added]]


def _safe(added: Added) -> list[Any]:
    """The values of an added column, its texts without formulas."""
    return [defused(x) if isinstance(x, str) else x for x in added.values()]


def _as_csv(rows: FileRows, table: pa.Table, named: Named, suffix: str) -> bytes:
    how = rows.how if rows.how.get("form") == "csv" else {}
    delimiter = how.get("delimiter") or ("\t" if suffix == ".tsv" else ",")
    delimiter = "," if delimiter == "\x1f" else delimiter  # of a single column
    quoted = bool(how.get("quotes", '"'))

    def line(cells: Sequence[Any]) -> str:
        return delimiter.join([*map(field, cells)]) + (how.get("line_end") or "\n")

    def field(value: Any) -> str:
        text = plain_value(value)
        if not quoted or not any(sign in text for sign in (delimiter, '"', "\n", "\r")):
            return text
        return '"' + text.replace('"', '""') + '"'

    def ours(added: Added) -> list[Any]:
        cells = _safe(added)
        if quoted:
            return cells
        return [" ".join(x.split()) if isinstance(x, str) else x for x in cells]

    heads = json.loads(how["heads"]) if how.get("heads") else table.column_names
    columns = [_values(rows, table[name]) for name in table.column_names]
    columns += [ours(added) for _, added in named]
    heads += [""] * (len(table.column_names) - len(heads))  # above cells that rows have too many
    lines = [line(cells) for cells in zip(*columns, strict=True)]
    above = int(np.searchsorted(rows.number, int(how.get("heads_at") or 0)))
    lines.insert(above, line([*heads, *(defused(name) for name, _ in named)]))
    if how.get("sep"):
        lines.insert(0, f"sep={delimiter}{how['line_end']}")
    return "".join(lines).encode("utf-8-sig" if how.get("bom") else "utf-8")


def _as_json(rows: FileRows, table: pa.Table, named: Named, as_list: bool) -> bytes:
    as_it_was = rows.how.get("form", "") in ("json lines", "json list") and rows.cells is not None

    def texts(name: str) -> list[str | None]:
        if as_it_was:
            return table[name].to_pylist()  # type: ignore[no-any-return]
        return [_json(value) for value in _values(rows, table[name])]

    columns = {name: texts(name) for name in table.column_names}
    columns |= {name: [_json(x) for x in added.values()] for name, added in named}
    heads = [json.dumps(name, ensure_ascii=False) for name in columns]

    def objects() -> Iterator[str]:
        for cells in zip(*columns.values(), strict=True):
            pairs = zip(heads, cells, strict=True)
            yield "{" + ", ".join(f"{head}: {x}" for head, x in pairs if x is not None) + "}"

    text = "[\n" + ",\n".join(objects()) + "\n]\n" if as_list else "\n".join([*objects(), ""])
    return text.encode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _as_excel(rows: FileRows, table: pa.Table, named: Named) -> bytes:
    excel = rows.how.get("form") == "excel" and rows.cells is not None
    own = rows.how if excel else {}
    heads: list[Any] = [*table.column_names]
    if own.get("heads"):
        heads = [_time(x) if isinstance(x, dict) else x for x in json.loads(own["heads"])]
    columns = [_values(rows, table[name]) for name in table.column_names]
    columns += [_safe(added) for _, added in named]
    # The rows of a sheet keep their numbers, empty ones between them too.
    numbers = rows.number.tolist() if own.get("heads") else range(2, len(rows) + 2)
    at = int(own.get("heads_at") or 1)
    left = [None] * min(int(own.get("left") or 0), MOST_COLUMNS)

    def lines() -> Iterator[tuple[int, Sequence[Any]]]:
        yield at, [*left, *heads, *(defused(name) for name, _ in named)]
        for number, cells in zip(numbers, zip(*columns, strict=True), strict=True):
            yield number, [*left, *(x if excel or _fits(x) else plain_value(x) for x in cells)]

    return sheet_bytes(sorted(lines(), key=itemgetter(0)), own.get("sheet") or "Sheet1")


def _fits(value: Any) -> bool:
    """Whether a cell of Excel holds a value as it is."""
    times = (datetime.date, datetime.time, datetime.timedelta)
    return value is None or isinstance(value, (str, bool, int, float, *times))


def _as_parquet(rows: FileRows, table: pa.Table, named: Named) -> bytes:
    columns = {name: table[name] for name in table.column_names}
    if rows.cells is not None and rows.how.get("form") != "parquet":
        columns = {name: _typed(_values(rows, column)) for name, column in columns.items()}
        table = pa.table(columns)
    for name, added in named:
        kind = pa.string() if added.numbers is None else pa.int64() if added.whole else pa.float64()
        values = _safe(added)
        table = table.append_column(name, pa.array(values, kind))
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def _typed(values: list[Any]) -> Any:
    """An Arrow array of one type; strings where there are several."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if x is None else plain_value(x) for x in values], pa.string())
