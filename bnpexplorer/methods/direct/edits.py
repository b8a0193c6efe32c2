"""Merge, split and delete topics of direct assignment by hand.

Tokens go to other topics; then the tables of all topics are drawn given these (equation 40 of Teh
et al. 2006), and corpus weights given the tables (equation 36), as at the end of a pass.
"""

from dataclasses import replace

import numpy as np

from ...inference.assignments import words_of
from ...inference.edited_tokens import dealt_out, merge_event, reseated, second_part, split_event
from ...kernels.hdp_collapsed import draw_weights
from ...kernels.topic_moves import seat_tables_of
from ...state.invariants import StateContext
from ...state.snapshot import Event
from .state import ROOM, State


def edited(
    state: State, kind: str, topics: tuple[int, ...], ground: StateContext, rng: np.random.Generator
) -> tuple[State, Event]:
    """Return the state with `topics` merged, split or deleted, and the event.

    Merged topics take the identity of the largest and the weight of all. The larger part of a split
    topic keeps its identity, the other gets a new one. Tokens of deleted topics go to the other
    topics in use.
    """
    words = words_of(ground.corpus)
    new = replace(state, weight=state.weight.copy(), rest=state.rest.copy(), kept=())
    new.slot_ids, new.edited = state.slot_ids.copy(), state.n_passes
    slots = np.array([np.flatnonzero(state.slot_ids == topic)[0] for topic in topics])
    topic = state.tokens.topic.copy()
    if kind == "merge":
        into = slots[np.argmax(state.tokens.count[slots])]
        topic[np.isin(topic, slots)] = into
        new.weight[into] = state.weight[slots].sum()
        new.slot_ids[slots[slots != into]] = -1
        event = merge_event(topics, int(state.slot_ids[into]))
    elif kind == "split":
        mass = state.alpha * float(state.weight[slots[0]])
        part = second_part(state.tokens, words, int(slots[0]), mass, rng)
        free = _opened(new)
        topic[part] = free
        share = len(part) / state.tokens.count[slots[0]]
        new.weight[free] = share * state.weight[slots[0]]
        new.weight[slots[0]] -= new.weight[free]
        event = split_event(topics[0], int(new.slot_ids[free]))
    else:
        topic = dealt_out(state.tokens, words, slots, state.alpha * state.weight, rng)
        new.slot_ids[slots] = -1
        event = Event("prune", parents=topics)
    new.tokens = reseated(state.tokens, topic, words, len(new.weight))
    _seat(new, ground, rng)
    return new, event


def _opened(state: State) -> int:
    """Return a closed slot with a new identity; make room if all are open."""
    if not (state.slot_ids < 0).any():
        state.slot_ids = np.append(state.slot_ids, np.full(ROOM, -1))
        state.weight = np.append(state.weight, np.zeros(ROOM))
    slot = int(np.flatnonzero(state.slot_ids < 0)[0])
    state.slot_ids[slot] = state.n_ids
    state.n_ids += 1
    return slot


def _seat(state: State, ground: StateContext, rng: np.random.Generator) -> None:
    """Draw all tables given the topics of all tokens, then the weights given the tables."""
    tokens, n_docs = state.tokens, ground.corpus.n_docs
    block = np.empty(n_docs, np.int64)
    block[ground.order[:]] = np.arange(n_docs) // ground.batch_size
    state.tables = np.zeros((ground.n_batches, len(state.weight)))
    used = tokens.count > 0
    seat_tables_of(
        tokens.doc_start, tokens.topic, block, used, state.weight, state.alpha, state.tables, rng
    )
    state.all_tables, nothing = state.tables.sum(axis=0), np.zeros(0)
    draw_weights(nothing, nothing, state.gamma, state.all_tables, state.weight, state.rest, rng)
