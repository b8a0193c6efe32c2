"""Documents whose words have weights in place of counts, such as tf-idf."""

from typing import Any, ClassVar

import numpy as np

from ..core.arrays import F64
from .corpus import Corpus


class Weighted(Corpus):
    """D documents over V words; every word of a document has a weight.

    For methods that `weigh` words, which read counts in sums alone: a word of weight 2.5 pulls at
    its topics 2.5 times as much as one that occurs once. No file holds one, and no page shows it.
    """

    counts: Any
    """float64 (U,), above 0."""
    _amount: ClassVar[type] = np.float64
    counted: ClassVar[bool] = False

    @classmethod
    def of(cls, docs: Corpus, weights: F64) -> "Weighted":
        """Documents whose words have these `weights`, float64 (U,), in place of their counts."""
        amounts: Any = weights
        return cls(docs.indptr, docs.word_ids, amounts, docs.vocab)

    @property
    def n_tokens(self) -> Any:
        """float: the sum of all weights."""
        return float(self.counts.sum())

    @property
    def doc_lengths(self) -> Any:
        """float64 (D,): the sum of every document's weights."""
        row = np.repeat(np.arange(self.n_docs), np.diff(self.indptr))
        return np.bincount(row, self.counts, self.n_docs)

    @property
    def word_totals(self) -> Any:
        """float64 (V,): the sum of every word's weights."""
        return np.bincount(self.word_ids, self.counts, self.n_words)
