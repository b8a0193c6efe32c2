"""The state of the partially collapsed sampler: topics of tokens, and topics and weights drawn."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from scipy.special import gammaln

from ...core.arrays import F32, F64, I32, I64, widened
from ...corpus.corpus import Corpus
from ...inference.concentrations import ETA_PRIOR, draw_dirichlet_parameter
from ...inference.drawn_topics import count_cells, entries_of, placed, smoothed
from ...inference.pool import Pool
from ...kernels.tuples import Cells, DrawnTopics, Phi, WordEntries
from ...models.hdp import HDP
from ...state.invariants import POSITIVE, Constraint, StateContext
from ...state.snapshot import Event, Topics

MOST_KEYS = 10**15
"""A key of the random streams is below: larger numbers are none of a saved state."""
COUNTED = 4_000_000
"""Tokens at most that are counted for a look within a pass, in 40 ms."""


@dataclass(eq=False)
class State:
    """N tokens in K slots, some of them empty; topics and weights are fixed during a pass."""

    doc_start: Annotated[I64, Constraint("D+1")]
    """int64 (D+1,): tokens of document d are `doc_start[d]:doc_start[d+1]`, ordered by word."""
    topic: Annotated[I32, Constraint("N", least=-1, below="K")]
    """int32 (N,): the slot of every token, -1 before it is seated."""
    entry_start: Annotated[I64, Constraint("V+1")]
    """int64 (V+1,): as `WordEntries.start`; the next two as its `place` and `held`."""
    entry_place: Annotated[I64, Constraint("U", below="N")]
    """int64 (U,)"""
    entry_count: Annotated[I32, Constraint("U", least=1)]
    """int32 (U,)"""
    weight: Annotated[F64, Constraint("K", most=1)]
    """float64 (K,): Psi."""
    place: Annotated[I64, Constraint("K", below="K", distinct=True)]
    """int64 (K,): at which stick of Psi each slot stands; at the last one the flag."""
    tables: Annotated[I64, Constraint("K")]
    """int64 (K,): of each slot, as last drawn."""
    count: Annotated[I64, Constraint("K")]
    """int64 (K,): tokens in each slot."""
    slot_ids: Annotated[I64, Constraint("K", least=-1, below="n_ids")]
    """int64 (K,): the topic in each slot, -1 in those that are empty since a pass ended."""
    gamma: Annotated[float, POSITIVE]
    """In force: the model's, or learned; `alpha` and `eta` likewise."""
    alpha: Annotated[float, POSITIVE]
    eta: Annotated[float, POSITIVE]
    key: int
    """Of the random numbers of documents and words."""
    start_passes: int = 1
    """Passes whose weights are those of the start: equal, or those of the topics given."""
    phi_start: Annotated[I64, Constraint("V+1")] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """int64 (V+1,): as `Phi.start`; the next two as its `slot` and `chance`."""
    phi_slot: Annotated[I32, Constraint("E", below="K")] = field(
        default_factory=lambda: np.zeros(0, np.int32)
    )
    """int32 (E,)"""
    phi_chance: Annotated[F32, Constraint("E", most=1)] = field(
        default_factory=lambda: np.zeros(0, np.float32)
    )
    """float32 (E,)"""
    pair_start: Annotated[I64, Constraint("V+1", or_empty=True)] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """int64 (V+1,): as `Cells.start` when the last pass ended, the next two as its `slot` and
    `held`; empty in the first pass."""
    pair_slot: Annotated[I32, Constraint("P", below="K")] = field(
        default_factory=lambda: np.zeros(0, np.int32)
    )
    """int32 (P,)"""
    pair_held: Annotated[I32, Constraint("P", least=1)] = field(
        default_factory=lambda: np.zeros(0, np.int32)
    )
    """int32 (P,)"""
    since: int = 0
    """Tokens that were drawn since `pair_held` were counted."""
    n_ids: int = 0
    """Identities given so far."""
    n_passes: int = 0
    """Complete passes."""
    kept: tuple[Topics, ...] = ()
    """States over which prediction averages, oldest first; never changed once they are kept."""
    edited: Annotated[int, Constraint(most="n_passes")] = 0
    """Passes before topics were last changed by hand: what is kept begins anew there."""

    def __post_init__(self) -> None:
        self._drawn: DrawnTopics | None = None  # made of `phi` and weights, so not part of a file

    @classmethod
    def unseated(cls, corpus: Corpus, first: F64, n_spare: int, model: HDP, key: int) -> "State":
        """No token has a topic; K slots of which the first have the weights `first` float64 (any
        number,)."""
        entries, n_slots = entries_of(corpus), len(first) + n_spare
        return cls(
            doc_start=np.concatenate(([0], np.cumsum(corpus.doc_lengths))),
            topic=np.full(corpus.n_tokens, -1, np.int32),
            entry_start=entries.start,
            entry_place=entries.place,
            entry_count=entries.held,
            weight=widened(first, n_spare),
            place=np.arange(n_slots),
            tables=np.zeros(n_slots, np.int64),
            count=np.zeros(n_slots, np.int64),
            slot_ids=np.full(n_slots, -1),
            gamma=model.gamma,
            alpha=model.alpha,
            eta=model.eta,
            key=key,
        )

    def mismatch(self, ground: StateContext) -> str:
        """Name values that would mislead kernels, or counts that disagree with the tokens."""
        corpus, n_slots = ground.corpus, len(self.weight)
        if not np.array_equal(np.diff(self.doc_start, prepend=0)[1:], corpus.doc_lengths):
            return "documents of other lengths"
        start, place, held = entries_of(corpus)
        same = np.array_equal(self.entry_start, start) and np.array_equal(self.entry_place, place)
        if not same or not np.array_equal(self.entry_count, held):
            return "other words than those of the corpus"
        counts = np.bincount(self.topic[self.topic >= 0], minlength=n_slots)
        if not np.array_equal(counts, self.count):
            return "other counts than those of the tokens' topics"
        ids = self.slot_ids[self.slot_ids >= 0]
        held = np.append(np.flatnonzero(self.count), self.pair_slot)
        if len(np.unique(ids)) < len(ids) or (self.slot_ids[held] < 0).any():
            return "topics without an identity of their own"
        if not follows(self.pair_start, len(self.pair_slot)):
            return "other pairs of words and topics than those of a pass"
        if not follows(self.phi_start, len(self.phi_slot)) or (np.diff(self.phi_start) < 1).any():
            return "words without a topic"
        if (self.phi_chance <= 0.0).any() or (self.base[self.phi_slot] <= 0.0).any():
            return "topics without a weight"
        if abs(self.weight.sum() - 1.0) > 1e-6:
            return "weights that do not add up to 1"
        return ""

    @property
    def starting(self) -> bool:
        """Whether weights are still those of the start."""
        return self.n_passes < self.start_passes

    @property
    def doc_lengths(self) -> I64:
        """int64 (D,): tokens of every document."""
        return np.diff(self.doc_start)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Tokens, documents and words of the vocabulary."""
        return len(self.topic), len(self.doc_start) - 1, len(self.entry_start) - 1

    @property
    def base(self) -> F64:
        """alpha Psi, float64 (K,)."""
        return self.alpha * self.weight

    @property
    def entries(self) -> WordEntries:
        return WordEntries(self.entry_start, self.entry_place, self.entry_count)

    @property
    def phi(self) -> Phi:
        """Topics as they were drawn."""
        return Phi(self.phi_start, self.phi_slot, self.phi_chance)

    @property
    def pairs(self) -> Cells:
        """The tokens of topics when the last pass ended or topics were changed by hand."""
        return Cells(self.pair_start, self.pair_slot, self.pair_held)

    @property
    def sizes(self) -> F64:
        """Their sums, float64 (K,)."""
        held = np.bincount(self.pair_slot, self.pair_held, len(self.count))
        return np.asarray(held, np.float64)

    def drawn(self, pool: Pool | None) -> DrawnTopics:
        """Topics as kernels read them, made once a pass."""
        if self._drawn is None:
            self._drawn = placed(pool, self.phi, self.base)
        return self._drawn

    def take(self, phi: Phi) -> None:
        """These are the topics now."""
        self.phi_start, self.phi_slot, self.phi_chance = phi
        self._drawn = None

    def counted(self, pairs: Cells) -> None:
        """These are the tokens of topics now."""
        self.pair_start, self.pair_slot, self.pair_held = pairs
        self.since = 0

    def make_room(self, n_more: int) -> None:
        """Empty slots at the end of the sticks, `n_more` of them; their topics are to be drawn."""
        n_slots = len(self.weight)
        self.weight, self.tables = widened(self.weight, n_more), widened(self.tables, n_more)
        self.count, self.slot_ids = widened(self.count, n_more), widened(self.slot_ids, n_more, -1)
        self.place = np.append(self.place, n_slots + np.arange(n_more))

    def stand_by_size(self) -> None:
        """The largest topics stand first along the sticks: the end of a start."""
        self.place = np.argsort(np.argsort(-self.count, kind="stable"))

    def name_topics(self) -> tuple[Event, ...]:
        """Give topics that have their first tokens an identity; their births."""
        new = np.flatnonzero((self.count > 0) & (self.slot_ids < 0))
        self.slot_ids[new] = self.n_ids + np.arange(len(new))
        self.n_ids += len(new)
        return tuple(Event("birth", children=(int(i),)) for i in self.slot_ids[new])

    def end_topics(self) -> tuple[Event, ...]:
        """Take their identity from topics without tokens; their ends."""
        gone = np.flatnonzero((self.count == 0) & (self.slot_ids >= 0))
        events = tuple(Event("prune", parents=(int(i),)) for i in self.slot_ids[gone])
        self.slot_ids[gone] = -1
        return events


def follows(start: I64, n: int) -> bool:
    """Whether `start` int64 (V+1,) divides `n` things in their order; none may be empty."""
    if not len(start):
        return n == 0
    return bool(start[0] == 0 and start[-1] == n and (np.diff(start) >= 0).all())


def draw_eta(state: State, cells: Cells, rng: np.random.Generator) -> float:
    """eta given the topics of all tokens, Phi integrated out, under its Gamma prior."""
    counts, totals = cells.held.astype(np.int64), state.count[state.count > 0]
    n_words = len(state.entry_start) - 1
    return draw_dirichlet_parameter(state.eta, counts, totals, n_words, rng, ETA_PRIOR)


def log_words(state: State, cells: Cells) -> float:
    """ln p(x | z), topics integrated out (Griffiths & Steyvers 2004, equation 2)."""
    eta, totals = state.eta, state.count[state.count > 0]
    v_eta = (len(state.entry_start) - 1) * eta
    repeats = np.bincount(cells.held)
    log_p = repeats @ (gammaln(eta + np.arange(len(repeats))) - gammaln(eta))
    return float(log_p - (gammaln(v_eta + totals) - gammaln(v_eta)).sum())


def reported(state: State, pool: Pool | None) -> Topics:
    """The topics, largest first: E[Phi | z], and as weights E[Psi | tables] of a model without
    truncation, L_k / (L + gamma); a topic born since has one table at least.

    When a pass has ended its own counts serve. Within one, tokens are counted anew where they are
    few; of many, z is that of the last pass, and what was born since has no words yet.
    """
    eta, pairs, sizes = state.eta, state.pairs, state.sizes
    if not state.n_passes or (state.since and len(state.topic) <= COUNTED):
        pairs = count_cells(pool, state.entries, state.topic, len(state.count))
        sizes = state.count.astype(np.float64)
    slots = np.flatnonzero(state.slot_ids >= 0)
    slots = slots[np.argsort(-sizes[slots], kind="stable")]
    total = sizes[slots] + (len(state.entry_start) - 1) * eta
    tables = np.maximum(state.tables[slots], 1)
    whole = float(tables.sum()) + state.gamma
    return Topics(
        topic_word=smoothed(pairs, slots, total, eta),
        total=total,
        size=sizes[slots],
        weight=tables / whole,
        unseen=state.gamma / whole,
        topic_ids=state.slot_ids[slots],
        concentration=state.alpha,
        gamma=state.gamma,
        eta=eta,
    )
