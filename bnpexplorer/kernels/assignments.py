"""Counts of a corpus's tokens in the topics that they are assigned to."""

import math
from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from .jit import kernel
from .tuples import WordTopics

U = cast(Callable[[int], int], np.uint64)
ZERO, ONE = U(0), U(1)
"""Places without a sign, at which no array need be asked whether they count from its end."""


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
def documents_by_tokens(doc_start: I64, topic: I32, exactly: I64, longer: I64) -> int:
    """How many documents hold a topic 1, 2, ... times; those that hold it more often than there is
    room for one by one.

    `doc_start` int64 (D+1,): document d has the tokens `doc_start[d]:doc_start[d+1]`. `topic` int32
    (N,): the slot of every token. `exactly` int64 (K, M+1): documents are added at their number of
    tokens, or at M. `longer` int64 (any number, 2): out, slot and number of those that have more
    than M; N / (M+1) rows are enough. Returns how many these are.
    """
    n_slots, most = exactly.shape[0], exactly.shape[1] - 1
    held, mine = np.zeros(n_slots, np.int64), np.empty(n_slots + 1, np.int64)
    n_longer = 0
    for d in range(U(doc_start.size - 1)):
        n_mine = ZERO
        for i in range(U(doc_start[d]), U(doc_start[d + ONE])):
            k = U(topic[i])
            mine[n_mine] = k  # stays if it is the first of the document in this slot: no branch
            n_mine += U(held[k] == 0)
            held[k] += 1
        for j in range(n_mine):
            k = U(mine[j])
            exactly[k, min(held[k], most)] += 1
            if held[k] > most:
                longer[n_longer, 0], longer[n_longer, 1] = k, held[k]
                n_longer += 1
            held[k] = 0
    return n_longer


@kernel
def take_runs(values: I32, first: I64, ends: I64) -> I32:
    """What stands in S ranges, one after the other: int32 (ends[S],).

    `values` int32 (N,): all. `first` int64 (S,): where each range begins. `ends` int64 (S+1,):
    where it begins and ends in what is returned.
    """
    out = np.empty(ends[-1], np.int32)
    for s in range(U(first.size)):
        begin, place = U(ends[s]), U(first[s])
        for i in range(U(ends[s + ONE]) - begin):
            out[begin + i] = values[place + i]
    return out


@kernel
def put_runs(values: I32, first: I64, ends: I64, part: I32) -> None:
    """Put back what `take_runs` took: `part` int32 (ends[S],) into `values` int32 (N,).

    `first` int64 (S,), `ends` int64 (S+1,): as there.
    """
    for s in range(U(first.size)):
        begin, place = U(ends[s]), U(first[s])
        for i in range(U(ends[s + ONE]) - begin):
            values[place + i] = part[begin + i]


@kernel
def repeated(values: I32, counts: I32, n_all: int) -> I32:
    """Return each of `values` int32 (P,) as often as `counts` int32 (P,) says: int32 (n_all,).

    numpy takes four times as long.
    """
    out, place = np.empty(n_all, np.int32), ZERO
    for p in range(U(values.size)):
        for _ in range(counts[p]):
            out[place] = values[p]
            place += ONE
    return out


@kernel
def rename_slots(cells: I32, slot: I32) -> None:
    """Give the slots in lists of topics other numbers; cells that are not used become 0.

    `cells` int32 (2 C,): those of `WordTopics`. `slot` int32 (cap + 1,): the new number of each.
    """
    for c in range(U(0), U(cells.size), U(2)):
        cells[c] = slot[U(cells[c])] if cells[c + ONE] > 0 else 0


@kernel
def log_seating(doc_start: I64, topic: I32, prior: F64) -> float:
    """sum_d ln of the product, over the tokens in turn, of prior_k + earlier tokens there in k.

    That is sum_dk ln Gamma(prior_k + n_dk) / Gamma(prior_k). `doc_start` int64 (D+1,): document d
    has the tokens `doc_start[d]:doc_start[d+1]`. `topic` int32 (N,): the slot of every token, -1
    where it has none. `prior` float64 (cap + 1,): of every slot. One logarithm serves many tokens.
    """
    n_doc, log_p, product = np.zeros(prior.size), 0.0, 1.0
    for d in range(doc_start.size - 1):
        for i in range(doc_start[d], doc_start[d + 1]):
            k = topic[i]
            if k >= 0:
                product *= prior[k] + n_doc[k]
                n_doc[k] += 1.0
                if product > 1e100 or product < 1e-100:
                    log_p += math.log(product)
                    product = 1.0
        for i in range(doc_start[d], doc_start[d + 1]):
            if topic[i] >= 0:
                n_doc[topic[i]] = 0.0
    return log_p + math.log(product)


@kernel
def smoothed_topics(words: WordTopics, slots: I64, total: F64) -> F32:
    """E beta = (n_kw + eta) / (n_k + V eta): float32 (K, V).

    `slots` int64 (K,): the topics. `total` float64 (cap,): n_k + V eta of every slot.
    """
    start, cells, used, eta = words
    out = np.empty((slots.size, used.size), np.float32)
    place = np.empty(total.size, np.int64)
    for k in range(total.size):
        place[k] = -1
    for i in range(slots.size):
        place[slots[i]] = i
        unseen = eta * (1.0 / total[slots[i]])
        for w in range(used.size):
            out[i, w] = unseen
    for w in range(used.size):
        for c in range(8 * start[w], 8 * start[w] + used[w]):
            k = cells[2 * c]
            if place[k] >= 0:
                out[place[k], w] = (eta + cells[2 * c + 1]) * (1.0 / total[k])
    return out
