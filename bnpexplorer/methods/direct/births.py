"""What is told of topics that a block of direct assignment opened; told after its draws.

A token is drawn once in a block, so that where all tokens sat when its turn came is known.
"""

from dataclasses import dataclass

import numpy as np

from ...core.arrays import F64, I32, I64
from ...inference.assignments import Block
from ...inference.births import opened
from ...state.snapshot import Details
from .state import State


@dataclass(frozen=True, eq=False)
class Before:
    """What the draws of a block overwrite, in `cap` slots or fewer."""

    topic: I32
    """int32 (N,): the slots of the block's tokens."""
    weight: F64
    """float64 (cap,): corpus weights."""
    slot_ids: I64
    """int64 (cap,): identities."""

    @classmethod
    def of(cls, state: State, block: Block) -> "Before":
        return cls(block.topic.copy(), state.weight.copy(), state.slot_ids.copy())


def openings(state: State, block: Block, rows: I64, before: Before) -> dict[int, Details]:
    """What is told of the topics that the block opened, by identity.

    After its draws, and before corpus weights are drawn anew. `rows` int64 (S,): its documents.
    """
    new = block.topic
    ids, weight = state.slot_ids.copy(), state.weight.copy()
    known = np.flatnonzero(before.slot_ids >= 0)
    ids[known], weight[known] = before.slot_ids[known], before.weight[known]
    told = {}
    for slot in np.setdiff1d(np.flatnonzero(state.slot_ids >= 0), known):
        i = int(np.argmax(new == slot))  # who sits there first has opened it
        d = int(np.searchsorted(block.tokens.doc_start, i, side="right")) - 1
        end = block.tokens.doc_start[d + 1]
        count, of_word, of_doc = seats_at(state, block, before.topic, i)
        used = np.flatnonzero(count)
        rest = max(1.0 - weight[used].sum(), weight[slot])
        prior = np.append(of_doc[used], 0.0) + state.alpha * np.append(weight[used], rest)
        eta, n_words = state.tokens.eta, state.tokens.n_words
        likelihood = (of_word[used] + eta) / (count[used] + n_words * eta)
        words = block.tokens.word[i:end][new[i:end] == slot]
        told[int(ids[slot])] = opened(
            rows[d],
            ids[used],
            np.log(prior / (of_doc.sum() + state.alpha)),
            np.log(np.append(likelihood, 1.0 / n_words)),
            words,
        )
    return told


def seats_at(state: State, block: Block, old: I32, i: int) -> tuple[I64, I64, I64]:
    """Other tokens in each slot when it was the turn of the block's token `i`: all, those of its
    word, those of its document; int64 (cap,) each. `old` int32 (N,): their slots before."""
    tokens, new, word = state.tokens, block.topic, block.tokens.word
    n_slots = len(tokens.count)
    d = int(np.searchsorted(block.tokens.doc_start, i, side="right")) - 1
    first, end = block.tokens.doc_start[d : d + 2]
    of_doc = held(new[first:i], n_slots) + held(old[i + 1 : end], n_slots)
    count = tokens.count - held(new[i:], n_slots) + held(old[i + 1 :], n_slots)
    later = i + np.flatnonzero(word[i:] == word[i])
    of_word = held(old[later[1:]], n_slots) - held(new[later], n_slots)
    first, n_topics = 16 * tokens.word_start[word[i]], tokens.used[word[i]]
    cells = tokens.cells[first : first + 2 * n_topics]
    of_word[cells[::2]] += cells[1::2]
    return count, of_word, of_doc


def held(slots: I32, n_slots: int) -> I64:
    """Tokens in each slot, int64 (cap,), of those in `slots` int32 (any number,), -1 for none."""
    return np.bincount(slots + 1, minlength=n_slots + 1)[1:]
