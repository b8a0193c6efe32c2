"""Amounts that are not whole, such as weighted words, as the whole counts that a corpus holds."""

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64
from .corpus import CorpusError
from .matrix import MAX_COUNT


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
