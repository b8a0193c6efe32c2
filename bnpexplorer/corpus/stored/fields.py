"""What is known of documents beside their words, in Parquet files: read when it is looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...core import store
from ...core.arrays import I64
from ...core.faults import told
from ..corpus import Column, CorpusError, DocTable
from .layout import GROUP, REMEDY, Manifest, fields_of

NAMES = tuple(f.name for f in fields(DocTable))
LONG = ("id", "title")
"""Names that every document has its own of."""


class RowsBut:
    """All documents but some, by their numbers among all: a list of rows that no array holds."""

    def __init__(self, left_out: I64, n_docs: int) -> None:
        """`left_out` int64: ascending, of `n_docs` documents."""
        self.left_out = left_out
        self._before = left_out - np.arange(len(left_out))
        """int64: for each document left out, how many of those kept come before it."""
        self._n_docs = n_docs - len(left_out)

    def __len__(self) -> int:
        return self._n_docs

    def __getitem__(self, rows: Any) -> I64:
        rows = np.asarray(rows, np.int64)
        return np.asarray(rows + np.searchsorted(self._before, rows, side="right"))


Rows = I64 | RowsBut | None
"""Of a table, among all documents of the folder; None: all."""


class Fields:
    """The Parquet files of one stored corpus."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.names = folder, manifest.columns
        self.starts = np.array([0, *(shard.last for shard in manifest.shards)], np.int64)
        self._group = lru_cache(maxsize=8)(self._read_group)
        self._name_group = lru_cache(maxsize=64)(self._read_group)
        """Names are short: 64 row groups of them take some 10 MB, 8 of texts as much."""
        self.is_text = lru_cache(maxsize=8)(self._is_text)
        """Whether a column is of strings. Raises CorpusError."""

    @property
    def n_docs(self) -> int:
        return int(self.starts[-1])

    def read(self, name: str, rows: Rows = None) -> Column:
        """A column of all documents, or at `rows` in any order; only their row groups are read.

        Raises CorpusError, which names the shard, if one is missing or damaged.
        """
        if rows is None:
            parts = [self.read_shard(shard, name) for shard in range(len(self.starts) - 1)]
            return np.concatenate(parts) if parts else np.empty(0, object)
        if isinstance(rows, RowsBut):
            return np.delete(self.read(name), rows.left_out)
        shards = np.searchsorted(self.starts, rows, side="right") - 1
        groups = (rows - self.starts[shards]) // GROUP
        found: Column | None = None
        keys = shards * (int(np.diff(self.starts).max(initial=1)) // GROUP + 1) + groups
        order = np.argsort(keys, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1) if len(rows) else ():
            shard, group = int(shards[own[0]]), int(groups[own[0]])
            at_hand = self._group if name == "text" else self._name_group
            values = at_hand(shard, group, name)
            if found is None:
                found = np.empty(len(rows), values.dtype)
            found[own] = values[rows[own] - self.starts[shard] - group * GROUP]
        return np.empty(0, object) if found is None else found

    def _is_text(self, name: str) -> bool:
        from .parquet import holds_text

        path = self.folder / fields_of(0)
        try:
            return len(self.starts) < 2 or holds_text(path, name)
        except store.DAMAGE as problem:
            raise self._damaged(path, problem) from problem

    def read_shard(self, shard: int, name: str) -> Column:
        """A column of all documents of a shard. Raises CorpusError, which names it."""
        return self._opened(shard, name, None)

    def _read_group(self, shard: int, group: int, name: str) -> Column:
        return self._opened(shard, name, group)

    def _opened(self, shard: int, name: str, group: int | None) -> Column:
        from .parquet import read_column  # 0.1 s, for which a first start need not wait

        path, n_docs = self.folder / fields_of(shard), self.starts[shard + 1] - self.starts[shard]
        try:
            return read_column(path, name, n_docs, group)
        except store.DAMAGE as problem:
            raise self._damaged(path, problem) from problem

    def _damaged(self, path: Path, problem: BaseException) -> CorpusError:
        damaged = f"{path} is missing or damaged ({store.short(problem)}). {REMEDY}"
        return CorpusError(told(str(path), problem, damaged))


class StoredText(Sequence[Any]):
    """A column that is too large to be held: what is asked for is read when it is.

    The last few row groups stay at hand. Stands where `DocTable` has an object array of strings:
    `column[row]`, `column[rows]`, `len`, going through it in order, and `numpy.asarray`, which
    reads all of it.
    """

    ndim, dtype = 1, np.dtype(object)

    def __init__(self, files: Fields, name: str, rows: Rows) -> None:
        self._files, self._name, self._rows = files, name, rows

    def __len__(self) -> int:
        return self._files.n_docs if self._rows is None else len(self._rows)

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    @property
    def nbytes(self) -> int:
        """Of what is held: the numbers of its rows."""
        return self._rows.nbytes if isinstance(self._rows, np.ndarray) else 0

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"there is no document {key} among {len(self):,}")
            return self._read(np.array([key % len(self)]))[0]
        if isinstance(key, slice):
            return self._read(np.arange(*key.indices(len(self)), dtype=np.int64))
        places = np.asarray(key)
        return self._read(np.flatnonzero(places) if places.dtype == bool else places)

    def __iter__(self) -> Iterator[Any]:
        for first in range(0, len(self), GROUP):
            yield from self[first : first + GROUP]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Column:
        return self._files.read(self._name, self._rows)

    def _read(self, places: I64) -> Column:
        return self._files.read(self._name, places if self._rows is None else self._rows[places])


