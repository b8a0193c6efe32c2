"""Sequential MCMC with the ordered stick-breaking prior (Das, Bansal & Bhattacharyya 2015).

Every mini-batch is sampled once and then forgotten but for its tables. Its documents sit in a
restaurant, an old one that earlier batches shared or a new one; tables serve components, and all
restaurants take their components from one base (a franchise of Chinese restaurants, Teh et al.
2006). The paper's supplement with the sampler is not printed; the steps here leave p(z_t, seats,
new tables' components | batch, past tables) as it is.

It has one start, no table: a component is known by the tables of batches that were sampled, and
topics from elsewhere have none.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from ...core.arrays import F64, I32, I64, widened
from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.concentrations import draw_gamma
from ...inference.dirichlet import Dirichlets
from ...inference.mixture import document_log_predictive, with_prior
from ...inference.pool import Pool
from ...inference.slices import by_distinct_word
from ...kernels import osbp as kernels
from ...kernels.mixture_sampler import Sampler, empty_sampler, wider_sampler
from ...kernels.tuples import Base
from ...models.dpm import DPMixture
from ...state.invariants import POSITIVE, Constraint, StateContext
from ...state.snapshot import Event, Info, Topics
from ..base import Batching, Inference, Kind, Parallel, Preset
from .ordered_sticks import (
    component_weights,
    draw_base_weights,
    predictive,
    restaurant_concentrations,
    restaurant_log_weights,
)

FIRST_ROOM = 16
"""Rows for new components before more are made; has no influence on results."""


def _none() -> I64:
    return np.zeros(0, np.int64)


@dataclass(eq=False)
class State:
    """Statistics of all past batches: K components, k restaurants, R tables. No documents."""

    lam: Annotated[Dirichlets, Constraint("K")]
    """eta + the words of every component, in order of birth: the identity is the place."""
    base_gamma: Annotated[float, POSITIVE]
    visits: Annotated[I64, Constraint("k", least=1)] = field(default_factory=_none)
    """g_j, int64 (k,): batches of each restaurant, in order of their first batch."""
    table_restaurant: Annotated[I64, Constraint("R", below="k")] = field(default_factory=_none)
    """int64 (R,), as the next two."""
    table_dish: Annotated[I64, Constraint("R", below="K")] = field(default_factory=_none)
    """The component that each table serves."""
    table_docs: Annotated[I64, Constraint("R", least=1)] = field(default_factory=_none)
    """M_jr: documents at each table."""

    def mismatch(self, ground: StateContext) -> str:
        """Other documents and words than were seated."""
        docs = ground.corpus.take(ground.order[: ground.docs_seen])
        n_batches = -(-docs.n_docs // ground.batch_size)
        if self.visits.sum() != n_batches or self.table_docs.sum() != docs.n_docs:
            return "other documents than were seated"
        if (self.tables() == 0).any() or (self.docs(len(self.visits)).sum(axis=1) == 0).any():
            return "a component without a table, or a restaurant without one"
        words = self.lam.stats.sum(axis=1) * self.lam.scale
        return "" if np.array_equal(words, docs.word_totals) else "other words than were seated"

    def docs(self, n_restaurants: int) -> I64:
        """n_js: documents by restaurant and component, int64 (n_restaurants, K)."""
        docs = np.zeros((n_restaurants, len(self.lam)), np.int64)
        np.add.at(docs, (self.table_restaurant, self.table_dish), self.table_docs)
        return docs

    def tables(self) -> I64:
        """J_s: tables of all restaurants by component, int64 (K,)."""
        return np.bincount(self.table_dish, minlength=len(self.lam)).astype(np.int64)


@dataclass(eq=False)
class Seating:
    """The chain of one batch; R rows of components, those of the past first."""

    past: State
    words: I32
    """int32 (W,): the distinct words of the batch."""
    s: Sampler
    new_value: F64
    """float64 (S,): ln DM(x_i | eta)."""
    concentrations: F64
    """gamma_j of the k restaurants and a new one, float64 (k+1,)."""
    past_docs: I64
    """n_js with a last row of zeros, int64 (k+1, R)."""
    past_tables: I64
    """int64 (R,), as the next."""
    tables: I64
    """J_s, with the tables that the batch opened."""
    z: int
    """The batch's restaurant."""
    room: kernels.Restaurant

    def enter(self, z: int) -> None:
        """Move the batch to restaurant z, with no document seated."""
        past, n_docs = self.past, len(self.new_value)
        here = past.table_restaurant == z
        open_slots = np.zeros(n_docs, np.int64)
        self.z = z
        self.tables = self.past_tables.copy()
        self.room = kernels.Restaurant(
            float(self.concentrations[z]),
            int(here.sum()),
            np.concatenate((past.table_docs[here], open_slots)),
            np.concatenate((past.table_dish[here], open_slots + kernels.NO_TABLE)),
            self.past_docs[z].copy(),
            np.full(n_docs, kernels.NO_TABLE, np.int64),
        )

    def make_room(self) -> None:
        """Add rows for components."""
        more = FIRST_ROOM + len(self.tables) // 4
        self.s = wider_sampler(self.s, more)
        self.past_docs = widened(self.past_docs, more)
        self.past_tables = widened(self.past_tables, more)
        self.tables = widened(self.tables, more)
        self.room = self.room._replace(past_docs=widened(self.room.past_docs, more))

    def seat_documents(self, rng: np.random.Generator) -> None:
        """Step (a): the documents' tables, equations 13 and 14."""
        done, base_gamma = 0, self.past.base_gamma
        while True:
            done = kernels.seat_documents(
                self.s, self.room, self.tables, done, base_gamma, self.new_value, rng
            )
            if done == len(self.new_value):
                return
            self.make_room()

    def serve_tables(self, rng: np.random.Generator) -> None:
        """Step (b): the components of the tables that the batch opened, equations 17 and 18.

        In fresh random order: which slots tables have depends on the chain's past, and a scan in
        that order would bias it.
        """
        opened = np.flatnonzero(self.room.dish[self.room.n_past :] != kernels.NO_TABLE)
        order, done = rng.permutation(opened + self.room.n_past), 0
        while True:
            done = kernels.serve_tables(
                self.s, self.room, self.tables, order, done, self.past.base_gamma, rng
            )
            if done == len(order):
                return
            self.make_room()

    def change_restaurant(self, mu: float, gamma: float, rng: np.random.Generator) -> None:
        """Step (z): restaurant and seats as one draw, components and the base's weights given.

        Equation 15, see `restaurant_log_weights`. The base's weights, drawn given all tables, are
        forgotten afterwards.
        """
        dish_of = self.room.dish[self.room.at]
        base_weights = draw_base_weights(self.tables, self.past.base_gamma, rng)
        logs = restaurant_log_weights(
            self.past.visits, self.past_docs, self.s.held_docs, base_weights, mu, gamma
        )
        self.enter(_draw(np.exp(logs - logs.max()), rng))
        kernels.seat_by_dish(self.room, self.tables, dish_of, base_weights, rng)


