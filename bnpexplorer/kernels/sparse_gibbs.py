"""Gibbs draws of topics whose cost grows with the topics that a word has, not with all of them.

With shares q_k = (n_dk + alpha pi_k) / (n_k + V eta), p(z = k) is proportional to
q_k n_kw + eta q_k. The first part runs over the topics of the word, a short list; of the second,
the total is carried along, and few draws fall to it (after Yao, Mimno & McCallum 2009). A token
changes two shares, and a document those of its own topics.

Numbers that index are unsigned (`U`): numba would ask of a signed one whether it counts from the
end, at every access.
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import inlined, kernel
from .special import first_at_least
from .tuples import Prior, Slots, Tokens, WordTopics

U = cast(Callable[[int], int], np.uint64)
ONE, TWO, THREE, SIX, SEVEN, SIXTEEN = U(1), U(2), U(3), U(6), U(7), U(16)
REFRESH = 256
"""Tokens after which a document begins with sums made anew, so that rounding cannot add up."""
AHEAD = 3
"""How many tokens ahead a word's list is read, so that it is in the cache when its turn comes:
a third less time for 7,000 words."""


@kernel
def add_up(share: F64, sums: F64) -> None:
    """Sums of 64 shares each, and their total.

    `share` float64 (cap,): q. `sums` float64 (cap / 64 rounded up, + 1): out, the total last.
    """
    for g in range(sums.size):
        sums[g] = 0.0
    for k in range(share.size):
        sums[k >> 6] += share[k]
    for g in range(sums.size - 1):
        sums[sums.size - 1] += sums[g]


@inlined
def put(share: F64, sums: F64, k: int, value: float) -> None:
    """The share of slot `k` becomes `value`, and the sums follow.

    `share` float64 (cap,), `sums` float64 (cap / 64 + 1,): those of `add_up`.
    """
    change = value - share[k]
    share[k] = value
    sums[k >> SIX] += change
    sums[U(sums.size - 1)] += change


@kernel
def block_of(share: F64, u: float, first: int) -> tuple[int, float]:
    """The eight slots where the running sum of shares passes `u`, and the sum before them.

    `share` float64 (cap,). Looks from the block `first` on. Where rounding leaves `u` beyond the
    end, it is the last block that has a share; -1 if none has.
    """
    running, chosen, before = 0.0, -1, 0.0
    for b in range(first, share.size // 8):
        k = 8 * b
        mass = ((share[k] + share[k + 1]) + (share[k + 2] + share[k + 3])) + (
            (share[k + 4] + share[k + 5]) + (share[k + 6] + share[k + 7])
        )
        if mass > 0.0:
            chosen, before = b, running
            running += mass
            if running > u:
                break
    return chosen, before


@kernel
def pick_any(share: F64, sums: F64, u: float) -> int:
    """The slot where the running sum of shares passes `u`; -1 if no slot has a share.

    `share` float64 (cap,), `sums` float64 (cap / 64 + 1,): those of `add_up`.
    """
    g = 0
    while g < sums.size - 2 and sums[g] <= u:
        u -= sums[g]
        g += 1
    block, running = block_of(share, u, 8 * g)
    if block < 0:  # rounding left a sum where there are no shares
        block, running = block_of(share, u, 0)
    chosen = -1
    if block >= 0:
        for k in range(8 * block, 8 * block + 8):
            if share[k] > 0.0:
                chosen = k
                running += share[k]
                if running > u:
                    break
    return chosen


@inlined
def word_mass(cells: I32, first: int, n_blocks: int, share: F64, mass: F64) -> float:
    """The total of q_k n_kw over the topics of a word.

    `cells` int32 (2 C,): those of `WordTopics`, the word's from `first` on in `n_blocks` blocks
    of eight. `share` float64 (cap,): q. `mass` float64 (cap / 8 + 1,): out, running sums by block.
    """
    running, j = 0.0, first
    for b in range(n_blocks):
        running += (
            (share[U(cells[j])] * cells[j + U(1)] + share[U(cells[j + U(2)])] * cells[j + U(3)])
            + (
                share[U(cells[j + U(4)])] * cells[j + U(5)]
                + share[U(cells[j + U(6)])] * cells[j + U(7)]
            )
        ) + (
            (
                share[U(cells[j + U(8)])] * cells[j + U(9)]
                + share[U(cells[j + U(10)])] * cells[j + U(11)]
            )
            + (
                share[U(cells[j + U(12)])] * cells[j + U(13)]
                + share[U(cells[j + U(14)])] * cells[j + U(15)]
            )
        )
        mass[b] = running
        j += SIXTEEN
    return running


@inlined
def pick_cell(cells: I32, first: int, end: int, share: F64, mass: F64, u: float) -> int:
    """The cell of a word where the running sum of q_k n_kw passes `u`, less than their total.

    `cells` int32 (2 C,): the word's from `first` to `end`. `share` float64 (cap,), `mass` float64
    (cap / 8 + 1,): those of `word_mass`. Eight sums without a branch are faster than one guess that
    goes wrong.
    """
    b = U(0)
    while mass[b] <= u:
        b += ONE
    running = mass[b - ONE] if b > U(0) else 0.0
    block = first + SIXTEEN * b
    j = block
    for c in range(U(0), SIXTEEN, TWO):
        running += share[U(cells[block + c])] * cells[block + c + ONE]
        j += TWO * U(running <= u)
    return min(j, end - TWO)  # rounding may leave u at the end


@inlined
def cell_of(cells: I32, first: int, end: int, k: int) -> int:
    """The cell of slot `k` among those of a word from `first` to `end`; `end` if it has none.

    `cells` int32 (2 C,).
    """
    j = first
    while j < end and U(cells[j]) != k:
        j += TWO
    return j


@inlined
def leave(cells: I32, first: int, n: int, k: int) -> int:
    """Take one token of slot `k` from a word's list of `n` topics; how many it has then.

    `cells` int32 (2 C,): the word's from `first` on. The last topic fills the place of one that
    goes; what lies beyond the list counts 0.
    """
    j = cell_of(cells, first, first + TWO * n, k)
    cells[j + ONE] -= 1
    if cells[j + ONE] == 0:
        n -= ONE
        last = first + TWO * n
        cells[j], cells[j + ONE] = cells[last], cells[last + ONE]
        cells[last + ONE] = 0
    return n


@kernel
def seat_tokens(word: I32, topic: I32, words: WordTopics, total: F64, count: I64) -> None:
    """Count tokens that were not counted before.

    `word` int32 (N,), `topic` int32 (N,): of every token its word and its slot. `total` float64
    (cap,), `count` int64 (cap,): those of `Slots`.
    """
    word_start, cells, used, _ = words
    for i in range(topic.size):
        w, k = U(word[i]), U(topic[i])
        first, n = SIXTEEN * U(word_start[w]), U(used[w])
        end = first + TWO * n
        j = cell_of(cells, first, end, k)
        if j == end:
            cells[j], cells[j + ONE] = k, 0
            used[w] = n + ONE
        cells[j + ONE] += 1
        count[k] += 1
        total[k] += 1.0


@kernel
def draw_topics(
    tokens: Tokens,
    topic: I32,
    words: WordTopics,
    slots: Slots,
    prior: Prior,
    start: int,
    rng: np.random.Generator,
) -> int:
    """Draw the topic of every token from `start` on given all others; returns where it stopped.

    p(z = k) is proportional to (n_dk + alpha pi_k) (eta + n_kw) / (V eta + n_k), a new topic to
    alpha pi_rest / V; a new topic takes the share Beta(1, gamma) of pi_rest, and gives it back when
    its last token leaves. `topic` int32 (N,): the slot of every token, -1 before it is seated.
    Stops before a token if no slot is free; the caller makes room and calls again from there.
    """
    doc_start, token_word = tokens
    word_start, cells, used, eta = words
    n_old, total, count, weight, rest, free, n_free, kept = slots
    alpha, gamma, n_words = prior
    n_slots, opening = total.size, alpha / n_words
    n_doc, share = np.zeros(n_slots), np.empty(n_slots)
    base, inverse = np.empty(n_slots), np.empty(n_slots)  # alpha pi_k, 1 / (n_k + V eta)
    sums, mass = np.empty((n_slots + 63) // 64 + 1), np.empty(n_slots // 8 + 1)
    ahead = np.empty(1, np.int32)
    for s in range(n_slots):
        base[s], inverse[s] = alpha * weight[s], 1.0 / total[s]
        share[s] = base[s] * inverse[s]
    add_up(share, sums)
    everything, n_drawn = U(sums.size - 1), 0
    d = first_at_least(doc_start, 0, doc_start.size, start + 1) - 1
    i = start
    while i < token_word.size:
        for t in range(doc_start[d], doc_start[d + 1]):
            if topic[t] >= 0:
                n_doc[U(topic[t])] += 1.0
        for t in range(doc_start[d], doc_start[d + 1]):
            if topic[t] >= 0:
                k = U(topic[t])
                put(share, sums, k, (n_doc[k] + base[k]) * inverse[k])
        if n_drawn > REFRESH:
            add_up(share, sums)
            n_drawn = 0
        while i < doc_start[d + 1]:
            if n_free[0] == 0:
                return i
            if i + AHEAD < token_word.size:
                ahead[0] = cells[SIXTEEN * U(word_start[U(token_word[i + AHEAD])])]
            w = U(token_word[i])
            first, n = SIXTEEN * U(word_start[w]), U(used[w])
            if topic[i] >= 0:
                k = U(topic[i])
                n = leave(cells, first, n, k)
                n_doc[k] -= 1.0
                count[k] -= 1
                total[k] -= 1.0
                inverse[k] = 1.0 / total[k]
                if count[k] == 0 and k >= U(n_old):
                    rest[0] += weight[k]
                    weight[k] = base[k] = 0.0
                    if not kept[k]:
                        free[n_free[0]] = k
                        n_free[0] += 1
                put(share, sums, k, (n_doc[k] + base[k]) * inverse[k])
            of_word = word_mass(cells, first, (n + SEVEN) >> THREE, share, mass)
            of_all = of_word + eta * sums[everything]
            u = rng.random() * (of_all + opening * rest[0])
            end, chosen = first + TWO * n, -1
            if u < of_word:
                j = pick_cell(cells, first, end, share, mass, u)
                k = U(cells[j])
            else:
                if u < of_all:
                    chosen = pick_any(share, sums, (u - of_word) / eta)
                if chosen < 0:
                    n_free[0] -= 1
                    chosen = free[n_free[0]]
                    weight[chosen] = rest[0] * rng.beta(1.0, gamma)
                    rest[0] -= weight[chosen]
                    base[chosen] = alpha * weight[chosen]
                k = U(chosen)
                j = cell_of(cells, first, end, k)
            if j == end:
                cells[j], cells[j + ONE] = k, 0
                n += ONE
            cells[j + ONE] += 1
            used[w] = n
            topic[i] = k
            n_doc[k] += 1.0
            count[k] += 1
            total[k] += 1.0
            inverse[k] = 1.0 / total[k]
            put(share, sums, k, (n_doc[k] + base[k]) * inverse[k])
            i += 1
            n_drawn += 1
        for t in range(doc_start[d], doc_start[d + 1]):
            k = U(topic[t])
            n_doc[k] = 0.0
            put(share, sums, k, base[k] * inverse[k])
        d += 1
    return i
