"""What a child does for the server. Types of arguments and results are how both sides know what
travels, so every function says them in full, and they are made of what `store.unpack` rebuilds.

The readers are imported by the child only: they hold 70 MB and take half a second to import.
"""

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core import store
from ...core.plugins import plugin
from ...core.progress import say
from ..corpus import Corpus, DocTable
from ..documents.added import Added
from ..documents.file_rows import FileRows
from ..documents.leaving_out import leave_out as leave_out_here
from ..readers.source import Offer, ReadOptions, Source, read_bytes, strings
from ..text import Report, make_corpus
from ..words.known import KnownWords
from ..words.occurrences import Cut
from ..words.occurrences import cut as cut_here
from ..words.settings import TextSettings
from ..words.suggesting import Suggestion, settled, suggested
from .wire import KINDS

Content = npt.NDArray[np.uint8]
"""The bytes of a file."""


@dataclass(frozen=True)
class PathPlace:
    """Where a file or folder is."""

    name: Content
    """The bytes of its path: not every name is UTF-8."""
    content: Content | None = None
    """Of a pipe, which only the caller can read."""

    @property
    def path(self) -> Path:
        return Path(os.fsdecode(self.name.tobytes()))

    def file(self) -> tuple[str, bytes]:
        """The file's name and content. Raises CorpusError."""
        held = self.content
        return self.path.name, read_bytes(self.path) if held is None else held.tobytes()


@dataclass(frozen=True)
class Sent:
    """A `Source` on its way."""

    name: str
    format: str
    texts: tuple[str, ...] | None
    """Its documents' texts, which are not in `docs` a second time."""
    counts: Corpus | None
    """Counts with their vocabulary."""
    docs: DocTable
    columns: tuple[str, ...] = ()
    chosen: Mapping[str, str] | None = None
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    column_titles: Mapping[str, str] | None = None
    rows: FileRows | None = None

    @classmethod
    def of(cls, source: Source) -> "Sent":
        counts = None
        if source.counts is not None:
            csr = source.counts
            indptr = csr.indptr.astype(np.int64)
            counts = Corpus(indptr, csr.indices, csr.data, source.vocab or ())
        docs = replace(source.docs, text=None)
        return cls(
            source.name,
            source.format,
            source.texts,
            counts,
            docs,
            source.columns,
            source.chosen,
            source.sheets,
            source.notes,
            source.warnings,
            source.offers,
            source.column_titles,
            source.rows,
        )

    def source(self) -> Source:
        """As it was sent. Raises ValueError where its parts do not fit."""
        texts, counts = self.texts, self.counts
        if (texts is None) == (counts is None):
            raise ValueError("neither texts nor counts, or both")
        n_docs = counts.n_docs if counts is not None else len(texts or ())
        fault = (counts and counts.fault()) or self.docs.fault()
        if self.rows is not None:
            fault = fault or self.rows.fault(self.docs.row, n_docs)
        if fault or any(len(column) != n_docs for column in self.docs.columns().values()):
            raise ValueError(fault or "its table of documents has another length")
        docs = self.docs if texts is None else replace(self.docs, text=strings(texts))
        return Source(
            self.name,
            self.format,
            texts,
            None if counts is None else counts.to_csr(),
            None if counts is None else counts.vocab,
            docs,
            self.columns,
            dict(self.chosen or {}),
            self.sheets,
            self.notes,
            self.warnings,
            self.offers,
            dict(self.column_titles or {}),
            self.rows,
        )


@dataclass(frozen=True)
class Made:
    """A corpus whose documents are known by their places in what it was made of."""

    corpus: Corpus
    """`docs.id` int64 (D,): the places."""
    report: Report

    def among(
        self, docs: DocTable, name: str, file_rows: FileRows | None = None
    ) -> tuple[Corpus, Report]:
        """The corpus with its rows of `docs`, and its report; `file_rows` has the columns of the
        file. Raises ValueError where they do not fit."""
        corpus, rows = self.corpus, self.corpus.docs.id
        n_docs = min(map(len, docs.columns().values()), default=None)
        if corpus.fault() or rows is None or rows.dtype != np.int64 or not corpus.n_docs:
            raise ValueError(corpus.fault() or "its documents have no places")
        if n_docs is not None and not 0 <= rows.min() <= rows.max() < n_docs:
            raise ValueError("it holds documents that are not there")
        made = replace(corpus, docs=docs.take(rows), name=name)
        if made.file_rows is not None and file_rows is not None:
            cells, how = file_rows.cells, file_rows.how
            made = replace(made, file_rows=replace(made.file_rows, cells=cells, how=how))
        if fault := made.fault():
            raise ValueError(fault)
        return made, self.report


@dataclass(frozen=True)
class CorpusFromFile:
    """A whole corpus from a file, and what is to be said of it."""

    corpus: Corpus
    report: Report
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    """Those of the notes that say what is probably not meant."""


