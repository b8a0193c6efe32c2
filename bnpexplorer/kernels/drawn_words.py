"""Topics drawn given the tokens in them, word by word, for `partly_collapsed`.

Words do not depend on each other but for the sums of topics: kernels take a range of them.
"""

import math
from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F32, F64, I32, I64
from .instructions import bits_set
from .jit import kernel
from .partly_collapsed import HALF, bit_of, cell_before, group_of
from .tuples import Cells, DrawnTopics, Phi, WordEntries

U = cast(Callable[[int], int], np.uint64)
ONE = U(1)
FEW = 16
"""Poisson draws of a mean below it are found from a single random number, in a tenth to a third of
the time: the sums of 64 probabilities leave out less than 1e-18."""
POISSON, EXACT, EXPECTED = 0, 1, 2
"""How topics are drawn."""
NOTHING = 1e-30
"""A Gamma draw below it counts as 0: beside a word's other weights it is less than the rounding of
their sum, and half of all draws of Gamma(0.01) are. Of a topic without tokens that may be all there
is, so that it has no word until the next sweep: about one in 10^(30 eta V), 7 % of such topics with
4 words and eta 0.01, none with 1,000 words."""


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
    sizes, slots = np.zeros(last - first, np.int64), np.empty(most + 1, np.int32)
    held, row = np.empty(most, np.int32), np.zeros(n_slots, np.int32)
    n = U(0)
    for w in range(first, last):
        begin = n
        for e in range(start[w], start[w + 1]):
            for i in range(U(place[e]), U(place[e] + count[e])):
                if topic[i] >= 0:
                    k = U(topic[i])
                    slots[n] = k  # stays if it is the first of the word in this slot: no branch
                    n += U(row[k] == 0)
                    row[k] += 1
        for c in range(begin, n):
            k = U(slots[c])
            held[c], row[k] = row[k], 0
        sizes[w - first] = n - begin
    return sizes, slots[:n].copy(), held[:n].copy()


@kernel
def up_to(mean: float, sums: F64) -> None:
    """The probability of at most n under Poisson(`mean`), `mean` below `FEW`.

    `sums` float64 (64,): out; the last is 1.
    """
    chance, running = math.exp(-mean), 0.0
    for n in range(sums.size):
        running += chance
        sums[n] = running
        chance *= mean / (n + 1)
    sums[-1] = 1.0


@kernel
def draw_poisson(mean: float, sums: F64, row: int | np.int64, rng: np.random.Generator) -> int:
    """Poisson(`mean`), a whole number. `sums` float64 (any number, 64): in `row` those of `up_to`,
    where the mean is below `FEW`."""
    if mean >= FEW:
        return rng.poisson(mean)
    u, n = rng.random(), 0
    while sums[row, n] <= u:
        n += 1
    return n


