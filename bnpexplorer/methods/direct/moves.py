"""Splits and merges of topics, and details of topics that a block opened or emptied.

The details are worked out after the block's draws. A block draws each token once, so the topics of
all tokens at each draw are known.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import digamma

from ...core.arrays import F64, I32, I64
from ...corpus.corpus import Corpus
from ...inference.assignments import TokenBlock
from ...inference.births import last_to_leave, opened
from ...kernels.openings import seats_at
from ...kernels.topic_moves import SPLIT, STAY, seat_tables_of, split_or_merge
from ...kernels.tuples import Tokens
from ...state.snapshot import Details, Event
from .state import ROOM, State


def move(state: State, corpus: Corpus, n_moves: int, rng: np.random.Generator) -> tuple[Event, ...]:
    """Propose `n_moves` splits and merges; both parts of a split, and a union, are new topics.

    Proposals sum tables out. New topics get their tables drawn at the end; given topics and
    weights, the tables of all others already have the right law.
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
    """Replace the topics that hold the tokens of `parts` by one new topic for each part.

    `parts`: places of each new topic's tokens. `shares`: shares of the old topics' total weight.
    `log_ratio`: of the move's acceptance. Tables are not drawn yet, and the topics of words are
    still the old ones.
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
    """Draw the tables of the topics with identities from `n_ids` on."""
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


@dataclass(frozen=True, eq=False)
class Overwritten:
    """What the draws of a block overwrite, in at most `cap` slots."""

    topic: I32
    """int32 (N,): the slots of the block's tokens."""
    weight: F64
    """float64 (cap,): corpus weights."""
    slot_ids: I64
    """int64 (cap,): identities."""

    @classmethod
    def of(cls, state: State, block: TokenBlock) -> "Overwritten":
        return cls(block.topic.copy(), state.weight.copy(), state.slot_ids.copy())


def openings(state: State, block: TokenBlock, rows: I64, before: Overwritten) -> dict[int, Details]:
    """Return details of the topics that the block opened, by identity.

    Call it after the block's draws and before the next draw of corpus weights. `rows` int64 (S,):
    its documents.
    """
    tokens, known = state.tokens, np.flatnonzero(before.slot_ids >= 0)
    born = state.slot_ids >= 0
    born[known] = False
    ids, weight = state.slot_ids.copy(), state.weight.copy()
    ids[known], weight[known] = before.slot_ids[known], before.weight[known]
    told = {}
    for slot in np.flatnonzero(born).tolist():
        i = int(np.argmax(block.topic == slot))  # the first token there opened it
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


def ends(state: State, block: TokenBlock, rows: I64, before: Overwritten) -> dict[int, Details]:
    """Return details of the topics that the block left empty, by identity.

    Call it after the block's draws. `rows` int64 (S,): its documents.
    """
    known = before.slot_ids[before.slot_ids >= 0]
    gone = known[~np.isin(known, state.slot_ids)]
    if not len(gone):
        return {}

    leaves = np.append(np.isin(before.slot_ids, gone), False)  # the last serves tokens at -1
    left = np.flatnonzero(leaves[before.topic])  # few of the block's tokens

    def about(i: int) -> tuple[int, tuple[int, ...]]:
        d = int(np.searchsorted(block.tokens.doc_start, left[i], side="right")) - 1
        return int(rows[d]), (int(block.tokens.word[left[i]]),)

    then = before.slot_ids[before.topic[left]]
    return last_to_leave(gone, then, state.slot_ids[block.topic[left]], about)


def log_of_word(held: F64, held_all: F64, told: list[int]) -> F64:
    """Return E ln beta of one word in the topics `told`, float64 (R,). `held` float64 (K+1,) are
    its parameters in all topics, `held_all` float64 (K+1,) their sums over words."""
    return np.asarray(digamma(held[told]) - digamma(held_all[told]), np.float64)
