"""The entries of a mini-batch word by word, so that each word is summed up by one thread alone.

S documents, U entries, W distinct words of the batch.
"""

import numpy as np

from ..core.arrays import I64
from .jit import kernel
from .tuples import Docs


@kernel
def entries_by_word(docs: Docs, n_words: int) -> tuple[I64, I64, I64]:
    """The fields of `ByWord` for a batch over `n_words` distinct words: int64 (W+1,), int64 (U,)
    and int64 (U,)."""
    indptr, local, _ = docs
    start = np.zeros(n_words + 1, np.int64)
    for u in range(local.size):
        start[local[u] + 1] += 1
    for w in range(n_words):
        start[w + 1] += start[w]
    place, entry, doc = (
        start[:-1].copy(),
        np.empty(local.size, np.int64),
        np.empty(local.size, np.int64),
    )
    for d in range(indptr.size - 1):
        for u in range(indptr[d], indptr[d + 1]):
            at = place[local[u]]
            place[local[u]] = at + 1
            entry[at], doc[at] = u, d
    return start, entry, doc
