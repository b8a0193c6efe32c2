"""Counting the topics that the tokens of a corpus are assigned to."""

import numpy as np

from .jit import I32, I64, kernel


@kernel
def count_by_document(doc_start: I64, topic: I32, n_slots: int) -> tuple[I64, I64]:
    """The positive n_dk, document by document: int64 (P,) counts and int64 (P,) their slots k.

    Tokens of document d are `doc_start[d]:doc_start[d+1]`; -1 marks a token without a topic.
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
