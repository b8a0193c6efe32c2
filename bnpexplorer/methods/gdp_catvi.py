"""Conditional and adaptively truncated inference for the gamma-Dirichlet process (Liu et al. 2022).

As `hdp_catvi.py`, but the corpus measure G_0 is drawn from a gamma process: q(G_0) = mu (sum_k m_k
delta_k + m_0 DP(gamma H)), and its mass mu, which stands where the HDP has alpha, is learned. The
paper's alpha is our gamma.
"""

import math
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..corpus.corpus import Batch, Corpus
from ..knob import knob
from ..models import catvi
from ..models.catvi import Partition, Tally
from ..models.concentrations import solve_tables
from ..models.gdp import GammaDP
from ..models.start import STARTS
from ..snapshot import Info, Topics
from .base import Batching, Inference, Preset, step_size, towards

SMALLEST_MASS, LARGEST_STEP = 1e-3, 0.5
"""Bounds of the raw gradient step on mu and on ln mu: the gradient grows with the corpus."""


@dataclass(frozen=True)
class GdpCatvi(Inference):
    """Draw topics under fixed expectations; then one step on the weights, the mass and lam."""

    name: ClassVar[str] = "gdp-catvi"
    title: ClassVar[str] = "Conditional, adaptively truncated (CATVI)"
    source: ClassVar[str] = "Liu et al. 2022, algorithm 1, equations B.2 and B.4-B.7"
    batching: ClassVar[Batching] = "shuffled"
    state_type: ClassVar[type] = Partition
    presets: ClassVar[dict[str, Preset]] = {
        "default": Preset("For thousands of documents", batch_size=64, passes=4),
        "liu-2022": Preset(
            "Liu et al. 2022",
            {"gamma": 5.0, "eta": 5.0},
            {"start_topics": 100, "start": "random", "tau": 64.0, "kappa": 1.0},
            batch_size=256,
        ),
    }

    model: GammaDP = GammaDP(gamma=5.0, eta=0.5)
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
    mass_step: str = knob(
        "fixed-point",
        help="How the mass is learned: towards the maximum for the draws, or by the paper's raw "
        "gradient, which overshoots.",
        choices=("fixed-point", "raw"),
        more=True,
    )
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
        """Random topics or clusters of documents, even weights; the mass starts at its mean."""
        gamma, eta = self.model.gamma, self.model.eta
        return catvi.start_partition(
            self.start, corpus, self.start_topics, eta, gamma, self.start_length, rng
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
            "objective": self._objective(state, docs, tally),
        }
        catvi.learn(state, draws, tally, rho, gamma, self.g0_rule)
        state.concentration = self._better_mass(state.concentration, docs, tally, rho)
        scalars["mass"] = state.concentration
        return state, Info(events=births + catvi.prune(state), scalars=scalars)

    def _objective(self, state: Partition, docs: Corpus, tally: Tally) -> float:
        """Equation (B.4), with -mu as in the law of the mass (C.7 prints +mu)."""
        of_weights = catvi.objective(state, tally, self.model.gamma, self.g0_rule)
        of_mass = catvi.mass_objective(
            state.concentration, docs.doc_lengths.astype(np.float64), tally.scale, self.model.gamma
        )
        return of_weights + of_mass

    def _better_mass(self, mass: float, docs: Corpus, tally: Tally, rho: float) -> float:
        """One step on mu.

        The gradient (B.7) is 0 where the documents expect, beside the prior Gamma(gamma, 1), the
        tables that they have. It is of the order of the corpus, so a raw step overshoots.
        """
        gamma, tables = self.model.gamma, float(tally.tables.sum())
        lengths = docs.doc_lengths.astype(np.float64)
        if self.mass_step == "fixed-point":
            prior = (gamma, 1.0)
            best = solve_tables(tables, lengths, tally.scale, mass, prior, mode=True)
            return towards(mass, best, rho)
        raw = mass + rho * catvi.mass_gradient(mass, tables, lengths, tally.scale, gamma)
        low = max(SMALLEST_MASS, mass * math.exp(-LARGEST_STEP))
        return min(max(raw, low), mass * math.exp(LARGEST_STEP))

    def topics(self, state: Partition) -> Topics:
        return catvi.partition_topics(state, self.model.gamma)

    def caution(self) -> str:
        """Small eta: new topics are all but impossible, or stay single words."""
        return catvi.growth_caution(self.model.eta, self.new_topic_word)
