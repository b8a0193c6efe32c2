"""Sums over the documents of a mini-batch word by word, so that one thread alone sums up a word.

S documents, U entries, W distinct words of the batch, K topics or components.
"""

import numpy as np

from ..core.arrays import F64, I64
from .jit import kernel, within
from .special import first_at_least
from .tuples import Docs


@kernel
def sum_words(start: int, stop: int, docs: Docs, amounts: F64, rows: F64, out: F64) -> None:
    """sum_u amounts_u rows[d_u] over the entries u of each of the words from `start` to `stop`.

    d_u is the document of entry u. `amounts` float64 (U,), `rows` float64 (S, K). `out` float64
    (W, K): overwritten there. Documents are summed up in their order, two at a time, so that `out`
    is read and written half as often.
    """
    begin, entry, doc = _entries_of(start, stop, docs)
    n_topics = out.shape[1]
    for w in range(start, stop):
        row, i, end = out[w], begin[w - start], begin[w - start + 1]
        row[:] = 0.0
        while i + 1 < end:
            a0, r0 = amounts[entry[i]], rows[doc[i]]
            a1, r1 = amounts[entry[i + 1]], rows[doc[i + 1]]
            for k in range(n_topics):
                row[k] = (row[k] + a0 * r0[k]) + a1 * r1[k]
            i += 2
        if i < end:
            a0, r0 = amounts[entry[i]], rows[doc[i]]
            for k in range(n_topics):
                row[k] += a0 * r0[k]


@within
def _entries_of(start: int, stop: int, docs: Docs) -> tuple[I64, I64, I64]:
    """The entries of the words from `start` to `stop`, in the order of their documents.

    Returns `(begin, entry, doc)`, int64 (stop - start + 1,), int64 (n,) and int64 (n,): the word
    `start + i` has the entries `entry[begin[i]:begin[i+1]]`, which are of the documents `doc[...]`.
    """
    indptr, local, _ = docs
    n_docs, begin = indptr.size - 1, np.zeros(stop - start + 1, np.int64)
    first = np.empty(n_docs, np.int64)
    for d in range(n_docs):
        first[d] = first_at_least(local, indptr[d], indptr[d + 1], start)
        u = first[d]
        while u < indptr[d + 1] and local[u] < stop:
            begin[local[u] - start + 1] += 1
            u += 1
    for i in range(stop - start):
        begin[i + 1] += begin[i]
    place, n = np.empty(stop - start, np.int64), begin[stop - start]
    for i in range(stop - start):
        place[i] = begin[i]
    entry, doc = np.empty(n, np.int64), np.empty(n, np.int64)
    for d in range(n_docs):
        u = first[d]
        while u < indptr[d + 1] and local[u] < stop:
            at = place[local[u] - start]
            entry[at], doc[at] = u, d
            place[local[u] - start] = at + 1
            u += 1
    return begin, entry, doc
