"""Particles that share immutable clusters: weighing, joining, moving and collecting them.

P particles hold some of M clusters each; a document of n distinct words comes.
"""

import math

import numpy as np

from ..core.arrays import F32, F64, I32, I64, Bools
from .jit import kernel
from .mixture import times_rising
from .special import log_rising
from .tuples import Document, Particles, Stock


@kernel
def _log_predictive(
    doc: Document, words: I32, counts: I32, low: int, stop: int, total: float, eta: float
) -> float:
    """ln DM(x | eta + C) of a document for the cluster in places `low` to `stop`.

    `words` int32 (E,), `counts` int32 (E,): of all clusters. `total` is V eta + its tokens.
    """
    log_p, product = 0.0, 1.0
    length, factors = 0, 0
    for e in range(doc.words.size):
        word, count = doc.words[e], doc.counts[e]
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
    doc: Document,
    particles: Particles,
    stock: Stock,
    eta: float,
    gamma: float,
    n_words: int,
    n_seen: int,
) -> F64:
    """ln [weight x predictive] of every child of every particle when a document comes.

    Returns float64 (P + clusters of all particles,): for each particle its clusters in their order,
    then a new one (Fearnhead 2004). Every cluster is looked at once, however many
    particles share it.
    """
    first, member, log_weight = particles
    docs, tokens, start, words, counts = stock
    n_particles = log_weight.size
    out = np.empty(member.size + n_particles)
    value = np.empty(docs.size)
    for j in range(docs.size):
        value[j] = math.nan
    log_seats = math.log(n_seen + gamma)
    new = math.log(gamma) - log_seats
    new += _log_predictive(doc, words, counts, 0, 0, n_words * eta, eta)
    n = 0
    for p in range(n_particles):
        for m in range(first[p], first[p + 1]):
            j = member[m]
            if math.isnan(value[j]):
                total = n_words * eta + tokens[j]
                value[j] = math.log(docs[j]) - log_seats
                value[j] += _log_predictive(doc, words, counts, start[j], start[j + 1], total, eta)
            out[n] = log_weight[p] + value[j]
            n += 1
        out[n] = log_weight[p] + new
        n += 1
    return out


@kernel
def join(doc: Document, parents: I64, n_clusters: int, stock: Stock) -> None:
    """Append one cluster per parent, parent plus document, after `n_clusters`.

    `parents` int64 (J,): clusters, -1 for none. Writes into the stock's `start`, `words` and
    `counts`, which must be long enough.
    """
    _, _, start, words, counts = stock
    end = start[n_clusters]
    for n in range(parents.size):
        low, stop = 0, 0
        if parents[n] >= 0:
            low, stop = start[parents[n]], start[parents[n] + 1]
        for e in range(doc.words.size):
            while low < stop and words[low] < doc.words[e]:
                words[end], counts[end] = words[low], counts[low]
                low += 1
                end += 1
            words[end], counts[end] = doc.words[e], doc.counts[e]
            if low < stop and words[low] == doc.words[e]:
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
    """Particles in which one cluster took another's place; the place after the last adds one.

    `first` int64 (P+1,), `member` int64 (number held,): the particles before. `parent` int64 (S,):
    the one that each of S new ones comes from. `place` int64 (S,): where it changes. `cluster`
    int64 (S,): what stands there now. Returns the new `(first, member)`, int64 (S+1,) and int64
    (number held,).
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
    """Move some clusters to the front; returns their old numbers, ascending, int64 (kept,).

    `live` bool (M,): which. `start` int64 (M+1,), `words` int32 (E,), `counts` int32 (E,): of all
    clusters, overwritten.
    """
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
    """E beta of some clusters, float32 (K, V).

    `clusters` int64 (K,): which. `start` int64 (M+1,), `words` int32 (E,), `counts` int32 (E,): of
    all clusters. `total` float64 (K,): V eta + tokens.
    """
    out = np.empty((clusters.size, n_words), np.float32)
    for k in range(clusters.size):
        out[k] = eta / total[k]
        for e in range(start[clusters[k]], start[clusters[k] + 1]):
            out[k, words[e]] = (eta + counts[e]) / total[k]
    return out
