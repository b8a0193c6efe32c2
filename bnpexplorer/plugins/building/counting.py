"""What a process does with one chunk: divide it, count its words, number those that stay."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from ...core import store
from ...corpus.corpus import Column, DocTable
from ...corpus.documents.passages import divide_part
from ...corpus.readers.dates import days_of
from ...corpus.readers.source import Source
from ...corpus.text import with_titles
from ...corpus.words.counting import count_forms, document_frequency
from ...corpus.words.cutting import Cutter
from . import facts
from .chunks import chunk_file, source_of, write_chunk
from .facts import PASSAGES, RECORDS, Task
from .gathering import sign_of

WORDS, COUNTED, NUMBERED = "words", "counted", "numbered"
"""Folders: words of every chunk; its counts; its counts of those that stay."""
DATES = "dates"
"""The folder of what could not be read of the dates of each chunk of `RECORDS`."""
SETTLED = "settled.json"
"""The file of the settings that suit the texts."""
VOCABULARY = "vocabulary.json"
"""The file of the words that stay."""
ROWS = 1000
"""Words of a chunk that are held at once while chunks are merged."""


class WordForm(NamedTuple):
    """One form of a word in some chunk, or in several."""

    key: str
    """What all words of one kind share: the word itself where words are not stemmed."""
    form: str
    frequency: int
    documents: int
    """In how many documents any word of its kind is: said of one form of each kind and chunk."""


@dataclass(frozen=True, eq=False)
class ChunkCounts:
    """The counts of one chunk."""

    matrix: sparse.csr_matrix
    """int32 (d, kinds of words in the chunk, by their keys)."""
    blank: npt.NDArray[np.bool_]
    """bool (d,): documents without text."""
    signs: npt.NDArray[np.uint64]
    """uint64 (d,): hashes of the texts, blanks around them aside."""
    days: npt.NDArray[Any]
    """datetime64[D] (d,), or (0,) where there are no dates."""
    stops: dict[str, tuple[int, int]]
    """Stop word -> how often it occurs, and in how many documents."""


def divide_chunk(home: Path, task: Task, chunk: int) -> None:
    """Divide the documents of a chunk into passages."""
    part = task.facts.part(chunk)
    source = source_of(home / task.facts.folder, part, chunk)
    days_of_chunk(home, task, chunk, source.docs)
    divided = divide_part(source, task.options.passages, part.before(chunk), part.n_docs)
    write_chunk(home / PASSAGES, chunk, divided.docs.columns())


def count_chunk(home: Path, task: Task, chunk: int, cutter: Cutter) -> None:
    """Count the words of a chunk."""
    part = task.facts.part(chunk)
    source = source_of(home / task.facts.folder, part, chunk)
    days = days_of_chunk(home, task, chunk, source.docs)
    counted_in = with_titles(source) if cutter.settings.titles else source
    matrix, words, stops = _counted(counted_in, cutter)
    write_words(home / WORDS, chunk, words)
    texts = [text.strip() for text in source.texts or ()]
    arrays = {
        **_packed(matrix),
        "blank": np.array([not text for text in texts]),
        "signs": np.array([sign_of(text) for text in texts], np.uint64),
        "days": days,
        "stops": np.frombuffer(json.dumps(stops).encode(), np.uint8),
    }
    write_arrays(chunk_file(home / COUNTED, chunk, ".npz"), arrays)


def days_of_chunk(home: Path, task: Task, chunk: int, docs: DocTable) -> Column:
    """The dates of a chunk: datetime64[D] (d,), or (0,) where there are none.

    Whoever reads it as it was read from its file notes what could not be read: dates are of
    documents, not of what is made of them.
    """
    if docs.date is None:
        return np.empty(0, "datetime64[D]")
    part = task.facts.part(chunk)
    days, unread = days_of([str(value) for value in docs.date], part.day_first, part.as_of)
    if task.facts.folder == RECORDS:
        facts.write(chunk_file(home / DATES, chunk, ".json"), unread)
    return days


def _counted(
    source: Source, cutter: Cutter
) -> tuple[sparse.csr_matrix, list[WordForm], dict[str, tuple[int, int]]]:
    """Counts of kinds of words, all forms of these, and the stop words."""
    try:
        forms = count_forms(source.texts or (), cutter)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        # Of no words scikit-learn makes nothing: what was tallied is tallied again.
        stops = _stops(*_tallied(source.texts or (), cutter))
        nothing = np.empty((source.n_docs, 0), np.int32)
        return sparse.csr_matrix(nothing), [], stops
    names = forms.words.tolist()
    keys = names if cutter.key is None else [cutter.key(name) for name in names]
    order = sorted(range(len(names)), key=lambda i: (keys[i], names[i]))
    kinds = {key: k for k, key in enumerate(dict.fromkeys(keys[i] for i in order))}
    kind = np.array([kinds[key] for key in keys])
    ones = np.ones(len(names), np.int32)
    shape = (len(names), len(kinds))
    matrix = (
        forms.matrix @ sparse.csr_matrix((ones, (np.arange(len(names)), kind)), shape)
    ).tocsr()
    matrix.sort_indices()
    documents = document_frequency(matrix).tolist()
    words = []
    for i in order:
        k = kind[i]
        words.append(WordForm(keys[i], names[i], int(forms.frequency[i]), documents[k]))
        documents[k] = 0  # once for each kind
    return matrix, words, _stops(forms.stop_frequency, forms.stop_documents)


def _tallied(texts: Sequence[str], cutter: Cutter) -> tuple[Counter[str], Counter[str]]:
    frequency, documents = Counter[str](), Counter[str]()
    for text in texts:
        stopped = list(filter(cutter.is_stop, cutter.words(cutter.preprocess(text))))
        frequency.update(stopped)
        documents.update(set(stopped))
    return frequency, documents


def _stops(frequency: Counter[str], documents: Counter[str]) -> dict[str, tuple[int, int]]:
    return {word: (n, documents[word]) for word, n in frequency.items()}


def number_chunk(home: Path, chunk: int, kinds: dict[str, int], min_tokens: int) -> None:
    """The counts of a chunk by the numbers of the words that stay: `kinds`, their keys."""
    counts = read_counts(home, chunk)
    keys = dict.fromkeys(word.key for word in read_words(home / WORDS, chunk))
    ids = np.array([kinds.get(key, -1) for key in keys], np.int64)
    kept = np.flatnonzero(ids >= 0)
    matrix = counts.matrix[:, kept]
    # Keys and numbers are in the same order, so that words of a document stay in order.
    shape = (matrix.shape[0], len(kinds))
    matrix = sparse.csr_matrix((matrix.data, ids[kept][matrix.indices], matrix.indptr), shape)
    matrix.sort_indices()
    long = np.asarray(matrix.sum(axis=1, dtype=np.int64)).ravel() >= min_tokens
    write_arrays(chunk_file(home / NUMBERED, chunk, ".npz"), {**_packed(matrix), "long": long})


def read_numbered(home: Path, chunk: int, n_words: int) -> tuple[sparse.csr_matrix, Any]:
    """int32 (d, V) and bool (d,): which documents have enough words."""
    arrays = read_arrays(chunk_file(home / NUMBERED, chunk, ".npz"))
    return _unpacked(arrays, n_words), arrays["long"]


def read_counts(home: Path, chunk: int) -> ChunkCounts:
    """What `count_chunk` wrote."""
    arrays = read_arrays(chunk_file(home / COUNTED, chunk, ".npz"))
    stops = json.loads(arrays["stops"].tobytes())
    return ChunkCounts(
        _unpacked(arrays, int(arrays["n_words"])),
        arrays["blank"],
        arrays["signs"],
        arrays["days"],
        {word: (n, documents) for word, (n, documents) in stops.items()},
    )


# ---- files ---------------------------------------------------------------------------------------


def write_words(folder: Path, chunk: int, words: Iterable[WordForm]) -> None:
    """Words in the order of keys and forms, in batches of `ROWS`. Raises OSError."""
    schema = pa.schema(
        [("key", pa.string()), ("form", pa.string()), ("n", pa.int64()), ("docs", pa.int64())]
    )
    rows = iter(words)
    with (
        store.replacing(chunk_file(folder, chunk)) as file,
        pa.ipc.new_stream(file, schema) as writer,
    ):
        while batch := list(islice(rows, ROWS)):
            columns = [list(column) for column in zip(*batch, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))


def read_words(folder: Path, chunk: int) -> Iterator[WordForm]:
    """What `write_words` wrote, one batch after the other."""
    with open(chunk_file(folder, chunk), "rb") as file, pa.ipc.open_stream(file) as reader:
        for batch in reader:
            yield from map(WordForm, *(column.to_pylist() for column in batch.columns))


def _packed(matrix: sparse.csr_matrix) -> store.Arrays:
    return {
        "indptr": matrix.indptr.astype(np.int64),
        "word_ids": matrix.indices.astype(np.int32),
        "counts": matrix.data.astype(np.int32),
        "n_words": np.array(matrix.shape[1]),
    }


def _unpacked(arrays: store.Arrays, n_words: int) -> sparse.csr_matrix:
    parts = (arrays["counts"], arrays["word_ids"], arrays["indptr"])
    return sparse.csr_matrix(parts, (len(arrays["indptr"]) - 1, n_words))


def write_arrays(path: Path, arrays: store.Arrays) -> None:
    """Arrays as one file, whole or not at all. Raises OSError."""
    with store.replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_arrays(path: Path) -> store.Arrays:
    """What `write_arrays` wrote."""
    with np.load(path) as arrays:
        return dict(arrays)