@dataclass(frozen=True)
class RunFile:
    """A saved run on its way, as `store.read` finds it."""

    manifest: Content
    """Its JSON: as a tree it would be taken for one of this message."""
    names: tuple[str, ...]
    """Of the arrays that the manifest names and that are there."""
    arrays: tuple[npt.NDArray[Any], ...]

    @classmethod
    def of(cls, manifest: Mapping[str, Any], arrays: store.Arrays) -> "RunFile":
        text = np.frombuffer(json.dumps(manifest).encode(), np.uint8)
        return cls(text, tuple(arrays), tuple(arrays.values()))

    def packed(self, limit: int, name: str) -> store.Packed:
        """As it was found. Raises StoreError, and whatever of `store.DAMAGE` if it is no run."""
        manifest = store.parse(self.manifest.tobytes(), limit, name)
        return manifest, dict(zip(self.names, self.arrays, strict=True))


@dataclass(frozen=True)
class Looked:
    """The first documents of large files, and how large these are: `plugins.building.head.Head`."""

    sent: Sent
    whole: bool
    n_files: int
    n_bytes: int

    @property
    def n_docs(self) -> int:
        """Those looked at."""
        return len(self.sent.texts or ())


def read(files: tuple[tuple[str, Content], ...], options: ReadOptions) -> Sent:
    """The documents of files given together."""
    from ..readers.formats import read_files

    _say_size(sum(len(data) for _, data in files))
    return Sent.of(read_files([(name, data.tobytes()) for name, data in files], options))


def _say_size(n_bytes: int) -> None:
    """Tell how much is read, before any row can be counted."""
    say(f"{n_bytes / 1e6:,.1f} MB to read")


def entries(archive: str, data: Content) -> tuple[str, ...]:
    """The tables of an archive among which a person may choose."""
    from ..readers.formats import entries_of

    return entries_of(archive, data.tobytes())


def look(paths: tuple[Content, ...], options: ReadOptions) -> Looked:
    """The first documents of the files and folders at `paths`, the bytes of their names."""
    named = [Path(os.fsdecode(path.tobytes())) for path in paths]
    head = plugin("head of files")(named, options)
    return Looked(Sent.of(head.source), head.whole, head.n_files, head.n_bytes)


def load(
    place: PathPlace,
    vocab: PathPlace | None,
    options: ReadOptions,
    words: dict[str, Any],
    as_forms: bool = False,
) -> CorpusFromFile:
    """The corpus of a file or folder; `words`: settings that replace the defaults for it, or those
    of forms."""
    from ..readers.formats import read, read_path

    if place.content is None and place.path.is_dir():
        source = read_path(place.path, None, options)
    else:
        counted = None if vocab is None else vocab.file()
        name, data = place.file()
        _say_size(len(data))
        source = read(name, data, vocab=counted, options=options)
    made = settled(source, words, as_forms)
    corpus, report = make_corpus(source, made.settings)
    notes, warnings = source.notes + made.said, source.warnings + made.warnings
    return CorpusFromFile(corpus, report, notes, warnings)


def suggest(sent: Sent, settings: TextSettings) -> Suggestion:
    """What suits texts, of which a part is enough."""
    return suggested(sent.source(), settings)


def count(sent: Sent, settings: TextSettings) -> Made:
    """The words of a source, counted."""
    source = sent.source()
    places = replace(source.docs, id=np.arange(source.n_docs))
    corpus, report = make_corpus(replace(source, docs=places), settings)
    docs = DocTable(id=corpus.docs.id, row=corpus.docs.row)
    return Made(replace(corpus, docs=docs), report)


def leave_out(corpus: Corpus, words: tuple[str, ...], settings: TextSettings) -> Made:
    """A corpus with its texts, counted again without `words`."""
    places = replace(corpus.docs, id=np.arange(corpus.n_docs))
    made, report = leave_out_here(replace(corpus, docs=places), words, settings)
    return Made(made.without_text(), report)


def cut(text: str, settings: TextSettings) -> Cut:
    """Where the words of a text stand."""
    return cut_here(text, settings)


def count_known(
    sent: Sent, settings: TextSettings, vocab: tuple[str, ...], left_out: tuple[str, ...]
) -> KnownWords:
    """The words of a source that are in a vocabulary, and how many are not."""
    from ..words.known import count_known as count_known_here

    found = count_known_here(sent.source(), settings, vocab, left_out)
    docs = DocTable(id=found.corpus.docs.id)
    return replace(found, corpus=replace(found.corpus, docs=docs))


def write_back(rows: FileRows, added: tuple[Added, ...], suffix: str) -> Content:
    """The file that `rows` are of, with the columns `added`."""
    from ..readers.writing_back import with_columns

    return np.frombuffer(with_columns(rows, added, suffix), np.uint8)


def run_file(path: str, content: Content | None, limit: int, name: str) -> RunFile:
    """The saved run in `content`, or in the file `path`: `store.read` with its `limit`."""
    file = path if content is None else io.BytesIO(content.tobytes())
    manifest, arrays = store.read(file, limit, name)
    for array in arrays.values():
        if array.dtype.kind not in KINDS or not array.dtype.itemsize:
            raise store.StoreError(f"{name} is damaged (it holds {array.dtype}, as no run does).")
    return RunFile.of(manifest, arrays)


WORK = {
    one.__name__: one
    for one in (
        *(read, entries, look, load, suggest, count, leave_out, cut, count_known, write_back),
        run_file,
    )
}
"""What a server may ask for."""
