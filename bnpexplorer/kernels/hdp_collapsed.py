"""The HDP with proportions and topics collapsed: Gibbs draws of topics, tables and corpus weights.

Direct assignment (Teh et al. 2006, section 5.3) inside one mini-batch of S documents, N tokens and
W distinct words, given a posterior of `n_old` topics. A topic lives in a slot (`tuples.Slots`):
slots below `n_old` are the posterior's topics in their order, those above are opened and closed by
the draws.
"""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel
from .tables import draw_table_count, mean_table_count
from .tuples import Prior, Slots, Tokens, WordCounts

COUNT_NOTHING, COUNT_DRAWN, COUNT_EXPECTED = 0, 1, 2
"""What a sweep adds to `stats` for a token: nothing, its drawn topic, its law over topics."""


@kernel
def running_sums(coefficient: F64, row: F64, blocks: F64) -> float:
    """Running sums of `coefficient * row` after every eight slots; returns the total.

    `coefficient` float64 (cap,): of every slot. `row` float64 (cap,): the word's. `blocks` float64
    (cap / 8,): out, the sums. A plain running sum waits for every addition; sums of eight are
    independent of each other.
    """
    running = 0.0
    for b in range(coefficient.size // 8):
        k = 8 * b
        running += (
            (coefficient[k] * row[k] + coefficient[k + 1] * row[k + 1])
            + (coefficient[k + 2] * row[k + 2] + coefficient[k + 3] * row[k + 3])
        ) + (
            (coefficient[k + 4] * row[k + 4] + coefficient[k + 5] * row[k + 5])
            + (coefficient[k + 6] * row[k + 6] + coefficient[k + 7] * row[k + 7])
        )
        blocks[b] = running
    return running


@kernel
def pick_slot(coefficient: F64, row: F64, blocks: F64, u: float) -> int:
    """The slot where the running sum of `coefficient * row` passes `u`, less than the total.

    `coefficient` float64 (cap,), `row` float64 (cap,), `blocks` float64 (cap / 8,): those of
    `running_sums`.
    """
    b = 0
    while blocks[b] <= u:
        b += 1
    running = blocks[b - 1] if b > 0 else 0.0
    chosen = -1
    for k in range(8 * b, 8 * b + 8):
        share = coefficient[k] * row[k]
        if share > 0.0:  # rounding may leave u at the end of the block: the last possible slot
            chosen = k
            running += share
            if running > u:
                break
    return chosen


@kernel
def _add_shares(coefficient: F64, row: F64, factor: float, out: F64) -> None:
    """`out += factor * coefficient * row`; `coefficient` float64 (cap,), `row` float64 (cap,) and
    `out` float64 (cap,) are of every slot."""
    for k in range(coefficient.size):
        out[k] += factor * (coefficient[k] * row[k])


@kernel
def resample_tokens(
    tokens: Tokens,
    topic: I32,
    words: WordCounts,
    slots: Slots,
    prior: Prior,
    counting: int,
    start: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Draw the topic of every token from `start` on given all others, until one opens a topic.

    p(z = k) is proportional to (n_dk + alpha pi_k) (lam_kw + n_kw) / (Lam_k + n_k), a new topic to
    alpha pi_rest / V; a new topic takes the share Beta(1, gamma) of pi_rest, and gives it back when
    its last token leaves. `topic` int32 (N,): the slot of every token, -1 before it is seated.

    Returns the token at which the caller calls again (N if all are drawn), and the slot that the
    token before it opened. The slot is -1 if none was opened: then all tokens are drawn, or no slot
    is free and the caller makes room.

    COUNT_EXPECTED adds a token's probabilities to `stats`, which has the mean of adding its drawn
    topic and a smaller variance (Rao-Blackwell). A new topic has no slot to take its probability:
    it counts as 1 when it is drawn, and the open topics share 1 when it is not.
    """
    doc_start, token_word = tokens
    word, stats = words
    n_old, total, count, weight, rest, free, n_free, kept = slots
    alpha, gamma, n_words = prior
    n_slots = total.size
    n_doc = np.empty(n_slots)
    coefficient = np.empty(n_slots)  # (n_dk + alpha pi_k) / (Lam_k + n_k)
    blocks = np.empty(n_slots // 8)
    d, i = 0, start
    while d + 1 < doc_start.size and doc_start[d + 1] <= start:
        d += 1
    while i < token_word.size:
        for k in range(n_slots):
            n_doc[k] = 0.0
        for j in range(doc_start[d], doc_start[d + 1]):
            if topic[j] >= 0:
                n_doc[topic[j]] += 1.0
        for k in range(n_slots):
            coefficient[k] = (n_doc[k] + alpha * weight[k]) / total[k]
        while i < doc_start[d + 1]:
            if n_free[0] == 0:
                return i, -1
            row = word[token_word[i]]
            k = topic[i]
            if k >= 0:
                n_doc[k] -= 1.0
                count[k] -= 1
                row[k] -= 1.0
                total[k] -= 1.0
                if k >= n_old and count[k] == 0:
                    rest[0] += weight[k]
                    weight[k] = 0.0
                    if not kept[k]:
                        free[n_free[0]] = k
                        n_free[0] += 1
                coefficient[k] = (n_doc[k] + alpha * weight[k]) / total[k]
            old_mass = running_sums(coefficient, row, blocks)
            u = rng.random() * (old_mass + alpha * rest[0] / n_words)
            opens = u >= old_mass
            if opens:
                n_free[0] -= 1
                k = free[n_free[0]]
                weight[k] = rest[0] * rng.beta(1.0, gamma)
                rest[0] -= weight[k]
                if counting == COUNT_EXPECTED:
                    stats[token_word[i], k] += 1.0
            else:
                k = pick_slot(coefficient, row, blocks, u)
                if counting == COUNT_EXPECTED:
                    _add_shares(coefficient, row, 1.0 / old_mass, stats[token_word[i]])
            if counting != COUNT_NOTHING:
                kept[k] = True
            if counting == COUNT_DRAWN:
                stats[token_word[i], k] += 1.0
            topic[i] = k
            n_doc[k] += 1.0
            count[k] += 1
            row[k] += 1.0
            total[k] += 1.0
            coefficient[k] = (n_doc[k] + alpha * weight[k]) / total[k]
            i += 1
            if opens:
                return i, k
        d += 1
    return i, -1


@kernel
def seat_alone(
    tokens: Tokens,
    topic: I32,
    words: WordCounts,
    slots: Slots,
    d: int,
    prior: Prior,
    rng: np.random.Generator,
) -> int:
    """Seat all tokens of document `d` in a new topic of its own; returns its slot.

    `topic` int32 (N,): the slot of every token, -1 at those of the document. There is a free slot.
    The new topic takes the share Beta(1, gamma) of the rest, as if the document's first token had
    opened it.
    """
    slots.n_free[0] -= 1
    k = slots.free[slots.n_free[0]]
    slots.weight[k] = slots.rest[0] * rng.beta(1.0, prior.gamma)
    slots.rest[0] -= slots.weight[k]
    for i in range(tokens.doc_start[d], tokens.doc_start[d + 1]):
        topic[i] = k
        slots.tokens[k] += 1
        words.word[tokens.word[i], k] += 1.0
        slots.total[k] += 1.0
    return int(k)


@kernel
def seat_tables(
    doc_start: I64,
    topic: I32,
    weight: F64,
    alpha: float,
    means: bool,
    tables: F64,
    rng: np.random.Generator,
) -> None:
    """The tables of every slot over all documents, drawn, or their `means`.

    s_dk has the law of the tables of n_dk customers with concentration alpha pi_k. `doc_start`
    int64 (S+1,): where each document's tokens begin. `topic` int32 (N,): the slot of every token.
    `weight` float64 (cap,): corpus weights pi. `tables` float64 (cap,): out.
    """
    n_doc = np.empty(tables.size, np.int64)
    for k in range(tables.size):
        tables[k], n_doc[k] = 0.0, 0
    for d in range(doc_start.size - 1):
        for i in range(doc_start[d], doc_start[d + 1]):
            n_doc[topic[i]] += 1
        for i in range(doc_start[d], doc_start[d + 1]):
            k = topic[i]
            if n_doc[k] > 0:
                if means:
                    tables[k] += mean_table_count(n_doc[k], alpha * weight[k])
                else:
                    tables[k] += draw_table_count(n_doc[k], alpha * weight[k], rng)
                n_doc[k] = 0


@kernel
def draw_weights(
    sticks_a: F64,
    sticks_b: F64,
    gamma: float,
    tables: F64,
    weight: F64,
    rest: F64,
    rng: np.random.Generator,
) -> None:
    """Draw corpus weights given the tables of all slots.

    `tables` float64 (cap,): of every slot. `weight` float64 (cap,): out, pi. `rest` float64 (1,):
    out, the weight of all topics not yet opened. The sticks of the posterior's topics, with the
    parameters `sticks_a` float64 (n_old,) and `sticks_b` float64 (n_old,), are drawn from Beta(a_k
    + s_k, b_k + sum_{l>k} s_l), where tables of new topics count as later ones. What they leave is
    shared by the new topics and the unopened rest as Dirichlet(s_c, ..., gamma). Breaking it as
    Beta(1 + s_c, gamma + ...) would be wrong: new topics come in the order in which they were met,
    and the table that opens one tells nothing of its size.
    """
    n_old = sticks_a.size
    left, later = 1.0, 0.0
    for k in range(tables.size):
        later += tables[k]
    for k in range(n_old):
        later -= tables[k]  # exact: tables are whole numbers
        stay = rng.beta(sticks_b[k] + later, sticks_a[k] + tables[k])
        weight[k] = left * (1.0 - stay)
        left *= max(stay, 1e-300)
    # A Gamma(gamma) variate underflows for small gamma: its logarithm, from Gamma(gamma + 1).
    log_share = math.log(rng.standard_gamma(gamma + 1.0)) + math.log1p(-rng.random()) / gamma
    share = math.exp(log_share)
    opened = 0.0
    for k in range(n_old, tables.size):
        weight[k] = rng.standard_gamma(tables[k]) if tables[k] > 0.0 else 0.0
        opened += weight[k]
    if opened == 0.0:
        rest[0] = left
        return
    for k in range(n_old, tables.size):
        weight[k] *= left / (opened + share)
    rest[0] = left * share / (opened + share)
