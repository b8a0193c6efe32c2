"""The Dirichlet process mixture of multinomials: every document belongs to one component.

Weights pi ~ GEM(gamma), components beta_k ~ Dir(eta), z_i ~ pi, every token of document i ~
beta_{z_i} (Wang & Blei 2012, section 2).
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.arrays import F64
from ..core.knob import Settings, knob
from ..corpus.corpus import Corpus, DocTable
from ..inference.mixture import log_joint
from ..inference.pool import Pool
from ..state.snapshot import Topics
from .base import SyntheticCorpus, corpus_from_counts, draw_dirichlet, stick_breaking


@dataclass(frozen=True)
class DPMixture(Settings):
    """Clusters of documents, as many as the texts need."""

    name: ClassVar[str] = "dpm"
    title: ClassVar[str] = "Dirichlet process mixture"
    unit: ClassVar[str] = "documents"
    noun: ClassVar[str] = "cluster"
    mixture: ClassVar[bool] = True

    gamma: float = knob(1.0, 1e-3, 1000, "Larger: more components in the corpus.", symbol="γ")
    eta: float = knob(0.2, 1e-4, 100, "Smaller: a component uses fewer words.", symbol="η")

    def sample(
        self, rng: np.random.Generator, n_docs: int, n_words: int, mean_length: float
    ) -> SyntheticCorpus:
        """Draw a corpus, its documents labelled by component, and the components that hold any."""
        weights = stick_breaking(self.gamma, 1e-4, rng)
        components = draw_dirichlet(np.full(n_words, self.eta), len(weights), rng)
        used, z = np.unique(rng.choice(len(weights), n_docs, p=weights), return_inverse=True)
        lengths = np.maximum(rng.poisson(mean_length, n_docs), 1)
        counts = rng.multinomial(lengths, components[used][z])
        corpus = corpus_from_counts(counts, "drawn from a Dirichlet process mixture")
        member = np.eye(len(used))[z]
        labels = np.array([f"component {k + 1}" for k in z], object)
        return SyntheticCorpus(
            replace(corpus, docs=DocTable(label=labels)), components[used], member
        )

    def fold_in(self, topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
        """q(z = k | document) of new documents: float64 (D, K); the rest is a new component."""
        joint = log_joint(topics, docs, pool)
        shifted = np.exp(joint - joint.max(axis=1, keepdims=True))
        share = shifted / shifted.sum(axis=1, keepdims=True)
        return np.ascontiguousarray(share[:, : len(topics)])
