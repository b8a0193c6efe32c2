"""What is told of topics that a block of direct assignment opened or emptied; told after its draws.

A token is drawn once in a block, so that where all tokens sat when its turn came is known.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import digamma

from ...core.arrays import F64, I32, I64
from ...inference.assignments import Block
from ...inference.births import opened
from ...inference.ends import last_to_leave
from ...kernels.openings import seats_at
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
    tokens, known = state.tokens, np.flatnonzero(before.slot_ids >= 0)
    born = state.slot_ids >= 0
    born[known] = False
    ids, weight = state.slot_ids.copy(), state.weight.copy()
    ids[known], weight[known] = before.slot_ids[known], before.weight[known]
    told = {}
    for slot in np.flatnonzero(born).tolist():
        i = int(np.argmax(block.topic == slot))  # who sits there first has opened it
        d = int(np.searchsorted(block.tokens.doc_start, i, side="right")) - 1
        end = block.tokens.doc_start[d + 1]
        seats = (before.topic, block.topic, tokens.count, tokens.word_topics())
        count, of_word, of_doc = seats_at(block.tokens, *seats, d, i)
        used = np.flatnonzero(count)
        rest = max(1.0 - weight[used].sum(), weight[slot])
        prior = np.append(of_doc[used], 0.0) + state.alpha * np.append(weight[used], rest)
        eta, n_words = tokens.eta, tokens.n_words
        held = np.append(of_word[used], 0.0) + eta  # the last: a new topic, at its prior
        held_all = np.append(count[used], 0.0) + n_words * eta
        words = block.tokens.word[i:end][block.topic[i:end] == slot]
        told[int(ids[slot])] = opened(
            rows[d],
            ids[used],
            np.log(prior / (of_doc.sum() + state.alpha)),
            np.log(held / held_all),
            partial(log_of_word, held, held_all),
            words.tolist(),
        )
    return told


def ends(state: State, block: Block, rows: I64, before: Before) -> dict[int, Details]:
    """What is told of the topics that the block left empty, by identity.

    After its draws. `rows` int64 (S,): its documents.
    """
    known = before.slot_ids[before.slot_ids >= 0]
    gone = known[~np.isin(known, state.slot_ids)]
    if not len(gone):
        return {}

    def about(i: int) -> tuple[int, tuple[int, ...]]:
        d = int(np.searchsorted(block.tokens.doc_start, i, side="right")) - 1
        return int(rows[d]), (int(block.tokens.word[i]),)

    then = np.where(before.topic >= 0, before.slot_ids[before.topic], -1)
    return last_to_leave(gone, then, state.slot_ids[block.topic], about)


def log_of_word(held: F64, held_all: F64, told: list[int]) -> F64:
    """E ln beta of one word, float64 (R,), in those of the topics that are `told`: `held` float64
    (K+1,) are its parameters, `held_all` float64 (K+1,) those of all words."""
    return np.asarray(digamma(held[told]) - digamma(held_all[told]), np.float64)
