"""Locally collapsed inference for the Dirichlet process mixture, in passes over the corpus.

Algorithm 2 of Wang & Blei 2012: q(beta) is fixed during a pass, every document draws z_i from E_q
[p(x_i, z_i | beta)], and the draws make the next q(beta). There is no truncation: components
without documents are at their prior and need not be represented.

It starts with no component or with those of another run. Clusters at random would never change,
since q(beta) holds a document's own last contribution while it is drawn.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64, I32, I64
from ..corpus.corpus import Batch, Corpus
from ..inference.births import opened, with_details
from ..inference.clusters import WeighedBlock
from ..inference.concentrations import solve_eta, sticks_gamma
from ..inference.dirichlet import Dirichlets
from ..inference.mixture import (
    document_log_predictive,
    log_collapsed_joint,
    mixture_topics,
    with_prior,
)
from ..inference.pool import Pool
from ..inference.slices import by_distinct_word
from ..inference.start import GivenTopics, Start
from ..inference.sticks import expected_weights
from ..kernels.mixture import gather_stats
from ..kernels.mixture_draws import sample_in_turn
from ..kernels.tuples import Base, Docs
from ..models.dpm import DPMixture
from ..state.invariants import IDENTITIES, Constraint, StateContext
from ..state.snapshot import Details, Event, Info, Topics
from .base import Batching, Inference, Kind, Parallel, Preset, learned, learns


@dataclass(eq=False)
class State:
    """q after the last complete pass, and the draws of the present pass so far."""

    model: DPMixture
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("K")]
    next_lam: Annotated[Dirichlets, Constraint("L")]
    """K old components, then those that this pass has created: eta + counts drawn so far. None
    between passes."""
    n: Annotated[F64, Constraint("K", most="D")] = field(default_factory=lambda: np.zeros(0))
    """N_k, float64 (K,): documents."""
    next_n: Annotated[F64, Constraint("L", most="D")] = field(default_factory=lambda: np.zeros(0))
    topic_ids: Annotated[I64, IDENTITIES] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_ids: int = 0
    """Identities given so far."""
    told: list[Details] = field(default_factory=list)
    """How each component that the present pass created was opened. In a pass that an earlier
    version began, only the last ones are known."""

    def opened(self, corpus: Corpus) -> None:
        """Accept files of earlier versions, which kept the counts of a pass after its end, with
        those of dropped components. Within a pass such counts are still refused: there are too few
        then."""
        if len(self.next_n) != len(self.next_lam):
            self.forget_draws()

    def forget_draws(self) -> None:
        """Clear the draws, as between passes."""
        self.next_lam = Dirichlets.empty(self.lam.n_words, self.lam.eta, 1)
        self.next_n = np.zeros(0)
        self.told = []

    def mismatch(self, ground: StateContext) -> str:
        """Report if `next_lam` holds other documents and words than this pass drew."""
        n_docs = len(ground.rows_of_pass)
        if n_docs and (len(self.next_n) < len(self.n) or self.next_n.sum() != n_docs):
            return "other documents than those of the present pass"
        return ground.misses(self.next_lam.stats.sum(axis=1))


@dataclass(frozen=True)
class DpmCollapsed(Inference):
    """Draw every document's component with q(beta) integrated out; count; repeat."""

    name: ClassVar[str] = "dpm-collapsed"
    title: ClassVar[str] = "Locally collapsed, whole passes"
    in_words: ClassVar[str] = "Learns from whole passes, opens clusters as it needs them"
    source: ClassVar[str] = "Wang & Blei 2012, algorithm 2, equations 6 and 7"
    papers: ClassVar[tuple[str, ...]] = ("wang2012",)
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 6
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "in part"
    in_turn: ClassVar[str] = (
        "Several threads weigh documents against known clusters; one draws, each given the last."
    )
    untold: ClassVar[str] = ""
    untold_ends: ClassVar[str] = (
        "A pass draws every document anew, given the topics of the pass before: no document of a "
        "whole pass was drawn to it, so that none was the last to leave."
    )
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=20),
        "wang-blei-2012": Preset("Wang & Blei 2012", {"gamma": 1.0, "eta": 0.5}, passes=20),
    }

    model: DPMixture = DPMixture()
    learn_gamma: bool = learns("gamma")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return a state without components: q(beta) is the prior."""
        return self.begin(corpus, "nothing", rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`; or give q(beta) the topics of another run, scaled to all documents."""
        eta, drawn = self.model.eta, Dirichlets.empty(corpus.n_words, self.model.eta, 1)
        if not isinstance(start, GivenTopics):
            return State(self.model, Dirichlets.empty(corpus.n_words, eta), drawn)
        lam, ids = Dirichlets.from_excess(start.scaled(corpus.n_tokens), eta), np.arange(len(start))
        n = corpus.n_docs * start.share
        return State(self.model, lam, drawn, n, topic_ids=ids, n_ids=len(ids))

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Draw the documents of one block; the last block of a pass ends with the global step."""
        docs = batch.docs
        if batch.index == 0:
            begin_pass(state)
        words, entries = by_distinct_word(docs)
        z = self._draw(state, entries, words, batch.rows, rng, pool)
        n_new = max(int(z.max()) + 1 - len(state.next_n), 0)
        state.next_lam.append(words, np.zeros((len(words), n_new)))
        state.next_n = np.append(state.next_n, np.zeros(n_new))
        drawn = np.zeros((docs.n_docs, len(state.next_n)))
        drawn[np.arange(docs.n_docs), z] = 1.0
        state.next_lam.add(words, gather_stats(entries, drawn, len(words)), pool=pool)
        state.next_n += drawn.sum(axis=0)
        if batch.index < batch.of - 1:
            return state, Info()
        events = end_pass(state)
        log_joint = log_collapsed_joint(state.lam, state.n, state.model.gamma)
        if self.learn_gamma:
            gamma = sticks_gamma(state.n, state.model.gamma, truncated=False)
            state.model = replace(state.model, gamma=gamma)
        if self.learn_eta:
            state.lam.eta = solve_eta(state.lam)
        now = learned(self, gamma=state.model.gamma, eta=state.lam.eta)
        return state, Info(events=events, scalars={"log joint": log_joint, **now})

    def _draw(
        self,
        state: State,
        docs: Docs,
        words: I32,
        rows: I64,
        rng: np.random.Generator,
        pool: Pool | None,
    ) -> I64:
        """Draw z of every document, int64 (S,), numbered as the columns of `next_lam`, and note in
        the state how new components were opened. `rows` int64 (S,): the documents.

        Old components enter as q has them (with the document's own last contribution, as in the
        paper). Components of this pass enter with the documents drawn so far; otherwise every
        document that needs a new component would open its own.
        """
        lam, n_old = state.lam, len(state.n)
        weights, rest = expected_weights(state.n, state.model.gamma, truncated=False)
        old, old_total = with_prior(lam.at(words), lam.total, lam.eta, lam.n_words)
        value = document_log_predictive(docs, old, old_total, pool)
        tail = np.ascontiguousarray(state.next_lam.at(words)[:, n_old:])
        tail_total = state.next_lam.total[n_old:]
        base, base_total = with_prior(tail, tail_total, lam.eta, lam.n_words)
        z = sample_in_turn(
            docs,
            np.log(weights) + value[:, :-1],
            float(np.log(rest)),
            state.model.gamma,
            Base(np.ascontiguousarray(base.T), base_total),
            state.next_n[n_old:].astype(np.int64),
            np.ascontiguousarray(value[:, -1]),
            rng,
        )
        weighed = WeighedBlock(
            docs, np.hstack((old[:, :-1], base)), np.append(old_total[:-1], base_total)
        )
        log_weight = np.append(np.log(weights), np.log(rest))
        state.told += openings(state, weighed, log_weight, rows, z)
        return z

    def topics(self, state: State) -> Topics:
        return mixture_topics(
            state.lam, state.n, state.topic_ids, state.model.gamma, truncated=False
        )


def openings(
    state: State, weighed: WeighedBlock, log_weight: F64, rows: I64, z: I64
) -> Iterator[Details]:
    """Yield details of how each component that a block created was opened, in their order.

    `weighed`: the S documents of the block, the K old components, those that the pass created
    before, and the prior. `log_weight` float64 (K+1,): of the old ones and of all others together.
    `rows` int64 (S,): the documents. `z` int64 (S,): the draws.
    """
    n_old, n_known, gamma = len(state.n), len(weighed.base_total) - 1, state.model.gamma
    nobody, entered = np.full(len(z), -1), np.where(z < n_old, -1, z)  # the old ones stay
    for k in range(n_known, int(z.max(initial=-1)) + 1):
        i = int(np.argmax(z == k))  # the first document there opened it
        held = np.bincount(z[:i][z[:i] >= n_old] - n_old, minlength=k - n_old).astype(np.float64)
        held[: n_known - n_old] += state.next_n[n_old:]
        tail = np.log(np.append(held, gamma) / (held.sum() + gamma))
        log_prior = np.append(log_weight[:-1], log_weight[-1] + tail)
        ids = np.append(state.topic_ids, state.n_ids + np.arange(k - n_old))
        places = np.arange(k + 1)
        log_dm = weighed.log_predictive(i, nobody, entered, places)
        yield opened(
            rows[i], ids, log_prior, log_dm, partial(weighed.mean_log, i, nobody, entered, places)
        )


def begin_pass(state: State) -> None:
    """Clear the draws: the K old components at their prior, no new ones."""
    excess = np.zeros((len(state.lam), state.lam.n_words))
    state.next_lam = Dirichlets.from_excess(excess, state.lam.eta)
    state.next_n = np.zeros(len(state.lam))
    state.told = []


def end_pass(state: State) -> tuple[Event, ...]:
    """Make the draws q(beta) (equation 7), drop empty components and sort the others by size."""
    n_new = len(state.next_n) - len(state.n)
    new_ids = state.n_ids + np.arange(n_new)
    state.n_ids += n_new
    ids = np.concatenate((state.topic_ids, new_ids))
    filled = state.next_n > 0.0
    births = [Event("birth", children=(int(i),)) for i in new_ids]
    told = dict(zip(new_ids[n_new - len(state.told) :].tolist(), state.told, strict=True))
    events = list(with_details(births, told))
    events += [Event("prune", parents=(int(i),)) for i in ids[~filled]]
    lam, n, ids = state.next_lam, state.next_n[filled], ids[filled]
    lam.keep(filled)
    order = np.argsort(-n, kind="stable")
    lam.reorder(order)
    state.lam, state.n, state.topic_ids = lam, n[order], ids[order]
    state.forget_draws()
    return tuple(events)
