"""Topics of the partially collapsed sampler merged, split and deleted by hand.

Tokens go to other topics; then tables, weights and topics are drawn given these, as at the end of a
pass. A start that is under way ends.
"""

from dataclasses import replace

import numpy as np

from ...core.arrays import I32
from ...inference.assignments import Assignments, room_for, words_of
from ...inference.drawn_topics import count_cells, draw_topics
from ...inference.edited_tokens import dealt_out, merge_event, second_part, split_event
from ...inference.truncated_sticks import documents_holding, draw_order, draw_sticks, draw_tables
from ...state.invariants import StateContext
from ...state.snapshot import Event
from .state import MOST_KEYS, State


def edited(
    state: State,
    kind: str,
    topics: tuple[int, ...],
    ground: StateContext,
    draw: str,
    rng: np.random.Generator,
) -> tuple[State, Event]:
    """Merged topics have the identity of the largest and the weight of all; the larger part of a
    split one keeps its identity, the other has a new one; tokens of deleted ones go to the other
    topics in use."""
    words = words_of(ground.corpus)
    new = replace(state, weight=state.weight.copy(), slot_ids=state.slot_ids.copy(), kept=())
    new.edited, new.start_passes = state.n_passes, min(state.start_passes, state.n_passes)
    slots = np.array([np.flatnonzero(state.slot_ids == topic)[0] for topic in topics])
    topic = state.topic.copy()
    if kind == "merge":
        into = slots[np.argmax(state.count[slots])]
        topic[np.isin(topic, slots)] = into
        new.weight[into] = state.weight[slots].sum()
        new.slot_ids[slots[slots != into]] = -1
        event = merge_event(topics, int(state.slot_ids[into]))
    elif kind == "split":
        tokens = _as_collapsed(state, words)
        mass = state.alpha * float(state.weight[slots[0]])
        part = second_part(tokens, words, int(slots[0]), mass, rng)
        free = _opened(new)
        topic[part] = free
        share = len(part) / state.count[slots[0]]
        new.weight[free] += share * state.weight[slots[0]]
        new.weight[slots[0]] *= 1.0 - share
        event = split_event(topics[0], int(new.slot_ids[free]))
    else:
        topic = dealt_out(_as_collapsed(state, words), words, slots, state.base, rng)
        new.slot_ids[slots] = -1
        event = Event("prune", parents=topics)
    new.topic = topic
    _draw_all_else(new, draw, rng)
    return new, event


def _as_collapsed(state: State, words: I32) -> Assignments:
    """The tokens as samplers hold them that integrate topics out. `words` int32 (N,): of each."""
    n_slots, n_words = room_for(len(state.count)), len(state.entry_start) - 1
    totals = np.bincount(words, minlength=n_words)
    tokens = Assignments(
        doc_start=state.doc_start,
        topic=state.topic,
        total=np.empty(n_slots),
        count=np.bincount(state.topic[state.topic >= 0], minlength=n_slots),
        eta=state.eta,
        word_start=np.concatenate(([0], np.cumsum(-(-totals // 8)))),
    )
    tokens.renew(state.eta)
    tokens.count_words(words)
    return tokens


def _opened(state: State) -> int:
    """An empty slot, with a new identity; room is made where there is none."""
    if not (state.slot_ids < 0).any():
        state.make_room(1)
    slot = int(np.flatnonzero(state.slot_ids < 0)[0])
    state.slot_ids[slot] = state.n_ids
    state.n_ids += 1
    return slot


def _draw_all_else(state: State, draw: str, rng: np.random.Generator) -> None:
    """Tables, order, weights and topics given the topics of all tokens; the random numbers of
    documents and words are others from now on."""
    n_slots = len(state.weight)
    state.count = np.bincount(state.topic, minlength=n_slots)
    state.stand_by_size()
    held = documents_holding(None, state.doc_start, state.topic, n_slots)
    state.tables = draw_tables(*held, state.base, rng)
    state.place = draw_order(state.tables, state.place, state.gamma, rng)
    state.weight = draw_sticks(state.tables, state.place, state.gamma, rng)
    state.key = int(rng.integers(MOST_KEYS))
    cells = count_cells(None, state.entries, state.topic, n_slots)
    state.counted(cells)
    again = state.key, state.n_passes
    state.take(draw_topics(None, cells, state.eta, state.base, draw, *again))
