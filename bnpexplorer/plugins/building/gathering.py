"""The first pass: files become chunks of documents, and what is to be known of all of them."""

import hashlib
from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...corpus.corpus import CorpusError
from ...corpus.readers.dates import Clues, clues_of
from ...corpus.readers.source import ReadOptions
from ...corpus.readers.tables import repeated_id
from . import chunks
from .chunks import chunk_file, read_chunk, write_chunk
from .facts import RECORDS, Facts, FileFacts
from .plan import BuildPlan, check_unchanged
from .records import Records, records_of

LINE = "line"
"""The column of the numbers that records have in their file."""

Progress = Callable[[str, float, str], None]
"""What is being done, how much of it from 0 to 1, and in words."""


def gather(
    home: Path, inputs: list[Path], options: ReadOptions, plan: BuildPlan, progress: Progress
) -> Facts:
    """The chunks of all inputs in order; those that stand there already are not written again.

    Chunks end where so many letters or documents are reached, which depends on the files alone.
    Held are one chunk, and 16 bytes of every document whose file has ids. Raises CorpusError, also
    where a file was changed since the build began: some of its documents would be of before.
    """
    parts: tuple[FileFacts, ...] = ()
    letters = 0
    for i, path in enumerate(inputs):
        try:
            with records_of(path, options, home / f"unpacked-{i}") as records:
                gathering = _Gathering(
                    home / RECORDS, Facts(parts).n_chunks, records, options.as_of
                )
                for number, row in records.rows():
                    gathering.add(number, row)
                    if gathering.fresh:
                        done = letters + gathering.letters
                        said = f"{Facts(parts).n_docs + gathering.n_docs:,} documents read"
                        progress("reading", min(done / max(plan.n_bytes, 1), 1.0), said)
                parts = (*parts, gathering.end())
                letters += gathering.letters
        except CorpusError:
            check_unchanged(path, inputs, plan)  # then that is what is wrong
            raise
        check_unchanged(path, inputs, plan)
    return Facts(parts)


class _Gathering:
    """The records of one part on their way into chunks."""

    def __init__(self, folder: Path, first: int, records: Records, as_of: str = "") -> None:
        self._as_of = as_of
        self._folder, self._first, self._records = folder, first, records
        self._sizes: list[int] = []
        self._lines: list[int] = []
        names = (*records.fields, *records.beside)
        self._columns: dict[str, list[str]] = {name: [] for name in names}
        self._ids = array("Q")
        self._clues = Clues()
        self._empty, self._held = 0, 0
        self.letters = 0
        self.fresh = False
        """Whether a chunk has just begun."""

    @property
    def n_docs(self) -> int:
        return sum(self._sizes) + len(self._lines)

    def add(self, number: int, row: dict[str, str]) -> None:
        # A text that would make the chunk too long begins the next one.
        letters = sum(map(len, row.values()))
        self.fresh = bool(self._lines) and (
            self._held + letters > chunks.LETTERS or len(self._lines) >= chunks.DOCUMENTS
        )
        if self.fresh:
            self._write()
        self._lines.append(number)
        for name, values in self._columns.items():
            values.append(row[name])
        self._held += letters
        if "id" in row:
            self._ids.append(sign_of(row["id"]) if row["id"] else 0)

    def end(self) -> FileFacts:
        """The part, once all records were added. Raises CorpusError."""
        if self._lines:
            self._write()
        records = self._records
        if repeated := self._repeated_id():
            records.refuse_ids(repeated)
        return FileFacts(
            records.name,
            records.kind,
            records.fields,
            self._first,
            tuple(self._sizes),
            records.notes(self._empty),
            self._clues,
            records.text_column,
            self._as_of,
        )

    def _write(self) -> None:
        chunk = self._first + len(self._sizes)
        if not chunk_file(self._folder, chunk).is_file():
            write_chunk(self._folder, chunk, {**self._columns, LINE: self._lines})
        if "date" in self._columns:
            self._clues |= clues_of(self._columns["date"], self._as_of)
        self._empty += sum(not text.strip() for text in self._columns["text"])
        self._sizes.append(len(self._lines))
        self.letters += self._held
        self._held, self._lines = 0, []
        self._columns = {name: [] for name in self._columns}

    def _repeated_id(self) -> str:
        """Which id first stands in a second row, in words; empty if none does."""
        signs = np.frombuffer(self._ids, np.uint64)
        order = np.argsort(signs, kind="stable")
        ordered = signs[order]
        again = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] != 0)) + 1
        firsts = np.searchsorted(ordered, ordered[again])
        for place in np.argsort(order[again]).tolist():
            before, row = int(order[firsts[place]]), int(order[again[place]])
            (identity, first), (other, number) = self._id_at(before), self._id_at(row)
            if identity == other:  # else two ids of one sign, 3 in a million at ten million
                column = self._records.column_of("id")
                return repeated_id(identity, column, self._records.unit, first, number)
        return ""

    def _id_at(self, row: int) -> tuple[str, int]:
        ends = np.cumsum(self._sizes)
        chunk = int(np.searchsorted(ends, row, side="right"))
        columns = read_chunk(self._folder, self._first + chunk, ["id", LINE])
        place = row - int(ends[chunk - 1] if chunk else 0)
        return columns["id"][place], columns[LINE][place]


def sign_of(text: str) -> int:
    """64 bits of a hash, never 0: two different ones of a million texts agree with a probability
    of 3e-8, of ten million with 3e-6."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1
