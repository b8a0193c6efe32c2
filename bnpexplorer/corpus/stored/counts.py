"""Reading the numbers of a stored corpus: always a piece of a file, never a mapping of it.

A mapped file counts as memory of whoever looks at it, and where it was cut short, or its disk does
not answer, looking ends the process. What is read belongs to nobody until it is asked for again,
and what is missing is a sentence.
"""

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ...core import store
from ...core.arrays import I32, I64
from ..corpus import CorpusError
from .layout import COUNTS, HEADER, INDPTR, REMEDY, TYPES, WORD_IDS, Manifest

Array = npt.NDArray[Any]
PIECE = 2**20
"""Numbers at once where all are gone through: 4 or 8 MB."""


class StoredCounts:
    """The open files of one stored corpus; may be used by several threads at once."""

    def __init__(self, folder: Path, manifest: Manifest, said: str = "") -> None:
        """`said`: where they lie, for a person, if that is another place."""
        self.folder, self.manifest, self.said = folder, manifest, said or str(folder)
        self._files: dict[str, IO[bytes]] = {}
        self._lock = threading.RLock()

    def read(self, name: str, first: int, last: int) -> Array:
        """Numbers `first` to `last` of a file, in an array of one's own. Raises CorpusError."""
        found = np.empty(last - first, TYPES[name])
        self._into(name, first, found)
        return found

    def pieces(self, name: str, first: int, last: int) -> Iterator[Array]:
        """The same, `PIECE` numbers at a time."""
        for begin in range(first, last, PIECE):
            yield self.read(name, begin, min(begin + PIECE, last))

    def documents(self, firsts: I64, lasts: I64) -> tuple[I64, I32, I32]:
        """`indptr`, `word_ids` and `counts` of ranges of documents one after the other.

        `firsts`, `lasts` int64 (R,): each range, one document at least. Numbers that no corpus has
        would lead kernels astray, so they are looked at.

        Raises CorpusError, which names the shard, if something is missing or cannot be.
        """
        sizes = lasts - firsts
        starts = np.empty(int(sizes.sum()) + len(sizes), np.int64)
        at = np.concatenate(([0], np.cumsum(sizes + 1)))
        for i, first in enumerate(firsts.tolist()):
            self._into(INDPTR, first, starts[at[i] : at[i + 1]])
        begins, ends = starts[at[:-1]], starts[at[1:] - 1]
        steps = np.delete(np.diff(starts), at[1:-1] - 1)
        if len(steps) and (steps.min() < 1 or steps.max() > self.manifest.n_words):
            wrong = int(np.argmax((steps < 1) | (steps > self.manifest.n_words)))
            raise self._wrong(firsts, sizes, wrong, "its documents do not follow each other")
        indptr = np.concatenate(([0], np.cumsum(steps)))
        words, counts = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32)
        place = 0
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            own = slice(place, place + end - begin)
            self._into(WORD_IDS, begin, words[own])
            self._into(COUNTS, begin, counts[own])
            place = own.stop
        # As unsigned numbers one comparison tells both ends.
        bad = (words.view(np.uint32) >= self.manifest.n_words) | (counts < 1)
        falls = words[1:] <= words[:-1]
        falls[indptr[1:-1] - 1] = False  # the first word of a document
        bad[1:] |= falls
        if bad.any():
            wrong = int(np.searchsorted(indptr, np.argmax(bad), side="right")) - 1
            raise self._wrong(firsts, sizes, wrong, "it holds words or counts that cannot be")
        for array in (indptr, words, counts):
            array.flags.writeable = False  # else a corpus of them would copy them
        return indptr, words, counts

    def _wrong(self, firsts: I64, sizes: I64, place: int, why: str) -> CorpusError:
        """Of the document at `place` among those of some ranges."""
        ends = np.cumsum(sizes)
        which = int(np.searchsorted(ends, place, side="right"))
        return self._damaged(int(firsts[which] + place - (ends[which] - sizes[which])), why)

    def close(self) -> None:
        """Close the files; they are opened again if they are asked for."""
        with self._lock:
            files, self._files = list(self._files.values()), {}
        for file in files:
            file.close()

    # ---- one file ------------------------------------------------------------------------------

    def _into(self, name: str, first: int, into: Array) -> None:
        """Fill `into` with the numbers of a file from `first` on."""
        if not into.size:
            return
        room = into.data.cast("B")
        place, offset = 0, HEADER + into.itemsize * first
        try:
            file = self._file(name)
            while place < len(room):
                n = self._read_at(file, room[place:], offset + place)
                if n == 0:
                    raise EOFError("it ends too early")
                place += n
        except (OSError, EOFError) as problem:
            why = store.short(problem) if isinstance(problem, EOFError) else problem.strerror
            document = first if name not in (WORD_IDS, COUNTS) else None
            raise self._damaged(document, f"{name}: {why}", first) from problem

    def _file(self, name: str) -> IO[bytes]:
        with self._lock:
            if name not in self._files:
                self._files[name] = open(self.folder / name, "rb", buffering=0)  # noqa: SIM115 (`close`)
            return self._files[name]

    def _read_at(self, file: Any, room: memoryview, offset: int) -> int:
        """Fill as much of `room` as one call does; how many bytes."""
        if hasattr(os, "preadv"):
            return os.preadv(file.fileno(), [room], offset)
        with self._lock:  # Windows knows of no reading at a place
            file.seek(offset)
            return int(file.readinto(room))

    def _damaged(self, document: int | None, why: str | None, pair: int = 0) -> CorpusError:
        shards = self.manifest.shards
        place = (
            next((i for i, s in enumerate(shards) if pair < s.end), 0)
            if document is None
            else next((i for i, s in enumerate(shards) if document < s.last), len(shards) - 1)
        )
        return CorpusError(
            f"Shard {place} of the corpus in {self.said} is missing or damaged ({why}). {REMEDY}"
        )


def file_hash(path: Path) -> str:
    """The SHA-256 of a file, read in pieces. Raises OSError."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def runs_of(rows: Sequence[int] | I64) -> tuple[I64, I64, I64]:
    """Rows as ranges that follow each other: (firsts, lasts, place), each int64.

    Where rows ascend by one they are one range; `place` (R+1,): where each range begins in `rows`.
    """
    rows = np.asarray(rows, np.int64)
    cuts = np.flatnonzero(np.diff(rows) != 1) + 1
    place = np.concatenate(([0], cuts, [len(rows)])) if len(rows) else np.zeros(1, np.int64)
    return rows[place[:-1]], rows[place[1:] - 1] + 1, place
