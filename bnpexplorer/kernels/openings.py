"""The moment in which a topic is opened: noted while draws go on, or found when they are done.

`inference/local_sample.py` notes those of tokens; here are those of documents.
"""

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel, within
from .tuples import Openings, Tokens, WordTopics

RIVALS = 5
"""Topics that are told of beside a new one, the likeliest."""


def no_openings(n_old: int, n_places: int) -> Openings:
    """Return room for the openings of `n_places` topics; the first `n_old` are known before.

    A plain function: as a kernel it took half as long to compile as a whole sampler.
    """
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


@within
def note_opening(o: Openings, place: int, opener: int, alone: bool) -> None:
    """Note that a document or token opens a topic in `place`, which gets the next label.

    `alone`: it was not drawn.
    """
    o.label[place] = o.n_labels[0]
    o.n_labels[0] += 1
    o.opener[place] = opener
    o.alone[place] = alone


@within
def note_likeliest(o: Openings, place: int, values: F64, n: int, least: float) -> None:
    """Note beside `place` where the largest of the first `n` of `values` are, the largest first.

    `values` float64 (n or more,): only those above `least` count. `rivals` of `o` is -1 where there
    are fewer.
    """
    found = o.rivals
    for r in range(RIVALS):
        found[r, place] = -1
    for k in range(n):
        if not values[k] > least:
            continue
        r = RIVALS
        while r > 0 and (found[r - 1, place] < 0 or values[k] > values[found[r - 1, place]]):
            r -= 1
            if r + 1 < RIVALS:
                found[r + 1, place] = found[r, place]
        if r < RIVALS:
            found[r, place] = k


@within
def set_aside(o: Openings, place: int, row: int) -> None:
    """Move what is noted of `place` to `row`, before another topic is opened there."""
    o.label[row], o.label[place] = o.label[place], -1
    o.opener[row], o.alone[row] = o.opener[place], o.alone[place]
    for r in range(RIVALS):
        o.rivals[r, row] = o.rivals[r, place]
    for i in range(o.logs.shape[0]):
        for r in range(RIVALS + 1):
            o.logs[i, r, row] = o.logs[i, r, place]


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
