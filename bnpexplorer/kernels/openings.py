"""The moment in which a topic is opened: noted while draws go on, or found when they are done."""

import numpy as np

from ..core.arrays import I32, I64
from .jit import kernel
from .tuples import Openings, Tokens, WordTopics


@kernel
def no_openings(n_old: int, n_places: int) -> Openings:
    """Nothing is opened; `n_old` topics are known before."""
    label = np.full(n_places, -1)
    label[:n_old] = np.arange(n_old)
    return Openings(
        np.array([n_old]),
        label,
        np.full(n_places, -1),
        np.full(n_places, -1),
        np.zeros((6, n_places)),
        np.zeros(n_places, np.bool_),
    )


@kernel
def note_opening(
    o: Openings,
    place: int,
    opener: int,
    rival: int,
    log_prior: tuple[float, float],
    log_likelihood: tuple[float, float],
    log_meanfield: tuple[float, float],
    alone: bool,
) -> None:
    """A document or token opens a topic in `place`, which gets the next label; `alone`: undrawn.

    `rival`: the place of the likeliest other topic, -1 for none. The logarithms are first its own,
    then those of a new topic.
    """
    o.label[place] = o.n_labels[0]
    o.n_labels[0] += 1
    o.opener[place] = opener
    o.alone[place] = alone
    o.rival[place] = o.label[rival] if rival >= 0 else -1
    for side in range(2):
        o.logs[side, place] = log_prior[side]
        o.logs[2 + side, place] = log_likelihood[side]
        o.logs[4 + side, place] = log_meanfield[side]


@kernel
def set_aside(o: Openings, place: int, row: int) -> None:
    """Move what is noted of `place` to `row`, before another topic is opened there."""
    o.label[row], o.label[place] = o.label[place], -1
    o.opener[row], o.rival[row], o.alone[row] = o.opener[place], o.rival[place], o.alone[place]
    o.logs[:, row] = o.logs[:, place]


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
