"""The hierarchical Dirichlet process topic model.

Corpus weights pi ~ GEM(gamma), topics beta_k ~ Dir(eta), proportions pi_d ~ DP(alpha pi); every
token z_dn ~ pi_d, w_dn ~ beta_{z_dn} (Teh et al. 2006; Wang, Paisley & Blei 2011).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import F64
from ..core.knob import Settings, knob
from ..corpus.corpus import Corpus
from ..inference.fold_in import fold_in_proportions
from ..inference.pool import Pool
from ..state.snapshot import Topics
from .base import SyntheticCorpus, corpus_from_counts, draw_dirichlet, stick_breaking


@dataclass(frozen=True)
class HDP(Settings):
    """The number of topics is not fixed: they open and close as a method learns."""

    name: ClassVar[str] = "hdp"
    title: ClassVar[str] = "Hierarchical Dirichlet process"
    unit: ClassVar[str] = "words"
    noun: ClassVar[str] = "topic"
    mixture: ClassVar[bool] = False

    gamma: float = knob(5.0, 1e-3, 1000, "Larger: more topics in the corpus.", symbol="γ")
    alpha: float = knob(5.0, 1e-3, 1000, "Larger: a document mixes more topics.", symbol="α")
    eta: float = knob(0.1, 1e-4, 100, "Smaller: a topic uses fewer words.", symbol="η")

    def sample(
        self, rng: np.random.Generator, n_docs: int, n_words: int, mean_length: float
    ) -> SyntheticCorpus:
        """Draw a corpus and its true topics (those that hold at least one token)."""
        weights = stick_breaking(self.gamma, 1e-4, rng)
        topics = draw_dirichlet(np.full(n_words, self.eta), len(weights), rng)
        theta = draw_dirichlet(self.alpha * weights, n_docs, rng)
        lengths = np.maximum(rng.poisson(mean_length, n_docs), 1)
        counts = np.zeros((n_docs, n_words), np.int64)
        used = np.zeros(len(weights), bool)
        for d, n in enumerate(lengths):
            tokens = rng.multinomial(n, theta[d])
            used |= tokens > 0
            for k in np.flatnonzero(tokens):
                counts[d] += rng.multinomial(tokens[k], topics[k])
        return SyntheticCorpus(
            corpus_from_counts(counts, "drawn from an HDP"), topics[used], theta[:, used]
        )

    def fold_in(self, topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
        """Expected proportions of new documents: float64 (D, K); the rest is unseen topics."""
        return fold_in_proportions(topics, docs, pool)
