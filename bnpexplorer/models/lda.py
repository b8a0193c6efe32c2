"""Latent Dirichlet allocation: K topics beta_k ~ Dir(eta), proportions theta_d ~ Dir(alpha).

Every token: z_dn ~ theta_d, w_dn ~ beta_{z_dn} (Hoffman et al. 2013, section 3.1).
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
from .base import SyntheticCorpus, corpus_from_counts, draw_dirichlet


@dataclass(frozen=True)
class LDA(Settings):
    """A fixed number of topics; `alpha` is the Dirichlet parameter per topic."""

    name: ClassVar[str] = "lda"
    title: ClassVar[str] = "Latent Dirichlet allocation"
    unit: ClassVar[str] = "words"
    noun: ClassVar[str] = "topic"
    mixture: ClassVar[bool] = False

    n_topics: int = knob(50, 1, 2000, "How many topics the model has.", symbol="K", label="Topics")
    alpha: float = knob(0.1, 1e-4, 100, "Smaller: a document uses fewer topics.", symbol="α")
    eta: float = knob(0.1, 1e-4, 100, "Smaller: a topic uses fewer words.", symbol="η")

    def sample(
        self, rng: np.random.Generator, n_docs: int, n_words: int, mean_length: float
    ) -> SyntheticCorpus:
        """Draw a corpus of `n_docs` documents over `n_words` words and its true topics."""
        topics = draw_dirichlet(np.full(n_words, self.eta), self.n_topics, rng)
        theta = draw_dirichlet(np.full(self.n_topics, self.alpha), n_docs, rng)
        lengths = np.maximum(rng.poisson(mean_length, n_docs), 1)
        counts = np.stack(
            [rng.multinomial(n, t @ topics) for n, t in zip(lengths, theta, strict=True)]
        )
        return SyntheticCorpus(corpus_from_counts(counts, "drawn from LDA"), topics, theta)

    def fold_in(self, topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
        """Expected topic proportions of new documents under fixed topics: float64 (D, K)."""
        return fold_in_proportions(topics, docs, pool)
