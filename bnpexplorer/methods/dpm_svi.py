"""Stochastic mean-field inference for the Dirichlet process mixture.

The truncated method that Wang & Blei 2012 compare with (section 3): q as in batch mean field, with
one noisy natural-gradient step per mini-batch (Hoffman et al. 2013).
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.concentrations import solve_eta, sticks_gamma
from ..inference.dirichlet import Dirichlets
from ..inference.mixture import MixtureGiven, fit_batch, mixture_topics
from ..inference.pool import Pool
from ..inference.slices import by_distinct_word
from ..inference.start import STARTS, Start, start_excess
from ..inference.sticks import expected_log_weights
from ..models.dpm import DPMixture
from ..state.invariants import ALL_DOCUMENTS, Constraint
from ..state.snapshot import Info, Topics
from .base import (
    Batching,
    Inference,
    Kind,
    Parallel,
    Preset,
    deaths,
    learned,
    learns,
    step_size,
    towards,
)


@dataclass(eq=False)
class State:
    """q, and the number of steps taken."""

    model: DPMixture
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("truncation")]
    n: Annotated[F64, Constraint("truncation", most="D")]
    """N_k, float64 (K,): expected documents."""
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """Documents in the corpus that a mini-batch is a sample of."""
    t: int = 0


@dataclass(frozen=True)
class DpmSvi(Inference):
    """Take one noisy natural-gradient step on lam and the sticks per mini-batch."""

    name: ClassVar[str] = "dpm-svi"
    title: ClassVar[str] = "Stochastic mean field"
    in_words: ClassVar[str] = "Learns from small batches, up to a set number of clusters"
    source: ClassVar[str] = "Wang & Blei 2012, section 3; Hoffman et al. 2013, equations 22-26"
    papers: ClassVar[tuple[str, ...]] = ("wang2012", "hoffman2013")
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 4
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=5),
        "wang-blei-2012": Preset(
            "Wang & Blei 2012",
            {"gamma": 1.0, "eta": 0.5},
            {"truncation": 300, "start": "random", "tau": 1.0, "kappa": 0.6},
            batch_size=500,
        ),
    }

    model: DPMixture = DPMixture()
    truncation: int = knob(
        100, 1, 2000, "Most components that q can use; more cost more time.", symbol="K"
    )
    tau: float = knob(64.0, 0, 1e6, "Delay: larger values slow the first steps.", symbol="τ")
    kappa: float = knob(
        0.6, 0.5, 1, "Forgetting rate: larger values forget early mini-batches sooner.", symbol="κ"
    )
    start: str = knob("k-means", help="Components of the start: clusters or noise.", choices=STARTS)
    start_length: float = knob(
        100.0, 1, 1e6, "Tokens a document is given in the start.", symbol="L", more=True
    )
    learn_gamma: bool = learns("gamma")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return lam from clusters or noise, with the sticks at their prior, Beta(1, gamma)."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`, or begin at the topics of another run."""
        excess = start_excess(start, corpus, self.truncation, rng, self.start_length)
        lam = Dirichlets.from_excess(excess, self.model.eta)
        return State(self.model, lam, np.zeros(self.truncation), corpus.n_docs)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Fit the documents of the batch, then move q by rho towards what n/S such batches give.

        The linear step on both parameters of the Betas is a linear step on N.
        """
        docs, lam = batch.docs, state.lam
        state.t += 1
        times = state.n_docs / docs.n_docs
        rho = max(step_size(state.t, self.tau, self.kappa), 1.0 / times)
        words, entries = by_distinct_word(docs)
        log_weights = expected_log_weights(state.n, state.model.gamma, truncated=True)
        given = MixtureGiven(lam.expected_log(words, pool), log_weights)
        fit = fit_batch(pool, entries, given)
        before = state.n
        state.n = (1.0 - rho) * state.n + rho * times * fit.share.sum(axis=0)
        lam.blend(rho, words, fit.stats, times, pool)
        events = deaths(before, state.n, np.arange(len(lam)))
        if self.learn_gamma:
            best = sticks_gamma(state.n, state.model.gamma, truncated=True)
            state.model = replace(state.model, gamma=towards(state.model.gamma, best, rho))
        if self.learn_eta:
            lam.eta = towards(lam.eta, solve_eta(lam, pool), rho)
        now = learned(self, gamma=state.model.gamma, eta=lam.eta)
        return state, Info(events=events, scalars={"step size": rho, **now})

    def topics(self, state: State) -> Topics:
        ids = np.arange(len(state.lam))
        return mixture_topics(state.lam, state.n, ids, state.model.gamma, truncated=True)