@dataclass(frozen=True)
class DpmSumo(Inference):
    """Sample one batch after the other; keep tables and components, forget the documents."""

    name: ClassVar[str] = "dpm-sumo"
    title: ClassVar[str] = "Sequential Gibbs sampling, ordered sticks"
    in_words: ClassVar[str] = "Places one text after the other, reads once"
    source: ClassVar[str] = "Das, Bansal & Bhattacharyya 2015, algorithm 1, equations 6 and 13-18"
    papers: ClassVar[tuple[str, ...]] = ("das2015",)
    kind: ClassVar[Kind] = "sampler"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 1
    batching: ClassVar[Batching] = "once"
    parallel: ClassVar[Parallel] = "in part"
    in_turn: ClassVar[str] = (
        "Several threads weigh documents against known clusters; one seats them in turn."
    )
    untold: ClassVar[str] = (
        "It seats the texts of a mini-batch again and again, and gives whole tables another "
        "cluster: a new one is what is left of that at the end, and no single text opened it."
    )
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", batch_size=1024, passes=1),
        "das-2015": Preset(
            "Das et al. 2015",
            {"gamma": 0.5, "eta": 0.5},
            {"mu": 0.6, "base_gamma": 5.0},
            batch_size=500,
            passes=1,
        ),
    }

    model: DPMixture = DPMixture()
    mu: float = knob(
        0.6,
        0.01,
        0.99,
        "Share of the remaining batches that a restaurant expects: larger, and fewer restaurants "
        "open.",
        symbol="μ",
    )
    base_gamma: float = knob(
        5.0, 1e-3, 1000, "Larger: tables more often serve a new component.", symbol="λ"
    )
    sweeps: int = knob(
        20, 1, 1000, "Gibbs sweeps over a mini-batch before it is forgotten.", symbol="I"
    )
    learn_base_gamma: bool = knob(
        False,
        help="Learn base_gamma from the tables, starting at the value given; how many components "
        "there are.",
        label="Learn base gamma",
        more=True,
    )

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """No restaurant, no table, no component."""
        return State(Dirichlets.empty(corpus.n_words, self.model.eta), self.base_gamma)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Sample the batch (algorithm 1), then add it to the statistics and forget it.

        One sequential pass places all documents, then `sweeps` cycles of (a), (b) and (z).
        """
        seating = self._unseated(state, batch.docs, rng, pool)
        seating.seat_documents(rng)
        for _ in range(self.sweeps):
            seating.seat_documents(rng)
            seating.serve_tables(rng)
            seating.change_restaurant(self.mu, self.model.gamma, rng)
        births = keep(state, seating)
        if self.learn_base_gamma:
            n_tables = len(state.table_dish)
            state.base_gamma = draw_gamma(state.base_gamma, n_tables, len(state.lam), rng)
        return state, Info(events=births, scalars=self._scalars(state))

    def _unseated(
        self, state: State, docs: Corpus, rng: np.random.Generator, pool: Pool | None
    ) -> Seating:
        """The batch at the door of a restaurant drawn from equation 6."""
        lam, n_restaurants = state.lam, len(state.visits)
        words, entries = by_distinct_word(docs)
        base, base_total = with_prior(lam.at(words), lam.total, lam.eta, lam.n_words)
        value = document_log_predictive(entries, base, base_total, pool)
        by_component = Base(np.ascontiguousarray(base.T), base_total)
        sampler = empty_sampler(entries, by_component, value[:, :-1], 0)
        gamma = self.model.gamma
        tables = state.tables()
        nowhere = kernels.Restaurant(0.0, 0, _none(), _none(), _none(), _none())
        seating = Seating(
            state,
            words,
            sampler,
            np.ascontiguousarray(value[:, -1]),
            restaurant_concentrations(n_restaurants + 1, self.mu, gamma),
            state.docs(n_restaurants + 1),
            tables,
            tables,
            0,
            nowhere,
        )
        seating.enter(_draw(np.append(*predictive(state.visits, self.mu, gamma)), rng))
        seating.make_room()
        return seating

    def _scalars(self, state: State) -> dict[str, float]:
        weights, innovation = predictive(state.visits, self.mu, self.model.gamma)
        scalars = {
            "restaurants": float(len(state.visits)),
            "innovation probability": innovation,
            "first restaurant": float(weights[0]),
            "tables": float(len(state.table_dish)),
            "components": float(len(state.lam)),
        }
        return {**scalars, "base gamma": state.base_gamma} if self.learn_base_gamma else scalars

    def topics(self, state: State) -> Topics:
        """A new document is the first of the next batch, whose restaurant is not known."""
        docs = state.docs(len(state.visits))
        gamma = self.model.gamma
        weight, unseen = component_weights(
            state.visits, docs, state.tables(), state.base_gamma, self.mu, gamma
        )
        return Topics(
            topic_word=state.lam.expected(),
            total=state.lam.total,
            size=docs.sum(axis=0).astype(np.float64),
            weight=weight,
            unseen=unseen,
            topic_ids=np.arange(len(state.lam)),
            concentration=float("nan"),
            gamma=gamma,
            eta=state.lam.eta,
        )


def keep(state: State, seating: Seating) -> tuple[Event, ...]:
    """Add a sampled batch to the statistics; returns the births of its new components."""
    lam, room, n_known = state.lam, seating.room, len(state.lam)
    used = np.flatnonzero(seating.tables > 0)  # the known components come first, none is lost
    place_of = np.full(len(seating.tables), -1)
    place_of[used] = np.arange(len(used))
    lam.append(seating.words, np.zeros((len(seating.words), len(used) - n_known)))
    counts = np.ascontiguousarray(seating.s.held[used].T, dtype=np.float64)
    lam.add(seating.words, counts)
    elsewhere = state.table_restaurant != seating.z
    here = room.dish != kernels.NO_TABLE
    at_z = np.full(here.sum(), seating.z)
    state.table_restaurant = np.append(state.table_restaurant[elsewhere], at_z)
    state.table_dish = np.append(state.table_dish[elsewhere], place_of[room.dish[here]])
    state.table_docs = np.append(state.table_docs[elsewhere], room.docs[here])
    if seating.z == len(state.visits):
        state.visits = np.append(state.visits, 0)
    state.visits[seating.z] += 1
    return tuple(Event("birth", children=(k,)) for k in range(n_known, len(used)))


def _draw(weights: F64, rng: np.random.Generator) -> int:
    """An index with probability proportional to `weights`."""
    cumulative = np.cumsum(weights)
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
