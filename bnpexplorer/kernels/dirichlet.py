"""Topic Dirichlets stored as `lam[k, w] = eta + scale * stats[w, slots[k]]`, word by word.

V words, W of them at hand, K topics in some of C columns. Words are summed up in B blocks of
`BLOCK`, and these in their order, so that sums are equal whoever adds which block.
Words come first in memory, so that gathering the words of a batch reads whole rows and the inner
loops over topics run along memory.

Sums over the documents of a mini-batch word by word, so that one thread alone sums up a word.

S documents, U entries, W distinct words of the batch, K topics or components.
"""

import math

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from .jit import kernel, within
from .special import digamma, digamma_many, exp, first_at_least, largest
from .tuples import Docs, Lam

TILE = 64
"""Words that are turned round at once, so that they stay in the cache: a fifth of the time for 100
topics of 11,000 words."""
BLOCK = 128
"""Words whose sum is one number: 100 blocks of a mini-batch of 2,048 for as many workers."""


@kernel
def gather_lam(stats: F64, slots: I64, words: I32, scale: float, eta: float) -> F64:
    """`lam` at some words: float64 (W, K).

    `stats` float64 (V, C), `slots` int64 (K,): of all topics. `words` int32 (W,): which.
    """
    out = np.empty((words.size, slots.size))
    for i in range(words.size):
        w = words[i]
        for k in range(slots.size):
            out[i, k] = eta + scale * stats[w, slots[k]]
    return out


@kernel
def expected_log(start: int, stop: int, lam: Lam, words: I32, total: F64, out: F64) -> None:
    """E ln beta_kw = psi(lam_kw) - psi(Lam_k) at the words from `start` to `stop` of some.

    `words` int32 (W,): which. `total` float64 (K,): Lam. `out` float64 (W, K): overwritten there.
    """
    stats, slots, scale, eta = lam
    at, psi_total = np.empty(slots.size), np.empty(slots.size)
    digamma_many(total, psi_total)
    for i in range(start, stop):
        w, row = words[i], out[i]
        for k in range(slots.size):
            at[k] = eta + scale * stats[w, slots[k]]
        digamma_many(at, row)
        for k in range(slots.size):
            row[k] -= psi_total[k]


@kernel
def sum_digamma(start: int, stop: int, lam: Lam, out: F64) -> None:
    """sum_kw psi(lam_kw) of the blocks of words from `start` to `stop`.

    `out` float64 (B,): of every block, overwritten there. Words outside a topic, at eta, are most
    of them and cost nothing.
    """
    stats, slots, scale, eta = lam
    at_prior = digamma(eta)
    for b in range(start, stop):
        total, n_prior = 0.0, 0
        for w in range(b * BLOCK, min((b + 1) * BLOCK, stats.shape[0])):
            for k in range(slots.size):
                excess = scale * stats[w, slots[k]]
                if excess == 0.0:
                    n_prior += 1
                else:
                    total += digamma(eta + excess)
        out[b] = total + n_prior * at_prior


def exp_shifted(logs: F64, floor: float) -> tuple[F64, F64]:
    """exp(logs - row maximum), at least `floor`, float64 (W, K), and the row maxima, float64 (W,).

    `logs` float64 (W, K): of every word and topic. The floor (1e-150 for topics) keeps products of
    two such factors above the smallest double; it replaces terms that are 345 nats below the
    largest, where adding 1e-100 to normalisers, as other programs do, overrides true values of
    1e-120. Not compiled: a 0 handed on by a kernel is a type of its own, for which `exp_of_rows`
    would be compiled once more.
    """
    out, shift = logs.copy(), np.empty(len(logs))
    exp_of_rows(0, len(logs), out, floor, shift)
    return out, shift


@kernel
def exp_of_rows(start: int, stop: int, rows: F64, floor: float, shift: F64) -> None:
    """As `exp_shifted`, of the rows from `start` to `stop` in their place.

    `rows` float64 (W, K): logarithms, overwritten there; so is `shift` float64 (W,).
    """
    for i in range(start, stop):
        row = rows[i]
        top = largest(row)
        shift[i] = top
        for k in range(row.size):
            row[k] = max(exp(row[k] - top), floor)


@kernel
def add_rows(
    start: int, stop: int, lam: Lam, words: I32, addition: F64, factor: float, sums: F64
) -> None:
    """`stats[words, slots] += factor * addition` of the blocks of words from `start` to `stop`.

    `words` int32 (W,): which, each once. `addition` float64 (W, K): 0 at all other words. `sums`
    float64 (B, K): what each block added to each topic, overwritten there.
    """
    stats, slots = lam.stats, lam.slots
    for b in range(start, stop):
        added = sums[b]
        added[:] = 0.0
        for i in range(b * BLOCK, min((b + 1) * BLOCK, words.size)):
            w = words[i]
            for k in range(slots.size):
                amount = factor * addition[i, k]
                stats[w, slots[k]] += amount
                added[k] += amount


@kernel
def expected_topics(stats: F64, slots: I64, scale: float, eta: float, total: F64) -> F32:
    """E beta: float32 (K, V).

    `stats` float64 (V, C), `slots` int64 (K,): of all topics. `total` float64 (K,): Lam.
    """
    n_words, n_topics = stats.shape[0], slots.size
    out = np.empty((n_topics, n_words), np.float32)
    for start in range(0, n_words, TILE):
        stop = min(start + TILE, n_words)
        for k in range(n_topics):
            slot, inverse = slots[k], 1.0 / total[k]
            for w in range(start, stop):
                out[k, w] = (eta + scale * stats[w, slot]) * inverse
    return out


@kernel
def log_rising_of_words(lam: Lam) -> float:
    """sum_kw ln [Gamma(lam_kw) / Gamma(eta)]; a topic costs what it holds."""
    total, of_prior = 0.0, math.lgamma(lam.eta)
    for w in range(lam.stats.shape[0]):
        for k in range(lam.slots.size):
            excess = lam.scale * lam.stats[w, lam.slots[k]]
            if excess != 0.0:
                total += math.lgamma(lam.eta + excess) - of_prior
    return total


@kernel
def log_normaliser_terms(start: int, stop: int, lam: Lam, log_gammas: F64, slack: F64) -> None:
    """Per topic, sum_w lnGamma(lam_kw) and sum_w (eta - lam_kw) psi(lam_kw) of the blocks of words
    from `start` to `stop`.

    `log_gammas` float64 (B, K), `slack` float64 (B, K): of every block, overwritten there.
    """
    stats, slots, scale, eta = lam
    for b in range(start, stop):
        own_gammas, own_slack = log_gammas[b], slack[b]
        own_gammas[:] = 0.0
        own_slack[:] = 0.0
        for w in range(b * BLOCK, min((b + 1) * BLOCK, stats.shape[0])):
            for k in range(slots.size):
                excess = scale * stats[w, slots[k]]
                at = eta + excess
                own_gammas[k] += math.lgamma(at)
                if excess != 0.0:
                    own_slack[k] -= excess * digamma(at)


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
