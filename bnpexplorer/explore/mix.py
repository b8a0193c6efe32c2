"""Parts of a change of a mean share: the mix of labels, and what happened within labels.

A topic of one newspaper grows when that newspaper sends more texts. Between sides A and B, label l
has the share p_Al and p_Bl of the weight and a mean share x_Al and x_Bl of the topic. The change is
the sum of two parts (Kitagawa 1955, "Components of a difference between two rates"):

    mix    = sum_l (p_Bl - p_Al) (x_Al + x_Bl) / 2
    within = sum_l (x_Bl - x_Al) (p_Al + p_Bl) / 2

A label on one side only belongs wholly to the mix. So does one with fewer than `FEW` texts on a
side, whose mean nobody knows there. Labels that have few texts on both sides count as one: each
alone would stand on one side by chance. Where labels are subjects, the mix is the change itself, so
the parts stand beside the total and never in its place.

Chance is in the mix, since other texts would have come under other labels, and in the means of
labels (`means.py`). Both make the variance of a part by its slopes (the delta method). Intervals
are Student's, with degrees of freedom by Satterthwaite (1946), for all comparisons by Bonferroni.
Where two labels are compared, periods take the place of labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64, Bools
from .means import FREEDOM, LEVEL, group_means, student_above
from .periods import LARGEST, PERIODS, Column, Labelled, count, in_words, index, start

FEW = 5
"""Texts of a label on a side; fewer do not tell the mean."""
FEWEST_TEXTS = 10
"""Of each side."""
NONE, REST = -1, -2
"""In the place of a label: documents without one; labels with few texts, taken together."""
Compared = tuple[int, Bools, Bools]
"""A column, and bool (D,) each of its documents before and after."""
Larger = Literal["mix", "within"]
SEEN = np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, -1.0]])
"""Mix, within, their sum and their difference, from mix and within."""


@dataclass(frozen=True, eq=False)
class Mix:
    """The two parts of the change of one column, and the label that moved it most."""

    parts: F64
    """float64 (3,): mix, within, and the total, which is their sum."""
    low: F64
    """float64 (3,): ends of their intervals, ..."""
    high: F64
    """... which hold together, with those of all comparisons."""
    moved: bool
    """Whether the mix of labels surely differs between the sides, whatever the column."""
    larger: Larger
    """The part that has the sign of the change and is the larger one, ..."""
    sure: bool
    """... and whether it surely is."""
    shared: float
    """The share of the weight under labels that stand on both sides, on the side with less."""
    label: int
    """Which label moved the mix most in the direction of the change; or `NONE` or `REST`."""
    before: float
    """Its share of the weight on either side."""
    after: float


@dataclass(frozen=True, eq=False)
class Cells:
    """Two sides by L labels."""

    p: F64
    """float64 (2, L): the share of a side's weight."""
    x: F64
    """float64 (2, L): the mean share of the column; 0 where there is no document."""
    both: Bools
    """bool (L,): whether a label stands on both sides."""

    def slopes(self) -> tuple[F64, F64]:
        """Return how mix and within change with p and with x: float64 (2, 2, L) each."""
        p, x, sign = self.p, self.x, np.array([[-1.0], [1.0]])
        of_p = [
            np.where(self.both, sign * x.mean(axis=0), sign * x),
            np.where(self.both, np.stack([x[1] - x[0]] * 2) / 2.0, 0.0),
        ]
        of_x = [
            np.where(self.both, (p[1] - p[0]) / 2.0, sign * p),
            np.where(self.both, sign * p.mean(axis=0), 0.0),
        ]
        return np.stack(of_p), np.stack(of_x)

    def parts(self) -> F64:
        """Return mix and within, float64 (2,)."""
        one, other = self.p * self.x
        of_both = (self.p[1] - self.p[0]) * self.x.mean(axis=0)
        within = np.where(self.both, (self.x[1] - self.x[0]) * self.p.mean(axis=0), 0.0)
        return np.array([np.where(self.both, of_both, other - one).sum(), within.sum()])

    def most(self, rose: bool) -> int:
        """Return the place of the label that moved the mix most in the direction of the change.

        A label's part counts from the mean of all, so that it is 0 where its share stays. Where one
        label takes another's place, both have such a part: the one that holds more of the column
        is named.
        """
        level = np.where(self.both, self.x.mean(axis=0), self.x.max(axis=0))
        mean = float((self.p * self.x).sum(axis=1).mean())
        gain = (self.p[1] - self.p[0]) * (level - mean) * (1.0 if rose else -1.0)
        holds_more = (level > mean) & (gain >= gain.max() / 2.0)
        return int(np.lexsort((gain, holds_more))[-1])


