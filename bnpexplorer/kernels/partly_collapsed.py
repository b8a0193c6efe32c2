"""Gibbs draws for the HDP with proportions integrated out and topics drawn.

Terenin, Magnusson & Jonsson 2020. Given topics Phi and corpus weights Psi documents do not depend
on each other, nor do words when topics are drawn: kernels take a range of either.
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from .jit import kernel
from .philox import fill_uniform
from .tuples import Cells, Docs, DrawnTopics, WordEntries

U = cast(Callable[[int], int], np.uint64)
ONE = U(1)
TOKENS = 1
"""The purpose of the streams of documents (`philox.fill_uniform`)."""
POISSON, EXACT, EXPECTED = 0, 1, 2
"""How topics are drawn."""
AHEAD = 64
"""Random numbers that are made at once: a multiple of four."""
NOTHING = 1e-30
"""A Gamma draw below it counts as 0: beside a word's other weights it is less than the rounding of
their sum, and half of all draws of Gamma(0.01) are."""


@kernel
def draw_documents(
    docs: Docs, rows: I64, topic: I32, drawn: DrawnTopics, key: int, sweep: int
) -> None:
    """Draw the topic of every token of S documents, in turn, given Phi, Psi and its document.

    p(z = k) is proportional to phi_kw (alpha Psi_k + m_dk), m without the token itself: the part of
    alpha Psi comes from the word's alias table, which stands still; that of m runs over the topics
    of the document or over those of the word, whichever are fewer. `rows` int64 (S,): the numbers
    of the documents, which decide their random numbers. `topic` int32 (N,): the slot of every
    token, -1 where it has none; overwritten.
    """
    indptr, local, counts = docs
    phi, start, slot, other, keep, mass = drawn
    n_slots = phi.shape[1]
    n_doc = np.zeros(n_slots)  # m_d
    place, mine = np.empty(n_slots, np.int64), np.empty(n_slots, np.int32)  # topics with m_dk > 0
    running, u = np.empty(n_slots), np.empty(AHEAD)
    i = U(0)
    for d in range(rows.size):
        length, n_mine, n_drawn = 0, 0, 0
        for e in range(indptr[d], indptr[d + 1]):
            length += counts[e]
        for t in range(i, i + U(length)):
            if topic[t] >= 0:
                k = U(topic[t])
                if n_doc[k] == 0.0:
                    mine[U(n_mine)], place[k] = k, n_mine
                    n_mine += 1
                n_doc[k] += 1.0
        for e in range(U(indptr[d]), U(indptr[d + 1])):
            w = U(local[e])
            first, n_cells, of_word = U(start[w]), start[w + ONE] - start[w], mass[w]
            for _ in range(counts[e]):
                if n_drawn % AHEAD == 0:
                    n_ahead = min(AHEAD, length - n_drawn)
                    fill_uniform(key, TOKENS, sweep, rows[d], n_drawn // 4, n_ahead, u)
                if topic[i] >= 0:
                    k = U(topic[i])
                    n_doc[k] -= 1.0
                    if n_doc[k] == 0.0:
                        n_mine -= 1
                        last = U(mine[U(n_mine)])
                        mine[U(place[k])], place[last] = last, place[k]
                total = 0.0
                if n_cells < n_mine:
                    for c in range(U(n_cells)):
                        k = U(slot[first + c])
                        total += phi[w, k] * n_doc[k]
                        running[c] = total
                else:
                    for c in range(U(n_mine)):
                        k = U(mine[c])
                        total += phi[w, k] * n_doc[k]
                        running[c] = total
                x = u[U(n_drawn % AHEAD)] * (total + of_word)
                if x < total:
                    c = U(0)
                    while running[c] <= x:
                        c += ONE
                    k = U(slot[first + c]) if n_cells < n_mine else U(mine[c])
                else:
                    x = (x - total) / of_word * n_cells
                    n = min(int(x), n_cells - 1)
                    c = first + U(n)
                    k = U(slot[c]) if x - n < keep[c] else U(other[c])
                if n_doc[k] == 0.0:
                    mine[U(n_mine)], place[k] = k, n_mine
                    n_mine += 1
                n_doc[k] += 1.0
                topic[i] = k
                i += ONE
                n_drawn += 1
        for c in range(n_mine):
            n_doc[mine[c]] = 0.0


@kernel
def count_words(
    first: int, last: int, entries: WordEntries, topic: I32, n_slots: int
) -> tuple[I64, I32, I32]:
    """The pairs of the words `first` to `last` and slots that share tokens, word by word.

    `topic` int32 (N,): the slot of every token, -1 where it has none. Returns int64 (last - first,)
    pairs of each word, int32 (P,) slots and int32 (P,) tokens.
    """
    start, place, count = entries
    most = 0
    for e in range(start[first], start[last]):
        most += count[e]
    sizes, slots = np.zeros(last - first, np.int64), np.empty(most, np.int32)
    held, where = np.empty(most, np.int32), np.full(n_slots, -1, np.int64)
    n = 0
    for w in range(first, last):
        begin = n
        for e in range(start[w], start[w + 1]):
            for i in range(place[e], place[e] + count[e]):
                k = topic[i]
                if k >= 0:
                    if where[k] < begin:
                        where[k] = n
                        slots[n], held[n] = k, 0
                        n += 1
                    held[where[k]] += 1
        sizes[w - first] = n - begin
    return sizes, slots[:n].copy(), held[:n].copy()


@kernel
def draw_words(
    first: int,
    last: int,
    cells: Cells,
    eta: float,
    base: F64,
    draw: int,
    phi: F32,
    used: I64,
    rng: np.random.Generator,
) -> F64:
    """Draw the words `first` to `last` of all topics, up to the sums of topics, which it returns.

    EXACT: Gamma(eta + n_kw) for every slot, so that topics are Dirichlet. POISSON: Poisson(eta +
    n_kw), the Polya urn: Poisson(n_kw) where n_kw > 0, and Poisson(eta K) throws at any of all K
    slots together. A word that then is nowhere is drawn exactly. EXPECTED: eta + n_kw. `base`
    float64 (K,): slots where it is 0 are left out. `phi` float32 (V, K), `used` int64 (V,): out,
    the rows of these words, and in how many slots each is. Returns float64 (K,).
    """
    n_slots = base.size
    total = np.zeros(n_slots)
    for w in range(first, last):
        row = phi[w]
        row[:] = 0.0
        for c in range(cells.start[w], cells.start[w + 1]):
            row[cells.slot[c]] = cells.held[c]
        found = 0.0
        if draw == POISSON:
            for c in range(cells.start[w], cells.start[w + 1]):
                k = cells.slot[c]
                row[k] = rng.poisson(cells.held[c])
                found += row[k]
            for _ in range(rng.poisson(eta * n_slots)):
                k = int(rng.random() * n_slots)
                if base[k] > 0.0:
                    row[k] += 1.0
                    found += 1.0
            if found == 0.0:
                for c in range(cells.start[w], cells.start[w + 1]):
                    row[cells.slot[c]] = cells.held[c]
        if found == 0.0:
            for k in range(n_slots):
                if base[k] > 0.0:
                    x = eta + row[k]
                    if draw != EXPECTED:
                        x = rng.standard_gamma(x)
                    row[k] = x if x > NOTHING else 0.0
                    found += row[k]
        for k in range(n_slots):
            if found == 0.0 and base[k] > 0.0:  # all draws were next to nothing: which, is chance
                row[k] = NOTHING
            if row[k] > 0.0:
                used[w] += 1
                total[k] += row[k]
    return total


@kernel
def make_tables(first: int, last: int, inverse: F64, base: F64, drawn: DrawnTopics) -> None:
    """Divide the words `first` to `last` by the sums of topics, and make their alias tables.

    `inverse` float64 (K,): one over the sum of each topic. `base` float64 (K,): alpha Psi.
    """
    phi, start, slot, other, keep, mass = drawn
    n_slots = base.size
    scaled = np.empty(n_slots)
    small, large = np.empty(n_slots, np.int64), np.empty(n_slots, np.int64)
    for w in range(first, last):
        row, begin, n = phi[w], start[w], 0
        total = 0.0
        for k in range(n_slots):
            if row[k] > 0.0:
                row[k] *= inverse[k]
                scaled[n] = row[k] * base[k]
                slot[begin + n] = k
                total += scaled[n]
                n += 1
        mass[w] = total
        n_small, n_large = 0, 0
        for c in range(n):
            scaled[c] *= n / total
            keep[begin + c], other[begin + c] = 1.0, slot[begin + c]
            if scaled[c] < 1.0:
                small[n_small] = c
                n_small += 1
            else:
                large[n_large] = c
                n_large += 1
        while n_small > 0 and n_large > 0:
            n_small -= 1
            poor, rich = small[n_small], large[n_large - 1]
            keep[begin + poor], other[begin + poor] = scaled[poor], slot[begin + rich]
            scaled[rich] -= 1.0 - scaled[poor]
            if scaled[rich] < 1.0:
                n_large -= 1
                small[n_small] = rich
                n_small += 1
