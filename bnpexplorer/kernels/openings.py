"""The moment in which a topic is opened: noted while draws go on, or found when they are done."""

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel
from .tuples import Openings, Tokens, WordTopics

RIVALS = 5
"""Topics that are told of beside a new one, the likeliest."""


@kernel
def no_openings(n_old: int, n_places: int) -> Openings:
    """Nothing is opened; `n_old` topics are known before."""
    label = np.full(n_places, -1)
    label[:n_old] = np.arange(n_old)
    return Openings(
        np.array([n_old]),
        label,
        np.full(n_places, -1),
        np.full((RIVALS, n_places), -1),
        np.zeros((3, RIVALS + 1, n_places)),
        np.zeros(n_places, np.bool_),
    )


@kernel
def likeliest(values: F64, least: float) -> I64:
    """The places of the largest of `values` float64 (any number,) above `least`, the largest first:
    int64 (R,), -1 where there are fewer."""
    found = np.full(RIVALS, -1)
    for k in range(values.size):
        if not values[k] > least:
            continue
        r = RIVALS
        while r > 0 and (found[r - 1] < 0 or values[k] > values[found[r - 1]]):
            r -= 1
            if r + 1 < RIVALS:
                found[r + 1] = found[r]
        if r < RIVALS:
            found[r] = k
    return found


@kernel
def note_opening(o: Openings, place: int, opener: int, rivals: I64, logs: F64, alone: bool) -> None:
    """A document or token opens a topic in `place`, which gets the next label; `alone`: undrawn.

    `rivals` int64 (R,): the places of the likeliest other topics, -1 for none. `logs` float64
    (3, R + 1): as of `Openings`.
    """
    o.label[place] = o.n_labels[0]
    o.n_labels[0] += 1
    o.opener[place] = opener
    o.alone[place] = alone
    for r in range(RIVALS):
        o.rivals[r, place] = o.label[rivals[r]] if rivals[r] >= 0 else -1
    o.logs[:, :, place] = logs


@kernel
def set_aside(o: Openings, place: int, row: int) -> None:
    """Move what is noted of `place` to `row`, before another topic is opened there."""
    o.label[row], o.label[place] = o.label[place], -1
    o.opener[row], o.alone[row] = o.opener[place], o.alone[place]
    o.rivals[:, row], o.logs[:, :, row] = o.rivals[:, place], o.logs[:, :, place]


@kernel
def seats_at(
    tokens: Tokens, before: I32, after: I32, count: I64, words: WordTopics, d: int, i: int
) -> tuple[I64, I64, I64]:
    """Where other tokens sat when it was the turn of token `i`, of document `d`, in a block whose
    tokens were drawn once, one after the other.

    `before` int32 (N,), `after` int32 (N,): the slots of the block's tokens, -1 for none. `count`
    int64 (cap,) and `words`: of all tokens, after. Returns the tokens in each slot, all, those of
    the same word and those of the document, int64 (cap,) each.
    """
    doc_start, word = tokens
    everything, of_word, of_doc = count.copy(), np.zeros_like(count), np.zeros_like(count)
    w = word[i]
    for cell in range(8 * words.start[w], 8 * words.start[w] + words.used[w]):
        of_word[words.cells[2 * cell]] += words.cells[2 * cell + 1]
    for j in range(i, word.size):
        everything[after[j]] -= 1
        if word[j] == w:
            of_word[after[j]] -= 1
    for j in range(i + 1, word.size):
        if before[j] >= 0:
            everything[before[j]] += 1
            if word[j] == w:
                of_word[before[j]] += 1
    for j in range(doc_start[d], doc_start[d + 1]):
        slot = after[j] if j < i else before[j]
        if j != i and slot >= 0:
            of_doc[slot] += 1
    return everything, of_word, of_doc
