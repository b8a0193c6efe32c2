"""A matrix of counts as a person gives it: in the form of a corpus, and what is wrong with it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]
MAX_COUNT = np.iinfo(np.int32).max
"""Of one word in all documents together. Kernels count the tokens of a word in a component as int32
(`kernels/mixture_sampler.py`, `particles.py`, `sparse_gibbs.py`), and one may hold them all. Tokens
of documents, components and corpora are int64 or float64 everywhere, and hold V times as many."""


def compressed(matrix: Any) -> tuple[tuple[int, int], Array, Array, Array]:
    """The shape (D, V) of a matrix, and `indptr`, `word_ids` and `counts` as in `Corpus`, of any
    integer types; the counts are of the matrix's type. The matrix stays as it is, and may be one
    that nobody can write, such as a corpus's own or one that joblib maps."""
    if type(matrix) is np.ndarray and matrix.ndim == 2:  # small ones in a tenth of scipy's time
        rows, word_ids = matrix.nonzero()
        sizes = np.bincount(rows, minlength=len(matrix))
        return matrix.shape, np.append(0, np.cumsum(sizes)), word_ids, matrix[rows, word_ids]
    if hasattr(matrix, "tocsr") and not getattr(matrix, "has_canonical_format", False):
        # Entries given twice are added, in the type that they have.
        matrix = matrix.astype(np.promote_types(matrix.dtype, np.int64), copy=False)
    csr = sparse.csr_matrix(matrix)
    if not (csr.has_canonical_format and csr.data.all()):
        csr = csr.copy()  # its arrays may be those of the matrix
        csr.sum_duplicates()  # which also sorts them
        csr.eliminate_zeros()
    return csr.shape, csr.indptr, csr.indices, csr.data


def fault_of_counts(data: Array) -> str:
    """What a person did wrong with counts, which must be whole numbers from 0; empty if nothing."""
    if not len(data):
        return ""
    if not np.all(np.isfinite(data)):
        return "Some counts are not finite numbers; counts must be whole numbers >= 0."
    if data.min() < 0:
        return f"A count is negative ({data.min()}); counts must be whole numbers >= 0."
    if not np.array_equal(data, np.round(data)):
        return "Some counts are fractional; counts must be whole numbers >= 0."
    return ""


def fault_of_totals(indptr: Array, word_ids: Array, counts: Array, words: Sequence[str]) -> str:
    """Which word occurs more than `MAX_COUNT` times, where; empty if none does."""
    totals = np.bincount(word_ids, counts, len(words))
    most = int(totals.argmax()) if len(totals) else 0
    if not len(totals) or totals[most] <= MAX_COUNT:
        return ""
    own = np.flatnonzero(word_ids == most)
    largest = own[counts[own].argmax()]
    document = np.searchsorted(indptr, largest, side="right")
    return (
        f"The word {words[most]!r} occurs {totals[most]:,.0f} times, {counts[largest]:,.0f} of "
        f"them in document {document:,}; the most is {MAX_COUNT:,}, so divide all counts by "
        f"{math.ceil(totals[most] / MAX_COUNT):,} or leave the word out."
    )