@kernel
def draw_words(
    first: int,
    last: int,
    cells: Cells,
    eta: float,
    base: F64,
    draw: int,
    total: F64,
    rng: np.random.Generator,
) -> tuple[I64, I32, F32]:
    """Draw the words `first` to `last` of all topics, up to the sums of topics.

    EXACT: Gamma(eta + n_kw) for every slot, so that topics are Dirichlet. POISSON: Poisson(eta +
    n_kw), the Polya urn: Poisson(n_kw) where n_kw > 0, and Poisson(eta K) throws at any of all K
    slots together. A word that then is nowhere is drawn exactly. EXPECTED: eta + n_kw. `base`
    float64 (K,): slots where it is 0 are left out. `total` float64 (K,): out, the sum of each topic
    over these words. Returns int64 (last - first,), in how many slots each word is, and these:
    int32 (E,) slots and float32 (E,) draws.
    """
    n_slots, n = base.size, U(0)
    sizes, throws = np.zeros(last - first, np.int64), np.zeros(last - first, np.int64)
    sums, room = np.empty((FEW + 1, 64)), n_slots + 1
    for mean in range(FEW):
        up_to(float(mean), sums[mean])
    up_to(min(eta * n_slots, float(FEW)), sums[FEW])
    for w in range(first, last):
        any_slot = draw_poisson(eta * n_slots, sums, FEW, rng) if draw == POISSON else n_slots
        throws[w - first] = any_slot
        room += min(cells.start[w + 1] - cells.start[w] + throws[w - first], n_slots)
    slots, values = np.empty(room, np.int32), np.empty(room, np.float32)
    row, known = np.zeros(n_slots), np.zeros(n_slots, np.bool_)
    total[:] = 0.0
    for w in range(first, last):
        begin, found = n, 0.0
        # A word that is drawn exactly takes more than its draws; one place is for a draw to come.
        if n + U(n_slots) >= U(slots.size):
            slots = np.concatenate((slots, np.empty(slots.size + n_slots + 1, np.int32)))
            values = np.concatenate((values, np.empty(slots.size - values.size, np.float32)))
        if draw == POISSON:
            for c in range(U(cells.start[w]), U(cells.start[w + 1])):
                k = U(cells.slot[c])
                held = cells.held[c]
                row[k] = draw_poisson(float(held), sums, np.int64(held), rng)
                slots[n], known[k] = k, True
                n += ONE
                found += row[k]
            for _ in range(throws[w - first]):
                k = U(int(rng.random() * n_slots))
                if base[k] > 0.0:
                    slots[n] = k  # stays if the word is new in this slot: no branch
                    n += U(not known[k])
                    known[k] = True
                    row[k] += 1.0
                    found += 1.0
        if found == 0.0:
            n = begin
            for c in range(cells.start[w], cells.start[w + 1]):
                row[cells.slot[c]] = cells.held[c]
            for k in range(n_slots):
                if base[k] > 0.0:
                    x = eta + row[k]
                    if draw != EXPECTED:
                        x = rng.standard_gamma(x)
                    row[k] = x if x > NOTHING else 0.0
                    found += row[k]
                slots[n] = k
                n += ONE
        n_drawn, n = n, begin
        for c in range(begin, n_drawn):
            k = U(slots[c])
            if found == 0.0 and base[k] > 0.0:  # all draws were next to nothing: which, is chance
                row[k] = NOTHING
            if row[k] > 0.0:
                slots[n], values[n] = k, row[k]
                total[k] += row[k]
                n += ONE
            row[k], known[k] = 0.0, False
        sizes[w - first] = n - begin
    return sizes, slots[:n].copy(), values[:n].copy()


@kernel
def scale_slots(slot: I32, factor: F64, values: F32) -> None:
    """`values` float32 (E,) times the factor of their slots, which is written over them.

    `slot` int32 (E,): of each. `factor` float64 (K,). numpy takes ten times as long for it.
    """
    for c in range(values.size):
        values[c] *= factor[slot[c]]


@kernel
def find_places(first: int, last: int, phi: Phi, base: F64, drawn: DrawnTopics) -> None:
    """Put the cells of the words `first` to `last` in the order of slots, and add up what the prior
    gives to each.

    `base` float64 (K,): alpha Psi. Of `drawn` all but `start` is out.
    """
    groups, _, slot, chance, ends = drawn
    for w in range(U(first), U(last)):
        begin, end = U(phi.start[w]), U(phi.start[w + ONE])
        row = groups[w]
        row[:] = U(0)
        for c in range(begin, end):
            k = U(phi.slot[c])
            row[group_of(k)] |= ONE << bit_of(k)
        n = begin
        for g in range(row.size):
            n_known = bits_set(row[g])
            row[g] |= n << HALF
            n += n_known
        for c in range(begin, end):
            k = U(phi.slot[c])
            at = cell_before(row[group_of(k)], bit_of(k))
            slot[at], chance[at] = k, phi.chance[c]
        running = 0.0
        for c in range(begin, end):
            running += chance[c] * base[U(slot[c])]
            ends[c] = running
