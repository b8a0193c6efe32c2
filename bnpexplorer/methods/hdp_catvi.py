"""Conditional and adaptively truncated inference for the HDP (Liu et al. 2022).

q(G_0) = sum_k m_k delta_k + m_0 DP(gamma H), q(beta_k) = Dir(lam_k). The proportions of documents
are integrated out, and the topics of a mini-batch's tokens are drawn one at a time; a token that
falls outside the K topics refines the partition by one. The paper's alpha is our gamma, its gamma
our alpha. Its equation 11 is not printed; (B.3) is what it must be.
"""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..corpus.corpus import Batch, Corpus
from ..knob import knob
from ..models import catvi
from ..models.catvi import Partition
from ..models.concentrations import solve_tables
from ..models.hdp import HDP
from ..models.start import STARTS
from ..snapshot import Info, Topics
from .base import Batching, Inference, Preset, learns, step_size, towards


@dataclass(frozen=True)
class HdpCatvi(Inference):
    """Draw topics under fixed expectations; then one step on the weights and on lam."""

    name: ClassVar[str] = "hdp-catvi"
    title: ClassVar[str] = "Conditional, adaptively truncated (CATVI)"
    source: ClassVar[str] = "Liu et al. 2022, algorithm 1, equations 12 and B.1-B.3"
    batching: ClassVar[Batching] = "shuffled"
    state_type: ClassVar[type] = Partition
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", batch_size=64, passes=4),
        "liu-2022": Preset(
            "Liu et al. 2022",
            {"gamma": 5.0, "alpha": 5.0, "eta": 5.0},
            {"start_topics": 100, "start": "random", "tau": 64.0, "kappa": 1.0},
            batch_size=256,
        ),
    }

    model: HDP = HDP(gamma=5.0, alpha=5.0, eta=0.5)
    start_topics: int = knob(
        100, 0, 2000, "Topics at the start; from 0, all are found in the texts.", symbol="K₀"
    )
    start: str = knob(
        "k-means", help="Topics start at clusters of documents or at noise.", choices=STARTS
    )
    burn_in: int = knob(
        10, 0, 1000, "Sweeps over a document before its draws count: more, and topics fit better."
    )
    kept_sweeps: int = knob(
        5, 1, 1000, "Sweeps whose draws are averaged: more, and steps are less noisy."
    )
    tau: float = knob(1.0, 0, 1e6, "Delay: larger values slow the first steps.", symbol="τ")
    kappa: float = knob(
        0.7, 0.5, 1, "Forgetting rate: larger values forget early mini-batches sooner.", symbol="κ"
    )
    learn_alpha: bool = learns("alpha")
    new_topic_word: str = knob(
        "expected-log",
        help="Probability of a word that opens a topic: exp(E ln beta), as in the paper, or 1/V, "
        "which opens topics for small eta too but is not the paper's.",
        choices=catvi.NEW_TOPIC_WORDS,
        more=True,
    )
    warm_new: bool = knob(
        True,
        help="A topic opened in a mini-batch takes on the words of its tokens at once rather than "
        "at the end of the batch.",
        more=True,
    )
    g0_rule: str = knob(
        "map",
        help="What weights are drawn to: the maximum as printed (the mean where gamma is 1 or "
        "less), the mean, or the maximum with the Jacobian that the paper leaves out.",
        choices=catvi.G0_RULES,
        more=True,
    )
    start_length: float = knob(
        100.0, 1, 1e6, "Tokens a document is given at the start.", symbol="L", more=True
    )

    def init(self, corpus: Corpus, rng: np.random.Generator) -> Partition:
        """Random topics or clusters of documents, with nearly even weights."""
        model = self.model
        return catvi.start_partition(
            self.start, corpus, self.start_topics, model.eta, model.alpha, self.start_length, rng
        )

    def step(
        self, state: Partition, batch: Batch, rng: np.random.Generator, pool: Executor | None
    ) -> tuple[Partition, Info]:
        """Algorithm 1 for one mini-batch.

        A topic opened by one document can be joined by the next ones: sequential, without `pool`.
        """
        docs, gamma = batch.docs, self.model.gamma
        state.t += 1
        rho = step_size(state.t, self.tau, self.kappa)
        draws = catvi.sample(
            state, docs, gamma, self.new_topic_word, self.burn_in, self.kept_sweeps, self.warm_new,
            rng,
        )  # fmt: skip
        births = catvi.refine(state, draws)
        tally = catvi.count(state, draws)
        scalars = {
            "step size": rho,
            "new topics": float(len(births)),
            "objective": catvi.objective(state, tally, gamma, self.g0_rule),
        }
        catvi.learn(state, draws, tally, rho, gamma, self.g0_rule)
        if self.learn_alpha:
            alpha, tables = state.concentration, float(tally.tables.sum())
            lengths = docs.doc_lengths.astype(np.float64)
            best = solve_tables(tables, lengths, tally.scale, alpha, mode=True)
            state.concentration = towards(alpha, best, rho)
            scalars["alpha"] = state.concentration
        return state, Info(events=births + catvi.prune(state), scalars=scalars)

    def topics(self, state: Partition) -> Topics:
        return catvi.partition_topics(state, self.model.gamma)

    def caution(self) -> str:
        """Small eta: new topics are all but impossible, or stay single words."""
        return catvi.growth_caution(self.model.eta, self.new_topic_word)
