"""The columns of one shard's documents as a Parquet file. Imported where one is read or written:
whoever never does need not wait for pyarrow."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..corpus import Column, DocTable
from .layout import GROUP


class FieldsWriter:
    """One shard's documents become one file, `GROUP` of them at a time: of 50,000 documents of
    1,200 words the texts alone are 400 MB.

    Its methods raise OSError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._writer: pq.ParquetWriter | None = None
        self._waiting: pa.Table | None = None
        """Fewer documents than a row group has."""

    def add(self, docs: DocTable) -> None:
        with _as_os_error():
            table = _table_of(docs)
            if self._writer is None:
                self._path.parent.mkdir(exist_ok=True)
                # Arrow itself opens no name that is no UTF-8.
                self._file = open(self._path, "wb")  # noqa: SIM115 - closed with the shard
                self._writer = pq.ParquetWriter(self._file, table.schema, compression="zstd")
            if self._waiting is not None:
                table = pa.concat_tables([self._waiting, table])
            n_whole = table.num_rows // GROUP * GROUP
            if n_whole:
                self._writer.write_table(table.slice(0, n_whole), row_group_size=GROUP)
            self._waiting = table.slice(n_whole)

    def close(self) -> None:
        """The file is complete, and on the disk."""
        if self._writer is None or self._file is None:
            return
        with _as_os_error():
            if self._waiting is not None and self._waiting.num_rows:
                self._writer.write_table(self._waiting, row_group_size=GROUP)
            self._writer.close()
        os.fsync(self._file.fileno())
        self._file.close()

    def give_up(self) -> None:
        """Whatever is written is of no use."""
        with suppress(OSError, ValueError, pa.ArrowException):  # the disk may be full
            if self._writer is not None:
                self._writer.close()
        with suppress(OSError):  # as above
            if self._file is not None:
                self._file.close()


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, ValueError) as problem:  # the latter of parts of other types
        raise OSError(str(problem)) from problem


def read_column(path: Path, name: str, n_docs: int, group: int | None) -> Column:
    """The column `name` of a file of `n_docs` documents, or of one of its row groups. Raises what
    `store.DAMAGE` names."""
    with open(path, "rb") as opened, pq.ParquetFile(opened) as file:
        if file.metadata.num_rows != n_docs:
            raise ValueError("it has another number of rows")
        read = file.read if group is None else lambda **k: file.read_row_group(group, **k)
        column = read(columns=[name], use_threads=False).column(0)
        return _shared(column) if name == "label" else _numpy(column)


def holds_text(path: Path, name: str) -> bool:
    """Whether the column `name` of a file is of strings. Raises what `store.DAMAGE` names."""
    with pq.ParquetFile(path, memory_map=False) as file:
        return bool(pa.types.is_string(file.schema_arrow.field(name).type))


def _table_of(docs: DocTable) -> pa.Table:
    """The columns that are there, as Arrow has them. Numbers stay numbers, and all else strings."""
    return pa.table({name: _arrow(column) for name, column in docs.columns().items()})


def _arrow(column: Column) -> pa.Array:
    if column.dtype.kind == "M":
        return pa.array(column.astype("datetime64[D]"))
    if column.dtype.kind in "iufb":
        return pa.array(column)
    return pa.array([None if item is None else str(item) for item in column], pa.string())


def _numpy(column: pa.ChunkedArray) -> Column:
    """The column of `DocTable` that `_arrow` wrote."""
    if pa.types.is_date(column.type):
        return cast(Column, column.to_numpy().astype("datetime64[D]"))
    if pa.types.is_string(column.type):
        found = np.empty(len(column), object)
        found[:] = column.to_pylist()
        return found
    return cast(Column, column.to_numpy())


def _shared(column: pa.ChunkedArray) -> Column:
    """The same of a column of few kinds: equal strings are one object, 8 bytes for each place."""
    if not pa.types.is_string(column.type):
        return _numpy(column)
    coded = column.combine_chunks().dictionary_encode()
    kinds = np.array([*coded.dictionary.to_pylist(), None], object)
    return cast(Column, kinds[coded.indices.fill_null(len(kinds) - 1).to_numpy()])
