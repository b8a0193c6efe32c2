"""Stochastic steps for LDA whose documents are folded in under the expected topics.

q(beta_k) = Dir(lam_k); theta_d from the model's fold-in; phi_dwk prop. to theta_dk E beta_kw.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from bnpexplorer.core.arrays import F64
from bnpexplorer.core.knob import knob
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.pool import Pool
from bnpexplorer.inference.start import STARTS, start_excess
from bnpexplorer.methods.base import Batching, Inference, Kind, Parallel, Preset, deaths, step_size
from bnpexplorer.models.lda import LDA
from bnpexplorer.state.invariants import ALL_DOCUMENTS, Constraint
from bnpexplorer.state.snapshot import Info, Topics


@dataclass(eq=False)
class State:
    """K topics, and how many steps were taken."""

    lam: Annotated[F64, Constraint("n_topics", "V")]
    """float64 (K, V): the Dirichlet parameters of the topics."""
    n_docs: Annotated[int, ALL_DOCUMENTS]
    """D, the corpus that a mini-batch stands for."""
    t: int = 0


@dataclass(frozen=True)
class LdaXyz(Inference):
    """Fold in the documents of a mini-batch, then one step on lam."""

    name: ClassVar[str] = "lda-xyz"
    title: ClassVar[str] = "Stochastic steps by fold-in"
    in_words: ClassVar[str] = "Learns from small batches, simply"
    source: ClassVar[str] = "after Hoffman, Blei, Wang & Paisley 2013, figure 6"
    papers: ClassVar[tuple[str, ...]] = ("hoffman2013",)
    kind: ClassVar[Kind] = "mean field"
    colour: ClassVar[int] = 0
    batching: ClassVar[Batching] = "shuffled"
    parallel: ClassVar[Parallel] = "documents"
    state_type: ClassVar[type] = State
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", passes=3)
    }

    model: LDA = LDA()
    tau: float = knob(64.0, 0, 1e6, "Delay: larger values slow the first steps.", symbol="τ")
    kappa: float = knob(0.6, 0.5, 1, "Larger values forget early mini-batches sooner.", symbol="κ")
    start: str = knob("k-means", help="Topics start at clusters or at noise.", choices=STARTS)

    def init(self, corpus: Corpus, rng: np.random.Generator) -> State:
        excess = start_excess(self.start, corpus, self.model.n_topics, rng, 100.0)
        return State(self.model.eta + excess, corpus.n_docs)

    def step(
        self, state: State, batch: Batch, rng: np.random.Generator, pool: Pool | None
    ) -> tuple[State, Info]:
        """lam <- (1 - rho) lam + rho (eta + D/S sum_d c_dw phi_dw)."""
        state.t += 1
        rho, before = step_size(state.t, self.tau, self.kappa), self.topics(state)
        theta = self.model.fold_in(before, batch.docs, pool)
        beta = before.topic_word.astype(np.float64)
        counts = batch.docs.to_csr().toarray()
        stats = beta * (theta.T @ (counts / (theta @ beta)))
        times = state.n_docs / batch.docs.n_docs
        state.lam = (1.0 - rho) * state.lam + rho * (self.model.eta + times * stats)
        events = deaths(before.size, self.topics(state).size, before.topic_ids)
        return state, Info(events=events, scalars={"step size": rho})

    def topics(self, state: State) -> Topics:
        total, n_topics = state.lam.sum(axis=1), len(state.lam)
        return Topics(
            topic_word=(state.lam / total[:, None]).astype(np.float32),
            total=total,
            size=np.maximum(total - self.model.eta * state.lam.shape[1], 0.0),
            weight=np.full(n_topics, 1.0 / n_topics),
            unseen=0.0,
            topic_ids=np.arange(n_topics),
            concentration=self.model.alpha * n_topics,
            gamma=float("nan"),
            eta=self.model.eta,
        )
