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
from .means import FREEDOM, LEVEL, Means, group_means, student_above
from .periods import LARGEST, PERIODS, Column, Labelled, count, in_words, index, start
from .word_rates import word_means

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

    @property
    def helped(self) -> bool:
        """Whether the mix alone surely makes a change of the same sign."""
        sign = 1.0 if self.parts[2] > 0.0 else -1.0
        return bool(min(sign * self.low[0], sign * self.high[0]) > 0.0)

    @property
    def against(self) -> bool:
        """Whether the share surely went the other way within labels."""
        sign = 1.0 if self.parts[2] > 0.0 else -1.0
        return bool(max(sign * self.low[1], sign * self.high[1]) < 0.0)


@dataclass(frozen=True, eq=False)
class ByLabel:
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
    of_words: bool = False,
) -> Mix | None:
    """Divide the change of one column from the documents `before` to `after` into its parts.

    `share` float64 (D,). `labels` int64 (D,), from 0, negative where there is none. `before`,
    `after` bool (D,). `weights` float64 (D,): lengths, where every word counts the same. `units`
    int64 (D,): equal for documents that are drawn together. `n_compared`: comparisons that hold
    together. `of_words`: the column is one word of the vocabulary, and `weights` are lengths, so
    that the spread of means goes by counts (`word_rates.py`). Returns None where labels cannot
    tell: fewer than two with enough texts, or a side with fewer than `FEWEST_TEXTS`.
    """
    drawn = _drawn(labels, before, after, weights, units, n_compared)
    return None if drawn is None else drawn.divided(share, of_words)


class Drawn:
    """N documents of both sides, as they are drawn: by T texts."""

    def __init__(
        self, rows: I64, names: I64, cell: I64, text: I64, weights: F64, n_compared: int
    ) -> None:
        """Lay them out by `cell` int64 (N,): side times L, and label; `text` int64 (N,).

        `rows` int64 (N,): which documents they are. `names` int64 (L,): the labels. `weights`
        float64 (N,).
        """
        side = cell // len(names)
        part = weights / np.bincount(side, weights, 2)[side]
        self.weights = weights
        self.rows, self.names, self.n_compared = rows, names, n_compared
        self.cell, self.text, self.part = cell, text, part
        self.n_labels, self.n_cells = len(names), 2 * len(names)
        self.p = np.asarray(np.bincount(cell, part, self.n_cells), np.float64).reshape(2, -1)
        of_text = np.zeros(int(text.max()) + 1, np.int64)
        of_text[text] = cell // self.n_labels
        self.squares = np.bincount(of_text, np.bincount(text, part) ** 2, 2)
        """float64 (2,): of each side the sum of the squared parts of texts."""
        self.freedom = max(1.0 / float(self.squares.max()) - 1.0, 1e-3)
        self.moved = self._moved()

    def divided(self, share: F64, of_words: bool = False) -> Mix:
        """Return the parts of the change of a column: `share` float64 (D,)."""
        units = None if len(self.text) == int(self.text.max()) + 1 else self.text
        own = share[self.rows]
        if of_words:
            often = own * self.weights
            means = word_means(often, self.weights, self.cell, self.n_cells, units)
        else:
            means = group_means(own[:, None], self.cell, self.n_cells, self.part, units)
        both: Bools = np.all(means.n_units.reshape(2, -1) >= FEW, axis=0)
        cells = ByLabel(self.p, np.nan_to_num(means.mean).reshape(2, -1), both)
        point = cells.parts() @ SEEN
        low, high = self._ends(point, cells, means)
        k = cells.most(bool(point[2] > 0.0))
        return Mix(
            point[:3],
            np.maximum(low[:3], -1.0),
            np.minimum(high[:3], 1.0),
            self.moved,
            "mix" if point[2] * point[3] > 0.0 else "within",
            bool(((low > 0.0) | (high < 0.0))[2:].all()),
            float(self.p[:, both].sum(axis=1).min()),
            int(self.names[k]),
            float(self.p[0, k]),
            float(self.p[1, k]),
        )

    def _ends(self, point: F64, cells: ByLabel, means: Means) -> tuple[F64, F64]:
        """Return the ends of intervals of mix, within, their sum and difference: (4,) each."""
        of_p, of_x = (np.tensordot(SEEN.T, slopes, 1) for slopes in cells.slopes())
        n = np.maximum(means.effective, 1.0)
        around = (of_p - (self.p * of_p).sum(axis=2, keepdims=True)).reshape(4, -1)
        by_document = around[:, self.cell] * self.part
        of_mix = np.stack([np.bincount(self.text, one) ** 2 for one in by_document]).sum(axis=1)
        spread = np.maximum(means.spread[:, 0], 1e-12)
        draws = n / spread if means.exact else n  # of single words, where a mean is of counts
        mean = (draws * cells.x.ravel() + 1.0) / (draws + 2.0)  # no spread where all are 0 would be
        of_means = of_x.reshape(4, -1) ** 2 * spread * mean * (1.0 - mean) / n
        each = np.column_stack([of_mix, of_means])
        freedom = np.append(self.freedom, FREEDOM + n - 1.0)
        variance = np.maximum(each.sum(axis=1), 1e-30)
        of_all = variance**2 / np.maximum((each**2 / freedom).sum(axis=1), 1e-60)
        tail = (1.0 - LEVEL) / 2.0 / (4 * self.n_compared)
        width = student_above(tail, of_all) * np.sqrt(variance)
        return point - width, point + width

    def _moved(self) -> bool:
        """Return whether the share of some label surely differs between the sides."""
        found, place = np.unique(self.text * self.n_cells + self.cell, return_inverse=True)
        text, cell = np.divmod(found, self.n_cells)
        own, whole = np.bincount(place, self.part), np.bincount(self.text, self.part)
        # The sum over texts of (own - p whole)^2; most texts have nothing under a label.
        each = own**2 - 2.0 * self.p.ravel()[cell] * own * whole[text]
        there = np.bincount(cell, each, self.n_cells).reshape(2, -1)
        error = np.sqrt((there + self.p**2 * self.squares[:, None]).sum(axis=0))
        tail = (1.0 - LEVEL) / 2.0 / (self.n_labels * self.n_compared)
        least = student_above(tail, self.freedom)
        return bool((np.abs(self.p[1] - self.p[0]) > least * error).any())


