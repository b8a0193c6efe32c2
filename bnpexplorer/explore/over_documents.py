"""Topics over documents: how common they are in each period, and which go together.

How common one word is over time, of the documents or of the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from ..core.arrays import F32, F64, I64, Bools
from ..corpus.corpus import Corpus
from .documents import BLOCK, lengths_of, uses_of
from .means import Means, group_means
from .periods import Column, Period, index, start
from .word_rates import word_means

FEW = 5
"""Periods with fewer texts say little, ..."""


@dataclass(frozen=True, eq=False)
class Prevalence:
    """The mean proportions of topics in P periods one after the other."""

    starts: Column
    """datetime64[D] (P,): the first day of every period."""
    means: Means
    """Of the periods' documents."""
    n_undated: int
    """Documents that were left aside because their date is unknown."""
    groups: I64
    """int64 (D,): the period of every document; -1 for those left aside."""

    @property
    def n_docs(self) -> I64:
        """int64 (P,): documents of each period."""
        return self.means.n_docs

    @property
    def few(self) -> Bools:
        """bool (P,): ... and stand apart where most texts are in other periods."""
        n = self.means.n_units
        few = (n > 0) & (n < FEW)
        return few if 2 * n[few].sum() <= n.sum() else np.zeros(len(n), bool)

    @property
    def share(self) -> F64:
        """float64 (P, K): mean proportion over the documents of the period; nan for none."""
        return self.means.mean

    @property
    def error(self) -> F64:
        """float64 (P, K): standard error of the mean; nan for fewer than two documents."""
        return self.means.error


def prevalence(
    doc_topic: npt.NDArray[np.floating],
    dates: Column,
    period: Period,
    weights: F64 | None = None,
    only: Bools | None = None,
    units: I64 | None = None,
    columns: Sequence[int] | None = None,
) -> Prevalence:
    """Mean topic proportions by period: every document counts the same, long or short.

    `doc_topic` (D, K), `dates` datetime64[D] (D,) with NaT where unknown; with `weights` (D,), the
    documents' lengths, every word counts the same; `only` bool (D,): these documents, over the
    periods of all; `units` and `columns` as in `group_means`. Raises ValueError if no date is known
    or the lengths differ.
    """
    known = ~np.isnat(dates)
    if len(dates) != len(doc_topic):
        raise ValueError(f"{len(doc_topic):,} documents have {len(dates):,} dates.")
    if not known.any():
        raise ValueError("No document has a date that could be read.")
    numbers = index(dates[known], period)
    first = int(numbers.min())
    place = np.full(len(dates), -1, np.int64)
    place[known] = numbers - first
    n_periods = int(place.max()) + 1
    if only is not None:
        place[~only] = -1
    found = group_means(doc_topic, place, n_periods, weights, units, columns)
    starts = start(first + np.arange(n_periods), period)
    return Prevalence(starts, found, int((~known).sum()), place)


def correlations(doc_topic: F32) -> F64:
    """Pearson's correlation of topic proportions over documents: float64 (K, K).

    0 beside a topic whose proportion is the same everywhere; 1 on the diagonal.
    """
    n_docs, n_topics = doc_topic.shape
    if n_docs < 2:
        return np.eye(n_topics)
    mean = doc_topic.mean(axis=0, dtype=np.float64).astype(np.float32)
    squares, products = np.zeros(n_topics), np.zeros((n_topics, n_topics))
    for begin in range(0, n_docs, BLOCK):  # a copy of all would be as large as they are
        centred = doc_topic[begin : begin + BLOCK] - mean
        squares += (centred * centred).sum(axis=0, dtype=np.float64)
        products += centred.T @ centred
    spread = np.sqrt(squares)
    spread[spread < 1e-6 * np.sqrt(n_docs)] = np.inf
    found = products / np.outer(spread, spread)
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


def word_trend(corpus: Corpus, word: int, period: Period, of_words: bool) -> Prevalence:
    """The share of the words that are this one, or of the documents that use it, by period.

    One column. Raises ValueError if no document has a date.
    """
    dates = corpus.docs.date
    if dates is None:
        raise ValueError("No document has a date that could be read.")
    (rows, often), units = uses_of(corpus, word), corpus.units
    share = np.zeros(corpus.n_docs)
    if not of_words:
        share[rows] = 1.0
        return prevalence(share[:, None], dates, period, units=units)
    share[rows] = often
    found = prevalence(share[:, None], dates, period)
    lengths = lengths_of(corpus).astype(np.float64)
    means = word_means(share, lengths, found.groups, len(found.starts), units)
    return replace(found, means=means)


def word_rate(corpus: Corpus, word: int) -> tuple[float, float, float]:
    """The share of all words that are this one, with the ends of its interval."""
    often, nothing = np.zeros(corpus.n_docs), np.zeros(corpus.n_docs, np.int64)
    rows, counts = uses_of(corpus, word)
    often[rows] = counts
    found = word_means(often, lengths_of(corpus).astype(np.float64), nothing, 1, corpus.units)
    low, high = found.interval()
    return float(found.mean[0, 0]), float(low[0, 0]), float(high[0, 0])
