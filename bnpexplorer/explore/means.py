"""Mean shares of groups of documents, with the uncertainty that their number allows.

A share lies between 0 and 1, so few documents tell little: ten that never mention a topic do not
prove that it is absent, and one document has no spread at all. Therefore n documents whose mean is
m count as n / phi draws of yes and no, of which n m / phi say yes, and the interval is that of a
share of counts (Korn & Graubard 1998): quantiles of Beta distributions. An interval that stands
alone is Jeffreys's, which misses about as often as it says. One that holds together with many
others is Clopper and Pearson's, which keeps its word far out in the tails.

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
    common: F64
    """float64 (2, 1 + K): the same of all groups, by `Moments.common_spread`."""
    exact: bool = False
    """Whether intervals are wider, for what is skewed or stands far out in the tails."""

    def interval(
        self, level: float = LEVEL, columns: Sequence[int] | None = None
    ) -> tuple[F64, F64]:
        """Where the true mean lies with this probability, each alone: low and high, (G, K).

        `columns`: only of these, (G, len(columns)); of 7,305 days and 200 topics all take 2 s.
        """
        own = slice(None) if columns is None else list(columns)
        of_columns, spread = self.mean[:, own], self.spread[:, own]
        mean = np.clip(of_columns, 0.0, 1.0)
        low, high = share_interval(mean, self.effective[:, None], spread, 1.0 - level, self.exact)
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
    n_docs = np.bincount(groups[groups >= 0], minlength=n_groups).astype(np.int64)
    texts = texts_of(shares, groups, weights, units, columns)
    groups, weights = texts.groups, texts.weights
    there = groups >= 0
    w = np.ones(len(groups)) if weights is None else np.asarray(weights, np.float64)
    powers = np.stack(
        [np.bincount(groups[there], w[there] ** p, n_groups).astype(np.float64) for p in range(5)]
    )
    found = Moments(powers, *_sums(texts, n_groups))
    common = found.common_spread()
    spread = found.spread(common)
    n = powers[0].astype(np.int64)
    return Means(n_docs, n, found.effective, found.mean, found.error, spread, common)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the texts of groups, from which means and their spread are made; groups of any
    shape (...), such as G."""

    powers: F64
    """float64 (5, ...): of the weights w to the powers 0 to 4."""
    sums: F64
    """float64 (..., K): of w x, of w^2 x and of w^2 x^2."""
    heavy: F64
    squares: F64

    @property
    def mean(self) -> F64:
        with np.errstate(divide="ignore", invalid="ignore"):  # groups without documents are nan
            return np.asarray(self.sums / self.powers[1][..., None])

    @property
    def effective(self) -> F64:
        """(...): as many texts of equal weight would tell as much."""
        n, total, squared = self.powers[:3]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(n > 0, total**2 / squared, 0.0))

    @property
    def error(self) -> F64:
        """(..., K): standard error of the mean; nan for fewer than two texts."""
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(self._around / (self._expected * self.effective)[..., None])
        return np.asarray(np.where(self.powers[0][..., None] < 2, np.nan, error))

    @property
    def _around(self) -> F64:
        """The sum of w^2 (x - mean)^2."""
        mean, squared = self.mean, self.powers[2][..., None]
        around = self.squares - 2.0 * mean * self.heavy + mean**2 * squared
        return np.asarray(np.maximum(around, 0.0))

    @property
    def _expected(self) -> F64:
        """Return the expected spread for a variance of one."""
        n, total, squared, cubed, _ = self.powers
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = squared - 2.0 * cubed / total + squared**2 / total**2
        return np.asarray(np.where(n < 2, 0.0, expected))

    def _scaled(self) -> Iterator[tuple[F64, F64]]:
        """Around and possible, twice: long texts rule these sums. They tell as much as all texts of
        the group do, or as the few that they are, whichever leaves more to chance: the first alone
        made 13 % of comparisons of 3 texts with 1,000 of very unequal lengths falsely sure, the
        second as many where one text is huge.
        """
        n, _, squared, _, fourth = self.powers
        mean = self.mean
        for weight in (squared / np.maximum(n, 1.0), fourth / np.maximum(squared, 1e-300)):
            scale = np.where(n > 0, weight, 1.0)
            possible = np.nan_to_num(self._expected / scale)[..., None]
            possible = possible * np.nan_to_num(mean * (1.0 - mean))
            yield np.nan_to_num(self._around / scale[..., None]), possible

    def common_spread(self) -> F64:
        """float64 (2, 1 + K): phi of all columns and of every column by all of its G groups, the
        latter moved towards the former by how much there is to go by: documents times mean
        (1 - mean), so that of a topic hardly seen nothing is concluded from its seeming the same
        everywhere."""
        found = []
        for around, possible in self._scaled():
            # One document's worth of the widest spread: all there is without two in one group.
            overall = min((float(around.sum()) + 1.0) / (float(possible.sum()) + 1.0), 1.0)
            own = (around.sum(axis=0) + PRIOR * overall) / (possible.sum(axis=0) + PRIOR)
            found.append(np.append(overall, own))
        return np.stack(found)

    def spread(self, common: F64) -> F64:
        """float64 (..., K): phi of every group and column, moved towards its column's `common`,
        which is more in a group whose documents are more unlike each other than in all: where
        those of a small group have one topic each, 20 of 100 corpora showed a false change."""
        found: F64 = np.zeros_like(self.sums)
        for (overall, *own), (around, possible) in zip(common, self._scaled(), strict=True):
            of_group = around.sum(axis=-1) + PRIOR * overall
            of_group = of_group / ((possible.sum(axis=-1) + PRIOR) * overall)
            target = np.array(own) * np.maximum(of_group, 1.0)[..., None]
            found = np.maximum(found, (around + PRIOR * target) / (possible + PRIOR))
        return np.asarray(np.clip(found, 0.0, 1.0))


