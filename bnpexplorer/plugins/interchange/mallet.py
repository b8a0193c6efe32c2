"""MALLET: files laid out as it writes them.

D documents, V words, K topics in use. MALLET is not needed here.
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import F64, I64
from ...corpus.corpus import Corpus
from ...export.result import Member, Result, zip_to, zipped
from ...export.tables import csv, topics_table
from .results import prior_of, some, used

N_KEYS = 20
"""Words of a topic in its file of keys."""


def mallet_file(result: Result) -> bytes:
    """A zip of files laid out as MALLET's: topic-keys.txt, doc-topics.txt, state.gz.

    MALLET numbers topics from 0; topics.csv says which identity and name each number has. Every
    token of the state has the most probable topic of its word in its document; no draw is made.
    Raises ValueError if no topic is in use.
    """
    return zipped(_mallets(result))


def write_mallet(file: IO[bytes], result: Result) -> None:
    """The same into an open file, some documents at a time."""
    zip_to(file, _mallets(result))


def _mallets(result: Result) -> dict[str, Member]:
    ids, places = used(result)
    prior = prior_of(result, places)
    table = topics_table(result)
    table.insert(0, "mallet", range(len(table)))
    table = table[table["in_use"] == "yes"]
    return {
        "topic-keys.txt": _keys(result, ids, prior),
        "doc-topics.txt": _documents(result, places),
        "state.gz": _gzipped(_state(result, places, prior)),
        "topics.csv": csv(table),
        "CITATION.bib": result.citation,
    }


def _gzipped(pieces: Iterable[str]) -> Iterator[bytes]:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    for piece in pieces:
        yield packer.compress(piece.encode())
    yield packer.flush()


def _word(word: str) -> str:
    """One field of a file with blanks between fields."""
    return "_".join(word.split())


def _keys(result: Result, ids: list[int], prior: F64) -> str:
    rows = [
        f"{number}\t{alpha:.6g}\t{' '.join(map(_word, result.moment.top_words(topic, N_KEYS)))} \n"
        for number, (topic, alpha) in enumerate(zip(ids, prior, strict=True))
    ]
    return "".join(rows)


def _document_names(docs: Corpus, first: int) -> list[str]:
    """Of some documents, the first of which has the number `first` from 0."""
    ids = docs.docs.id
    if ids is None:
        return [f"document-{first + d}" for d in range(1, docs.n_docs + 1)]
    return [_word(str(name)) or f"document-{first + d}" for d, name in enumerate(ids, start=1)]


def _documents(result: Result, places: I64) -> Iterator[bytes]:
    shares = "\t".join(["%.6g"] * len(places))
    for first, docs, theta in some(result, places):
        rows = enumerate(zip(_document_names(docs, first), theta, strict=True), start=first)
        lines = [f"{d}\t{name}\t{shares % (*row.tolist(),)}\n" for d, (name, row) in rows]
        yield "".join(lines).encode()


def _state(result: Result, places: I64, prior: F64) -> Iterator[str]:
    topics = result.moment.topics
    word_topic: npt.NDArray[Any] = np.ascontiguousarray(topics.topic_word[places].T)
    words = [f" {w} {_word(word)} " for w, word in enumerate(result.corpus.vocab)]
    ends = [f"{k}\n" for k in range(len(places))]
    yield "#doc source pos typeindex type topic\n"
    yield f"#alpha : {' '.join(f'{alpha:.6g}' for alpha in prior)} \n"
    yield f"#beta : {topics.eta:.6g}\n"
    for first, docs, theta in some(result, places):
        for d, name in enumerate(_document_names(docs, first)):
            entries = slice(docs.indptr[d], docs.indptr[d + 1])
            ids, counts = docs.word_ids[entries], docs.counts[entries]
            best = np.argmax(word_topic[ids] * theta[d], axis=1)
            begin, position, rows = f"{first + d} {name} ", 0, []
            for w, n, k in zip(ids.tolist(), counts.tolist(), best.tolist(), strict=True):
                rest = words[w] + ends[k]
                rows += [f"{begin}{position + i}{rest}" for i in range(n)]
                position += n
            yield "".join(rows)
