"""The state of direct assignment: topics in slots, their corpus weights, and tables by blocks."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from ...core.arrays import F64, I64, Bools, widened
from ...corpus.corpus import Corpus
from ...inference.assignments import Assignments, room_for
from ...kernels.tuples import Slots
from ...state.invariants import POSITIVE, Constraint, StateContext
from ...state.snapshot import Event, Topics

ROOM = 16
"""Closed slots after every pass; more are made when they are used up."""


@dataclass(eq=False)
class State:
    """The topics of all tokens; a slot without tokens is closed."""

    tokens: Assignments
    weight: Annotated[F64, Constraint("cap", most=1)]
    """float64 (cap,): pi of the topics in use, 0 in closed slots."""
    rest: Annotated[F64, Constraint("1", most=1)]
    """float64 (1,): the weight of all topics not in use."""
    slot_ids: Annotated[I64, Constraint("cap", least=-1, below="n_ids")]
    """int64 (cap,): the topic in each slot, -1 in closed slots."""
    gamma: Annotated[float, POSITIVE]
    """In force: the model's, or learned; `alpha` likewise."""
    alpha: Annotated[float, POSITIVE]
    tables: Annotated[F64, Constraint("B", "cap", or_empty=True)] = field(
        default_factory=lambda: np.zeros((0, 0))
    )
    """float64 (B, cap): tables of each slot over the documents of each of B blocks."""
    all_tables: Annotated[F64, Constraint("cap", or_empty=True)] = field(
        default_factory=lambda: np.zeros(0)
    )
    """float64 (cap,): their sum over all blocks, exactly."""
    block: Annotated[I64, Constraint("D", least=-1, below="B", or_empty=True)] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """int64 (D,): the block of each document, -1 before it is seated; empty where nothing moves."""
    n_ids: int = 0
    """Identities given so far."""
    n_passes: int = 0
    """Complete passes."""
    kept: tuple[Topics, ...] = ()
    """States over which prediction averages, oldest first; never changed once they are kept."""
    edited: Annotated[int, Constraint(most="n_passes")] = 0
    """Passes before the last edit by hand, after which `kept` begins anew."""
    begun: bool = False
    """Whether it began at the topics of another run."""
    given: Annotated[F64, Constraint("V", "cap", or_empty=True)] = field(
        default_factory=lambda: np.zeros((0, 0))
    )
    """float64 (V, cap): these, by their tokens, in its first pass; empty otherwise."""

    def opened(self, corpus: Corpus) -> None:
        self.tokens.opened(corpus)

    def mismatch(self, ground: StateContext) -> str:
        """Name slots in use without topic, weight or tables, or closed slots that have some."""
        used = self.tokens.count > 0
        ids = self.slot_ids[used]
        if not np.array_equal(self.slot_ids >= 0, used) or len(np.unique(ids)) < len(ids):
            return "topics without an identity of their own"
        if (self.weight[~used] > 0).any() or abs(self.weight.sum() + self.rest[0] - 1.0) > 1e-6:
            return "weights that do not add up to 1"
        if len(self.block) and not self._blocks_agree(ground):
            return "other blocks than those of the run"
        if not len(self.tables):
            return ""
        if not np.array_equal(self.all_tables, self.tables.sum(axis=0)):
            return "other tables than those of its blocks"
        served = np.array_equal(self.all_tables > 0, used)
        most = (self.all_tables <= self.tokens.count).all()
        return "" if served and most else "tables without tokens"

    def _blocks_agree(self, ground: StateContext) -> bool:
        """Return whether `block` holds all seated documents, in the blocks of the run."""
        place = np.empty(len(self.block), np.int64)
        place[ground.order[:]] = np.arange(len(place)) // ground.batch_size
        lengths = np.diff(self.tokens.doc_start)
        seated = np.repeat(self.block >= 0, lengths)
        same = (self.block < 0) | (self.block == place)
        return bool(same.all()) and np.array_equal(seated, self.tokens.topic >= 0)

    @property
    def topic_ids(self) -> I64:
        """Return the topics in use by slot, int64 (K,), a copy."""
        return self.slot_ids[self.slot_ids >= 0]

    def make_room(self, n_more: int) -> None:
        """Add closed slots: `n_more` of them, a multiple of 8."""
        self.tokens.make_room(n_more)
        self.weight = widened(self.weight, n_more)
        self.slot_ids = widened(self.slot_ids, n_more, -1)
        self.tables = widened(self.tables, n_more)
        self.all_tables = widened(self.all_tables, n_more)


def slots_of(state: State, kept: Bools) -> Slots:
    """Return the state as its kernel takes it; the lowest slot that may open opens first.

    `kept` bool (cap,): slots that may not be opened.
    """
    tokens = state.tokens
    closed = np.flatnonzero((tokens.count == 0) & ~kept)[::-1]
    free = np.zeros(len(kept), np.int64)
    free[: len(closed)] = closed
    return Slots(
        0,
        tokens.total,
        tokens.count,
        state.weight,
        state.rest,
        free,
        n_free=np.array([len(closed)]),
        kept=kept,
    )


def slots_by_size(tokens: Assignments) -> I64:
    """Return the slots in use, most tokens first."""
    slots = np.flatnonzero(tokens.count > 0)
    return slots[np.argsort(-tokens.count[slots], kind="stable")]


def name_topics(state: State, before: Bools) -> None:
    """Give topics opened since `before` an identity, and remove it from those that closed."""
    now = state.tokens.count > 0
    new = np.flatnonzero(now & ~before)
    state.slot_ids[before & ~now], state.slot_ids[new] = -1, state.n_ids + np.arange(len(new))
    state.n_ids += len(new)


def changes(before: I64, after: I64) -> tuple[Event, ...]:
    """Return births and ends between two sets of identities, int64 (any number,) each. A topic that
    was born and ended in between does not appear."""
    ended, born = before[~np.isin(before, after)], after[~np.isin(after, before)]
    events = [Event("prune", parents=(int(i),)) for i in ended]
    return (*events, *(Event("birth", children=(int(i),)) for i in np.sort(born)))


def sort_slots(state: State, eta: float, n_least: int = 0) -> None:
    """Move topics in use to the first slots, largest first, and set eta. Keep `n_least` slots.

    Draws that look at all slots then find the large topics first.
    """
    order = slots_by_size(state.tokens)
    n_used, n_slots = len(order), room_for(max(len(order), n_least) + ROOM)
    state.tokens.rearrange(order, n_slots, eta)
    more = n_slots - n_used
    state.weight = widened(state.weight[order], more)
    state.slot_ids = widened(state.slot_ids[order], more, -1)
    state.tables = widened(state.tables[:, order], more)
    state.all_tables = widened(state.all_tables[order], more)
