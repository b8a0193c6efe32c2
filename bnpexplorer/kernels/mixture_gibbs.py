"""Collapsed Gibbs sampling of a mixture: the documents of a block, one after the other, in the
counts of all clusters.

S documents of the block, V words. Clusters live in columns, so that the loops over them run along
memory and compile to vector instructions.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I64
from .jit import kernel, within
from .mixture import BLOCK
from .openings import RIVALS, note_likeliest, note_opening
from .special import RANGE, digamma, exp_above, largest, ln, log_gamma_ratio, log_rising
from .tuples import Docs, Openings

LONG = 128
"""Tokens of a document above which two ln Gamma are cheaper than so many factors."""


class Seated(NamedTuple):
    """Counts of the clusters, in C columns; an empty column holds zeros."""

    words: F64
    """float64 (V, C): whole numbers."""
    tokens: F64
    """float64 (C,): their sums."""
    docs: I64
    """int64 (C,): documents of each."""


@within
def _seat(docs: Docs, i: int, seated: Seated, k: int, sign: int) -> None:
    """Put document i into column k (`sign` 1) or take it out (-1)."""
    for j in range(docs.indptr[i], docs.indptr[i + 1]):
        seated.words[docs.local[j], k] += sign * docs.counts[j]
        seated.tokens[k] += sign * docs.counts[j]
    seated.docs[k] += sign


@kernel
def add_log_predictive(
    docs: Docs, i: int, seated: Seated, eta: float, n: int, logs: F64, product: F64
) -> None:
    """Add ln DM(x_i | eta + counts) under each of the first `n` columns to `logs` float64 (C,).

    `product` float64 (C,): scratch. Of BLOCK factors one logarithm is taken, as in `mixture.py`.
    """
    for k in range(n):
        product[k] = 1.0
    length, factors = 0, 0
    for j in range(docs.indptr[i], docs.indptr[i + 1]):
        word, count = seated.words[docs.local[j]], docs.counts[j]
        length += count
        if count > BLOCK:
            for k in range(n):
                logs[k] += log_rising(word[k] + eta, np.int64(count))
            continue
        for above in range(count):
            for k in range(n):
                product[k] *= word[k] + (eta + above)
            factors += 1
            if factors == BLOCK:
                for k in range(n):
                    logs[k] += ln(product[k])
                    product[k] = 1.0
                factors = 0
    for k in range(n):
        logs[k] += ln(product[k])
        product[k] = 1.0
    prior = eta * seated.words.shape[0]
    if length > LONG:
        for k in range(n):
            logs[k] -= log_gamma_ratio(seated.tokens[k] + prior, float(length))
        return
    for above in range(length):
        for k in range(n):
            product[k] *= seated.tokens[k] + (prior + above)
        if (above + 1) % BLOCK == 0:
            for k in range(n):
                logs[k] -= ln(product[k])
                product[k] = 1.0
    for k in range(n):
        logs[k] -= ln(product[k])


@within
def _meanfield(docs: Docs, i: int, seated: Seated, eta: float, k: int) -> float:
    """E ln p(x_i | theta), theta ~ Dir(eta + counts of column k)."""
    of_all, total = digamma(eta * seated.words.shape[0] + seated.tokens[k]), 0.0
    for j in range(docs.indptr[i], docs.indptr[i + 1]):
        total += docs.counts[j] * (digamma(eta + seated.words[docs.local[j], k]) - of_all)
    return total


@within
def _note_opening(
    docs: Docs,
    i: int,
    seated: Seated,
    eta: float,
    new: int,
    log_size: F64,
    log_all: float,
    logs: F64,
    o: Openings,
) -> None:
    """Document i opens the cluster of column `new`, before it sits there.

    `log_size` float64 (C,) and `logs` float64 (C,): those of `draw_documents`. `log_all`: ln of the
    sum of all sizes and gamma.
    """
    note_opening(o, new, i, False)
    note_likeliest(o, new, logs, new, -np.inf)
    for r in range(RIVALS + 1):
        k = o.rivals[r, new] if r < RIVALS else new
        if k >= 0:
            o.logs[0, r, new] = log_size[k] - log_all
            o.logs[1, r, new] = logs[k] - log_size[k]
            o.logs[2, r, new] = _meanfield(docs, i, seated, eta, k)


@within
def _draw(logs: F64, n: int, u: float, weight: F64) -> int:
    """Draw one of the first `n` by their logarithms `logs` float64 (C,); `u` uniform on [0, 1).

    `weight` float64 (C,): scratch.
    """
    top, total, last = largest(logs[:n]), 0.0, 0
    for k in range(n):
        weight[k] = exp_above(logs[k] - top, RANGE)
    for k in range(n):
        total += weight[k]
    reached, threshold = 0.0, u * total
    for k in range(n):
        reached += weight[k]
        if reached > threshold:
            return k
        if weight[k] > 0.0:
            last = k
    return last


@kernel
def draw_documents(
    docs: Docs,
    z: I64,
    seated: Seated,
    n_used: int,
    gamma: float,
    eta: float,
    start: int,
    opened: Openings,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Take every document of a block out of its cluster and draw it a cluster anew.

    Neal 2000, algorithm 3: cluster k with the chance n_k DM(x | eta + C_k), a new one with gamma
    DM(x | eta), both without the document itself. `docs`: the block, by words of the vocabulary.
    `z` int64 (S,): the column of each, or -1 if it sits nowhere yet; it is overwritten. Clusters
    are in the first `n_used` columns, new ones get the next. `start`: the first document that is to
    be drawn. `opened`: how new ones were opened; out.

    A document that was alone and draws a new cluster keeps its own. A column that is emptied stays
    empty. Returns the first document for which there is no column, S if all are drawn, and how many
    columns are in use.
    """
    n_columns = seated.docs.size
    log_size, logs = np.empty(n_columns), np.empty(n_columns)
    scratch, n_placed = np.empty(n_columns), 0
    for k in range(n_columns):
        log_size[k] = math.log(seated.docs[k]) if seated.docs[k] > 0 else -np.inf
        n_placed += seated.docs[k]
    for i in range(start, z.size):
        if n_used == n_columns:
            return i, n_used
        old = z[i]
        if old >= 0:
            _seat(docs, i, seated, old, -1)
            n_placed -= 1
            log_size[old] = math.log(seated.docs[old]) if seated.docs[old] > 0 else -np.inf
        log_size[n_used] = math.log(gamma)
        for k in range(n_used + 1):
            logs[k] = log_size[k]
        add_log_predictive(docs, i, seated, eta, n_used + 1, logs, scratch)
        new = _draw(logs, n_used + 1, rng.random(), scratch)
        if new == n_used:
            if old >= 0 and seated.docs[old] == 0:
                log_size[new] = -np.inf
                new = old
            else:
                log_all = math.log(n_placed + gamma)
                _note_opening(docs, i, seated, eta, new, log_size, log_all, logs, opened)
                n_used += 1
        _seat(docs, i, seated, new, 1)
        n_placed += 1
        log_size[new] = math.log(seated.docs[new])
        z[i] = new
    return z.size, n_used
