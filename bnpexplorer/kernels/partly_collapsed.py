"""Gibbs draws for the HDP with proportions integrated out and topics drawn.

Terenin, Magnusson & Jonsson 2020. Given topics Phi and corpus weights Psi documents do not depend
on each other: the kernel takes some of them. How topics are drawn: `drawn_words`.

A token's topic is proportional to phi_kw (alpha Psi_k + m_dk). The part of m runs over the slots
that its word and its document have in common: of 16 of a document and 30 (with 100 topics) or 120
(with 1,000) of a word these are 5. They are found by bits, in as little memory as there are topics
of the word, so that most of it is in the cache, however many topics there are.
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F32, F64, I32, I64, U64
from .instructions import bits_set, fetch, fill_uniform
from .jit import fused, inlined, kernel
from .tuples import Docs, DrawnTopics

U = cast(Callable[[int], int], np.uint64)
ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN = U(1), U(2), U(3), U(4), U(5), U(6), U(7)
HALF, LAST_BIT = U(32), U(31)
EIGHT = 8
"""Slots that are added up at once; most words have no more in common with a document."""
FEWER = U(4)
"""A word's own slots are looked through where the document has more than so many times as many:
with as many, each is taken now and then, and what is guessed wrong costs 5 %."""
TOKENS = 1
"""The purpose of the streams of documents (`philox.fill_uniform`)."""
AHEAD = 64
"""Random numbers that are made at once: a multiple of four."""


def n_groups(n_slots: int) -> int:
    """Groups of 32 slots, as in `DrawnTopics.groups`."""
    return -(-n_slots // 32)


@inlined
def group_of(k: int) -> int:
    """In which group the slot `k` is."""
    return k >> FIVE


@inlined
def bit_of(k: int) -> int:
    """Its bit there."""
    return k & LAST_BIT


@inlined
def cell_before(group: int, bit: int) -> int:
    """The first cell of a word whose slot is that of the bit or a later one; see `DrawnTopics`."""
    return (group >> HALF) + bits_set(group & ((ONE << bit) - ONE))


@inlined
def meet_mine(row: U64, chance: F32, mine: I32, n_mine: int, slots: I32, shares: F64) -> int:
    """Find the slots that a word and a document have in common among those of the document.

    `row` uint64 (K / 32,), `chance` float32 (C+1,): the word's of `DrawnTopics`. `mine` int32 (K,):
    the document's slots. `slots` int32 (K + 8,), `shares` float64 (K + 8,): out, the slots and
    phi_kw. Returns how many they are. There is no branch: it would be guessed wrong mostly.
    """
    n = U(0)
    for j in range(n_mine):
        k = U(mine[j])
        group, bit = row[group_of(k)], bit_of(k)
        slots[n], shares[n] = k, chance[cell_before(group, bit)]
        n += (group >> bit) & ONE
    return n


@inlined
def meet_cells(
    slot: I32, chance: F32, first: int, end: int, n_doc: F64, slots: I32, shares: F64
) -> int:
    """The same among the cells of the word, from `first` to `end`.

    `slot` int32 (C+1,), `chance` float32 (C+1,): those of `DrawnTopics`. `n_doc` float64 (K,): m_dk
    of all slots. `slots` int32 (K + 8,), `shares` float64 (K + 8,): out, and what is returned, as
    of `meet_mine`.
    """
    n = U(0)
    for c in range(first, end):
        k = U(slot[c])
        slots[n], shares[n] = k, chance[c]
        n += U(n_doc[k] > 0.0)
    return n


@inlined
def mass(slots: I32, shares: F64, n_doc: F64, j: int) -> float:
    """phi_kw m_dk of the j-th slot in common, without rounding: a float32 times a whole number.

    `slots` int32 (K + 8,), `shares` float64 (K + 8,), `n_doc` float64 (K,): those of `weigh`.
    """
    product: float = shares[j] * n_doc[U(slots[j])]
    return product


@inlined
def four(slots: I32, shares: F64, n_doc: F64, j: int) -> float:
    """The sum of the masses of four of them, from the j-th on.

    `slots` int32 (K + 8,), `shares` float64 (K + 8,), `n_doc` float64 (K,): those of `weigh`.
    """
    return (mass(slots, shares, n_doc, j) + mass(slots, shares, n_doc, j + ONE)) + (
        mass(slots, shares, n_doc, j + TWO) + mass(slots, shares, n_doc, j + THREE)
    )


@fused
def weigh(slots: I32, shares: F64, n_doc: F64, n_blocks: int, sums: F64) -> float:
    """The total of phi_kw m_dk over the slots in common, in `n_blocks` blocks of eight.

    `slots` int32 (K + 8,), `shares` float64 (K + 8,): those of `meet_mine`, shares 0 beyond the
    last. `n_doc` float64 (K,): m_dk of all slots. `sums` float64 (K / 8 + 2,): out, running sums of
    blocks.
    """
    running = 0.0
    for b in range(n_blocks):
        j = U(EIGHT) * b
        running += four(slots, shares, n_doc, j) + four(slots, shares, n_doc, j + FOUR)
        sums[b] = running
    return running


@inlined
def block_of(sums: F64, n_blocks: int, x: float) -> int:
    """The block whose running sum passes `x`, less than the last: counted, since a loop that ends
    where it is found is guessed wrong mostly. `sums` float64 (K / 8 + 2,): of `n_blocks` blocks."""
    b = U(0)
    for i in range(n_blocks - ONE):
        b += U(sums[i] <= x)
    return b


@fused
def passing(slots: I32, shares: F64, n_doc: F64, j: int, running: float, x: float) -> int:
    """The slot, of a block that begins at `j`, where the running sum passes `x`: without a branch.

    `slots` int32 (K + 8,), `shares` float64 (K + 8,), `n_doc` float64 (K,): those of `weigh`, whose
    sums these are to the last bit, so that one of no weight is never passed at.
    """
    a = mass(slots, shares, n_doc, j)
    ab = a + mass(slots, shares, n_doc, j + ONE)
    c, d = mass(slots, shares, n_doc, j + TWO), mass(slots, shares, n_doc, j + THREE)
    abcd, e = ab + (c + d), mass(slots, shares, n_doc, j + FOUR)
    ef = e + mass(slots, shares, n_doc, j + FIVE)
    efg = ef + mass(slots, shares, n_doc, j + SIX)
    first = U(running + a <= x) + U(running + ab <= x) + U(running + (ab + c) <= x)
    last = U(running + (abcd + e) <= x) + U(running + (abcd + ef) <= x)
    last += U(running + (abcd + efg) <= x)
    return U(slots[j + first + U(running + abcd <= x) + last])


@inlined
def of_prior(ends: F64, first: int, end: int, x: float) -> int:
    """The cell, from `first` to `end`, where the running sum of phi_kw alpha Psi_k passes `x`.

    `ends` float64 (C,): those of `DrawnTopics`. Halves without a branch. An alias table takes one
    look instead of seven, but of 20 cells few are ever looked at: making it cost more.
    """
    n = end - first
    while n > ONE:
        half = n >> ONE
        first += half * U(ends[first + half - ONE] <= x)
        n -= half
    return first


@kernel
def draw_documents(
    docs: Docs, rows: I64, topic: I32, drawn: DrawnTopics, n_slots: int, key: int, sweep: int
) -> I64:
    """Draw the topic of every token of S documents, in turn, given Phi, Psi and its document.

    p(z = k) is proportional to phi_kw (alpha Psi_k + m_dk), m without the token itself. `rows`
    int64 (S,): the numbers of the documents, which decide their random numbers. `topic` int32 (N,):
    the slot of every token, -1 where it has none; overwritten. `n_slots`: K. Returns int64 (K,),
    the tokens that each slot gained.
    """
    indptr, local, counts = docs
    groups, start, slot, chance, ends = drawn
    n_row = U(groups.shape[1])
    gained = np.zeros(n_slots, np.int64)
    n_doc, place = np.zeros(n_slots), np.empty(n_slots, np.int64)  # m_d by slot
    mine = np.empty(n_slots, np.int32)  # slots with m_dk > 0
    slots, shares = np.zeros(n_slots + EIGHT, np.int32), np.empty(n_slots + EIGHT)
    sums, u = np.empty(n_slots // EIGHT + 2), np.empty(AHEAD)
    i = U(0)
    for d in range(rows.size):
        length, n_mine, n_drawn = 0, U(0), 0
        for e in range(indptr[d], indptr[d + 1]):
            length += counts[e]
        for t in range(i, i + U(length)):
            if topic[t] >= 0:
                k = U(topic[t])
                if n_doc[k] == 0.0:
                    mine[n_mine], place[k] = k, n_mine
                    n_mine += ONE
                n_doc[k] += 1.0
        for e in range(U(indptr[d]), U(indptr[d + 1])):
            w = U(local[e])
            first, end, row = U(start[w]), U(start[w + ONE]), groups[w]
            if e + ONE < U(local.size):
                after = U(local[e + ONE])
                fetch(groups, after * n_row)
                fetch(chance, U(start[after]))
                fetch(ends, U(start[after + ONE]) - ONE)
            of_word, unmet, n_blocks = ends[end - ONE], True, U(0)
            for _ in range(counts[e]):
                if n_drawn % AHEAD == 0:
                    n_ahead = min(AHEAD, length - n_drawn)
                    fill_uniform(key, TOKENS, sweep, rows[d], n_drawn // 4, n_ahead, u)
                if topic[i] >= 0:
                    k = U(topic[i])
                    gained[k] -= 1
                    n_doc[k] -= 1.0
                    if n_doc[k] == 0.0:
                        n_mine -= ONE
                        last, p = U(mine[n_mine]), U(place[k])
                        mine[p], place[last] = last, p
                if unmet:
                    if (end - first) * FEWER < n_mine:
                        n = meet_cells(slot, chance, first, end, n_doc, slots, shares)
                    else:
                        n = meet_mine(row, chance, mine, n_mine, slots, shares)
                    n_blocks = (n + SEVEN) >> THREE
                    for j in range(n, n + SEVEN):
                        shares[j] = 0.0
                    unmet = False
                total = weigh(slots, shares, n_doc, n_blocks, sums)
                x = u[U(n_drawn % AHEAD)] * (total + of_word)
                if x < total:
                    b = block_of(sums, n_blocks, x)
                    running = sums[b - ONE] if b > U(0) else 0.0
                    k = passing(slots, shares, n_doc, U(EIGHT) * b, running, x)
                else:
                    k = U(slot[of_prior(ends, first, end, x - total)])
                    unmet = n_doc[k] == 0.0
                if n_doc[k] == 0.0:
                    mine[n_mine], place[k] = k, n_mine
                    n_mine += ONE
                n_doc[k] += 1.0
                gained[k] += 1
                topic[i] = k
                i += ONE
                n_drawn += 1
        for j in range(n_mine):
            n_doc[U(mine[j])] = 0.0
    return gained
