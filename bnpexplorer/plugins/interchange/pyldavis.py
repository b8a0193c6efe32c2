"""pyLDAvis: what its `prepare` takes, in Python and as a file.

D documents, V words, K topics in use. pyLDAvis is not needed here.
"""

import io
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import F64, I64, filled
from ...explore.documents import lengths_of
from ...export.result import Member, Result, zip_to, zipped
from ...runs.run import Run
from .results import LEAST, proportions, result_from, used


def to_pyldavis(run: Run | Result) -> dict[str, Any]:
    """The arguments of `pyLDAvis.prepare`: real, finite, rows that sum to 1.

    `topic_term_dists` float64 (K, V), `doc_topic_dists` float64 (D, K), `doc_lengths` int64 (D,),
    `vocab` list of V words, `term_frequency` int64 (V,), at least 1: words that occur in no
    document are left out. Topics are those in use, largest first; what documents leave to topics
    not in use is spread over these. `sort_topics` is False, so that pyLDAvis's topics 1, 2, ...
    stay in this order. Names, titles, dates, labels and texts have no place there.

    `pyLDAvis.prepare(**to_pyldavis(run))` is all that it takes; it wants three topics or more.
    Raises ValueError if no topic is in use.

    >>> from bnpexplorer import Plan, load
    >>> from bnpexplorer.interchange import to_pyldavis
    >>> run = Plan.of("lda-gibbs", passes=2).start(load("sample_data/small.csv"))
    >>> while not run.done:
    ...     run.step()
    >>> [*to_pyldavis(run)][:3]
    ['topic_term_dists', 'doc_topic_dists', 'doc_lengths']
    """
    result = result_from(run)
    _, places = used(result)
    blocks, arrays = proportions(result, places), of_topics(result, places)
    return {
        "topic_term_dists": arrays["topic_term_dists"],
        "doc_topic_dists": filled(result.corpus.n_docs, len(places), blocks, np.float64),
        "doc_lengths": lengths_of(result.corpus),
        **arrays,
        "sort_topics": False,
    }


def of_topics(result: Result, places: I64) -> dict[str, Any]:
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


def pyldavis_file(result: Result) -> bytes:
    """The arrays of `to_pyldavis` as .npz (no pickle), with the topics' identities and names.

    `np.load` gives them back; `topic_ids`, `topic_names`, `topic_hidden` and `citation` are not for
    `prepare`.
    """
    return zipped(_arrays(result))


def write_pyldavis(file: IO[bytes], result: Result) -> None:
    """The same into an open file, some documents at a time."""
    zip_to(file, _arrays(result))


def _arrays(result: Result) -> dict[str, Member]:
    (ids, places), moment = used(result), result.moment
    arrays = of_topics(result, places) | {
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
    shares = _npy_pieces(shape, proportions(result, places))
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
