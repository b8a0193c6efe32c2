"""Documents whose words have weights, such as tf-idf, in place of counts; and weights as counts."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from .corpus import Corpus, CorpusError
from .matrix import MAX_COUNT


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


def is_whole(amounts: npt.NDArray[np.generic]) -> bool:
    """Whether finite amounts are whole numbers as they stand."""
    return amounts.dtype.kind in "biu" or bool(np.all(amounts == np.rint(amounts)))


def rounded(indptr: I64, amounts: F64) -> I64:
    """Whole counts of the finite amounts >= 0 of each row, by largest remainders: int64 (U,).

    `indptr` int64 (D+1,), `amounts` float64 (U,), as in `Corpus`. A row keeps its sum, rounded to
    the nearest whole number (half to even): every amount is cut to the whole number below, and what
    then is missing goes, one each, to the largest remainders, of equal ones to the first. It
    depends on nothing but the row. Counts may be 0: all are, where a row's sum is below a half.

    Raises CorpusError if a row adds up to more than a corpus can hold.
    """
    sizes = np.diff(indptr)
    row = np.repeat(np.arange(len(sizes)), sizes)
    # Each row's in the order of its entries: what stands in other rows changes no bit.
    total = np.bincount(row, amounts, len(sizes))
    if total.max(initial=0.0) > MAX_COUNT:
        raise CorpusError(
            f"A row adds up to {total.max():,.0f} words; the most is {MAX_COUNT:,}, so divide all "
            "amounts."
        )
    below = np.floor(amounts)
    missing = np.rint(total) - np.bincount(row, below, len(sizes))
    largest_first = np.lexsort((below - amounts, row))
    rank = np.arange(len(row)) - indptr[row]
    goes_up = np.zeros(len(row), bool)
    goes_up[largest_first] = rank < missing[row]
    return np.asarray(below + goes_up, np.int64)
