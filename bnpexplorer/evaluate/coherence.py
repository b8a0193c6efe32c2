"""Coherence: do the top words of a topic occur together in documents?

Both measures use the M heaviest words of a topic and count documents, not tokens. K topics,
V words, D documents.
"""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..state.words import heaviest


def umass(topic_word: npt.NDArray[Any], corpus: Corpus, n_words: int = 10) -> F64:
    """UMass coherence of each topic: float64 (K,), at most about 0, larger is better.

    sum_{m=2}^M sum_{l<m} ln [(D(v_m, v_l) + 1) / D(v_l)] over words by decreasing probability,
    where D counts the documents of `corpus` that contain the word or both words (Mimno et al.
    2011, equation 1). Pairs whose likelier word occurs nowhere are left out.

    `topic_word` (K, V). Raises ValueError if `n_words` < 2 or V differs from the corpus's; nan if
    the vocabulary has a single word.
    """
    single, joint = _document_frequencies(topic_word, corpus, n_words)
    likelier = single[:, _pairs(single.shape[1])[0]]
    with np.errstate(divide="ignore"):
        terms = np.log((joint + 1.0) / likelier)
    return _or_nan(np.where(likelier > 0, terms, 0.0).sum(axis=1), joint)


def npmi(topic_word: npt.NDArray[Any], corpus: Corpus, n_words: int = 10) -> F64:
    """Normalised pointwise mutual information of each topic: float64 (K,), between -1 and 1.

    >>> corpus = Corpus.from_csr(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]))
    >>> npmi(np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]]), corpus, n_words=2).round(6).tolist()
    [1.0, -1.0]

    The mean over pairs of top words of ln [p_ij / (p_i p_j)] / -ln p_ij, with p the shares of
    documents of `corpus` that contain the word or both words (Bouma 2009); -1 for words that never
    occur together, 1 for words that both occur in every document. Arguments and errors as `umass`.
    """
    single, joint = _document_frequencies(topic_word, corpus, n_words)
    first, second = _pairs(single.shape[1])
    p_first, p_second = single[:, first] / corpus.n_docs, single[:, second] / corpus.n_docs
    p_both = joint / corpus.n_docs
    some = (p_both > 0.0) & (p_both < 1.0)
    values = np.where(p_both > 0.0, 1.0, -1.0)
    log_both = np.log(p_both[some])
    values[some] = (np.log(p_first[some] * p_second[some]) - log_both) / log_both
    return _or_nan(values.sum(axis=1) / max(len(first), 1), joint)


def _pairs(n_words: int) -> tuple[I64, I64]:
    """Ranks (l, m), l < m, of all pairs among `n_words` words."""
    return np.triu_indices(n_words, 1)


def _or_nan(values: F64, joint: I64) -> F64:
    """`values`, or nan where a topic has no pair of words."""
    return np.asarray(values) if joint.shape[1] else np.full(len(values), np.nan)


def _together(docs: Corpus, words: I64) -> Any:
    """Some documents that hold each two of N words: int64 (N, N), sparse."""
    present = docs.to_csr()[:, words]
    present.data[:] = 1
    present = present.astype(np.int64)
    return (present.T @ present).tocsr()


def _document_frequencies(
    topic_word: npt.NDArray[Any], corpus: Corpus, n_words: int
) -> tuple[I64, I64]:
    """Documents with each top word, int64 (K, M), and with each pair of them, int64 (K, pairs)."""
    if n_words < 2:
        raise ValueError(f"Coherence compares at least 2 words of a topic; got n_words={n_words}.")
    if topic_word.shape[1] != corpus.n_words:
        raise ValueError(
            f"The topics have {topic_word.shape[1]:,} words but the corpus has {corpus.n_words:,}."
        )
    top = heaviest(topic_word, n_words)
    words, place = np.unique(top, return_inverse=True)
    place = place.reshape(top.shape)
    together = reduce(add, (_together(docs, words) for docs in corpus.chunks()))
    first, second = _pairs(top.shape[1])
    one, other = place[:, first].ravel(), place[:, second].ravel()
    joint = np.asarray(together[one, other], dtype=np.int64) if len(one) else np.zeros(0, np.int64)
    single = np.asarray(together.diagonal(), dtype=np.int64)[place]
    return single, joint.reshape(len(top), len(first))
