"""All columns of a table, packed while its rows are read, to be given back with topics.

They are kept as strings: of a CSV file as they stand, of JSON and Excel as JSON, which keeps types
and missing cells. A Parquet file is kept as it is.
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Packed = npt.NDArray[np.uint8]
MAX_KEPT = 2**26
"""Most bytes of packed columns that are kept in memory beside a corpus."""
ROWS, LETTERS = 5_000, 4_000_000
"""Rows, or letters, that are packed at once."""
TOO_LARGE = (
    f"The columns take more than {MAX_KEPT // 2**20} MB packed and are not kept; the rows are "
    "known by their numbers."
)


class RawCells(dict[str, str]):
    """The fields of a row as texts, `raw`, the values that stand in the file where they are no
    texts, and `why` the row becomes no document; empty if it does."""

    __slots__ = ("raw", "why")

    def __init__(
        self, texts: Mapping[str, str], raw: Mapping[str, Any] | None = None, why: str = ""
    ) -> None:
        super().__init__(texts)
        self.raw, self.why = raw, why


class RowKeeper:
    """Packs rows one after the other; `packed` gives the bytes of one Parquet file."""

    def __init__(self, columns: Sequence[str] = (), most: int = MAX_KEPT) -> None:
        self._names = dict.fromkeys(columns)
        self._most = most
        self._waiting: list[Mapping[str, Any]] = []
        self._letters = 0
        self._parts: list[bytes] = []
        self.too_large = False
        """Whether the rows were given up since they take more than `most` bytes."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Take one row; columns that were not there yet come last."""
        if self.too_large:
            return
        raw = getattr(row, "raw", None)
        cells = row if raw is None else {str(key): as_json(value) for key, value in raw.items()}
        if not cells.keys() <= self._names.keys():
            self._names.update(dict.fromkeys(cells))
        self._waiting.append(cells)
        # Every row of a pack takes room in all columns, however few of them it fills.
        self._letters += sum(map(len, cells.values())) + len(self._names)
        if len(self._waiting) >= ROWS or self._letters >= LETTERS:
            self._pack()

    def packed(self) -> Packed | None:
        """All rows; None where they are too large."""
        self._pack()
        if self.too_large:
            return None
        out = io.BytesIO()
        schema = pa.schema([(name, pa.string()) for name in self._names])
        with pq.ParquetWriter(out, schema, compression="zstd") as writer:
            for part in self._tables():
                missing = pa.nulls(len(part), pa.string())
                there = {name: part[name] for name in part.column_names}
                writer.write_table(
                    pa.table([there.get(name, missing) for name in self._names], schema=schema)
                )
        return bytes_kept(out.getvalue(), self._most)

    def _pack(self) -> None:
        if not self._waiting or self.too_large:
            return
        columns = {name: [row.get(name) for row in self._waiting] for name in self._names}
        table = pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
        out = io.BytesIO()
        pq.write_table(table, out, compression="zstd")
        self._parts.append(out.getvalue())
        self._waiting, self._letters = [], 0
        if sum(map(len, self._parts)) > self._most:
            self.too_large, self._parts = True, []

    def _tables(self) -> Iterator[pa.Table]:
        while self._parts:
            yield pq.read_table(io.BytesIO(self._parts.pop(0)))


def packed_rows(rows: Iterable[Mapping[str, str]]) -> Packed | None:
    """Rows as `RowKeeper` packs them."""
    keeping = RowKeeper()
    for row in rows:
        keeping.add(row)
    return keeping.packed()


def bytes_kept(data: bytes, most: int = MAX_KEPT) -> Packed | None:
    """The bytes of a Parquet file as they are kept; None where they are more than `most`."""
    return None if len(data) > most else np.frombuffer(data, np.uint8)


def as_json(value: Any) -> str:
    """A value as JSON; half of a surrogate pair, which no file holds, is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value)
    return text
