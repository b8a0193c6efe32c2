"""A corpus that stays on the disk: like any other, and in memory no more than is asked for."""

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ...core import store
from ...core.arrays import I64
from ..corpus import CHUNK_DOCS, Column, Corpus, CorpusError, fingerprint_of
from ..documents.units import BLOCK, origins
from .counts import PIECE, StoredCounts, runs_of
from .fields import Fields, RowsBut, StoredDocs
from .layout import (
    COUNTS,
    HEADER,
    INDPTR,
    LENGTHS,
    REMEDY,
    TOTALS,
    VOCABULARY,
    WORD_IDS,
    Manifest,
    read_manifest,
)

NONE = np.zeros(0, np.int64)


class Opened:
    """One folder: its manifest, vocabulary and open files, which all views of it share."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).resolve()
        self.manifest = read_manifest(self.folder)
        if fault := missing(self.folder, self.manifest):
            raise CorpusError(fault)
        self.counts = StoredCounts(self.folder, self.manifest)
        self.fields = Fields(self.folder, self.manifest)
        self.vocab = self._vocabulary()

    def _vocabulary(self) -> tuple[str, ...]:
        path = self.folder / VOCABULARY
        try:
            written = path.read_bytes()
            if hashlib.sha256(written).hexdigest() != self.manifest.vocabulary_sha256:
                raise ValueError("its words are others than when the corpus was built")
            words = json.loads(written)
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise ValueError("it is no list of words")
            if len(words) != self.manifest.n_words:  # kernels write at the numbers of words
                raise ValueError("it has another number of words than its manifest says")
            return tuple(words)
        except (OSError, ValueError, RecursionError) as problem:
            why = store.short(problem)
            raise CorpusError(f"{path} is missing or damaged ({why}). {REMEDY}") from problem


def missing(folder: Path, manifest: Manifest) -> str:
    """What is missing of a stored corpus, or of another size than it was built with, in a
    sentence; empty if nothing. Looks at sizes only: a millisecond for 200 shards."""
    for name, size in manifest.sizes().items():
        path = folder / name
        try:
            found = path.stat().st_size
        except OSError as problem:
            return f"{path} is missing ({problem.strerror}). {REMEDY}"
        if found != size:
            lost = [
                i
                for i, shard in enumerate(manifest.shards)
                if name in (WORD_IDS, COUNTS) and HEADER + 4 * shard.end > found
            ]
            of = f", so that shard {lost[0]} and all after it are gone" if lost else ""
            return f"{path} has {found:,} bytes in place of {size:,}{of}. {REMEDY}"
    return ""


class StoredCorpus(Corpus):
    """The corpus of a folder that `ShardWriter` wrote, or a view of it without some documents.

    All of `Corpus` holds. Made of the folder's address; `without` makes views, which copy nothing.
    `take`, `part` and `chunks` read what they are asked for into a `Corpus` in memory; `docs` reads
    columns when they are looked at. `indptr`, `word_ids` and `counts` are there for who needs all
    of them: read when the first of them is asked for, and held as long as this corpus is, as large
    as in memory. A mapping would be less, but a file that is cut short ends the process then.

    Raises CorpusError, with a sentence, if the folder is no such corpus, or not what it was.
    """

    def __new__(cls, *args: Any, **fields: Any) -> Any:
        # `dataclasses.replace` makes the class of what it is given: then of arrays in memory.
        return Corpus(**fields) if fields else super().__new__(cls)

    def __init__(
        self,
        folder: "str | Path | Opened",
        left_out: I64 = NONE,
        columns: tuple[str, ...] | None = None,
    ) -> None:
        """`left_out` int64, ascending: documents that the view lacks. `columns`: of `docs`, all
        unless given."""
        opened = folder if isinstance(folder, Opened) else Opened(folder)
        names = opened.manifest.columns if columns is None else columns
        docs: Any = StoredDocs(opened.fields, None, names)
        if len(left_out):
            docs = docs.take(RowsBut(left_out, opened.manifest.n_docs))
        for key, value in (("opened", opened), ("left_out", left_out), ("_docs", docs)):
            object.__setattr__(self, key, value)

    opened: Opened
    left_out: I64
    """int64, ascending: documents of the folder that this lacks."""

    def __reduce__(self) -> Any:
        return StoredCorpus, (str(self.folder), self.left_out, self.docs.names())

    def __repr__(self) -> str:
        return f"StoredCorpus({str(self.folder)!r}, {self.n_docs:,} documents)"

    @property
    def folder(self) -> Path:
        return self.opened.folder

    @property
    def manifest(self) -> Manifest:
        return self.opened.manifest

    @property
    def identity(self) -> tuple[str, ...]:
        """Hashes of its texts and names; those of counts are in its fingerprint."""
        return tuple(shard.fields_sha256 for shard in self.manifest.shards)

    # ---- the promises of Corpus ----------------------------------------------------------------

    @property
    def n_docs(self) -> int:
        return self.manifest.n_docs - len(self.left_out)

    @property
    def n_pairs(self) -> int:
        return self.manifest.n_pairs - (self._lacking.n_pairs if len(self.left_out) else 0)

    @property
    def n_tokens(self) -> int:
        return self.manifest.n_tokens - (self._lacking.n_tokens if len(self.left_out) else 0)

    @property
    def doc_lengths(self) -> I64:
        found, place = np.empty(self.n_docs, np.int64), 0
        for piece in self.length_pieces():
            found[place : place + len(piece)] = piece
            place += len(piece)
        return found

    def length_pieces(self) -> Iterator[I64]:
        n_docs = self.manifest.n_docs
        for first in range(0, n_docs, PIECE):
            last = min(first + PIECE, n_docs)
            own = np.searchsorted(self.left_out, (first, last))
            gone = self.left_out[slice(*own)] - first
            yield np.delete(self.opened.counts.read(LENGTHS, first, last), gone)

    def date_pieces(self) -> Iterator[Column]:
        for i, shard in enumerate(self.manifest.shards):
            own = np.searchsorted(self.left_out, (shard.first, shard.last))
            dates = self.opened.fields.read_shard(i, "date")
            kept = np.delete(dates, self.left_out[slice(*own)] - shard.first)
            if len(kept):
                yield kept

    @cached_property
    def word_totals(self) -> I64:
        return np.asarray(self._totals(0) - self._lacking.word_totals)

    @property
    def word_docs(self) -> I64:
        """int64 (V,): documents in which every word occurs."""
        return np.asarray(self._totals(1) - self._lacking.word_docs)

    @cached_property
    def origin(self) -> I64 | None:
        """As of `Corpus`, by all names that the folder has, whatever of them this view shows."""
        names = tuple(name for name in self.manifest.columns if name != "text")
        named = StoredCorpus(self.opened, self.left_out, names)
        if "origin" in names:
            return cast(I64 | None, named.docs.origin)
        return origins((docs.docs for docs in named.chunks(BLOCK)), self.n_docs)

    @cached_property
    def fingerprint(self) -> str:
        if not len(self.left_out):
            return self.manifest.fingerprint
        return fingerprint_of(self._numbers(), self.vocab)

    def fault(self) -> str:
        return missing(self.folder, self.manifest)

    def starts(self, first: int, last: int) -> I64:
        last = min(last, self.n_docs)
        if not len(self.left_out):
            return self.opened.counts.read(INDPTR, first, last + 1)
        if first >= last:
            at_end = np.array([self.n_pairs])
            return self.starts(first, first + 1)[:1] if first < self.n_docs else at_end
        rows = self._rows(np.arange(first, last))
        begin, end = int(rows[0]), int(rows[-1]) + 1
        places = self.opened.counts.read(INDPTR, begin, end + 1)
        steps = np.diff(places)[rows - begin]
        gone = int(self._lacking.indptr[np.searchsorted(self.left_out, begin)])
        return np.asarray(np.concatenate(([0], np.cumsum(steps))) + (places[0] - gone))

    def take(self, rows: Any) -> Corpus:
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        there = (rows >= -self.n_docs) & (rows < self.n_docs)
        if not there.all():
            raise IndexError(f"there is no document {rows[~there][0]:,} among {self.n_docs:,}")
        rows = np.where(rows < 0, rows + self.n_docs, rows)
        firsts, lasts, _ = runs_of(self._rows(rows))
        numbers = self.opened.counts.documents(firsts, lasts)
        return Corpus(*numbers, self.vocab, self.docs.take(rows), self.name)

    def places(self, rows: I64) -> I64:
        """Where documents of this view, by their rows, lie in the folder: both int64 (S,)."""
        return np.asarray(self._rows(rows), np.int64)

    def part(self, first: int, last: int) -> Corpus:
        return self.take(np.arange(max(first, 0), min(last, self.n_docs)))

    def without(self, rows: Any) -> Corpus:
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
        left_out = np.union1d(self.left_out, self._rows(rows)).astype(np.int64)
        return StoredCorpus(self.opened, left_out, self.docs.names())

    def without_text(self) -> Corpus:
        kept = tuple(name for name in self.docs.names() if name != "text")
        return StoredCorpus(self.opened, self.left_out, kept)

    def unnamed(self) -> Corpus:
        kept = tuple(name for name in self.manifest.columns if name in ("date", "origin"))
        return StoredCorpus(self.opened, self.left_out, kept)

    def whole(self) -> "StoredCorpus":
        """All documents of the folder, also those that this view lacks."""
        return StoredCorpus(self.opened)

    def loaded(self) -> Corpus:
        """The same corpus in memory; its table of documents stays on the disk."""
        found = self.part(0, self.n_docs)
        object.__setattr__(found, "n_empty_dropped", self.n_empty_dropped)
        return found

    # ---- views ---------------------------------------------------------------------------------

    def _rows(self, rows: I64) -> I64:
        """Where documents of this view lie in the folder."""
        return RowsBut(self.left_out, self.manifest.n_docs)[rows] if len(self.left_out) else rows

    @cached_property
    def _lacking(self) -> Corpus:
        """The documents that a view lacks, in memory: some hundreds."""
        return StoredCorpus(self.opened, NONE, ()).take(self.left_out)

    @cached_property
    def _copied(self) -> Corpus:
        """All of it in memory, for who needs its arrays whole."""
        return StoredCorpus(self.opened, self.left_out, ()).part(0, self.n_docs)

    def hold(self) -> None:
        """Read all of it, for who will ask for its arrays whole. Raises CorpusError."""
        _ = self._copied

    def let_go(self) -> None:
        """No longer hold what somebody asked for whole, unless he does."""
        vars(self).pop("_copied", None)

    @property
    def n_bytes_copied(self) -> int:
        """What somebody who asked for whole arrays made it hold."""
        return self._copied.n_bytes if "_copied" in vars(self) else 0

    def _totals(self, row: int) -> I64:
        n = self.n_words
        return self.opened.counts.read(TOTALS, row * n, (row + 1) * n)

    def _numbers(self) -> Iterator[npt.NDArray[Any]]:
        for first in range(0, self.n_docs, PIECE):
            found = self.starts(first, min(first + PIECE, self.n_docs))
            yield found if first == 0 else found[1:]
        for name in ("word_ids", "counts"):
            for docs in StoredCorpus(self.opened, self.left_out, ()).chunks(CHUNK_DOCS):
                yield getattr(docs, name)


def _array(name: str) -> property:
    return property(lambda self: getattr(self._copied, name))


# In place of the fields of the dataclass, which are set where a corpus lies in memory.
_FIELDS = {
    "indptr": _array("indptr"),
    "word_ids": _array("word_ids"),
    "counts": _array("counts"),
    "vocab": property(lambda self: self.opened.vocab),
    "docs": property(lambda self: self._docs),
    "name": property(lambda self: self.manifest.name),
    "n_empty_dropped": property(lambda self: self.manifest.n_empty_dropped),
}
for _name, _property in _FIELDS.items():
    setattr(StoredCorpus, _name, _property)