def decomposed(
    share: F64,
    labels: I64,
    before: Bools,
    after: Bools,
    weights: F64 | None = None,
    units: I64 | None = None,
    n_compared: int = 1,
) -> Mix | None:
    """Divide the change of one column from the documents `before` to `after` into its parts.

    `share` float64 (D,). `labels` int64 (D,), from 0, negative where there is none. `before`,
    `after` bool (D,). `weights` float64 (D,): lengths, where every word counts the same. `units`
    int64 (D,): equal for documents that are drawn together. `n_compared`: comparisons that hold
    together. Returns None where labels cannot tell: fewer than two with enough texts, or a side
    with fewer than `FEWEST_TEXTS`.
    """
    rows = np.flatnonzero(before | after)
    side = after[rows].astype(np.int64)
    # A text is one for every side that it has passages on: sides are drawn apart.
    own = rows if units is None else units[rows]
    _, text = np.unique(2 * own + side, return_inverse=True)
    texts = _texts_in(side, text, 2)
    if texts.min() < FEWEST_TEXTS:
        return None
    names, label = _with_enough(labels[rows], text, texts)
    if len(names) < 2:
        return None
    w = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)
    part = w / np.bincount(side, w, 2)[side]
    drawn = Drawn(side * len(names) + label, text, part, share[rows], len(names))
    cells = drawn.cells
    point = cells.parts() @ SEEN
    low, high = drawn.ends(point, 4 * n_compared)
    k = cells.most(bool(point[2] > 0.0))
    return Mix(
        point[:3],
        np.maximum(low[:3], -1.0),
        np.minimum(high[:3], 1.0),
        drawn.moved(n_compared),
        "mix" if point[2] * point[3] > 0.0 else "within",
        bool(((low > 0.0) | (high < 0.0))[2:].all()),
        float(cells.p[:, cells.both].sum(axis=1).min()),
        int(names[k]),
        float(cells.p[0, k]),
        float(cells.p[1, k]),
    )


class Drawn:
    """N documents of both sides, as they are drawn: by T texts."""

    def __init__(self, cell: I64, text: I64, part: F64, share: F64, n_labels: int) -> None:
        """Lay them out by `cell` int64 (N,): side times L, and label; `text` int64 (N,).

        `part` float64 (N,): of the weight of the document's side. `share` float64 (N,).
        """
        self.cell, self.text, self.part = cell, text, part
        self.n_labels, self.n_cells = n_labels, 2 * n_labels
        side_of = cell[np.unique(text, return_index=True)[1]] // n_labels
        self.squares = np.bincount(side_of, np.bincount(text, part) ** 2, 2)
        """float64 (2,): of each side the sum of the squared parts of texts."""
        self.freedom = max(1.0 / float(self.squares.max()) - 1.0, 1e-3)
        self.means = group_means(share[:, None], cell, self.n_cells, part, text)
        p = np.asarray(np.bincount(cell, part, self.n_cells), np.float64).reshape(2, -1)
        x = np.nan_to_num(self.means.mean).reshape(2, -1)
        both: Bools = np.all(self.means.n_units.reshape(2, -1) >= FEW, axis=0)
        self.cells = Cells(p, x, both)

    def ends(self, point: F64, n_compared: int) -> tuple[F64, F64]:
        """Return the ends of intervals of mix, within, their sum and difference: (4,) each."""
        of_p, of_x = (np.tensordot(SEEN.T, slopes, 1) for slopes in self.cells.slopes())
        p, n = self.cells.p, np.maximum(self.means.effective, 1.0)
        around = (of_p - (p * of_p).sum(axis=2, keepdims=True)).reshape(4, -1)
        by_document = around[:, self.cell] * self.part
        of_mix = np.stack([np.bincount(self.text, one) ** 2 for one in by_document]).sum(axis=1)
        mean = (n * self.cells.x.ravel() + 1.0) / (n + 2.0)  # no spread where all are 0 would be
        of_means = of_x.reshape(4, -1) ** 2 * self.means.spread[:, 0] * mean * (1.0 - mean) / n
        each = np.column_stack([of_mix, of_means])
        freedom = np.append(self.freedom, FREEDOM + n - 1.0)
        variance = np.maximum(each.sum(axis=1), 1e-30)
        of_all = variance**2 / np.maximum((each**2 / freedom).sum(axis=1), 1e-60)
        width = student_above((1.0 - LEVEL) / 2.0 / n_compared, of_all) * np.sqrt(variance)
        return point - width, point + width

    def moved(self, n_compared: int) -> bool:
        """Return whether the share of some label surely differs between the sides."""
        p, n_cells = self.cells.p, self.n_cells
        found, place = np.unique(self.text * n_cells + self.cell, return_inverse=True)
        text, cell = np.divmod(found, n_cells)
        own, whole = np.bincount(place, self.part), np.bincount(self.text, self.part)
        # The sum over texts of (own - p whole)^2; most texts have nothing under a label.
        there = np.bincount(cell, own**2 - 2.0 * p.ravel()[cell] * own * whole[text], n_cells)
        error = np.sqrt((there.reshape(2, -1) + p**2 * self.squares[:, None]).sum(axis=0))
        tail = (1.0 - LEVEL) / 2.0 / (self.n_labels * n_compared)
        least = student_above(tail, self.freedom)
        return bool((np.abs(p[1] - p[0]) > least * error).any())


