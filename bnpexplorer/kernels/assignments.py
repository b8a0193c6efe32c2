"""Counts of a corpus's tokens in the topics that they are assigned to."""

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel


@kernel
def count_by_document(doc_start: I64, topic: I32, n_slots: int) -> tuple[I64, I64]:
    """The positive n_dk, document by document: int64 (P,) counts and int64 (P,) their slots k.

    `doc_start` int64 (D+1,): document d has the tokens `doc_start[d]:doc_start[d+1]`. `topic` int32
    (N,): the slot of every token, -1 where it has none.
    """
    counts, slots = np.empty(topic.size, np.int64), np.empty(topic.size, np.int64)
    place = np.full(n_slots, -1, np.int64)  # of the present document's topics among the pairs
    n_pairs = 0
    for d in range(doc_start.size - 1):
        first = n_pairs
        for i in range(doc_start[d], doc_start[d + 1]):
            k = topic[i]
            if k < 0:
                continue
            if place[k] < first:
                place[k] = n_pairs
                slots[n_pairs] = k
                counts[n_pairs] = 0
                n_pairs += 1
            counts[place[k]] += 1
    return counts[:n_pairs], slots[:n_pairs]


@kernel
def rearranged(word: F64, order: I64, n_slots: int, old_eta: float, eta: float) -> F64:
    """float64 (V, n_slots): the whole counts of some slots plus `eta`, closed slots after them.

    `word` float64 (V, cap): counts plus `old_eta`, up to rounding. `order` int64 (K,): the slots.
    """
    out = np.full((word.shape[0], n_slots), eta)
    for w in range(word.shape[0]):
        for j in range(order.size):
            out[w, j] += round(word[w, order[j]] - old_eta)
    return out


@kernel
def positive_counts(word: F64, eta: float) -> I64:
    """The positive n_kw, word by word: int64 (P,).

    `word` float64 (V, cap): n_kw plus `eta`.
    """
    counts = np.empty(word.size, np.int64)
    n = 0
    for w in range(word.shape[0]):
        for k in range(word.shape[1]):
            if word[w, k] - eta > 0.5:
                counts[n] = round(word[w, k] - eta)
                n += 1
    return counts[:n].copy()