class StoredDocs(DocTable):
    """The table of a stored corpus, or of some rows of it: a column is read when it is looked at.

    `text` is a `StoredText`, and so are `id` and `title` of all documents or nearly all: of ten
    million they would take a gigabyte. Other columns are read whole, once for each table.
    """

    def __new__(cls, *args: Any, **columns: Any) -> Any:
        # `dataclasses.replace` makes the class of what it is given: then of arrays in memory.
        return super().__new__(cls) if args else DocTable(**columns)

    def __init__(self, files: Fields, rows: Rows = None, names: Sequence[str] = ()) -> None:
        """`rows` int64: all documents unless given. `names`: of the columns that it has."""
        for name, value in (("_files", files), ("_rows", rows), ("_names", tuple(names))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_known", {})

    def __reduce__(self) -> Any:
        return DocTable, tuple(None if c is None else np.asarray(c) for c in map(self._get, NAMES))

    def _get(self, name: str) -> Any:
        files, known = (
            cast(Fields, vars(self)["_files"]),
            cast(dict[str, Any], vars(self)["_known"]),
        )
        if name not in vars(self)["_names"]:
            return None
        if name not in known:
            rows = vars(self)["_rows"]
            long = name in LONG and not isinstance(rows, np.ndarray) and files.is_text(name)
            read = StoredText if name == "text" or long else Fields.read
            known[name] = read(files, name, rows)
        return known[name]

    @property
    def n_docs(self) -> int:
        rows = vars(self)["_rows"]
        return vars(self)["_files"].n_docs if rows is None else len(rows)

    def take(self, rows: Any) -> DocTable:
        """The table of `rows` (indices or mask), of which nothing is read yet."""
        own = vars(self)["_rows"]
        if not isinstance(rows, RowsBut):
            if isinstance(rows, slice):
                rows = np.arange(*rows.indices(self.n_docs))
            rows = np.asarray(rows)
            rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
            rows = np.where(rows < 0, rows + self.n_docs, rows)
        return StoredDocs(vars(self)["_files"], rows if own is None else own[rows], self.names())

    def names(self) -> tuple[str, ...]:
        return tuple(vars(self)["_names"])

    def without(self, *names: str) -> DocTable:
        kept = [name for name in self.names() if name not in names]
        return StoredDocs(vars(self)["_files"], vars(self)["_rows"], kept)


def _column(name: str) -> property:
    return property(lambda self: self._get(name))


for _name in NAMES:  # in place of the fields of the dataclass
    setattr(StoredDocs, _name, _column(_name))