def mixes(
    shares: npt.NDArray[np.floating],
    compared: Sequence[Compared],
    labels: Labelled | None,
    weights: F64 | None = None,
    units: I64 | None = None,
    n_compared: int = 1,
) -> list[Mix | None]:
    """Return `decomposed` of each column with its two sides; None for all without labels.

    `shares` (D, K); the other arguments as for `decomposed`.
    """
    if labels is None:
        return [None] * len(compared)
    codes = labels.codes
    return [
        decomposed(
            np.asarray(shares[:, k], np.float64), codes, before, after, weights, units, n_compared
        )
        for k, before, after in compared
    ]


def periods_as_labels(dates: Column | None, rows: Bools) -> Labelled | None:
    """Return the period of each document as its label; None where these `rows` have only one.

    `dates` datetime64[D] (D,). `rows` bool (D,): the documents that are compared. The period is the
    shortest that cuts their dates into at most `LARGEST` pieces.
    """
    known = np.zeros(0, np.int64) if dates is None else np.flatnonzero(rows & ~np.isnat(dates))
    if dates is None or not len(known):
        return None
    fitting = (p for p in PERIODS if count(dates[known], p) <= LARGEST)
    period = next(fitting, PERIODS[-1])
    numbers, place, n_docs = np.unique(
        index(dates[known], period), return_inverse=True, return_counts=True
    )
    if len(numbers) < 2:
        return None
    codes = np.full(len(dates), NONE, np.int64)
    codes[known] = place
    names = tuple(in_words(day, period).split(maxsplit=1)[1] for day in start(numbers, period))
    return Labelled(names, codes, n_docs.astype(np.int64))


def _with_enough(labels: I64, text: I64, texts: I64) -> tuple[I64, I64]:
    """Return the labels that have enough texts, with `REST` for all others, and each document's
    place among them.

    `texts` int64 (2,): of each side. Enough are twice `FEW` on either side, were both sides alike.
    """
    names, label = np.unique(np.maximum(labels, NONE), return_inverse=True)
    enough = _texts_in(label, text, len(names)) * texts.min() >= 2 * FEW * texts.sum()
    kept, place = np.unique(np.where(enough[label], names[label], REST), return_inverse=True)
    return kept, place


def _texts_in(cell: I64, text: I64, n_cells: int) -> I64:
    """Return how many texts have documents in each cell: int64 (n_cells,)."""
    found = np.unique(text * n_cells + cell) % n_cells
    return np.bincount(found, minlength=n_cells).astype(np.int64)
