"""How far the mix of labels swings between the periods of a collection.

Where a newspaper sends most texts of one month and few of another, a topic's share follows it.
"""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import I64
from .means import LEVEL, student_above
from .mix import FEWEST_TEXTS
from .periods import Column, Labelled, Period, in_words, index, start

LEAST = 0.2
"""A smaller difference between two shares of the texts is not told."""


@dataclass(frozen=True)
class Swing:
    """The label whose share of the texts differs most between two periods."""

    label: str
    high: float
    """Its share where it is largest, ..."""
    low: float
    """... and where it is smallest."""
    at_high: str
    """Those periods, as they stand in a sentence: "in May 2020"."""
    at_low: str


def swing(
    labels: Labelled | None, dates: Column, period: Period, units: I64 | None = None
) -> Swing | None:
    """Return how far the mix swings; None where it is by less than `LEAST`, or may be by chance.

    `dates` datetime64[D] (D,). `units` int64 (D,): the text of each passage, which counts once.
    Periods with fewer than `FEWEST_TEXTS` texts with a label do not count. The standard error is of
    shares with one more text of either kind a period (Agresti & Caffo 2000), and the test holds for
    all labels and pairs of periods by Bonferroni.
    """
    if labels is None:
        return None
    rows = np.flatnonzero((labels.codes >= 0) & ~np.isnat(dates))
    if units is not None:
        rows = rows[np.unique(units[rows], return_index=True)[1]]
    numbers, place = np.unique(index(dates[rows], period), return_inverse=True)
    shape = len(numbers), len(labels.names)
    counts = np.bincount(place * shape[1] + labels.codes[rows], minlength=shape[0] * shape[1])
    counts = counts.reshape(shape)
    enough = counts.sum(axis=1) >= FEWEST_TEXTS
    counts, numbers = counts[enough], numbers[enough]
    if len(numbers) < 2:
        return None
    n = counts.sum(axis=1)
    shares = counts / n[:, None]
    label = int(np.argmax(np.ptp(shares, axis=0)))
    ends = np.array([shares[:, label].argmax(), shares[:, label].argmin()])
    p = (counts[ends, label] + 1.0) / (n[ends] + 2.0)
    error = np.sqrt((p * (1.0 - p) / (n[ends] + 2.0)).sum())
    n_compared = shape[1] * len(numbers) * (len(numbers) - 1) / 2
    least = student_above((1.0 - LEVEL) / 2.0 / n_compared, float(n[ends].sum() - 2)) * error
    high, low = shares[ends, label]
    if high - low < LEAST or p[0] - p[1] <= least:
        return None
    said = [in_words(day, period) for day in start(numbers[ends], period)]
    return Swing(labels.names[label], float(high), float(low), *said)
