"""From files to records, one after the other: a number in the file, and its fields as strings."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...core import store
from ...core.display import plural
from ...corpus.corpus import CorpusError
from ...corpus.readers.archives import open_archive
from ...corpus.readers.decoding import Data, Stored, find_encoding, is_blank, open_text
from ...corpus.readers.file_texts import Decoding
from ...corpus.readers.files import fields_of, left_out, named_parts, offer, texts_in, texts_of
from ...corpus.readers.formats import READERS, check_format, guess_format, tables_inside, tables_of
from ...corpus.readers.reader import SAMPLE
from ...corpus.readers.source import FIELDS, ReadOptions, Upload, read_bytes, refusing, shown
from ...corpus.readers.tables import Picked, Row, RowTable
from ...corpus.readers.text import SplitDocuments, split_of
from ...corpus.readers.together import together
from ...corpus.readers.unpacking import contents, packing_of
from ...corpus.readers.written.opening import KEYS
from ...corpus.stored import StoredCorpus, is_stored
from ...corpus.stored.layout import GROUP, read_manifest
from .chunks import written
from .facts import SLOT

CORPUS = "corpus"
"""What a corpus on the disk is read as."""


class Records:
    """The documents of one file or folder on their way. `notes` are known once all were read."""

    unit = "document"
    """What the number of a record counts."""
    text_column = ""

    beside: tuple[str, ...] = ()
    """What each record has beside the fields of a document: "join", the cell to join by."""

    def __init__(self, name: str, kind: str, fields: tuple[str, ...]) -> None:
        self.name, self.kind, self.fields = name, kind, fields
        self.more_notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[Row]:
        """Number and fields of every document. Raises CorpusError, as the readers do."""
        raise NotImplementedError

    def column_of(self, field: str) -> str:
        """The column that a field is read from."""
        return field

    def refuse_ids(self, repeated: str) -> None:
        """Go without ids, two of which are equal. Raises CorpusError where they were asked for."""

    def notes(self, empty: int) -> tuple[str, ...]:
        """What is to be said; `empty`: documents without text."""
        raise NotImplementedError


class OfTable(Records):
    """The rows of a table."""

    def __init__(self, table: RowTable, options: ReadOptions) -> None:
        self._picked = Picked(table, options)
        fields = tuple(name for name in FIELDS if name in self._picked.chosen)
        super().__init__(table.name, table.kind, fields)
        self.unit, self.text_column = table.unit, self._picked.chosen["text"]
        self.beside = ("join",) if options.join else ()

    def rows(self) -> Iterator[Row]:
        return iter(self._picked)

    def column_of(self, field: str) -> str:
        return self._picked.chosen[field]

    def refuse_ids(self, repeated: str) -> None:
        self._picked.refuse_ids(repeated)
        self.fields = tuple(name for name in self.fields if name != "id")

    def notes(self, empty: int) -> tuple[str, ...]:
        return self._picked.notes(SLOT if "date" in self.fields else "", empty) + self.more_notes


class OfText(Records):
    """The lines or paragraphs of a plain text."""

    def __init__(self, name: str, data: Data, options: ReadOptions) -> None:
        super().__init__(name, "text", ("text",))
        codec, self._encoding = find_encoding(name, data, options.encoding)
        self._how = split_of(name, options.split, open_text(data, codec, newline=None).read(SAMPLE))
        lines = self._how.body(open_text(data, codec, newline=None))
        self._split = SplitDocuments(lines, self._how.by)

    def rows(self) -> Iterator[Row]:
        number = 0
        for number, text in enumerate(self._split, start=1):
            yield number, {"text": text}
        if not number:
            raise CorpusError(f"{self.name} holds nothing but blanks; give at least one document.")

    def notes(self, empty: int) -> tuple[str, ...]:
        return self._how.notes(self._encoding, self._split.blank_lines) + self.more_notes


class OfFiles(Records):
    """The documents of files of a folder or an archive, or of one file, which are read when it is
    their turn."""

    def __init__(
        self,
        name: str,
        kind: str,
        files: Sequence[tuple[str, Callable[[], bytes]]],
        options: ReadOptions,
        notes: tuple[str, ...] = (),
    ) -> None:
        self._files = sorted(files, key=lambda file: file[0])
        paths = [path for path, _ in self._files]
        self._named = fields_of(paths, options)
        super().__init__(name, kind, ("text", *self._named))
        self._decoding = Decoding(name, options, kind == "html")
        dated = [f"Dates are read from the names of the files. {SLOT}"]
        self._said = (*(dated if "date" in self._named else offer(paths, options)), *notes)

    def rows(self) -> Iterator[Row]:
        number = 0
        for at, (path, content) in enumerate(self._files):
            row = {field: values[at] for field, values in self._named.items()}
            for part in named_parts(path, self._decoding.parts(path, content())):
                number += 1
                yield number, row | part

    def notes(self, empty: int) -> tuple[str, ...]:
        return self._decoding.notes(self.kind) + self._said + self.more_notes


def inputs_of(paths: list[Path]) -> list[Path]:
    """The files, and the folders of texts, that are read one after the other: a folder without
    texts stands for all files in it. Raises CorpusError."""
    found: list[Path] = []
    for path in paths:
        with refusing(path):
            path.stat()
        if is_stored(path):
            read_manifest(path)  # complete, and of ours
        if not path.is_dir() or is_stored(path) or texts_in(path)[0]:
            found.append(path)
            continue
        files = [f for f in sorted(path.rglob("*")) if f.is_file() and not f.name.startswith(".")]
        if not files:
            raise CorpusError(f"{shown(path)} is empty; give a file, or a folder with some.")
        found += files
    return found


@contextlib.contextmanager
def records_of(path: Path, options: ReadOptions, unpacked: Path) -> Iterator[Records]:
    """The records of a file or a folder of texts; what a packed file holds is written to
    `unpacked`. Raises CorpusError, whose sentence names the file and the remedy."""
    name = shown(path.name)
    if is_stored(path):
        yield OfTable(*of_corpus(path, options))
        return
    if path.is_dir():
        check_no_join(name, options)
        texts, others = texts_in(path)
        found = [(shown(f.relative_to(path).as_posix()), _content_of(f)) for f in texts]
        rest = left_out([shown(f.name) for f in others], "file")
        yield OfFiles(name, "folder", found, options, rest)
        return
    check_format(name, options)
    with refusing(path):
        data = Stored(path)
    if is_blank(data):
        raise CorpusError(f"{name} is empty; give a file with at least one document.")
    inner, note = name, ""
    if packing := packing_of(data):
        if not unpacked.is_file():
            with store.replacing(unpacked) as file:
                file.writelines(contents(name, data, packing))
        data, inner, note = Stored(unpacked), packing.inner(name), packing.note
    with _opened(name, inner, data, options) as records:
        records.more_notes = ((note,) if note else ()) + records.more_notes
        yield records


@contextlib.contextmanager
def _opened(name: str, inner: str, data: Data, options: ReadOptions) -> Iterator[Records]:
    tables, said = tables_inside(name, data, options)
    opened: contextlib.AbstractContextManager[Records]
    if len(tables) > 1:
        rows = together(name, tables_of(name, tables, options), options)
        opened = contextlib.nullcontext(OfTable(*rows))
    elif tables:  # at most as large as an archive may be when it is unpacked
        ((path, content),) = tables
        opened = _opened_as(f"{name}, entry {path}", path, content, options)
    else:
        opened = _opened_as(name, inner, data, options)
    with opened as records:
        records.more_notes = said
        yield records


@contextlib.contextmanager
def _opened_as(name: str, inner: str, data: Data, options: ReadOptions) -> Iterator[Records]:
    kind = options.format or guess_format(inner, data, options.encoding, name, options.as_of)
    reader = READERS[kind]
    if reader.table is not None:
        yield OfTable(reader.table(Upload(name, data, None, options)), options)
        return
    check_no_join(name, options)
    if kind == "text":
        yield OfText(name, data, options)
    elif kind == "html" or kind in KEYS:
        yield OfFiles(name, kind, [(name, lambda: data[: len(data)])], options)
    elif kind == "zip":
        with open_archive(name, data) as archive:
            texts, notes = texts_of(archive, options)
            found = [(entry.path, entry.content) for entry in texts]
            yield OfFiles(name, "tar" if archive.kind == "tar" else "zip", found, options, notes)
    else:
        if reader.needs_vocab:
            raise CorpusError(
                f"{name} is read as {reader.title}, of which a corpus on the disk is built from "
                "one file alone; give it alone, with its vocabulary."
            )
        raise CorpusError(
            f"{name} is read as {reader.title}, of which no corpus on the disk can be built; save "
            "it as CSV or JSON lines."
        )


def of_corpus(folder: Path, options: ReadOptions) -> tuple[RowTable, ReadOptions]:
    """The documents of a corpus on the disk as a table with their fields for its columns, and the
    options that choose these where they choose nothing else. Raises CorpusError."""
    corpus, name = StoredCorpus(folder), shown(folder.name)
    columns = tuple(field for field in FIELDS if field in corpus.docs.names())
    if "text" not in columns:
        raise CorpusError(
            f"{name} is a corpus without texts, whose words cannot be counted again; build it from "
            "its files."
        )
    n_left = corpus.manifest.report.get("n_read", corpus.n_docs) - corpus.n_docs
    note = f"The texts of a corpus on the disk: {plural(corpus.n_docs, 'document')}"
    if n_left > 0:
        note += f", without the {n_left:,} that were left out when it was built"
    chosen = {field: getattr(options, field) or field for field in columns}
    table = RowTable(name, CORPUS, _rows_of(corpus, columns), columns, (f"{note}.",), "document")
    return table, replace(options, **chosen)


def _rows_of(corpus: StoredCorpus, columns: tuple[str, ...]) -> Iterator[Row]:
    for first in range(0, corpus.n_docs, GROUP):
        docs = corpus.docs.take(np.arange(first, min(first + GROUP, corpus.n_docs)))
        cells = zip(*(written(getattr(docs, field)) for field in columns), strict=True)
        for number, values in enumerate(cells, start=first + 1):
            yield number, dict(zip(columns, values, strict=True))


def check_no_join(name: str, options: ReadOptions) -> None:
    """Raise CorpusError where texts are to be joined by a column that no such file has."""
    if options.join:
        raise CorpusError(
            f"{name} has no columns by which its texts could be joined; give a table."
        )


def _content_of(file: Path) -> Callable[[], bytes]:
    return lambda: read_bytes(file)
