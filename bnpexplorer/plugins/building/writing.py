"""The last pass: the documents that stay, in order, into the folder of the corpus."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...core.arrays import I64
from ...corpus.corpus import Column, Corpus, DocTable
from ...corpus.readers.dates import Unread
from ...corpus.readers.source import strings
from ...corpus.text import Report, commonest, dropped, nothing_left
from ...corpus.words.counting import Removed, document_frequency, most_frequent
from ...corpus.words.settings import TextSettings
from .chunks import chunk_file, read_chunk
from .counting import DATES, read_counts, read_numbered
from .facts import Facts, known
from .merging import WordKeys, removed_kinds

Mask = npt.NDArray[np.bool_]


@dataclass(eq=False)
class Documents:
    """Which documents stay; three numbers of each are held."""

    kept: Mask
    """bool (D,): of all that were read, or their passages."""
    words: Mask
    """bool (V,): which words that were chosen are in any of them."""
    frequency: I64
    """int64 (V,): tokens of these words."""
    documents: I64
    """int64 (V,): documents with these words."""
    dropped: dict[str, int]
    n_repeated: int


def stays(home: Path, facts: Facts, vocabulary: WordKeys, settings: TextSettings) -> Documents:
    """Which documents and words stay, by the rules of `text.make_corpus`. Raises CorpusError if
    none does."""
    n_words = len(vocabulary.kinds)
    if not n_words:
        raise nothing_left(_where(facts), facts.n_docs, "word", settings)
    long = np.concatenate([read_numbered(home, i, n_words)[1] for i in range(facts.n_chunks)])
    if not long.any():
        raise nothing_left(_where(facts), facts.n_docs, "document", settings)
    blank, signs = _blank_and_signs(home, facts)
    repeated = np.zeros(len(long), bool)
    candidates = np.flatnonzero(long)
    _, firsts = np.unique(signs[candidates], return_index=True)
    repeated[np.delete(candidates, firsts)] = True
    kept = long & ~repeated if settings.drop_repeated else long
    frequency, documents = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for chunk, own in enumerate(facts.slices()):
        matrix = _rows(read_numbered(home, chunk, n_words)[0], kept[own])
        frequency += np.bincount(matrix.indices, matrix.data, n_words).astype(np.int64)
        documents += document_frequency(matrix)
    short = int((~long).sum())
    empty = int((blank & ~long).sum())
    left_out = dropped(empty, short - empty, int((repeated & ~kept).sum()), settings.min_tokens)
    return Documents(
        kept, documents > 0, frequency, documents, left_out, int((repeated & kept).sum())
    )


def report_of(
    facts: Facts,
    vocabulary: WordKeys,
    found: Documents,
    stops: dict[str, tuple[int, int]],
    settings: TextSettings,
) -> Report:
    """The report that `make_corpus` gives, but for the lengths of documents."""
    kinds, words = vocabulary.kinds, np.flatnonzero(found.words)
    removed = dict[str, Removed]()
    if stops:
        in_documents = [(word, documents) for word, (_, documents) in stops.items()]
        removed["stop word"] = most_frequent(in_documents, len(in_documents))
    removed |= vocabulary.removed
    if orphans := [kind for kind, stays in zip(kinds, found.words, strict=True) if not stays]:
        removed["only in documents left out"] = removed_kinds(orphans)
    names = [kinds[w].name for w in words.tolist()]
    return Report(
        n_read=facts.n_docs,
        n_docs=int(found.kept.sum()),
        n_tokens=int(found.frequency.sum()),
        n_words=len(words),
        dropped=found.dropped,
        commonest=commonest(names, found.frequency[words], found.documents[words]),
        removed=removed,
        lengths=np.empty(0, np.int64),
        zipf=vocabulary.zipf(n for n, _ in stops.values()),
        settings=settings,
        n_repeated=found.n_repeated,
    )


def corpora(
    home: Path, facts: Facts, found: Documents, vocab: tuple[str, ...], done: int
) -> Iterator[Corpus]:
    """The documents that stay, but the first `done`, a chunk at a time."""
    words = np.flatnonzero(found.words)
    before = 0
    for chunk, own in enumerate(facts.slices()):
        rows = np.flatnonzero(found.kept[own])
        before += len(rows)
        rows = rows[len(rows) - max(min(before - done, len(rows)), 0) :]
        if not len(rows):
            continue
        matrix = read_numbered(home, chunk, len(found.words))[0][rows][:, words]
        docs = _docs(home, facts, chunk).take(rows)
        yield Corpus(
            matrix.indptr.astype(np.int64), matrix.indices, matrix.data, vocab, docs, facts.name
        )


def unread_dates(home: Path, read: Facts) -> list[str]:
    """Of every part, as it was read from its file, what is to be said of its dates."""
    said = []
    for part in read.parts:
        unread = Unread()
        if "date" in part.fields:
            for chunk in range(part.first, part.first + len(part.sizes)):
                unread += known(Unread, chunk_file(home / DATES, chunk, ".json"))
            said.append(unread.note(part.day_first))
        else:
            said.append("")
    return said


def stop_words(home: Path, facts: Facts) -> dict[str, tuple[int, int]]:
    """Stop word -> how often it occurs, and in how many documents."""
    found: dict[str, tuple[int, int]] = {}
    for chunk in range(facts.n_chunks):
        for word, (n, documents) in read_counts(home, chunk).stops.items():
            before = found.get(word, (0, 0))
            found[word] = (before[0] + n, before[1] + documents)
    return found


def _where(facts: Facts) -> str:
    column = facts.parts[0].text_column
    return f"{facts.name}, column {column!r}" if column else facts.name


def _rows(matrix: sparse.csr_matrix, kept: Mask) -> sparse.csr_matrix:
    return matrix[np.flatnonzero(kept)]


def _docs(home: Path, facts: Facts, chunk: int) -> DocTable:
    """The table of a chunk, with every column that any part has."""
    part = facts.part(chunk)
    read = read_chunk(home / facts.folder, chunk, part.fields)
    size = len(read["text"])
    columns: dict[str, Column] = {}
    for name in facts.fields:
        if name != "date":
            columns[name] = strings(read.get(name, [""] * size))
        elif name in part.fields:
            columns[name] = read_counts(home, chunk).days
        else:
            columns[name] = np.full(size, np.datetime64("NaT", "D"))
    return DocTable(**columns)


def _blank_and_signs(home: Path, facts: Facts) -> tuple[Mask, Any]:
    blank = np.empty(facts.n_docs, bool)
    signs = np.empty(facts.n_docs, np.uint64)
    for chunk, own in enumerate(facts.slices()):
        counts = read_counts(home, chunk)
        blank[own], signs[own] = counts.blank, counts.signs
    return blank, signs
