"""The gamma-Dirichlet process topic model (Liu et al. 2022, section 3).

A gamma process G_0 ~ GammaP(gamma H) is the corpus measure: its weights, normalised, are those of
a Dirichlet process, and its total mass takes the place of alpha. Topics beta_k ~ Dir(eta),
proportions G_d ~ DP(G_0); every token z_dn ~ G_d, w_dn ~ beta_{z_dn}.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.arrays import F64
from ..core.knob import Settings, knob
from ..corpus.corpus import Corpus
from ..inference.fold_in import fold_in_proportions
from ..inference.pool import Pool
from ..state.snapshot import Topics
from .base import SyntheticCorpus
from .hdp import HDP


@dataclass(frozen=True)
class GammaDP(Settings):
    """Topics open and close as a method learns; a document's own mass says how it mixes them."""

    name: ClassVar[str] = "gdp"
    title: ClassVar[str] = "Gamma-Dirichlet process"
    unit: ClassVar[str] = "words"
    noun: ClassVar[str] = "topic"
    mixture: ClassVar[bool] = False

    gamma: float = knob(5.0, 1e-3, 1000, "Larger: more topics in the corpus.", symbol="γ")
    eta: float = knob(0.5, 1e-4, 100, "Smaller: a topic uses fewer words.", symbol="η")

    def sample(
        self, rng: np.random.Generator, n_docs: int, n_words: int, mean_length: float
    ) -> SyntheticCorpus:
        """Draw a corpus and its true topics (those that hold at least one token).

        The mass of a gamma process is Gamma(gamma, 1) and independent of its weights (Liu et al.
        2022, section 3): given the mass this is an HDP whose alpha it is.
        """
        mass = max(float(rng.gamma(self.gamma)), 1e-3)
        given_mass = HDP(gamma=self.gamma, alpha=min(mass, 1000.0), eta=self.eta)
        drawn = given_mass.sample(rng, n_docs, n_words, mean_length)
        corpus = replace(drawn.corpus, name="drawn from a gamma-Dirichlet process")
        return replace(drawn, corpus=corpus)

    def fold_in(self, topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
        """Expected proportions of new documents: float64 (D, K); the rest is unseen topics."""
        return fold_in_proportions(topics, docs, pool)
