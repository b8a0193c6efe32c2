"""Splits and merges of topics: what an accepted proposal changes in the state."""

import numpy as np

from ...core.arrays import I64
from ...corpus.corpus import Corpus
from ...kernels.topic_moves import SPLIT, STAY, seat_tables_of, split_or_merge
from ...kernels.tuples import Tokens
from ...state.snapshot import Details, Event
from .state import ROOM, State


def move(state: State, corpus: Corpus, n_moves: int, rng: np.random.Generator) -> tuple[Event, ...]:
    """Propose `n_moves` splits and merges; both parts of a split, and a union, are new topics.

    Proposals sum tables out. The topics that were made have theirs drawn anew at the end; given
    topics and weights, those of all others have the law that they should.
    """
    words = np.repeat(corpus.word_ids, corpus.counts)
    tokens = Tokens(state.tokens.doc_start, words)
    events, n_ids = [], state.n_ids
    for _ in range(n_moves):
        what, members, second, u, log_ratio = split_or_merge(
            tokens,
            state.tokens.topic,
            state.weight,
            state.alpha,
            state.gamma,
            state.tokens.eta,
            corpus.n_words,
            rng,
        )
        if what == STAY:
            continue
        kind, parts, shares = "merge", [members], [1.0]
        if what == SPLIT:
            kind, parts, shares = "split", [members[~second], members[second]], [u, 1.0 - u]
        events.append(replace_topics(state, kind, parts, shares, log_ratio))
    if events:
        state.tokens.count_words(words)
        seat_new(state, n_ids, rng)
    return tuple(events)


def replace_topics(
    state: State, kind: str, parts: list[I64], shares: list[float], log_ratio: float
) -> Event:
    """Put one new topic for each of `parts` in the place of those that hold their tokens.

    `parts`: of each topic the places of its tokens. `shares`: of the weight of the old topics
    together. `log_ratio`: of the move's acceptance. Tables are not drawn yet, and the topics of
    words are those of before.
    """
    tokens = state.tokens
    old = np.unique(tokens.topic[np.concatenate(parts)])
    parents, weight = state.slot_ids[old], state.weight[old].sum()
    sizes = tokens.count[old].tolist() if kind == "merge" else [len(part) for part in parts]
    if len(parts) > len(old) and not (state.slot_ids < 0).any():
        state.make_room(ROOM)
    slots = np.append(old, np.flatnonzero(state.slot_ids < 0))[: max(len(old), len(parts))]
    children = np.arange(state.n_ids, state.n_ids + len(parts))
    state.n_ids += len(parts)
    new, closed = slots[: len(parts)], slots[len(parts) :]
    tokens.count[new] = [len(part) for part in parts]
    state.slot_ids[new], state.weight[new] = children, weight * np.array(shares)
    for slot, part in zip(new, parts, strict=True):
        tokens.topic[part] = slot
    tokens.count[closed] = 0
    state.slot_ids[closed], state.weight[closed] = -1, 0.0
    state.tables[:, closed] = 0.0
    tokens.total[slots] = tokens.n_words * tokens.eta + tokens.count[slots]
    details = Details(sizes=tuple(sizes), log_ratio=log_ratio, trial=kind)
    return Event(kind, tuple(parents.tolist()), tuple(children.tolist()), details=details)


def seat_new(state: State, n_ids: int, rng: np.random.Generator) -> None:
    """Draw the tables of the topics whose identities are `n_ids` or later."""
    moved, tokens = state.slot_ids >= n_ids, state.tokens
    seat_tables_of(
        tokens.doc_start,
        tokens.topic,
        state.block,
        moved,
        state.weight,
        state.alpha,
        state.tables,
        rng,
    )
    state.all_tables = state.tables.sum(axis=0)
