"""Mean shares of groups of documents, with the uncertainty that their number allows.

A share lies between 0 and 1, so few documents tell little: ten that never mention a topic do not
prove that it is absent, and one document has no spread at all. Therefore the interval is Wilson's
(1927) score interval, for shares instead of counts: all p that satisfy

    (mean - p)^2 <= t^2 * phi * p (1 - p) / n

phi is the spread of shares as a part of the largest possible one, p (1 - p), which only shares of
0 and 1 have (the variance function of Papke & Wooldridge 1996). It is estimated within the groups,
from all documents together, and moved towards a group's own as that has documents of its own. One
document gets a wide interval, and none ever has width zero; coverage is tested by simulation.

n counts texts that chose their words on their own. Documents that hang together, such as passages
of one speech or a message sent on a hundred times, count as the one text that they are (`units`,
see `corpus/documents/units.py`): their weighted mean with their weights added up, so that variances
come from sums within texts, as for samples of clusters (Cochran 1977, "Sampling Techniques", 9A).
Without it, all of 100 corpora of 10 speeches a side in 40 passages each showed a false change.

D documents, G groups, K columns (topics, or groups of topics, or words).

Quantiles of the normal and of Student's t distribution: the very numbers of `scipy.stats`, whose
import takes 0.6 to 1 s, which the first page of a server would wait for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import betainccinv, betaincinv, ndtri, stdtrit

from ..core.arrays import F64, I64

BLOCK = 4096
"""Documents at once, so that what is needed beside the result stays small."""
PRIOR = 5.0
"""So many documents' worth of topic the spread of others counts for, against a topic's own."""
FREEDOM = 10.0
"""Degrees of freedom of the interval of one document; another one adds one."""
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Means:
    """The mean shares of G groups and what they rest on."""

    n_docs: I64
    """int64 (G,): documents of each group, ..."""
    n_units: I64
    """... and how many of them chose their words on their own."""
    effective: F64
    """float64 (G,): as many such documents of equal weight would tell as much."""
    mean: F64
    """float64 (G, K); nan where there are no documents."""
    error: F64
    """float64 (G, K): standard error of the mean from the group's own documents alone; nan for
    fewer than two."""
    spread: F64
    """float64 (G, K): phi, with which intervals are made; 0 to 1."""

    def interval(
        self, level: float = LEVEL, columns: Sequence[int] | None = None
    ) -> tuple[F64, F64]:
        """Where the true mean lies with this probability, each alone: low and high, (G, K).

        `columns`: only of these, (G, len(columns)); of 7,305 days and 200 topics all take 2 s.
        """
        own = slice(None) if columns is None else list(columns)
        of_columns, spread = self.mean[:, own], self.spread[:, own]
        tail = (1.0 - level) / 2.0
        t = student_above(tail, FREEDOM + np.maximum(self.effective, 1.0) - 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):  # groups without documents are nan
            n = (self.effective * (normal_above(tail) / t) ** 2)[:, None] / spread
            mean = np.clip(of_columns, 0.0, 1.0)
            low = betaincinv(n * mean, n * (1.0 - mean) + 1.0, tail)
            high = betainccinv(n * mean + 1.0, n * (1.0 - mean), tail)
        # Nothing of it, or nothing else, ends where shares do; rounding puts no mean outside.
        low, high = np.where(mean <= 0.0, 0.0, low), np.where(mean >= 1.0, 1.0, high)
        return np.minimum(low, of_columns), np.maximum(high, of_columns)


def group_means(
    shares: npt.NDArray[np.floating],
    groups: I64,
    n_groups: int,
    weights: F64 | None = None,
    units: I64 | None = None,
    columns: Sequence[int] | None = None,
) -> Means:
    """The weighted mean of every column in every group.

    `shares` (D, K), 0 to 1; `groups` int64 (D,) from 0 to G-1, -1 leaves a document aside.
    `weights` float64 (D,), positive: the documents' lengths, where every word counts the same; by
    default every document does. `units` int64 (D,) from 0: equal for documents that hang together;
    by default none do. `columns`: of `shares[:, columns]`, of which no copy is made. Raises
    ValueError if the lengths differ.
    """
    for given in (groups, weights, units):
        if given is not None and len(given) != len(shares):
            raise ValueError(f"{len(shares):,} documents have {len(given):,} groups.")
    n_docs = np.bincount(groups[groups >= 0], minlength=n_groups).astype(np.int64)
    own = np.arange(shares.shape[1]) if columns is None else np.array(columns, np.int64)
    blocks = _documents(shares, groups, own)
    if units is not None:
        groups, weights, blocks = _texts(shares, groups, weights, units, own)
    there = groups >= 0
    w = np.ones(len(groups)) if weights is None else np.asarray(weights, np.float64)
    n, total, squared, cubed, fourth = (
        np.bincount(groups[there], w[there] ** power, n_groups).astype(np.float64)
        for power in range(5)
    )
    sums, heavy, squares = _sums(blocks, len(own), groups, n_groups, weights)
    with np.errstate(divide="ignore", invalid="ignore"):  # groups without documents are nan
        mean = sums / total[:, None]
        # sum of w^2 (x - mean)^2, and what it is expected to be for a variance of one
        around = np.maximum(squares - 2.0 * mean * heavy + mean**2 * squared[:, None], 0.0)
        expected = squared - 2.0 * cubed / total + squared**2 / total**2
        expected[n < 2] = 0.0
        effective = np.where(n > 0, total**2 / squared, 0.0)
        error = np.sqrt(around / expected[:, None] / effective[:, None])
    error[n < 2] = np.nan
    # Long texts rule these sums. They tell as much as all texts of the group do, or as the few that
    # they are, whichever leaves more to chance: the first alone made 13 % of comparisons of 3 texts
    # with 1,000 of very unequal lengths falsely sure, the second as many where one text is huge.
    spread = np.zeros_like(mean)
    for weight in (squared / np.maximum(n, 1.0), fourth / np.maximum(squared, 1e-300)):
        scale = np.where(n > 0, weight, 1.0)
        spread = np.maximum(spread, _spread(mean, around / scale[:, None], expected / scale))
    return Means(n_docs, n.astype(np.int64), effective, mean, error, spread)


Blocks = Iterator[tuple[I64, F64]]
"""Some documents or texts after the other: which they are, and their shares, float64 (N, K)."""


def _documents(shares: npt.NDArray[np.floating], groups: I64, columns: I64) -> Blocks:
    """Those that are in a group."""
    every = len(columns) == shares.shape[1] and bool((columns == np.arange(len(columns))).all())
    for begin in range(0, len(shares), BLOCK):
        rows = begin + np.flatnonzero(groups[begin : begin + BLOCK] >= 0)
        x = shares[rows] if every else shares[rows[:, None], columns]
        yield rows, x.astype(np.float64)


def _texts(
    shares: npt.NDArray[np.floating], groups: I64, weights: F64 | None, units: I64, columns: I64
) -> tuple[I64, F64, Blocks]:
    """Groups and weights of C texts, one for every unit in every group that it is in; and their
    shares, in the precision of `shares`."""
    rows = np.flatnonzero(groups >= 0)
    n_units = int(units.max(initial=0)) + 1
    cells, of_cell = np.unique(groups[rows] * n_units + units[rows], return_inverse=True)
    w = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)[rows]
    total = np.asarray(np.bincount(of_cell, w, len(cells)), np.float64)
    order = np.argsort(of_cell, kind="stable")
    rows, w, ends = rows[order], w[order], np.append(0, np.cumsum(np.bincount(of_cell)))

    def blocks() -> Blocks:
        for begin in range(0, len(cells), BLOCK):
            stops = ends[begin : begin + BLOCK + 1]
            part = slice(stops[0], stops[-1])
            x = shares[rows[part, None], columns].astype(np.float64)
            entries = (w[part], np.arange(len(x)), stops - stops[0])
            summed = sparse.csr_matrix(entries, (len(stops) - 1, len(x)))
            mean = (summed @ x) / total[begin : begin + BLOCK, None]
            yield np.arange(begin, begin + len(mean)), mean.astype(shares.dtype).astype(np.float64)

    return np.asarray(cells // n_units, np.int64), total, blocks()


def _sums(
    blocks: Blocks, n_columns: int, groups: I64, n_groups: int, weights: F64 | None
) -> tuple[F64, F64, F64]:
    """Per group the sums of w x, of w^2 x and of w^2 x^2, each float64 (G, K)."""
    first, second, squares = (np.zeros((n_groups, n_columns)) for _ in range(3))
    for rows, x in blocks:
        w = np.ones(len(rows)) if weights is None else weights[rows]
        first += _added(w, groups[rows], n_groups, x)
        if weights is not None:
            second += _added(w**2, groups[rows], n_groups, x)
        squares += _added(w**2, groups[rows], n_groups, x * x)
    return first, first if weights is None else second, squares


def _added(w: F64, groups: I64, n_groups: int, x: F64) -> F64:
    """The sums of w x by group: (G, K)."""
    one_each = np.arange(len(w) + 1)
    matrix = sparse.csc_matrix((w, groups, one_each), (n_groups, len(w)))
    return np.asarray(matrix @ x)


def _spread(mean: F64, around: F64, expected: F64) -> F64:
    """phi of every group and column, each moved towards what is common to more of them.

    A column's towards that of all columns, a group's towards its column's, by how much there is to
    go by: documents times mean (1 - mean), so that of a topic hardly seen nothing is concluded from
    its seeming the same everywhere.
    """
    possible = np.nan_to_num(expected)[:, None] * np.nan_to_num(mean * (1.0 - mean))
    around = np.nan_to_num(around)
    # One document's worth of the widest spread: all there is where no group has two documents.
    overall = min((float(around.sum()) + 1.0) / (float(possible.sum()) + 1.0), 1.0)
    own = (around.sum(axis=0) + PRIOR * overall) / (possible.sum(axis=0) + PRIOR)
    return np.asarray(np.clip((around + PRIOR * own) / (possible + PRIOR), 0.0, 1.0))


def normal_above(tail: float) -> float:
    """What a standard normal number is above with this probability: `norm.isf`."""
    return -float(ndtri(tail))


def student_above(tail: float, freedom: Any) -> F64:
    """The same of Student's t; `freedom`: degrees of freedom, of any shape: `t.isf`."""
    return np.asarray(-stdtrit(freedom, tail))


def student_below(share: float, freedom: Any) -> F64:
    """What Student's t is below with this probability: `t.ppf`."""
    return np.asarray(stdtrit(freedom, share))
