"""Reader of tables by columns: Parquet, and feather, which is Arrow's own form of files."""

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.parquet as pq

from ..corpus import CorpusError
from .decoding import MAX_UNPACKED, Stored
from .json_tables import plain_value
from .reader import SURE, Look, Reader
from .source import Source, Upload, check_number, reason
from .table import check_columns
from .tables import Row, RowTable, read_rows

BATCH = 1000
ARROW, FEATHER_1 = b"ARROW1", b"FEA1"
Batches = Callable[[list[str]], Iterator[pa.RecordBatch]]
"""Columns -> their rows, a thousand at a time."""


def read_parquet(upload: Upload) -> Source:
    """A Parquet table; columns of strings, numbers, dates, truth values and lists of strings."""
    return read_rows(parquet_table(upload), upload.options)


def parquet_table(upload: Upload) -> RowTable:
    """The rows of `read_parquet`; of a file on the disk however many there are."""
    with _sound(upload.name, "Parquet"):
        file = pq.ParquetFile(_place(upload))
    rows = file.metadata.num_rows

    def batches(columns: list[str]) -> Iterator[pa.RecordBatch]:
        return iter(file.iter_batches(batch_size=BATCH, columns=columns))

    return _table(upload, "parquet", "Parquet", file.schema_arrow, batches, rows)


def read_feather(upload: Upload) -> Source:
    """A feather or Arrow file, as Parquet is read."""
    return read_rows(feather_table(upload), upload.options)


def feather_table(upload: Upload) -> RowTable:
    """The rows of `read_feather`."""
    with _sound(upload.name, "feather"):
        if upload.data.startswith(FEATHER_1):
            table = pyarrow.feather.read_table(_place(upload))
            return _table(upload, "feather", "feather", table.schema, _of_table(table), len(table))
        file = pa.ipc.open_file(_place(upload))
    return _table(upload, "feather", "feather", file.schema, _of_file(file), None)


def _place(upload: Upload) -> Any:
    return upload.data.path if isinstance(upload.data, Stored) else io.BytesIO(upload.data)


def _of_table(table: pa.Table) -> Batches:
    return lambda columns: iter(table.select(columns).to_batches(max_chunksize=BATCH))


def _of_file(file: pa.RecordBatchFileReader) -> Batches:
    def batches(columns: list[str]) -> Iterator[pa.RecordBatch]:
        for number in range(file.num_record_batches):
            batch = file.get_batch(number).select(columns)
            for start in range(0, batch.num_rows, BATCH):
                yield batch.slice(start, BATCH)

    return batches


def _table(
    upload: Upload, kind: str, title: str, schema: pa.Schema, batches: Batches, n_rows: int | None
) -> RowTable:
    name, most = upload.name, None if isinstance(upload.data, Stored) else MAX_UNPACKED
    if n_rows is not None and most is not None:
        check_number(name, n_rows, "rows")
    with _sound(name, title):
        types = {field.name: field.type for field in schema}
    unread = {column: what for column, type in types.items() if (what := _unreadable(type))}
    columns = [column for column in types if column not in unread]
    check_columns(name, len(columns))
    lists = [column for column in columns if _is_list(types[column])]
    notes = [f"Read as {title}, {n_rows:,} rows." if n_rows is not None else f"Read as {title}."]
    if lists:
        notes.append(
            f"Of {_listed(lists)} the parts of each list are joined by blanks; a part of several "
            "words is several words."
        )
    if unread:
        told = ", ".join(f"{column!r} ({what})" for column, what in [*unread.items()][:5])
        notes.append(f"Not offered: {told}{', ...' if len(unread) > 5 else ''}.")
    rows = _rows(name, title, batches, columns, most)
    whole = upload.data if kind == "parquet" and most is not None else None
    how = {"form": "parquet"} if whole is not None else {}
    return RowTable(name, kind, rows, columns, notes, "row", how=how, whole=whole)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")


def _is_list(kind: pa.DataType) -> bool:
    types = pa.types
    tests = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view)
    return any(test(kind) for test in tests)


def _unreadable(kind: pa.DataType) -> str:
    """Why a column is not offered; empty where it is."""
    if _is_list(kind):
        inner = kind.value_type
        if _is_list(inner):
            return _unreadable(inner)
        is_text = any(
            test(inner)
            for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        )
        return "" if is_text or pa.types.is_dictionary(inner) else f"lists of {inner}"
    if pa.types.is_struct(kind) or pa.types.is_map(kind) or pa.types.is_nested(kind):
        return "records within records"
    return ""


@contextlib.contextmanager
def _sound(name: str, title: str) -> Iterator[None]:
    """Raise CorpusError for what pyarrow thinks of a damaged file."""
    try:
        yield
    except MemoryError:
        raise  # one of pyarrow's exceptions is both
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise CorpusError(
            f"{name} is a damaged {title} file ({reason(error)}); write or copy it again."
        ) from None


def _rows(
    name: str, title: str, batches: Batches, columns: list[str], most: int | None
) -> Iterator[Row]:
    """The rows; `most`: bytes that all of them together may unpack to."""
    number, size = 0, 0
    with _sound(name, title):
        for batch in batches(columns):
            size += sum(map(_unpacked_size, batch.columns)) if most is not None else 0
            if most is not None and size > most:
                raise CorpusError(
                    f"{name} unpacks to more than {most // 10**6:,} MB; give a part of it."
                )
            for row in batch.to_pylist():
                number += 1
                yield number, {key: _cell(name, number, key, value) for key, value in row.items()}


def _unpacked_size(column: pa.Array) -> int:
    """Bytes of the values of a column: one word of a dictionary may stand in every row.

    Dictionaries hold strings or bytes: pyarrow unfolds others while it reads the file.
    """
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    if not (pa.types.is_string(kind := column.type.value_type) or pa.types.is_binary(kind)):
        return int(column.indices.nbytes) * 8
    lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
    return int(pc.sum(lengths).as_py() or 0)


def _cell(name: str, number: int, column: str, value: Any) -> str:
    if not isinstance(value, bytes):
        return plain_value(value)
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise CorpusError(
            f"{name}, row {number:,}: column {column!r} holds bytes that are not UTF-8; write it "
            "as a column of strings."
        ) from None


def _begins(look: Look, *magic: bytes) -> float:
    return SURE if look.start.startswith(magic) else 0.0


READERS = (
    Reader(
        "parquet",
        "Parquet",
        "A table with one document a row.",
        (".parquet", ".pq"),
        lambda look: _begins(look, b"PAR1"),
        read_parquet,
        parquet_table,
        binary=True,
    ),
    Reader(
        "feather",
        "Feather",
        "A table of Arrow with one document a row.",
        (".feather", ".arrow", ".ipc"),
        lambda look: _begins(look, ARROW, FEATHER_1),
        read_feather,
        feather_table,
        binary=True,
    ),
)
