"""Chunks of documents in a folder, one file each, complete or not there."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa

from ...core import store
from ...corpus.corpus import Column, DocTable
from ...corpus.readers.source import Source, strings
from .facts import Facts, FileFacts

LETTERS, DOCUMENTS = 8_000_000, 50_000
"""Of a chunk, whichever comes first; a longer text is a chunk of its own. Counting one takes a
process 60 MB beside the 190 it starts with."""
HELD = 2
"""Chunks whose texts are held while single ones are looked at."""

Columns = dict[str, list[str]]


def chunk_file(folder: Path, chunk: int, suffix: str = ".arrow") -> Path:
    """The file of a chunk."""
    return folder / f"{chunk:06d}{suffix}"


def write_chunk(folder: Path, chunk: int, columns: Mapping[str, Any]) -> None:
    """Columns of equal length as one file. Raises OSError."""
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with (
        store.replacing(chunk_file(folder, chunk)) as file,
        pa.ipc.new_file(file, table.schema, options=options) as writer,
    ):
        writer.write_table(table)


def read_chunk(folder: Path, chunk: int, names: Sequence[str] = ()) -> dict[str, list[Any]]:
    """All columns of a chunk, or those of `names`. Raises OSError, pyarrow.ArrowException."""
    with open(chunk_file(folder, chunk), "rb") as file:
        table = pa.ipc.open_file(file, options=_ONE_THREAD).read_all()
        return {name: table.column(name).to_pylist() for name in names or table.column_names}


def shape_of(folder: Path, chunk: int) -> tuple[tuple[str, ...], int]:
    """The names of a chunk's columns, and its documents."""
    with open(chunk_file(folder, chunk), "rb") as file:
        reader = pa.ipc.open_file(file)
        batches = range(reader.num_record_batches)
        return tuple(reader.schema.names), sum(reader.get_batch(i).num_rows for i in batches)


_ONE_THREAD = pa.ipc.IpcReadOptions(use_threads=False)


def source_of(folder: Path, part: FileFacts, chunk: int) -> Source:
    """The documents of a chunk; dates stay as they were written."""
    columns = read_chunk(folder, chunk, part.fields)
    docs = DocTable(**{name: strings(values) for name, values in columns.items()})
    return Source(part.name, part.kind, texts=tuple(columns["text"]), docs=docs)


def written(column: Column) -> list[str]:
    """A column of documents as cells of a table: a day as 2014-03-02, what is unknown empty."""
    if column.dtype.kind == "M":
        return ["" if np.isnat(day) else str(day) for day in column.astype("datetime64[D]")]
    return ["" if value is None else str(value) for value in column]


class ChunkTexts(Sequence[str]):
    """The texts of all chunks: what is asked for is read, and a chunk or two are held."""

    def __init__(self, folder: Path, facts: Facts) -> None:
        self._folder = folder
        self._ends = np.cumsum(facts.sizes)
        self._held: OrderedDict[int, list[str]] = OrderedDict()

    def __len__(self) -> int:
        return int(self._ends[-1])

    @overload
    def __getitem__(self, key: int) -> str: ...

    @overload
    def __getitem__(self, key: slice) -> Sequence[str]: ...

    def __getitem__(self, key: int | slice) -> str | Sequence[str]:
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(len(self)))]
        if not 0 <= key < len(self):
            raise IndexError(f"there is no text {key}")
        chunk = int(np.searchsorted(self._ends, key, side="right"))
        if chunk not in self._held:
            self._held[chunk] = read_chunk(self._folder, chunk, ["text"])["text"]
            while len(self._held) > HELD:
                self._held.popitem(last=False)
        return self._held[chunk][key - int(self._ends[chunk - 1] if chunk else 0)]
