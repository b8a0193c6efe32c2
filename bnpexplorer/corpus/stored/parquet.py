"""The columns of one shard's documents as a Parquet file. Imported where one is read or written:
whoever never does need not wait for pyarrow."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..corpus import Column, DocTable
from .layout import GROUP


def write_fields(path: Path, parts: Sequence[DocTable]) -> None:
    """One shard's documents as one file. Raises OSError."""
    path.parent.mkdir(exist_ok=True)
    try:
        table = pa.concat_tables([_table_of(part) for part in parts])
        with open(path, "wb") as file:  # Arrow itself opens no name that is no UTF-8
            pq.write_table(table, file, row_group_size=GROUP, compression="zstd")
    except pa.ArrowException as problem:
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
