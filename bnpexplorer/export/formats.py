"""Arrays and files that other programs read: pyLDAvis, MALLET's readers.

D documents, V words, K topics in use. None of those programs is needed here.
"""

import gzip
import io
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from .result import Result, zipped
from .tables import csv, topics_table

LEAST = 1e-12
"""Probabilities below are raised to this: pyLDAvis takes logarithms."""
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


def _proportions(result: Result, places: I64) -> F64:
    """float64 (D, K): proportions among the topics at `places`, rows sum to 1."""
    theta = np.maximum(result.proportions[:, places], LEAST)
    return np.asarray(theta / theta.sum(axis=1, keepdims=True))


def pyldavis_arrays(result: Result) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`: real, finite, rows that sum to 1.

    `topic_term_dists` float64 (K, V), `doc_topic_dists` float64 (D, K), `doc_lengths` int64 (D,),
    `vocab` list of V words, `term_frequency` int64 (V,), at least 1: words that occur in no
    document are left out. Topics are those in use, largest first; what documents leave to topics
    not in use is spread over these. Give `prepare` also `sort_topics=False`, so that its topics
    1, 2, ... stay in this order. Raises ValueError if no topic is in use.
    """
    (_, places), corpus = _in_use(result), result.corpus
    frequency = np.bincount(corpus.word_ids, corpus.counts, corpus.n_words).astype(np.int64)
    words = np.flatnonzero(frequency)
    topic_word = result.moment.topics.topic_word[np.ix_(places, words)].astype(np.float64)
    topic_word = np.maximum(topic_word, LEAST)
    return {
        "topic_term_dists": topic_word / topic_word.sum(axis=1, keepdims=True),
        "doc_topic_dists": _proportions(result, places),
        "doc_lengths": corpus.doc_lengths,
        "vocab": [corpus.vocab[w] for w in words],
        "term_frequency": frequency[words],
    }


def pyldavis(result: Result) -> bytes:
    """The arrays of `pyldavis_arrays` as .npz (no pickle), with the topics' identities and names.

    `np.load` gives them back; `topic_ids`, `topic_names`, `topic_hidden` and `citation` are not for
    `prepare`.
    """
    ids, moment = _in_use(result)[0], result.moment
    arrays = {
        **pyldavis_arrays(result),
        "topic_ids": np.array(ids, np.int64),
        "topic_names": np.array([moment.name(topic) for topic in ids], dtype=str),
        "topic_hidden": np.array([topic in moment.labels.unseen for topic in ids]),
        "citation": np.array(result.citation),
    }
    return zipped({f"{name}.npy": _npy(np.asarray(value)) for name, value in arrays.items()})


def _npy(array: npt.NDArray[Any]) -> bytes:
    """The bytes of an .npy file; raises ValueError for objects, which would need pickle."""
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()


# ---- MALLET ------------------------------------------------------------------------------------


def mallet(result: Result) -> bytes:
    """A zip of files laid out as MALLET's: topic-keys.txt, doc-topics.txt, state.gz.

    MALLET numbers topics from 0; topics.csv says which identity and name each number has. Every
    token of the state has the most probable topic of its word in its document; no draw is made.
    Raises ValueError if no topic is in use.
    """
    ids, places = _in_use(result)
    theta = _proportions(result, places)
    prior = _prior(result, places)
    table = topics_table(result)
    table.insert(0, "mallet", range(len(table)))
    table = table[table["in_use"] == "yes"]
    members: dict[str, str | bytes] = {
        "topic-keys.txt": _keys(result, ids, prior),
        "doc-topics.txt": _documents(result, theta),
        "state.gz": gzip.compress(_state(result, places, theta, prior).encode(), 1, mtime=0),
        "topics.csv": csv(table),
        "CITATION.bib": result.citation,
    }
    return zipped(members)


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


def _document_names(result: Result) -> list[str]:
    ids = result.corpus.docs.id
    if ids is None:
        return [f"document-{d}" for d in range(1, result.corpus.n_docs + 1)]
    return [_word(str(name)) or f"document-{d}" for d, name in enumerate(ids, start=1)]


def _documents(result: Result, theta: F64) -> str:
    shares = "\t".join(["%.6g"] * theta.shape[1])
    rows = zip(_document_names(result), theta, strict=True)
    return "".join(
        [f"{d}\t{name}\t{shares % (*row.tolist(),)}\n" for d, (name, row) in enumerate(rows)]
    )


def _state(result: Result, places: I64, theta: F64, prior: F64) -> str:
    corpus, topics = result.corpus, result.moment.topics
    word_topic: npt.NDArray[Any] = np.ascontiguousarray(topics.topic_word[places].T)
    words = [f" {w} {_word(word)} " for w, word in enumerate(corpus.vocab)]
    ends = [f"{k}\n" for k in range(len(places))]
    rows = [
        "#doc source pos typeindex type topic\n",
        f"#alpha : {' '.join(f'{alpha:.6g}' for alpha in prior)} \n",
        f"#beta : {topics.eta:.6g}\n",
    ]
    for d, name in enumerate(_document_names(result)):
        entries = slice(corpus.indptr[d], corpus.indptr[d + 1])
        ids, counts = corpus.word_ids[entries], corpus.counts[entries]
        best = np.argmax(word_topic[ids] * theta[d], axis=1)
        begin, position = f"{d} {name} ", 0
        for w, n, k in zip(ids.tolist(), counts.tolist(), best.tolist(), strict=True):
            rest = words[w] + ends[k]
            for _ in range(n):
                rows.append(f"{begin}{position}{rest}")
                position += 1
    return "".join(rows)
