"""Gibbs draws for the HDP with proportions integrated out and topics drawn.

Terenin, Magnusson & Jonsson 2020. Given topics Phi and corpus weights Psi documents do not depend
on each other: the kernel takes some of them. How topics are drawn: `drawn_words`.
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from .jit import fused, inlined, kernel
from .philox import fill_uniform
from .tuples import Docs, DrawnTopics

U = cast(Callable[[int], int], np.uint64)
ONE, TWO, THREE = U(1), U(2), U(3)
FOUR = 4
"""Topics that are added up at once; `DrawnTopics` has its cells in as many."""
TOKENS = 1
"""The purpose of the streams of documents (`philox.fill_uniform`)."""
AHEAD = 64
"""Random numbers that are made at once: a multiple of four."""


@fused
def weigh_mine(row: F32, mine: I32, held: F64, n_blocks: int, sums: F64) -> float:
    """The total of phi_kw m_dk over the topics of a document.

    `row` float32 (K,): phi of the word. `mine` int32 (K + 4,), `held` float64 (K + 4,): the topics
    and m_dk, 0 beyond the last. `sums` float64 (K / 4 + 2,): out, running sums of fours.
    """
    running = 0.0
    for b in range(U(n_blocks)):
        j = U(FOUR) * b
        running += (row[U(mine[j])] * held[j] + row[U(mine[j + ONE])] * held[j + ONE]) + (
            row[U(mine[j + TWO])] * held[j + TWO] + row[U(mine[j + THREE])] * held[j + THREE]
        )
        sums[b] = running
    return running


@fused
def weigh_cells(slot: I32, chance: F32, first: int, n_doc: F64, n_blocks: int, sums: F64) -> float:
    """The same over the topics of a word, whose cells begin at `first`.

    `slot` int32 (C,), `chance` float32 (C,): those of `DrawnTopics`. `n_doc` float64 (K,): m_dk of
    all. `sums` float64 (K / 4 + 2,): out, running sums of fours.
    """
    running, j = 0.0, first
    for b in range(U(n_blocks)):
        running += (chance[j] * n_doc[U(slot[j])] + chance[j + ONE] * n_doc[U(slot[j + ONE])]) + (
            chance[j + TWO] * n_doc[U(slot[j + TWO])]
            + chance[j + THREE] * n_doc[U(slot[j + THREE])]
        )
        sums[b] = running
        j += U(FOUR)
    return running


@fused
def four_of(sums: F64, n_blocks: int, x: float) -> int:
    """The four whose running sum passes `x`, less than the last: counted, since a loop that ends
    where it is found is guessed wrong mostly. `sums` float64 (K / 4 + 2,): of `n_blocks` fours."""
    b = U(0)
    for i in range(U(n_blocks - 1)):
        b += U(sums[i] <= x)
    return b


@inlined
def passing(a: float, b: float, c: float, d: float, running: float, x: float) -> int:
    """Which of four weights takes the running sum past `x`: without a branch, and where rounding
    leaves `x` at one of no weight, the last that has some."""
    second, third = running + a, running + a + b
    chosen = U(second <= x) + U(third <= x) + U(third + c <= x)
    if chosen == THREE and d == 0.0:
        chosen = TWO
    if chosen == TWO and c == 0.0:
        chosen = ONE
    if chosen == ONE and b == 0.0:
        chosen = U(0)
    return chosen


@fused
def mine_passing(row: F32, mine: I32, held: F64, j: int, running: float, x: float) -> int:
    """The slot, of the four topics of a document from `j` on, where the running sum passes `x`.

    `row` float32 (K,), `mine` int32 (K + 4,), `held` float64 (K + 4,): those of `weigh_mine`.
    """
    a, b = row[U(mine[j])] * held[j], row[U(mine[j + ONE])] * held[j + ONE]
    c, d = row[U(mine[j + TWO])] * held[j + TWO], row[U(mine[j + THREE])] * held[j + THREE]
    return U(mine[j + passing(a, b, c, d, running, x)])


@fused
def cell_passing(slot: I32, chance: F32, j: int, n_doc: F64, running: float, x: float) -> int:
    """The same of four cells of a word.

    `slot` int32 (C,), `chance` float32 (C,), `n_doc` float64 (K,): those of `weigh_cells`.
    """
    a, b = chance[j] * n_doc[U(slot[j])], chance[j + ONE] * n_doc[U(slot[j + ONE])]
    c = chance[j + TWO] * n_doc[U(slot[j + TWO])]
    d = chance[j + THREE] * n_doc[U(slot[j + THREE])]
    return U(slot[j + passing(a, b, c, d, running, x)])


@kernel
def draw_documents(
    docs: Docs, rows: I64, topic: I32, drawn: DrawnTopics, key: int, sweep: int
) -> I64:
    """Draw the topic of every token of S documents, in turn, given Phi, Psi and its document.

    p(z = k) is proportional to phi_kw (alpha Psi_k + m_dk), m without the token itself: the part of
    alpha Psi comes from the word's alias table, which stands still; that of m runs over the topics
    of the document or over those of the word, whichever are fewer. `rows` int64 (S,): the numbers
    of the documents, which decide their random numbers. `topic` int32 (N,): the slot of every
    token, -1 where it has none; overwritten. Returns int64 (K,), the tokens that each slot gained.
    """
    indptr, local, counts = docs
    phi, start, slot, chance, other, keep, mass = drawn
    n_slots = phi.shape[1]
    gained = np.zeros(n_slots, np.int64)
    n_doc, place = np.zeros(n_slots), np.empty(n_slots, np.int64)  # m_d by slot
    mine, held = np.zeros(n_slots + FOUR, np.int32), np.zeros(n_slots + FOUR)  # slots with m_dk > 0
    sums, u = np.empty(n_slots // FOUR + 2), np.empty(AHEAD)
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
                held[U(place[k])] = n_doc[k]
        for e in range(U(indptr[d]), U(indptr[d + 1])):
            w = U(local[e])
            first, n_cells, of_word = U(start[w]), U(start[w + ONE] - start[w]), mass[w]
            row = phi[w]
            for _ in range(counts[e]):
                if n_drawn % AHEAD == 0:
                    n_ahead = min(AHEAD, length - n_drawn)
                    fill_uniform(key, TOKENS, sweep, rows[d], n_drawn // 4, n_ahead, u)
                if topic[i] >= 0:
                    k = U(topic[i])
                    gained[k] -= 1
                    n_doc[k] -= 1.0
                    p = U(place[k])
                    held[p] = n_doc[k]
                    if n_doc[k] == 0.0:
                        n_mine -= ONE
                        last = U(mine[n_mine])
                        mine[p], held[p], place[last] = last, held[n_mine], p
                        held[n_mine] = 0.0
                by_word = n_cells < n_mine
                if by_word:
                    n_blocks = n_cells >> TWO
                    total = weigh_cells(slot, chance, first, n_doc, n_blocks, sums)
                else:
                    n_blocks = (n_mine + THREE) >> TWO
                    total = weigh_mine(row, mine, held, n_blocks, sums)
                x = u[U(n_drawn % AHEAD)] * (total + of_word)
                if x < total:
                    c = U(FOUR) * four_of(sums, n_blocks, x)
                    running = sums[(c >> TWO) - ONE] if c > U(0) else 0.0
                    if by_word:
                        k = cell_passing(slot, chance, first + c, n_doc, running, x)
                    else:
                        k = mine_passing(row, mine, held, c, running, x)
                else:
                    x = (x - total) / of_word * n_cells
                    c = min(U(x), n_cells - ONE)
                    own = x - c < keep[first + c]
                    k = U(slot[first + c]) if own else U(other[first + c])
                if n_doc[k] == 0.0:
                    mine[n_mine], place[k] = k, n_mine
                    n_mine += ONE
                n_doc[k] += 1.0
                held[U(place[k])] = n_doc[k]
                gained[k] += 1
                topic[i] = k
                i += ONE
                n_drawn += 1
        for j in range(n_mine):
            n_doc[U(mine[j])], held[j] = 0.0, 0.0
    return gained
