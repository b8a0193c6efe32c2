"""Batch mean-field inference for LDA (Hoffman et al. 2013, section 3.2 with all documents a step).

q(beta_k) = Dir(lam_k), q(theta_d) = Dir(gamma_d), q(z_dn) = phi_dw (one per word type).
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import digamma

from ..core.arrays import F64
from ..core.knob import knob
from ..corpus.corpus import Batch, Corpus
from ..inference.concentrations import (
    CONCENTRATION_PRIOR,
    ETA_PRIOR,
    log_gamma_density,
    solve_alpha,
    solve_eta,
)
from ..inference.dirichlet import Dirichlets
from ..inference.lda_local import LdaGiven, fit_batch, lda_topics
from ..inference.pool import Pool
from ..inference.slices import add_at, by_distinct_word, map_slices
from ..inference.start import STARTS, Start, start_excess
from ..kernels.admixture import theta_bound
from ..kernels.tuples import Until
from ..models.lda import LDA
from ..state.invariants import TINY, Constraint, StateContext
from ..state.snapshot import Info, Topics
from .base import (
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


@dataclass(eq=False)
class State:
    """K topics, every document's proportions, and the sums of the pass under way."""

    model: LDA
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("n_topics")]
    gamma: Annotated[F64, Constraint("D", "n_topics", least=TINY)]
    """float64 (D, K): where the next fit of each document begins, so that the bound cannot fall."""
    stats: Annotated[F64, Constraint("V", "n_topics")]
    """float64 (V, K): sum over the documents of the pass so far of c_dw phi_dwk."""
    documents_bound: float = 0.0
    bound: float = float("nan")
    """The bound of the last pass."""
    passes: int = 0

    def mismatch(self, ground: StateContext) -> str:
        return ground.misses(self.stats.sum(axis=1))


@dataclass(frozen=True)
class LdaBatch(Inference):
    """Coordinate ascent: fit all documents, then the topics; the bound never falls."""

    name: ClassVar[str] = "lda-batch"
    title: ClassVar[str] = "Batch mean field"
    in_words: ClassVar[str] = "Learns from whole passes, steadily"
    source: ClassVar[str] = "Hoffman, Blei, Wang & Paisley 2013, section 3.2, equations 13-16"
    papers: ClassVar[tuple[str, ...]] = ("hoffman2013",)
    kind: ClassVar[Kind] = "mean field"
    ascends: ClassVar[bool] = True
    colour: ClassVar[int] = 7
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", batch_size=500, passes=20)
    }

    model: LDA = LDA()
    start: str = knob("k-means", help="Topics start at clusters or at noise.", choices=STARTS)
    start_length: float = knob(
        100.0, 1, 1e6, "Tokens a document is given at the start.", symbol="L", more=True
    )
    bound_tolerance: float = knob(
        1e-5,
        0,
        1,
        "The run has converged when a pass raises the bound by less than this share.",
        more=True,
    )
    max_iterations: int = knob(
        100, 1, 1000, "Most iterations of one document's local step in a pass.", more=True
    )
    tolerance: float = knob(
        1e-3, 1e-12, 1, "A document is done when its mean change falls below this.", more=True
    )
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return topics at random or at clusters, with every gamma_dk = 1 (figure 6, line 5)."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`, or begin at the topics of another run."""
        n_topics = self.model.n_topics
        excess = start_excess(start, corpus, n_topics, rng, self.start_length)
        return State(
            self.model,
            Dirichlets.from_excess(excess, self.model.eta),
            np.ones((corpus.n_docs, n_topics)),
            np.zeros((corpus.n_words, n_topics)),
        )

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Fit the documents of the block; after the last one, set lam = eta + sum c phi."""
        docs, lam = batch.docs, state.lam
        if batch.index == 0:
            state.stats[:] = 0.0
            state.documents_bound = 0.0
        words, entries = by_distinct_word(docs)
        word_factor, shift = lam.word_factor(words, pool)
        prior = np.full(len(lam), state.model.alpha)
        given = LdaGiven(word_factor, prior, Until(self.max_iterations, self.tolerance))
        fit = fit_batch(pool, entries, state.gamma[batch.rows], given)
        state.gamma[batch.rows] = fit.gamma
        add_at(pool, state.stats, words, fit.stats)
        # `log_mix` lacks what `exp_shifted` took out and the -psi(sum gamma_d) of E ln theta.
        log_mix = float(fit.log_mix.sum()) + docs.counts @ shift[entries.local]
        log_mix -= docs.doc_lengths @ digamma(fit.gamma.sum(axis=1))
        theta = np.empty(docs.n_docs)
        map_slices(pool, docs.n_docs, theta_bound, fit.gamma, prior, theta)
        state.documents_bound += float(log_mix + theta.sum())
        if batch.index < batch.of - 1:
            return state, Info()
        return state, self._end_pass(state, pool)

    def _end_pass(self, state: State, pool: Pool | None) -> Info:
        """Take the global step. The bound is exact for the old topics with the documents fitted to
        them, so no document is visited again."""
        lam = state.lam
        before = state.bound
        state.bound = state.documents_bound + lam.bound(pool) + self._log_prior(state)
        converged = state.bound - before <= self.bound_tolerance * abs(state.bound)
        size = lam.size
        lam.blend(1.0, np.arange(lam.n_words, dtype=np.int32), state.stats, pool=pool)
        events = deaths(size, lam.size, np.arange(len(lam)))
        state.passes += 1
        learning = state.passes > LEARN_AFTER
        if self.learn_alpha and learning:
            state.model = replace(state.model, alpha=solve_alpha(state.gamma))
        if self.learn_eta and learning:
            lam.eta = solve_eta(lam, pool)
        now = learned(self, alpha=state.model.alpha, eta=lam.eta)
        converged = converged and has_learned(self, state.passes)
        return Info(state.bound, bool(converged), events, now)

    def _log_prior(self, state: State) -> float:
        """Return the terms of the point estimates of alpha and eta in the bound."""
        log_prior = 0.0
        if self.learn_alpha:
            log_prior += log_gamma_density(state.model.alpha, CONCENTRATION_PRIOR)
        if self.learn_eta:
            log_prior += log_gamma_density(state.lam.eta, ETA_PRIOR)
        return log_prior

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of every document's proportions."""
        return 8 * corpus.n_docs * self.model.n_topics

    def topics(self, state: State) -> Topics:
        return lda_topics(state.model.alpha, state.lam)
