"""Batch mean field for the HDP with two levels of sticks (Wang, Paisley & Blei 2011, section 3.1).

q(beta_k) = Dir(lam_k), q(corpus stick k) = Beta(u_k, v_k), and per document q(c_di) = zeta_di,
q(stick i) = Beta, q(z_dn) = phi_dw. K topics in the corpus, T sticks in a document. The letters
follow Hoffman et al. 2013, figure 9. The paper exchanges them: varphi for q(c) and zeta for q(z).
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
    mean_of_sticks,
    solve_eta,
    sticks_gamma,
    sticks_gamma_bound,
)
from ..inference.dirichlet import Dirichlets
from ..inference.hdp_local import (
    LOCAL_STARTS,
    STICKS_STARTS,
    HdpFitted,
    HdpGiven,
    entries_of,
    fit_again,
    fit_over,
    fit_unseen,
    hdp_topics,
    largest_first,
    likely_topics,
    start_corpus,
    topic_stats,
)
from ..inference.pool import Pool, each, in_place, mapped
from ..inference.slices import add_at, by_distinct_word, slices_of
from ..inference.start import STARTS, Start
from ..inference.sticks import expected_log_weights, sticks_bound
from ..kernels.tuples import Expected, Narrow, Until
from ..models.hdp import HDP
from ..state.invariants import IN_ORDER, Constraint, StateContext, close
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

NARROW = Narrow(cut=30.0, empty=0.0)
"""Probabilities below exp(-30) of the largest become 0; the bound does not change visibly."""


@dataclass(eq=False)
class State:
    """q after the last complete pass, and the sums of the present pass so far."""

    model: HDP
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("truncation")]
    tables: Annotated[F64, Constraint("truncation")]
    """float64 (K,): u_k - 1, the expected document sticks of each topic."""
    topic_ids: Annotated[I64, IN_ORDER]
    indptr: Annotated[I64, Constraint("D+1")]
    """int64 (D+1,): where the entries of each document of the corpus lie in `phi`."""
    phi: Annotated[F64, Constraint("U", "doc_truncation", most=1)]
    """float64 (U, T): where the next fit of each document begins, so that the bound cannot fall."""
    stats: Annotated[F64, Constraint("V", "truncation")]
    """float64 (V, K): sum over the documents of the pass so far of c_dw sum_i phi_dwi zeta_dik."""
    next_tables: Annotated[F64, Constraint("truncation")]
    documents_bound: float = 0.0
    log_left: float = 0.0
    """sum over the documents of the pass so far, and their sticks, of E ln(1 - stick)."""
    bound: float = float("nan")
    """The bound of the last pass."""
    passes: int = 0

    def mismatch(self, ground: StateContext) -> str:
        """Report other documents than the corpus has, or documents without a start."""
        corpus = ground.corpus
        rows = ground.rows_of_pass if self.passes == 0 else ground.order[:]
        if not np.array_equal(self.indptr, corpus.indptr) or self.passes != ground.n_passes:
            return "other documents or passes"
        shares = self.phi[entries_of(self.indptr, rows)].sum(axis=1)
        if not close(shares, np.ones(len(shares))):
            return "documents without a start"
        return ground.misses(self.stats.sum(axis=1))


@dataclass(frozen=True)
class HdpBatch(Inference):
    """Coordinate ascent: all documents, then topics and corpus sticks; the bound never falls."""

    name: ClassVar[str] = "hdp-batch"
    title: ClassVar[str] = "Batch mean field"
    in_words: ClassVar[str] = "Learns from whole passes, up to a set number of topics"
    source: ClassVar[str] = "Wang, Paisley & Blei 2011, equations 14-21"
    papers: ClassVar[tuple[str, ...]] = ("wang2011",)
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    ascends: ClassVar[bool] = True
    colour: ClassVar[int] = 5
    batching: ClassVar[Batching] = "fixed"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=20),
        "wang-2011": Preset(
            "Wang, Paisley & Blei 2011",
            {"gamma": 1.0, "alpha": 1.0, "eta": 0.01},
            {
                "truncation": 150,
                "doc_truncation": 15,
                "start": "random",
                "sticks_start": "prior",
                "local_start": "paper",
                "max_iterations": 100,
            },
            passes=100,
        ),
    }

    model: HDP = HDP()
    truncation: int = knob(
        100, 1, 2000, "Most topics that the corpus may have; more take longer.", symbol="K"
    )
    doc_truncation: int = knob(
        15, 1, 200, "Most topics that one document may have; more take longer.", symbol="T"
    )
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    sticks_start: str = knob(
        "topics",
        help="Corpus weights start in proportion to the topics of the start or at their prior.",
        choices=STICKS_STARTS,
        more=True,
    )
    local_start: str = knob(
        "greedy",
        help="A document's sticks start at its most expected topics, or all alike.",
        choices=LOCAL_STARTS,
        more=True,
    )
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
        8, 1, 1000, "Most iterations of one document's local step in a pass.", more=True
    )
    tolerance: float = knob(
        1e-4,
        1e-14,
        1,
        "A document is done when its bound's relative change falls below this.",
        more=True,
    )
    learn_gamma: bool = learns("gamma")
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return topics at random or at clusters; `phi` is filled as documents are first seen."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`, or begin at the topics of another run."""
        n_topics = self.truncation
        lam, tables = start_corpus(
            start, self.sticks_start, corpus, self.model.eta, n_topics, self.start_length, rng
        )
        return State(
            self.model,
            lam,
            tables,
            np.arange(n_topics, dtype=np.int64),
            np.array(corpus.indptr),
            np.zeros((len(corpus.word_ids), self.doc_truncation)),
            np.zeros((corpus.n_words, n_topics)),
            np.zeros(n_topics),
        )

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Fit the documents of the block (15-18); after the last one, update lam, u and v
        (19-21)."""
        docs, model = batch.docs, state.model
        if batch.index == 0:
            state.stats[:] = 0.0
            state.next_tables[:] = 0.0
            state.documents_bound = state.log_left = 0.0
        words, entries = by_distinct_word(docs)
        elog = state.lam.expected_log(words, pool)
        log_weight = expected_log_weights(state.tables, model.gamma, truncated=True)
        places = entries_of(state.indptr, batch.rows)
        until, n_sticks = Until(self.max_iterations, self.tolerance), self.doc_truncation
        expected = Expected(elog, log_weight, model.alpha)
        given = HdpGiven(expected, n_sticks, self.local_start, until, NARROW)
        ends, slices = entries.indptr, slices_of(entries, len(words), pool)
        kept = [places[ends[s.first] : ends[s.last]] for s in slices]
        if state.passes == 0:
            top, tokens = likely_topics(entries, expected, n_sticks, NARROW.cut, pool)
            unseen = [(s, top[s.first : s.last], tokens[s.first : s.last]) for s in slices]
            fits = each(pool, fit_unseen, unseen, given)
        elif in_place(pool):
            fits = mapped(pool, lambda s, rows: fit_over(s, state.phi[rows], given), slices, kept)
        else:
            seen = [(s, state.phi[rows]) for s, rows in zip(slices, kept, strict=True)]
            fits = each(pool, fit_again, seen, given)

        def keep(rows: I64, fit: HdpFitted) -> None:
            state.phi[rows] = fit.phi

        mapped(pool, keep, kept, fits)
        add_at(pool, state.stats, words, topic_stats(pool, slices, fits, len(words)))
        state.next_tables += np.sum([fit.tables for fit in fits], axis=0)
        state.documents_bound += sum(fit.bound for fit in fits)
        state.log_left += sum(fit.log_left for fit in fits)
        if batch.index < batch.of - 1:
            return state, Info()
        return state, self._end_pass(state, pool)

    def _end_pass(self, state: State, pool: Pool | None) -> Info:
        """Take the global step. The bound is exact for the old q(corpus) with the documents fitted
        to it, so no document is visited again."""
        lam, gamma, before = state.lam, state.model.gamma, state.bound
        state.bound = state.documents_bound + lam.bound(pool) + sticks_bound(state.tables, gamma)
        state.bound += self._bound_of_learning(state)
        converged = state.bound - before <= self.bound_tolerance * abs(state.bound)
        size = lam.size
        lam.blend(1.0, np.arange(lam.n_words, dtype=np.int32), state.stats, pool=pool)
        events = deaths(size, lam.size, state.topic_ids)
        state.tables = state.next_tables.copy()
        order = largest_first(state.tables)
        if _order_bound(state.tables[order], gamma) > _order_bound(state.tables, gamma):
            lam.reorder(order)
            state.tables, state.topic_ids = state.tables[order], state.topic_ids[order]
        state.passes += 1
        if state.passes > LEARN_AFTER:
            self._learn(state, pool)
        now = learned(self, gamma=state.model.gamma, alpha=state.model.alpha, eta=lam.eta)
        converged = converged and has_learned(self, state.passes)
        return Info(state.bound, bool(converged), events, now)

    def _n_doc_sticks(self, state: State) -> int:
        return (len(state.indptr) - 1) * (self.doc_truncation - 1)

    def _bound_of_learning(self, state: State) -> float:
        """Return the terms of q(gamma), q(alpha) and the point estimate of eta in the bound."""
        bound = 0.0
        if self.learn_gamma:
            bound += sticks_gamma_bound(state.model.gamma, len(state.tables) - 1)
        if self.learn_alpha:
            bound += sticks_gamma_bound(state.model.alpha, self._n_doc_sticks(state))
        if self.learn_eta:
            bound += log_gamma_density(state.lam.eta, ETA_PRIOR)
        return bound

    def _learn(self, state: State, pool: Pool | None) -> None:
        """Learn gamma from the corpus sticks, alpha from all documents' sticks, eta from the
        topics."""
        gamma, alpha = state.model.gamma, state.model.alpha
        if self.learn_gamma:
            gamma = sticks_gamma(state.tables, gamma, truncated=True)
        if self.learn_alpha:
            alpha = mean_of_sticks(self._n_doc_sticks(state), state.log_left)
        state.model = replace(state.model, gamma=gamma, alpha=alpha)
        if self.learn_eta:
            state.lam.eta = solve_eta(state.lam, pool)

    def memory(self, corpus: Corpus) -> int:
        """Return the bytes of the sticks of every entry."""
        return 8 * (corpus.n_docs + 1 + corpus.n_pairs * self.doc_truncation)

    def topics(self, state: State) -> Topics:
        return hdp_topics(
            state.model.gamma, state.model.alpha, state.lam, state.tables, state.topic_ids
        )


def _order_bound(tables: F64, gamma: float) -> float:
    """Return the terms of the bound that depend on the order of the topics, at the best sticks.

    Decreasing counts maximise them if gamma <= 1. With a larger gamma another order can be better,
    since the last stick is 1, and reordering would let the bound fall.
    """
    log_weight = expected_log_weights(tables, gamma, truncated=True)
    return float(tables @ log_weight) + sticks_bound(tables, gamma)
