"""The first documents of files that are too large to be read: what their columns are, in which
language they are, and what is worth a clean-up. Nothing is written."""

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ...corpus.corpus import CorpusError, DocTable
from ...corpus.readers.archives import ZIPS, kind_of
from ...corpus.readers.columnar import ARROW
from ...corpus.readers.decoding import Data, Stored
from ...corpus.readers.files import texts_in
from ...corpus.readers.formats import READERS, check_format, guess_format
from ...corpus.readers.source import ReadOptions, Source, Upload, refusing, shown, strings
from ...corpus.readers.tables import Row, read_rows
from ...corpus.readers.unpacking import Packing, contents, packing_of
from ...corpus.words.suggesting import LOOKED_AT
from .facts import SLOT
from .records import OfText, Records, inputs_of, records_of

DOCUMENTS = LOOKED_AT
"""As many as tell a language and what is worth a clean-up: more would not be looked at."""
BYTES = 32_000_000
"""Of a file, unpacked: 3,000 texts of 10,000 letters. It is read in half a second."""
BY_THEIR_END = (*ZIPS, b"PAR1", ARROW, b"%PDF")
"""How files begin whose directory is at their end: their first bytes alone are of no use."""


@dataclass(frozen=True)
class Head:
    """The first documents of the first of some files."""

    source: Source
    whole: bool
    """Whether these are all that there are in all files."""
    n_files: int
    n_bytes: int
    """Of all files, as they lie on the disk."""


def head_of(paths: list[Path], options: ReadOptions) -> Head:
    """The first documents of what `build` would read of `paths`, and how much that is in all.

    Raises CorpusError, as `build` does, for a path that is not there, cannot be read or holds
    nothing, and for a file that is no table or text.
    """
    for path in paths:
        with refusing(path):
            path.stat()
        if not (path.is_file() or path.is_dir()):  # what a device gives has no end
            raise CorpusError(f"{shown(path)} is neither a file nor a folder; give one with texts.")
    inputs = inputs_of(paths)
    files = [file for path in inputs for file in _files_of(path)]
    n_bytes = sum(map(_readable_size, files))
    source, whole = _first_of(inputs[0], options)
    return Head(source, whole and len(inputs) == 1, len(files), n_bytes)


def _files_of(path: Path) -> list[Path]:
    return texts_in(path)[0] if path.is_dir() else [path]


def _readable_size(file: Path) -> int:
    """Bytes of a file. Raises CorpusError where it cannot be read: before hours are spent."""
    with refusing(file):
        if not os.access(file, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return file.stat().st_size


def _first_of(path: Path, options: ReadOptions) -> tuple[Source, bool]:
    """The first documents of one file or folder, and whether there are no others."""
    name = path.name
    if path.is_dir():
        return _of_records(path, options)
    check_format(name, options)
    data = Stored(path)
    packing = packing_of(data)
    content: Data
    if packing is None and kind_of(data) == "tar":
        return _of_records(path, options)
    if packing is None and data[:8].startswith(BY_THEIR_END):
        content, inner, complete = data, name, True
    else:
        content, complete = _begin(name, data, packing)
        inner = name if packing is None else packing.inner(name)
        if complete and not content.strip():
            raise CorpusError(f"{name} is empty; give a file with at least one document.")
    kind = options.format or guess_format(inner, content, options.encoding, as_of=options.as_of)
    reader = READERS[kind]
    if kind == "text" and isinstance(content, bytes):
        return _taken(OfText(name, content, options), complete)
    if packing is not None and reader.binary:
        raise CorpusError(
            f"{name} is {packing.name} data of a file that is packed in itself; unpack it first."
        )
    if kind == "zip" or reader.table is None:  # an archive, or what is refused
        return _of_records(path, options)
    table = reader.table(Upload(name, content, None, options))
    rows = _Few(table.rows, complete)
    source = read_rows(replace(table, rows=rows), options)
    return source, complete and not rows.more


def _begin(name: str, data: Stored, packing: Packing | None) -> tuple[bytes, bool]:
    """At most `BYTES` of the unpacked content, whole lines; and whether that is all."""
    if packing is None:
        content = data[: BYTES + 1]
    else:
        found = bytearray()
        for piece in contents(name, data, packing):
            found += piece
            if len(found) > BYTES:
                break
        content = bytes(found)
    if len(content) <= BYTES:
        return content, True
    return content[: _line_end(content, BYTES)], False


def _line_end(content: bytes, before: int) -> int:
    """Where the last line that is whole ends; a letter of UTF-16 or 32 takes 2 or 4 bytes."""
    zeros = content[:8].count(0)
    width = 1 if b"\0" not in content[:4] else 4 if zeros > 4 else 2
    end = content.rfind(b"\n", 0, before)
    while end >= 0:
        start = end - end % width
        if start + width <= before and content[start : start + width].strip(b"\0") == b"\n":
            return start + width
        end = content.rfind(b"\n", 0, end)
    return before - before % width


class _Few:
    """The first rows of a file, of which the end may have been cut off."""

    def __init__(self, rows: Iterable[Row], complete: bool) -> None:
        self._rows, self._complete = rows, complete
        self.more = False
        """Whether there are others, once these were taken."""

    def __iter__(self) -> Iterator[Row]:
        rows, letters, n = iter(self._rows), 0, 0
        while True:
            try:
                number, row = next(rows)
            except StopIteration:
                return
            except CorpusError:  # a quote that is closed behind the cut
                if self._complete or not n:
                    raise
                return
            letters += sum(map(len, row.values()))
            if n == DOCUMENTS or (n and letters > BYTES):
                self.more = True
                return
            n += 1
            yield number, row


def _of_records(path: Path, options: ReadOptions) -> tuple[Source, bool]:
    with records_of(path, options, path) as records:  # neither is packed: nothing is unpacked
        return _taken(records, True)


def _taken(records: Records, complete: bool) -> tuple[Source, bool]:
    """The first documents of a text, or of several."""
    few = _Few(records.rows(), complete)
    found = [row for _, row in few]
    columns = {name: strings(row[name] for row in found) for name in records.fields}
    texts = tuple(row["text"] for row in found)
    docs = DocTable(**columns)
    # What is to be said of dates is known once all rows are read.
    notes = tuple(note for note in records.notes(0) if not note.endswith(SLOT))
    source = Source(records.name, records.kind, texts, docs=docs, notes=notes)
    return source, complete and not few.more
