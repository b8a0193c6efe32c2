"""Conditional and adaptively truncated inference for the HDP (Liu et al. 2022).

q(G_0) = sum_k m_k delta_k + m_0 DP(gamma H), q(beta_k) = Dir(lam_k). The proportions of documents
are integrated out, and the topics of a mini-batch's tokens are drawn one at a time; a token that
falls outside the K topics refines the partition by one (`catvi.py`). The paper's alpha is our
gamma, its gamma our alpha. Its equation 11 is not printed; (B.3) is what it must be.
"""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from ...corpus.corpus import Corpus
from ...inference.concentrations import solve_tables
from ...models.hdp import HDP
from ..base import Preset, learns, towards
from .algorithm import Catvi, presets
from .partition import Partition, Tally


@dataclass(frozen=True)
class HdpCatvi(Catvi):
    """Draw topics under fixed expectations, then take one step on the weights and on lam."""

    name: ClassVar[str] = "hdp-catvi"
    source: ClassVar[str] = "Liu et al. 2022, algorithm 1, equations 12 and B.1-B.3"
    colour: ClassVar[int] = 3
    presets: ClassVar[dict[str, Preset]] = presets({"gamma": 5.0, "alpha": 5.0})

    model: HDP = HDP(gamma=5.0, alpha=5.0, eta=0.5)
    _: KW_ONLY
    learn_alpha: bool = learns("alpha")

    def first_concentration(self) -> float:
        return self.model.alpha

    def learn_concentration(
        self, state: Partition, docs: Corpus, tally: Tally, rho: float
    ) -> dict[str, float]:
        """Move towards the alpha at which the documents expect the tables that they have."""
        if not self.learn_alpha:
            return {}
        alpha, tables = state.concentration, float(tally.tables.sum())
        lengths = docs.doc_lengths.astype(np.float64)
        best = solve_tables(tables, lengths, tally.scale, alpha, mode=True)
        state.concentration = towards(alpha, best, rho)
        return {"alpha": state.concentration}
