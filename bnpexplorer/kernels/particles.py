"""Particles that share immutable clusters: weighing, joining, moving and collecting them.

P particles; particle p holds the clusters `member[first[p]:first[p + 1]]`. M clusters; cluster j
has the words `words[start[j]:start[j + 1]]`, ascending, and their `counts`.
"""

import math

import numpy as np

from ..core.arrays import F32, F64, I32, I64, Bools
from .jit import kernel
from .mixture import times_rising
from .special import log_rising


@kernel
def _log_predictive(
    indptr: I64,
    doc_words: I32,
    doc_counts: I32,
    i: int,
    words: I32,
    counts: I32,
    low: int,
    stop: int,
    total: float,
    eta: float,
) -> float:
    """ln DM(x_i | eta + C) for the cluster in places `low` to `stop`, `total` = V eta + tokens."""
    log_p, product = 0.0, 1.0
    length, factors = 0, 0
    for e in range(indptr[i], indptr[i + 1]):
        word, count = doc_words[e], doc_counts[e]
        high = stop
        while low < high:  # the first place whose word is not before `word`
            middle = (low + high) // 2
            if words[middle] < word:
                low = middle + 1
            else:
                high = middle
        x = eta
        if low < stop and words[low] == word:
            x += counts[low]
        length += count
        log_p, product, factors = times_rising(x, count, log_p, product, factors)
    return log_p + math.log(product) - log_rising(total, length)


@kernel
def propose(
    indptr: I64,
    doc_words: I32,
    doc_counts: I32,
    i: int,
    first: I64,
    member: I64,
    log_weight: F64,
    docs: I64,
    tokens: I64,
    start: I64,
    words: I32,
    counts: I32,
    eta: float,
    gamma: float,
    n_words: int,
    n_seen: int,
) -> F64:
    """ln [weight x predictive] of every child of every particle when document i comes.

    Returns float64 (P + clusters of all particles,): for each particle its clusters in their order,
    then a new one (Fearnhead 2004). Every cluster is looked at once, however many
    particles share it.
    """
    n_particles = log_weight.size
    out = np.empty(member.size + n_particles)
    value = np.full(docs.size, np.nan)
    log_seats = math.log(n_seen + gamma)
    new = math.log(gamma) - log_seats
    new += _log_predictive(
        indptr, doc_words, doc_counts, i, words, counts, 0, 0, n_words * eta, eta
    )
    n = 0
    for p in range(n_particles):
        for m in range(first[p], first[p + 1]):
            j = member[m]
            if math.isnan(value[j]):
                total = n_words * eta + tokens[j]
                value[j] = math.log(docs[j]) - log_seats
                value[j] += _log_predictive(
                    indptr,
                    doc_words,
                    doc_counts,
                    i,
                    words,
                    counts,
                    start[j],
                    start[j + 1],
                    total,
                    eta,
                )
            out[n] = log_weight[p] + value[j]
            n += 1
        out[n] = log_weight[p] + new
        n += 1
    return out


@kernel
def join(
    indptr: I64,
    doc_words: I32,
    doc_counts: I32,
    i: int,
    parents: I64,
    n_clusters: int,
    start: I64,
    words: I32,
    counts: I32,
) -> None:
    """Append one cluster per parent (-1: none), parent plus document i, after `n_clusters`.

    Writes into `start`, `words` and `counts`, which must be long enough.
    """
    end = start[n_clusters]
    for n in range(parents.size):
        low, stop = 0, 0
        if parents[n] >= 0:
            low, stop = start[parents[n]], start[parents[n] + 1]
        for e in range(indptr[i], indptr[i + 1]):
            while low < stop and words[low] < doc_words[e]:
                words[end], counts[end] = words[low], counts[low]
                low += 1
                end += 1
            words[end], counts[end] = doc_words[e], doc_counts[e]
            if low < stop and words[low] == doc_words[e]:
                counts[end] += counts[low]
                low += 1
            end += 1
        while low < stop:
            words[end], counts[end] = words[low], counts[low]
            low += 1
            end += 1
        start[n_clusters + n + 1] = end


@kernel
def advance(first: I64, member: I64, parent: I64, place: I64, cluster: I64) -> tuple[I64, I64]:
    """The particles `parent` (S,) with `cluster` (S,) put in `place` (S,); returns (first, member).

    The place after a particle's last cluster adds one.
    """
    new_first = np.zeros(parent.size + 1, np.int64)
    for s in range(parent.size):
        n_held = first[parent[s] + 1] - first[parent[s]]
        new_first[s + 1] = new_first[s] + max(n_held, place[s] + 1)
    new_member = np.empty(new_first[-1], np.int64)
    for s in range(parent.size):
        low, to = first[parent[s]], new_first[s]
        for m in range(first[parent[s] + 1] - low):
            new_member[to + m] = member[low + m]
        new_member[to + place[s]] = cluster[s]
    return new_first, new_member


@kernel
def collect(live: Bools, start: I64, words: I32, counts: I32) -> I64:
    """Move the clusters where `live` (M,) to the front; returns their old numbers, ascending."""
    kept = np.empty(live.size, np.int64)
    n, end = 0, 0
    for j in range(live.size):
        low, stop = start[j], start[j + 1]
        if live[j]:
            for e in range(low, stop):
                words[end], counts[end] = words[e], counts[e]
                end += 1
            kept[n] = j
            n += 1
            start[n] = end  # never beyond what is still to be read: n <= j + 1
    return kept[:n]


@kernel
def expected_words(
    clusters: I64, start: I64, words: I32, counts: I32, total: F64, eta: float, n_words: int
) -> F32:
    """E beta of `clusters` (K,), float32 (K, V); `total` (K,) is V eta + tokens."""
    out = np.empty((clusters.size, n_words), np.float32)
    for k in range(clusters.size):
        out[k] = eta / total[k]
        for e in range(start[clusters[k]], start[clusters[k] + 1]):
            out[k, words[e]] = (eta + counts[e]) / total[k]
    return out
