"""Parts of a change of a mean share: the mix of labels, and what happened within labels.

A topic of one newspaper grows when that newspaper sends more texts. Between sides A and B, label l
has the share p_Al and p_Bl of the weight and a mean share x_Al and x_Bl of the topic. The change is
the sum of two parts (Kitagawa 1955, "Components of a difference between two rates"):

    mix    = sum_l (p_Bl - p_Al) (x_Al + x_Bl) / 2
    within = sum_l (x_Bl - x_Al) (p_Al + p_Bl) / 2

A label on one side only belongs wholly to the mix. Where labels are subjects, the mix is the change
itself, so the parts stand beside the total and never in its place.

Intervals come from drawing texts anew on each side, labels with their texts (Efron 1979). They hold
for the total and both parts together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ..core.arrays import F64, I64, Bools
from .means import LEVEL
from .periods import Labelled

DRAWS = 400
"""Resamplings; the ends of intervals then move by a tenth of their width between seeds."""
SEED = 0x6D6978
BLOCK = 4_000_000
"""Documents times draws at once, so that the memory stays small."""
FEWEST_TEXTS = 10
"""Of each side; drawing fewer anew tells too little of chance."""
MOST_LABELS = 200
"""More labels are names of documents rather than of their sources."""


@dataclass(frozen=True, eq=False)
class Mix:
    """The total change of one column, its two parts, and the label that moved it most."""

    parts: F64
    """float64 (3,): total, mix, within."""
    low: F64
    """float64 (3,): ends of their intervals, which hold together; nan for too few texts."""
    high: F64
    shared: float
    """The share of the weight under labels that stand on both sides, on the side with less."""
    label: int
    """Which label moved the mix most in the direction of the change; -1: texts without a label."""
    before: float
    """Its share of the weight on either side."""
    after: float

    @property
    def by_mix(self) -> bool:
        """Whether the mix is the larger part, and has the sign of the change, surely."""
        total, mix, within = self.parts.tolist()
        sure = self.low[1] > 0.0 or self.high[1] < 0.0
        return bool(sure and mix * total > 0.0 and abs(mix) > abs(within))


def parts_of(weight: F64, held: F64) -> tuple[F64, F64]:
    """Return total, mix and within, float64 (R, 3), and what each label gives to the mix, (R, L).

    `weight` float64 (R, 2, L): weight of each label before and after, in R draws. `held` float64
    (R, 2, L): weight times share. A label's part counts from the mean of all, so that the parts of
    labels whose share of the weight stays are 0.
    """
    p = weight / weight.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = held / weight
    both = (weight > 0.0).all(axis=1)
    there = np.where(weight > 0.0, x, 0.0)
    middle = np.where(both, there.sum(axis=1) / 2.0, there.sum(axis=1))
    moved = p[:, 1] - p[:, 0]
    within = np.where(both, (there[:, 1] - there[:, 0]) * p.sum(axis=1) / 2.0, 0.0).sum(axis=1)
    total = (p * there).sum(axis=2) @ np.array([-1.0, 1.0])
    mix = (moved * middle).sum(axis=1)
    mean = (p * there).sum(axis=2).mean(axis=1, keepdims=True)
    return np.stack([total, mix, within], axis=1), moved * (middle - mean)


def decomposed(
    share: F64,
    labels: I64,
    before: Bools,
    after: Bools,
    weights: F64 | None = None,
    units: I64 | None = None,
) -> Mix | None:
    """Divide the change of one column from the documents `before` to `after` into its parts.

    `share` float64 (D,). `labels` int64 (D,), from 0, negative where there is none. `before`,
    `after` bool (D,). `weights` float64 (D,): lengths, where every word counts the same. `units`
    int64 (D,): equal for documents that are drawn together. Returns None where labels cannot tell:
    fewer than two or more than `MOST_LABELS`, or a side without documents.
    """
    rows = np.flatnonzero(before | after)
    names, label = np.unique(np.maximum(labels[rows], -1), return_inverse=True)
    side = after[rows].astype(np.int64)
    if not 2 <= len(names) <= MOST_LABELS or len(np.unique(side)) < 2:
        return None
    w = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)
    text = np.arange(len(rows)) if units is None else np.unique(units[rows], return_inverse=True)[1]
    cell = side * len(names) + label
    cells = Cells(cell, w, w * share[rows], len(names))
    weight, held = cells.sums(np.ones((1, len(rows))))
    (point,), (of_label,) = parts_of(weight, held)
    texts = [np.unique(text[side == s]) for s in (0, 1)]
    low = high = np.full(3, np.nan)
    if min(map(len, texts)) >= FEWEST_TEXTS:
        drawn = [parts_of(*cells.sums(times))[0] for times in _times(text, side, texts)]
        low, high = _together(point, np.concatenate(drawn))
    p = (weight / weight.sum(axis=2, keepdims=True))[0]
    k = int(np.argmax(of_label * np.sign(point[0])))
    shared = float(p[:, (p > 0.0).all(axis=0)].sum(axis=1).min())
    return Mix(point, low, high, shared, int(names[k]), float(p[0, k]), float(p[1, k]))


@dataclass(frozen=True, eq=False)
class Cells:
    """N documents by side and label."""

    cell: I64
    """int64 (N,): side L + label."""
    weight: F64
    """float64 (N,)"""
    held: F64
    """float64 (N,): weight times share."""
    n_labels: int

    def sums(self, times: F64) -> tuple[F64, F64]:
        """Return weight, and weight times share, by side and label: float64 (R, 2, L) each.

        `times` float64 (R, N): how often every document counts.
        """
        rows, n_cells = np.arange(len(self.cell)), 2 * self.n_labels
        weight, held = (
            times @ sparse.csr_array((value, (rows, self.cell)), (len(rows), n_cells))
            for value in (self.weight, self.held)
        )
        shape = len(times), 2, self.n_labels
        return np.asarray(weight).reshape(shape), np.asarray(held).reshape(shape)


def mixes(
    shares: npt.NDArray[np.floating],
    compared: Sequence[tuple[int, Bools, Bools]],
    labels: Labelled | None,
    weights: F64 | None = None,
    units: I64 | None = None,
) -> list[Mix | None]:
    """Return `decomposed` of each column with its two sides; None for all without labels.

    `shares` (D, K). `compared`: a column, and bool (D,) each of its documents before and after.
    """
    if labels is None:
        return [None] * len(compared)
    return [
        decomposed(
            np.asarray(shares[:, k], np.float64), labels.codes, before, after, weights, units
        )
        for k, before, after in compared
    ]


def _times(text: I64, side: I64, texts: list[I64]) -> Iterator[F64]:
    """Yield how often every document is drawn, float64 (some draws, N), `DRAWS` draws in all."""
    rng = np.random.default_rng(SEED)
    places = [np.searchsorted(texts[s], text[side == s]) for s in (0, 1)]
    each = max(BLOCK // len(text), 1)
    for first in range(0, DRAWS, each):
        times = np.empty((min(each, DRAWS - first), len(text)))
        for s in (0, 1):
            n = len(texts[s])
            times[:, side == s] = rng.multinomial(n, np.full(n, 1.0 / n), len(times))[:, places[s]]
        yield times


def _together(point: F64, draws: F64) -> tuple[F64, F64]:
    """Return the ends of intervals for all three at once, by the largest deviation of a draw."""
    spread = np.maximum(draws.std(axis=0, ddof=1), 1e-12)
    most = np.quantile((np.abs(draws - point) / spread).max(axis=1), LEVEL)
    return point - most * spread, point + most * spread
