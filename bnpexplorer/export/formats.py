"""Arrays and files that other programs read: pyLDAvis, MALLET's readers.

D documents, V words, K topics in use. None of those programs is needed here.
"""

import io
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from ..core.large import filled
from ..corpus.corpus import Corpus
from ..explore.columns import lengths_of
from .result import Member, Result, zip_to, zipped
from .tables import csv, topics_table

LEAST = 1e-12
"""Probabilities below are raised to this: pyLDAvis takes logarithms."""
BLOCK = 4096
"""Documents at once: with 200 topics 7 MB of shares, and as much again on the way."""
N_KEYS = 20
"""Words of a topic in MALLET's file of keys."""


def _in_use(result: Result) -> tuple[list[int], I64]:
    """Topics in use, the largest first, and their places, int64 (K,).

    Raises ValueError if there is none.
    """
    ids, row = list(result.moment.in_use), result.moment.row
    if not ids:
        raise ValueError("The run has no topic in use yet; let it learn before you export arrays.")
    return ids, np.array([row[topic] for topic in ids], np.int64)


def _proportions(result: Result, places: I64) -> Iterator[F64]:
    """Proportions among the topics at `places` of some documents after the other: float64 (N, K),
    rows sum to 1."""
    for begin in range(0, result.corpus.n_docs, BLOCK):
        part = result.shares[begin : begin + BLOCK].astype(np.float64)
        theta = np.maximum(part[:, places], LEAST)
        yield np.asarray(theta / theta.sum(axis=1, keepdims=True))


def pyldavis_arrays(result: Result) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`: real, finite, rows that sum to 1.

    `topic_term_dists` float64 (K, V), `doc_topic_dists` float64 (D, K), `doc_lengths` int64 (D,),
    `vocab` list of V words, `term_frequency` int64 (V,), at least 1: words that occur in no
    document are left out. Topics are those in use, largest first; what documents leave to topics
    not in use is spread over these. Give `prepare` also `sort_topics=False`, so that its topics
    1, 2, ... stay in this order. Raises ValueError if no topic is in use.
    """
    _, places = _in_use(result)
    blocks, arrays = _proportions(result, places), _of_topics(result, places)
    return {
        "topic_term_dists": arrays["topic_term_dists"],
        "doc_topic_dists": filled(result.corpus.n_docs, len(places), blocks, np.float64),
        "doc_lengths": lengths_of(result.corpus),
        **arrays,
    }


def _of_topics(result: Result, places: I64) -> dict[str, Any]:
    """Those of the arguments that do not grow with the documents."""
    corpus = result.corpus
    frequency = np.asarray(corpus.word_totals)
    words = np.flatnonzero(frequency)
    topic_word = result.moment.topics.topic_word[np.ix_(places, words)].astype(np.float64)
    topic_word = np.maximum(topic_word, LEAST)
    return {
        "topic_term_dists": topic_word / topic_word.sum(axis=1, keepdims=True),
        "vocab": [corpus.vocab[w] for w in words],
        "term_frequency": frequency[words],
    }


def pyldavis(result: Result) -> bytes:
    """The arrays of `pyldavis_arrays` as .npz (no pickle), with the topics' identities and names.

    `np.load` gives them back; `topic_ids`, `topic_names`, `topic_hidden` and `citation` are not for
    `prepare`.
    """
    return zipped(_arrays(result))


def write_pyldavis(file: IO[bytes], result: Result) -> None:
    """The same into an open file, some documents at a time."""
    zip_to(file, _arrays(result))


def _arrays(result: Result) -> dict[str, Member]:
    (ids, places), moment = _in_use(result), result.moment
    arrays = _of_topics(result, places) | {
        "doc_lengths": lengths_of(result.corpus),
        "topic_ids": np.array(ids, np.int64),
        "topic_names": np.array([moment.name(topic) for topic in ids], dtype=str),
        "topic_hidden": np.array([topic in moment.labels.unseen for topic in ids]),
        "citation": np.array(result.citation),
    }
    shape = (result.corpus.n_docs, len(places))
    members: dict[str, Member] = {
        f"{name}.npy": _npy(np.asarray(value)) for name, value in arrays.items()
    }
    shares = _npy_pieces(shape, _proportions(result, places))
    return {"doc_topic_dists.npy": shares, **members}


def _npy(array: npt.NDArray[Any]) -> bytes:
    """The bytes of an .npy file; raises ValueError for objects, which would need pickle."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()


def _npy_pieces(shape: tuple[int, int], blocks: Iterable[F64]) -> Iterator[bytes]:
    """The same of a float64 array whose rows come some after the others."""
    out = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, header)
    yield out.getvalue()
    for block in blocks:
        yield np.ascontiguousarray(block, "<f8").tobytes()


# ---- MALLET ------------------------------------------------------------------------------------


def mallet(result: Result) -> bytes:
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
    ids, places = _in_use(result)
    prior = _prior(result, places)
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


def _prior(result: Result, places: I64) -> F64:
    """float64 (K,): MALLET's alpha, the Dirichlet of proportions; shares where there is none."""
    topics = result.moment.topics
    scale = topics.concentration if np.isfinite(topics.concentration) else 1.0
    return np.asarray(scale * topics.weight[places])


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


def _some(result: Result, places: I64) -> Iterator[tuple[int, Corpus, F64]]:
    """Documents some after the others: the number of the first, their words, their proportions."""
    first = 0
    parts = result.corpus.without_text().chunks(BLOCK)
    for docs, theta in zip(parts, _proportions(result, places), strict=True):
        yield first, docs, theta
        first += docs.n_docs


def _documents(result: Result, places: I64) -> Iterator[bytes]:
    shares = "\t".join(["%.6g"] * len(places))
    for first, docs, theta in _some(result, places):
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
    for first, docs, theta in _some(result, places):
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
