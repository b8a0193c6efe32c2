"""Stochastic mean-field inference for LDA (Hoffman et al. 2013, figure 6 and equations 22-26).

q(beta_k) = Dir(lam_k), q(theta_d) = Dir(gamma_d), q(z_dn) = phi_dw (one per word type).
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from ..core.arrays import F64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.concentrations import solve_alpha, solve_eta
from ..inference.dirichlet import Dirichlets
from ..inference.lda_local import LdaGiven, fit_batch, lda_topics
from ..inference.pool import Pool
from ..inference.slices import by_distinct_word
from ..inference.start import STARTS, Start, start_excess
from ..kernels.tuples import Until
from ..models.lda import LDA
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
    """K topics, and the number of steps taken."""

    model: LDA
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("n_topics")]
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """D, the number of documents in the corpus that a mini-batch is a sample of."""
    t: int = 0


@dataclass(frozen=True)
class LdaSvi(Inference):
    """Online LDA: take one noisy natural-gradient step on lam per mini-batch."""

    name: ClassVar[str] = "lda-svi"
    title: ClassVar[str] = "Stochastic mean field"
    in_words: ClassVar[str] = "Learns from small batches, fastest"
    source: ClassVar[str] = "Hoffman, Blei, Wang & Paisley 2013, figure 6, equations 22-26"
    papers: ClassVar[tuple[str, ...]] = ("hoffman2013",)
    kind: ClassVar[Kind] = "mean field"
    colour: ClassVar[int] = 2
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=3),
        "hoffman-2013": Preset(
            "Hoffman et al. 2013",
            {"n_topics": 100, "alpha": 0.01, "eta": 0.01},
            {"tau": 1.0, "kappa": 0.9, "start": "random"},
            batch_size=500,
        ),
    }

    model: LDA = LDA()
    tau: float = knob(64.0, 0, 1e6, "Delay: larger values slow the first steps.", symbol="τ")
    kappa: float = knob(
        0.6, 0.5, 1, "Forgetting rate: larger values forget early mini-batches sooner.", symbol="κ"
    )
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    start_length: float = knob(
        100.0, 1, 1e6, "Tokens a document is given at the start.", symbol="L", more=True
    )
    max_iterations: int = knob(
        100, 1, 1000, "Most iterations of one document's local step.", more=True
    )
    tolerance: float = knob(
        1e-3, 1e-8, 1, "A document is done when its mean change falls below this.", more=True
    )
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return topics at clusters, or lam - eta ~ Exponential(mean D L / (K V)) (footnote 6)."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`, or begin at the topics of another run."""
        n_topics = self.model.n_topics
        excess = start_excess(start, corpus, n_topics, rng, self.start_length)
        return State(self.model, Dirichlets.from_excess(excess, self.model.eta), corpus.n_docs)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Fit the documents of the batch, then set lam <- (1-rho) lam + rho (eta + D/S sum c
        phi)."""
        docs, lam = batch.docs, state.lam
        state.t += 1
        rho = step_size(state.t, self.tau, self.kappa)
        words, entries = by_distinct_word(docs)
        word_factor, _ = lam.word_factor(words, pool)
        prior = np.full(len(lam), state.model.alpha)
        given = LdaGiven(word_factor, prior, Until(self.max_iterations, self.tolerance))
        start = np.broadcast_to(1.0, (docs.n_docs, len(lam)))
        fit = fit_batch(pool, entries, start, given)
        before = lam.size
        lam.blend(rho, words, fit.stats, state.n_docs / docs.n_docs, pool)
        events = deaths(before, lam.size, np.arange(len(lam)))
        self._learn(state, fit.gamma, rho, pool)
        now = learned(self, alpha=state.model.alpha, eta=lam.eta)
        return state, Info(events=events, scalars={"step size": rho, **now})

    def _learn(self, state: State, gamma: F64, rho: float, pool: Pool | None) -> None:
        """Step alpha and eta along their gradients, given q(theta) of the documents, `gamma` (S,
        K)."""
        if self.learn_alpha:
            alpha = towards(state.model.alpha, solve_alpha(gamma), rho)
            state.model = replace(state.model, alpha=alpha)
        if self.learn_eta:
            state.lam.eta = towards(state.lam.eta, solve_eta(state.lam, pool), rho)

    def topics(self, state: State) -> Topics:
        return lda_topics(state.model.alpha, state.lam)
