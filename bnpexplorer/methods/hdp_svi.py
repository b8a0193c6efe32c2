"""Online HDP: stochastic mean field with two levels of sticks (Wang, Paisley & Blei 2011).

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
from ..inference.concentrations import mean_of_sticks, solve_eta, sticks_gamma
from ..inference.dirichlet import Dirichlets
from ..inference.hdp_local import (
    LOCAL_STARTS,
    STICKS_STARTS,
    HdpGiven,
    fit_likely,
    hdp_topics,
    largest_first,
    likely_topics,
    start_corpus,
    topic_stats,
)
from ..inference.pool import Pool, each
from ..inference.slices import by_distinct_word, slices_of
from ..inference.start import STARTS, Start
from ..inference.sticks import even_log_weights, expected_log_weights
from ..kernels.tuples import Expected, Narrow, Until
from ..models.hdp import HDP
from ..state.invariants import ALL_DOCUMENTS, IN_ORDER, Constraint
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

LIKELY, NARROW = 48, Narrow(cut=10.0, empty=0.01)
"""A document's sticks hold its 48 most expected topics (or T, if that is more), probabilities below
exp(-10) of the largest become 0, and sticks with less than a hundredth of a token are closed. This
halves the time and costs less than 0.01 in the held-out score."""

AS_PUBLISHED = {
    "start": "random",
    "sticks_start": "prior",
    "local_start": "paper",
    "max_iterations": 100,
}
"""Starts of the papers; ours reach better optima."""


@dataclass(eq=False)
class State:
    """K topics in decreasing order of their tables, and the number of steps taken."""

    model: HDP
    """With the concentrations now in force; the eta in force is that of `lam`."""
    lam: Annotated[Dirichlets, Constraint("truncation")]
    tables: Annotated[F64, Constraint("truncation")]
    """float64 (K,): expected document sticks of each topic, u_k - 1."""
    topic_ids: Annotated[I64, IN_ORDER]
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """D, the number of documents in the corpus that a mini-batch is a sample of."""
    t: int = 0


@dataclass(frozen=True)
class HdpSvi(Inference):
    """Online HDP: take one noisy natural-gradient step on topics and sticks per mini-batch."""

    name: ClassVar[str] = "hdp-svi"
    title: ClassVar[str] = "Stochastic mean field (online HDP)"
    in_words: ClassVar[str] = "Learns from small batches, up to a set number of topics"
    source: ClassVar[str] = "Wang, Paisley & Blei 2011, equations 15-18 and 22-27"
    papers: ClassVar[tuple[str, ...]] = ("wang2011",)
    kind: ClassVar[Kind] = "mean field"
    too_short: ClassVar[int] = 10
    colour: ClassVar[int] = 1
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "documents"
    weighs: ClassVar[bool] = True
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=3),
        "wang-2011": Preset(
            "Wang, Paisley & Blei 2011",
            {"gamma": 1.0, "alpha": 1.0, "eta": 0.01},
            {"truncation": 150, "doc_truncation": 15, "tau": 64.0, "kappa": 0.6, **AS_PUBLISHED},
        ),
        "hoffman-2013": Preset(
            "Hoffman et al. 2013",
            {"gamma": 1.0, "alpha": 1.0, "eta": 0.01},
            {"truncation": 300, "doc_truncation": 20, "tau": 1.0, "kappa": 0.9, **AS_PUBLISHED},
            batch_size=500,
        ),
        "gensim": Preset(
            "Settings of gensim's HdpModel",
            {"gamma": 1.0, "alpha": 1.0, "eta": 0.01},
            {
                "truncation": 150,
                "doc_truncation": 15,
                "tau": 64.0,
                "kappa": 1.0,
                **AS_PUBLISHED,
                "sticks_start": "uniform",
            },
            passes=1,
        ),
    }

    model: HDP = HDP()
    truncation: int = knob(
        100, 1, 2000, "Most topics that the corpus may have; more take longer.", symbol="K"
    )
    doc_truncation: int = knob(
        15, 1, 200, "Most topics that one document may have; more take longer.", symbol="T"
    )
    tau: float = knob(64.0, 0, 1e6, "Delay: larger values slow the first steps.", symbol="τ")
    kappa: float = knob(
        0.6, 0.5, 1, "Forgetting rate: larger values forget early mini-batches sooner.", symbol="κ"
    )
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    sticks_start: str = knob(
        "topics",
        help="Corpus weights start as the topics do, at their prior, or even for the first batch.",
        choices=(*STICKS_STARTS, "uniform"),
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
    max_iterations: int = knob(
        8, 1, 1000, "Most iterations of one document's local step.", more=True
    )
    tolerance: float = knob(
        1e-4,
        1e-12,
        1,
        "A document is done when its bound's relative change falls below this.",
        more=True,
    )
    learn_gamma: bool = learns("gamma")
    learn_alpha: bool = learns("alpha")
    learn_eta: bool = learns("eta")

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        """Return random topics or clusters of documents."""
        return self.begin(corpus, self.start, rng)

    def begin(self, corpus: Corpus, start: Start, rng: np.random.Generator) -> State:
        """Do as `init`, or begin at the topics of another run."""
        n_topics = self.truncation
        lam, tables = start_corpus(
            start, self.sticks_start, corpus, self.model.eta, n_topics, self.start_length, rng
        )
        return State(self.model, lam, tables, np.arange(n_topics, dtype=np.int64), corpus.n_docs)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """Fit the documents of the batch (15-18), then step lam, u, v along the gradient
        (22-27)."""
        docs, lam, model = batch.docs, state.lam, state.model
        state.t += 1
        rho = step_size(state.t, self.tau, self.kappa)
        words, entries = by_distinct_word(docs)
        elog = lam.expected_log(words, pool)
        if self.sticks_start == "uniform" and state.t == 1:
            log_weight = even_log_weights(len(lam))
        else:
            log_weight = expected_log_weights(state.tables, model.gamma, truncated=True)
        n_sticks = self.doc_truncation
        until = Until(self.max_iterations, self.tolerance)
        expected = Expected(elog, log_weight, model.alpha)
        given = HdpGiven(expected, n_sticks, self.local_start, until, NARROW)
        n_likely, slices = max(LIKELY, n_sticks), slices_of(entries, len(words), pool)
        likely, tokens = likely_topics(entries, expected, n_likely, NARROW.cut, pool)
        pieces = [(s, likely[s.first : s.last], tokens[s.first : s.last]) for s in slices]
        fits = each(pool, fit_likely, pieces, given)
        stats = topic_stats(pool, slices, fits, len(words))
        tables = np.sum([fit.tables for fit in fits], axis=0)
        scale = state.n_docs / docs.n_docs
        before = lam.size
        lam.blend(rho, words, stats, scale, pool)
        events = deaths(before, lam.size, state.topic_ids)
        state.tables = (1.0 - rho) * state.tables + rho * scale * tables
        order = largest_first(state.tables)
        lam.reorder(order)
        state.tables, state.topic_ids = state.tables[order], state.topic_ids[order]
        self._learn(state, scale * sum(fit.log_left for fit in fits), rho, pool)
        now = learned(self, gamma=state.model.gamma, alpha=state.model.alpha, eta=lam.eta)
        return state, Info(events=events, scalars={"step size": rho, **now})

    def _learn(self, state: State, log_left: float, rho: float, pool: Pool | None) -> None:
        """Learn gamma from the corpus sticks, eta from the topics, and alpha from what all
        documents' sticks leave, which `log_left` estimates from the batch."""
        gamma, alpha = state.model.gamma, state.model.alpha
        if self.learn_gamma:
            gamma = towards(gamma, sticks_gamma(state.tables, gamma, truncated=True), rho)
        if self.learn_alpha:
            n_sticks = state.n_docs * (self.doc_truncation - 1)
            alpha = towards(alpha, mean_of_sticks(n_sticks, log_left), rho)
        state.model = replace(state.model, gamma=gamma, alpha=alpha)
        if self.learn_eta:
            state.lam.eta = towards(state.lam.eta, solve_eta(state.lam, pool), rho)

    def topics(self, state: State) -> Topics:
        return hdp_topics(
            state.model.gamma, state.model.alpha, state.lam, state.tables, state.topic_ids
        )