def mixes(
    shares: npt.NDArray[np.floating],
    compared: Sequence[Compared],
    labels: Labelled | None,
    weights: F64 | None = None,
    units: I64 | None = None,
    n_compared: int = 1,
    of_words: bool = False,
) -> list[Mix | None]:
    """Return `decomposed` of each column with its two sides; None for all without labels.

    `shares` (D, K); the other arguments as for `decomposed`. Sides that are the very arrays of the
    column before are laid out once.
    """
    if labels is None:
        return [None] * len(compared)
    found: list[Mix | None] = []
    sides: tuple[Bools, Bools] | None = None
    drawn: Drawn | None = None
    for k, before, after in compared:
        if sides is None or sides[0] is not before or sides[1] is not after:
            sides = before, after
            drawn = _drawn(labels.codes, before, after, weights, units, n_compared)
        share = np.asarray(shares[:, k], np.float64)
        found.append(None if drawn is None else drawn.divided(share, of_words))
    return found


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


def _drawn(
    labels: I64,
    before: Bools,
    after: Bools,
    weights: F64 | None,
    units: I64 | None,
    n_compared: int,
) -> Drawn | None:
    """Return the documents of both sides by label; None where labels cannot tell."""
    rows = np.flatnonzero(before | after)
    side = after[rows].astype(np.int64)
    # A text is one for every side that it has passages on: sides are drawn apart.
    text = np.arange(len(rows))
    if units is not None:
        _, text = np.unique(2 * units[rows] + side, return_inverse=True)
    texts = _texts_in(side, text, 2)
    if texts.min() < FEWEST_TEXTS:
        return None
    names, label = _with_enough(labels[rows], text, texts)
    if len(names) < 2:
        return None
    w = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)
    return Drawn(rows, names, side * len(names) + label, text, w, n_compared)


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
    found = np.sort(text * n_cells + cell)  # mostly in order, unlike `np.unique`'s hashes
    found = found[np.append(True, np.diff(found) > 0)]
    return np.bincount(found % n_cells, minlength=n_cells).astype(np.int64)
