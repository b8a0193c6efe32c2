"""Batch mean-field inference for the Dirichlet process mixture (Blei & Jordan 2006).

q(beta_k) = Dir(lam_k), q(stick_k) = Beta(1 + N_k, gamma + sum_{l>k} N_l), q(z_i) = phi_i, with K
components and the last stick at 1 (Wang & Blei 2012, algorithm 1).
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64, I64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.concentrations import (
    ETA_PRIOR,
    log_gamma_density,
    solve_eta,
    sticks_gamma,
    sticks_gamma_bound,
)
from ..inference.dirichlet import Dirichlets
from ..inference.mixture import MixtureGiven, fit_batch, mixture_bound, mixture_topics
from ..inference.pool import Pool
from ..inference.slices import by_distinct_word
from ..inference.start import STARTS, Start, start_excess
from ..inference.sticks import expected_log_weights
from ..models.dpm import DPMixture
from ..state.invariants import IN_ORDER, Constraint, StateContext
from ..state.snapshot import Event, Info, Topics
from .base import Batching, Inference, Kind, Parallel, Preset, deaths, learned, learns


@dataclass(eq=False)
class State:
    """q after the last complete pass, and the sums of the present pass so far."""

    model: DPMixture
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("truncation")]
    n: Annotated[F64, Constraint("truncation", most="D")]
    """N_k, float64 (K,): expected documents."""
    topic_ids: Annotated[I64, IN_ORDER]
    next_lam: Annotated[Dirichlets, Constraint("truncation", or_empty=True)]
    """eta + sum over the documents of this pass so far."""
    next_n: Annotated[F64, Constraint("truncation", most="D")]
    entropy: float = 0.0
    """-sum phi ln phi over the documents of this pass so far."""
    bound: float = float("-inf")
    """Evidence lower bound after the last complete pass."""

    def mismatch(self, ground: StateContext) -> str:
        return ground.misses(self.next_lam.stats.sum(axis=1))


@dataclass(frozen=True)
class DpmBatch(Inference):
    """Coordinate ascent: a pass fits every document to a fixed q, its end makes the next q."""

    name: ClassVar[str] = "dpm-batch"
    title: ClassVar[str] = "Batch mean field"
    in_words: ClassVar[str] = "Learns from whole passes, up to a set number of clusters"
    source: ClassVar[str] = "Blei & Jordan 2006; Wang & Blei 2012, algorithm 1, equations 4 and 5"
    papers: ClassVar[tuple[str, ...]] = ("blei2006", "wang2012")
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    ascends: ClassVar[bool] = True
    colour: ClassVar[int] = 7
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=30),
        "wang-blei-2012": Preset(
            "Wang & Blei 2012",
            {"gamma": 1.0, "eta": 0.5},
            {"truncation": 300, "start": "random"},
            passes=100,
        ),
    }

    model: DPMixture = DPMixture()
    truncation: int = knob(
        100, 1, 2000, "Most components that q can use; more cost more time.", symbol="K"
    )
    start: str = knob("k-means", help="Components of the start: clusters or noise.", choices=STARTS)
    start_length: float = knob(
        100.0, 1, 1e6, "Tokens a document is given in the start.", symbol="L", more=True
    )
    tolerance: float = knob(
        1e-5, 0, 1, "Converged when the bound's relative change falls below this.", more=True
    )
    learn_gamma: bool = learns("gamma")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return lam from clusters or noise, with the sticks at their prior, Beta(1, gamma)."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`, or begin at the topics of another run."""
        size = self.truncation
        excess = start_excess(start, corpus, size, rng, self.start_length)
        return State(
            model=self.model,
            lam=Dirichlets.from_excess(excess, self.model.eta),
            n=np.zeros(size),
            topic_ids=np.arange(size),
            next_lam=Dirichlets.empty(corpus.n_words, self.model.eta, 1),
            next_n=np.zeros(size),
        )

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Fit the documents of one block; the last block of a pass ends with the global step."""
        docs, lam = batch.docs, state.lam
        if batch.index == 0:
            begin_pass(state)
        words, entries = by_distinct_word(docs)
        log_weights = expected_log_weights(state.n, state.model.gamma, truncated=True)
        given = MixtureGiven(lam.expected_log(words, pool), log_weights)
        fit = fit_batch(pool, entries, given)
        state.next_lam.add(words, fit.stats, pool=pool)
        state.next_n += fit.share.sum(axis=0)
        state.entropy += float(fit.entropy.sum())
        if batch.index < batch.of - 1:
            return state, Info()
        before = state.bound
        events = self._end_pass(state, pool)
        converged = abs(state.bound - before) <= self.tolerance * abs(state.bound)
        now = learned(self, gamma=state.model.gamma, eta=state.lam.eta)
        return state, Info(state.bound, converged, events, now)

    def _end_pass(self, state: State, pool: Pool | None) -> tuple[Event, ...]:
        """Set lam_k = eta + sum_i phi_ik c_i and N_k = sum_i phi_ik, then the bound of the new
        q."""
        before = state.n
        state.lam, state.n = state.next_lam, state.next_n
        events = deaths(before, state.n, state.topic_ids)
        # Sorting the sticks by size raises the bound when gamma <= 1; with a larger gamma it may
        # lower it, because the last stick is 1.
        if state.model.gamma <= 1.0:
            order = np.argsort(-state.n, kind="stable")
            state.lam.reorder(order)
            state.n, state.topic_ids = state.n[order], state.topic_ids[order]
        state.bound = mixture_bound(state.lam, state.n, state.entropy, state.model.gamma, pool)
        self._learn(state, pool)
        return events

    def _learn(self, state: State, pool: Pool | None) -> None:
        """Add the terms of q(gamma) and the point estimate of eta to the bound, then update both.

        The sticks and lam follow, as they are kept as counts beside gamma and eta.
        """
        if self.learn_gamma:
            gamma = state.model.gamma
            state.bound += sticks_gamma_bound(gamma, len(state.n) - 1)
            gamma = sticks_gamma(state.n, gamma, truncated=True)
            state.model = replace(state.model, gamma=gamma)
        if self.learn_eta:
            state.bound += log_gamma_density(state.lam.eta, ETA_PRIOR)
            state.lam.eta = solve_eta(state.lam, pool)

    def topics(self, state: State) -> Topics:
        return mixture_topics(
            state.lam, state.n, state.topic_ids, state.model.gamma, truncated=True
        )


def begin_pass(state: State) -> None:
    """Clear the sums: all K components at their prior."""
    n_components, n_words = len(state.lam), state.lam.n_words
    stats, sums = np.zeros((n_words, n_components)), np.zeros(n_components)
    state.next_lam = Dirichlets(state.lam.eta, stats, sums, np.arange(n_components))
    state.next_n = np.zeros(n_components)
    state.entropy = 0.0
