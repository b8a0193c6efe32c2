"""Conditional and adaptively truncated inference for the gamma-Dirichlet process (Liu et al. 2022).

As `hdp_catvi.py`, but the corpus measure G_0 is drawn from a gamma process: q(G_0) = mu (sum_k m_k
delta_k + m_0 DP(gamma H)), and its mass mu, which stands where the HDP has alpha, is learned. The
paper's alpha is our gamma.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from ...core.knob import knob
from ...corpus.corpus import Corpus
from ...inference.concentrations import solve_tables
from ...models.gdp import GammaDP
from ..base import Preset, towards
from . import partition as catvi
from .algorithm import Catvi, presets
from .partition import Partition, Tally

SMALLEST_MASS, LARGEST_STEP = 1e-3, 0.5
"""Bounds of the raw gradient step on mu and on ln mu: the gradient grows with the corpus."""


@dataclass(frozen=True)
class GdpCatvi(Catvi):
    """Draw topics under fixed expectations, then take one step on the weights, the mass and lam."""

    name: ClassVar[str] = "gdp-catvi"
    source: ClassVar[str] = "Liu et al. 2022, algorithm 1, equations B.2 and B.4-B.7"
    colour: ClassVar[int] = 7
    offered_first: ClassVar[bool] = True
    presets: ClassVar[dict[str, Preset]] = presets({"gamma": 5.0})

    model: GammaDP = GammaDP(gamma=5.0, eta=0.5)
    _: KW_ONLY
    mass_step: str = knob(
        "fixed-point",
        help="How the mass is learned: towards the maximum for the draws, or by the paper's raw "
        "gradient, which overshoots.",
        choices=("fixed-point", "raw"),
        more=True,
    )

    def first_concentration(self) -> float:
        """Return the mean of the mass under its law Gamma(gamma, 1)."""
        return self.model.gamma

    def learn_concentration(
        self, state: Partition, docs: Corpus, tally: Tally, rho: float
    ) -> dict[str, float]:
        state.concentration = self._better_mass(state.concentration, docs, tally, rho)
        return {"mass": state.concentration}

    def objective(self, state: Partition, docs: Corpus, tally: Tally) -> float:
        """Return equation (B.4), with -mu as in the law of the mass (C.7 prints +mu)."""
        of_mass = catvi.mass_objective(
            state.concentration, docs.doc_lengths.astype(np.float64), tally.scale, self.model.gamma
        )
        return super().objective(state, docs, tally) + of_mass

    def _better_mass(self, mass: float, docs: Corpus, tally: Tally, rho: float) -> float:
        """Take one step on mu.

        The gradient (B.7) is 0 where the documents, with the prior Gamma(gamma, 1), expect the
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