def share_interval(
    mean: F64, effective: F64, spread: F64, miss: float | F64, exact: bool
) -> tuple[F64, F64]:
    """Intervals of mean shares of some `effective` documents that miss with this probability; the
    `exact` ones also where it is tiny."""
    tail = miss / 2.0
    t = student_above(tail, FREEDOM + np.maximum(effective, 1.0) - 1.0)
    less, more = (0.0, 1.0) if exact else (0.5, 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):  # groups without documents are nan
        n = effective * (normal_above(tail) / t) ** 2 / spread
        low = betaincinv(n * mean + less, n * (1.0 - mean) + more, tail)
        high = betainccinv(n * mean + more, n * (1.0 - mean) + less, tail)
    return np.asarray(low, np.float64), np.asarray(high, np.float64)


Blocks = Iterator[tuple[I64, F64]]
"""Some documents or texts after the other: which they are, and their shares, float64 (N, K)."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Units that chose their words on their own: texts, each once for every group it is in."""

    groups: I64
    """int64 (N,): -1 leaves a text aside."""
    weights: F64 | None
    n_columns: int
    blocks: Blocks
    """Read once."""


def texts_of(
    shares: npt.NDArray[np.floating],
    groups: I64,
    weights: F64 | None,
    units: I64 | None,
    columns: Sequence[int] | None,
) -> Texts:
    """The texts of documents, each as in `group_means`."""
    for given in (groups, weights, units):
        if given is not None and len(given) != len(shares):
            raise ValueError(f"{len(shares):,} documents have {len(given):,} groups.")
    own = np.arange(shares.shape[1]) if columns is None else np.array(columns, np.int64)
    if units is None:
        return Texts(groups, weights, len(own), _documents(shares, groups, own))
    return Texts(*_texts(shares, groups, weights, units, own))


def _documents(shares: npt.NDArray[np.floating], groups: I64, columns: I64) -> Blocks:
    """Those that are in a group."""
    every = len(columns) == shares.shape[1] and bool((columns == np.arange(len(columns))).all())
    for begin in range(0, len(shares), BLOCK):
        rows = begin + np.flatnonzero(groups[begin : begin + BLOCK] >= 0)
        x = shares[rows] if every else shares[rows[:, None], columns]
        yield rows, x.astype(np.float64)


def _texts(
    shares: npt.NDArray[np.floating], groups: I64, weights: F64 | None, units: I64, columns: I64
) -> tuple[I64, F64, int, Blocks]:
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

    return np.asarray(cells // n_units, np.int64), total, len(columns), blocks()


def _sums(texts: Texts, n_groups: int) -> tuple[F64, F64, F64]:
    """Per group the sums of w x, of w^2 x and of w^2 x^2, each float64 (G, K)."""
    first, second, squares = (np.zeros((n_groups, texts.n_columns)) for _ in range(3))
    groups, weights = texts.groups, texts.weights
    for rows, x in texts.blocks:
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


def normal_above(tail: Any) -> Any:
    """What a standard normal number is above with this probability: `norm.isf`."""
    return -ndtri(tail)


def student_above(tail: Any, freedom: Any) -> F64:
    """The same of Student's t; `freedom`: degrees of freedom, of any shape: `t.isf`."""
    return np.asarray(-stdtrit(freedom, tail))


def student_below(share: float, freedom: Any) -> F64:
    """What Student's t is below with this probability: `t.ppf`."""
    return np.asarray(stdtrit(freedom, share))
