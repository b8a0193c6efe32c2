"""What changed between two sets of documents: topics, by how surely they rose or fell.

Two sets, before and after, or two labels; documents are the units, or the texts whose passages they
are (`explore/means.py`). Of many topics some seem to change by chance: all intervals hold together
in 95 of 100 cases (`explore/together.py`). Ranked is by the end of the interval that is nearest to
no change, "at least so much".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64, Bools
from .means import group_means, texts_of
from .over_documents import prevalence
from .periods import Column, Period
from .together import ends_of, miss_together


@dataclass(frozen=True, eq=False)
class Changes:
    """The change of K columns (topics, or groups of topics) between two sets of documents."""

    n_before: int
    """Documents."""
    n_after: int
    units_before: int
    """Texts that chose their words on their own, which are what chance goes by."""
    units_after: int
    before: F64
    """float64 (K,): the mean share; nan if there are no documents."""
    after: F64
    low: F64
    """float64 (K,): the least change, down to -1, that the documents allow, ..."""
    high: F64
    """... and the largest, up to 1; both hold for all columns at once."""
    n_compared: int
    """Comparisons that hold together."""

    @property
    def change(self) -> F64:
        return self.after - self.before

    @property
    def sure(self) -> F64:
        """float64 (K,): at least so much it rose, or (below 0) fell; 0 if neither is sure."""
        return sure_part(self.low, self.high)

    @property
    def order(self) -> I64:
        """int64 (K,): the surest changes first; those that are not sure by their size."""
        change = np.nan_to_num(np.abs(self.change))
        return np.asarray(np.lexsort((-change, -np.abs(self.sure))), dtype=np.int64)


def changes(
    shares: npt.NDArray[np.floating],
    before: Bools,
    after: Bools,
    weights: F64 | None = None,
    n_compared: int | None = None,
    units: I64 | None = None,
    columns: Sequence[int] | None = None,
) -> Changes:
    """The change of every column of `shares` (D, K) from the documents `before` to `after`.

    `before` and `after` bool (D,) have no document in common; otherwise ValueError. `weights`
    float64 (D,): lengths, where every word counts the same. `n_compared`: K by default;
    `units` and `columns` as in `group_means`.
    """
    if np.any(before & after):
        raise ValueError("A document stands on both sides of the comparison.")
    groups = np.where(before, 0, np.where(after, 1, -1)).astype(np.int64)
    means = group_means(shares, groups, 2, weights, units, columns)
    n_compared = n_compared or means.mean.shape[1]
    texts = texts_of(shares, groups, weights, units, columns)
    pairs = [(0, 1)] if means.n_units.all() else []
    miss = miss_together(texts, pairs, means.common, n_compared)
    low, high = ends_of(means, np.array([0]), np.array([1])).interval(miss)
    return Changes(
        int(means.n_docs[0]),
        int(means.n_docs[1]),
        int(means.n_units[0]),
        int(means.n_units[1]),
        means.mean[0],
        means.mean[1],
        low[0],
        high[0],
        n_compared,
    )


def sure_part(low: F64, high: F64) -> F64:
    """The end of the interval that is nearest to 0; 0 where the interval holds 0, or is unknown."""
    return np.nan_to_num(np.where(low > 0.0, low, np.where(high < 0.0, high, 0.0)))


@dataclass(frozen=True)
class ChangeTurn:
    """A column rose or fell surely from one period to the next one that has documents."""

    column: int
    earlier: np.datetime64
    """The first day of the period before; between the two no period has a document."""
    later: np.datetime64
    n_earlier: int
    n_later: int
    units_earlier: int
    units_later: int
    before: float
    after: float
    sure: float
    """At least so much it rose, or (below 0) fell."""
    n_compared: int


def turns(
    shares: npt.NDArray[np.floating],
    dates: Column,
    period: Period,
    columns: Sequence[int],
    weights: F64 | None = None,
    each: int = 1,
    units: I64 | None = None,
) -> list[ChangeTurn]:
    """The sure changes from one period to the next, of all periods and `columns`, surest first.

    Of every column at most `each` rises and so many falls. All comparisons hold together.
    """
    found = prevalence(shares, dates, period, weights, units=units, columns=columns)
    filled = np.flatnonzero(found.n_docs)
    one, other = filled[:-1], filled[1:]
    n_compared = len(one) * len(columns)
    if not n_compared:
        return []
    texts = texts_of(shares, found.groups, weights, units, columns)
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    miss = miss_together(texts, pairs, found.means.common, n_compared)
    low, high = ends_of(found.means, one, other).interval(miss)
    sure = sure_part(low, high)
    taken: dict[tuple[int, bool], int] = {}
    chosen = []
    for place in np.argsort(-np.abs(sure), axis=None, kind="stable"):
        step, k = divmod(int(place), len(columns))
        bound = float(sure[step, k])
        if bound == 0.0:
            break
        kind = (k, bound > 0.0)
        taken[kind] = taken.get(kind, 0) + 1
        if taken[kind] > each:
            continue
        a, b = int(one[step]), int(other[step])
        chosen.append(
            ChangeTurn(
                int(columns[k]),
                found.starts[a],
                found.starts[b],
                int(found.n_docs[a]),
                int(found.n_docs[b]),
                int(found.means.n_units[a]),
                int(found.means.n_units[b]),
                float(found.share[a, k]),
                float(found.share[b, k]),
                bound,
                n_compared,
            )
        )
    return chosen
