"""Memoized variational inference for the HDP (Hughes & Sudderth 2013; Hughes, Kim &
Sudderth 2015).

q(beta_k) = Dir(lam_k), q(stick_k) = Beta(rho_k omega_k, (1 - rho_k) omega_k), q(pi_d) =
Dir(theta_d) over K topics and a rest, and q(z) by direct assignment. Every visit replaces one
block's summaries in the sums over the whole corpus and updates topics and sticks from these sums:
no step size, and the bound never falls. The mathematics is in `fit.py`.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ...core.arrays import I64
from ...core.knob import knob
from ...corpus.corpus import Batch, Corpus
from ...inference.concentrations import ETA_PRIOR, log_gamma_density, solve_eta
from ...inference.pool import Pool
from ...inference.slices import USUAL_BATCH
from ...inference.start import STARTS, Start
from ...kernels.tuples import Until
from ...models.hdp import HDP
from ...state.invariants import IN_ORDER, Constraint
from ...state.snapshot import Info, Topics
from ..base import (
    LEARN_AFTER,
    Batching,
    Inference,
    Kind,
    Parallel,
    Preset,
    deaths,
    has_learned,
    learned,
    learns,
)
from .bound import bound_of, bound_of_learning, columns_of, learn
from .fit import DirectFit, direct_topics, kept_bytes, settle, start_fit, visit


@dataclass(eq=False)
class State:
    """q of the corpus; between the passes also the bound of the last one."""

    model: HDP
    """With the concentrations now in force."""
    fit: Annotated[DirectFit, Constraint("truncation")]
    topic_ids: Annotated[I64, IN_ORDER]
    passes: int = 0
    bound: float = float("nan")


@dataclass(frozen=True)
class HdpMemoized(Inference):
    """Visit block after block with the sums of all others kept; the bound never falls."""

    name: ClassVar[str] = "hdp-memoized"
    title: ClassVar[str] = "Memoized mean field"
    in_words: ClassVar[str] = "Learns from blocks and remembers each"
    source: ClassVar[str] = (
        "Hughes & Sudderth 2013, section 3; Hughes, Kim & Sudderth 2015, surrogate bound (run by "
        "Liu et al. 2022, table 1, as MOVI)"
    )
    papers: ClassVar[tuple[str, ...]] = ("hughes2013", "hughes2015", "liu2022")
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 40
    ascends: ClassVar[bool] = True
    colour: ClassVar[int] = 4
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset(
            "For thousands of documents: alpha and gamma are learned",
            # A fixed alpha of 5 let texts of 6 to 24 words fall below word frequencies as the bound
            # rose (benchmarks/README.md, what defaults are worth).
            knobs={"learn_gamma": True, "learn_alpha": True},
            passes=20,
        ),
        "liu-2022": Preset(
            "Liu et al. 2022",
            {"gamma": 5.0, "alpha": 5.0, "eta": 5.0},
            {"truncation": 100, "start": "random"},
            passes=20,
        ),
    }

    model: HDP = HDP()
    truncation: int = knob(
        100, 1, 2000, "Most topics that the corpus may have; more take longer.", symbol="K"
    )
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    bound_tolerance: float = knob(
        1e-5,
        0,
        1,
        "The run has converged when a pass raises the bound by less than this share.",
        more=True,
    )
    max_iterations: int = knob(
        20, 1, 1000, "Most iterations of one document's local step in a visit.", more=True
    )
    tolerance: float = knob(
        1e-3, 1e-14, 1, "A document is done when its mean change falls below this.", more=True
    )
    learn_gamma: bool = learns("gamma")
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Topics at random or at clusters; no block was visited."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """As `init`, or at the topics of another run."""
        fit = start_fit(self.model, start, corpus, self.truncation, rng)
        return State(self.model, fit, np.arange(self.truncation, dtype=np.int64))

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """One visit; the bound is reported at the end of a pass."""
        size = state.fit.lam.size
        until = Until(self.max_iterations, self.tolerance)
        visit(state.fit, state.model, batch, pool, until)
        events = deaths(size, state.fit.lam.size, state.topic_ids)
        if batch.index < batch.of - 1:
            return state, Info(events=events)
        before, model, which = state.bound, state.model, (self.learn_gamma, self.learn_alpha)
        settle(state.fit, model, pool)
        state.bound = bound_of(columns_of(state.fit, pool), model, state.fit.n_docs)
        state.bound += bound_of_learning(model, len(state.topic_ids), *which)
        if self.learn_eta:
            state.bound += log_gamma_density(state.fit.lam.eta, ETA_PRIOR)
        converged = state.bound - before <= self.bound_tolerance * abs(state.bound)
        state.passes += 1
        if state.passes > LEARN_AFTER:
            state.model = learn(state.fit, model, *which, pool)
            if self.learn_eta:
                state.fit.lam.eta = solve_eta(state.fit.lam, pool)
        model, eta = state.model, state.fit.lam.eta
        now = learned(self, gamma=model.gamma, alpha=model.alpha, eta=eta)
        converged = converged and has_learned(self, state.passes)
        return state, Info(state.bound, bool(converged), events, now)

    def topics(self, state: State) -> Topics:
        return direct_topics(state.model, state.fit, state.topic_ids)

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of the blocks' summaries. Smaller blocks share fewer words and need
        more, at most 8 bytes for every topic and every pair of document and word."""
        return kept_bytes(corpus, self.truncation, USUAL_BATCH)
