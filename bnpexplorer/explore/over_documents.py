"""Topics over documents: how common they are in each period, and which go together."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ..core.arrays import F32, F64, I64

Column = npt.NDArray[Any]
Period = Literal["day", "month", "year", "5 years", "10 years", "50 years"]
PERIODS: tuple[Period, ...] = ("day", "month", "year", "5 years", "10 years", "50 years")
MANY = 80
"""More periods than this are too many to read."""


@dataclass(frozen=True, eq=False)
class Prevalence:
    """The mean proportions of topics in P periods one after the other."""

    starts: Column
    """datetime64[D] (P,): the first day of every period."""
    n_docs: I64
    """int64 (P,): documents of each period."""
    share: F64
    """float64 (P, K): mean proportion over the documents of the period; nan where there are none.
    """
    error: F64
    """float64 (P, K): standard error of the mean; nan for fewer than two documents."""
    n_undated: int
    """Documents that were left aside because their date is unknown."""


def prevalence(doc_topic: F32, dates: Column, period: Period) -> Prevalence:
    """Mean topic proportions by period: every document counts the same, long or short.

    `doc_topic` (D, K), `dates` datetime64[D] (D,) with NaT where unknown. Raises ValueError if no
    date is known or the lengths differ.
    """
    known = ~np.isnat(dates)
    if len(dates) != len(doc_topic):
        raise ValueError(f"{len(doc_topic):,} documents have {len(dates):,} dates.")
    if not known.any():
        raise ValueError("No document has a date that could be read.")
    index = _index(dates[known], period)
    first = int(index.min())
    place = (index - first).astype(np.int64)
    n = np.bincount(place)
    shares = doc_topic[known].astype(np.float64)
    order = np.argsort(place, kind="stable")
    filled = np.flatnonzero(n)
    cuts = np.concatenate(([0], np.cumsum(n[filled])[:-1]))
    mean = np.full((len(n), shares.shape[1]), np.nan)
    error = np.full_like(mean, np.nan)
    mean[filled] = np.add.reduceat(shares[order], cuts, axis=0) / n[filled, None]
    shares -= mean[place]
    squares = np.add.reduceat(shares[order] ** 2, cuts, axis=0)
    several = n[filled] > 1
    rows = filled[several]
    error[rows] = np.sqrt(squares[several] / (n[rows] * (n[rows] - 1))[:, None])
    starts = _start(first + np.arange(len(n)), period)
    return Prevalence(starts, n.astype(np.int64), mean, error, int((~known).sum()))


def suitable_period(dates: Column) -> Period:
    """The shortest period that cuts the known dates into at most `MANY` pieces."""
    known = dates[~np.isnat(dates)]
    for period in PERIODS:
        if len(known) and int(np.ptp(_index(known, period))) < MANY:
            return period
    return PERIODS[-1]


def _years(period: Period) -> int:
    return {"year": 1, "5 years": 5, "10 years": 10, "50 years": 50}[period]


def _index(days: Column, period: Period) -> I64:
    """The number of the period that each day belongs to."""
    if period == "day":
        return np.asarray(days.astype("datetime64[D]").astype(np.int64))
    if period == "month":
        return np.asarray(days.astype("datetime64[M]").astype(np.int64))
    year = days.astype("datetime64[Y]").astype(np.int64) + 1970
    return np.asarray(year // _years(period))


def _start(index: I64, period: Period) -> Column:
    """The first day of periods."""
    if period == "day":
        return np.asarray(index.astype("datetime64[D]"))
    if period == "month":
        return np.asarray(index.astype("datetime64[M]").astype("datetime64[D]"))
    years = (index * _years(period) - 1970).astype("datetime64[Y]")
    return np.asarray(years.astype("datetime64[D]"))


def correlations(doc_topic: F32) -> F64:
    """Pearson's correlation of topic proportions over documents: float64 (K, K).

    0 beside a topic whose proportion is the same everywhere; 1 on the diagonal.
    """
    n_docs, n_topics = doc_topic.shape
    if n_docs < 2:
        return np.eye(n_topics)
    centred = doc_topic - doc_topic.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.sqrt((centred * centred).sum(axis=0, dtype=np.float64))
    spread[spread < 1e-6 * np.sqrt(n_docs)] = np.inf
    found = (centred.T @ centred).astype(np.float64) / np.outer(spread, spread)
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def side_by_side(correlation: F64) -> I64:
    """An order of the topics that brings those that go together next to each other: (K,)."""
    n = len(correlation)
    if n < 3:
        return np.arange(n)
    apart = np.clip(1.0 - correlation, 0.0, 2.0)
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform((apart + apart.T) / 2.0, checks=False), "average")
    return np.asarray(leaves_list(tree), np.int64)
