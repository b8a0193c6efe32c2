"""In which order the documents of a corpus are read: an array of rows, or a rule where it is large.

A permutation of ten million documents takes 80 MB in memory and in every saved run, and reading by
it takes a look into another corner of the disk for each document. The rule costs nothing: blocks of
consecutive documents come in random order, and within a window of many blocks the documents are
shuffled. A window is read at once, so that reading goes along the disk; what stands together in the
file, such as a year's texts, is spread over windows by the order of the blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..core.arrays import I64
from .corpus import Corpus

LARGE_DOCS, LARGE_PAIRS = 2**18, 2**24
"""More documents, or more pairs of a document and a word (134 MB), and the order is a rule. By the
shape of the corpus alone, so that it learns the same numbers from the disk and from memory."""
BLOCK = 32
"""Documents of a block; 9 kB of counts at 70 words each, and one look at the disk. Of texts sorted
by a hundred labels a window has each as often as expected with a standard deviation of a quarter;
with 64 of a third (`benchmarks/scale.md`)."""
WINDOW_PAIRS = 2**22
"""Pairs in a window, 34 MB: some 60,000 documents of 70 words, of 1,900 blocks."""
AT_ONCE = 2**20
"""Documents of a stream whose places are found at once: 8 MB, and some 40 on the way."""


def is_large(corpus: Corpus) -> bool:
    """Whether a corpus is read by a rule, and nothing is held for each of its documents."""
    return corpus.n_docs > LARGE_DOCS or corpus.n_pairs > LARGE_PAIRS


@dataclass(frozen=True)
class InOrder:
    """Documents as they stand: what `numpy.arange` would be, of which only slices are made."""

    n_docs: int

    def __len__(self) -> int:
        return self.n_docs

    def __getitem__(self, part: slice) -> I64:
        return np.arange(*part.indices(self.n_docs), dtype=np.int64)


@dataclass(frozen=True)
class Windows:
    """One pass by the rule: every document exactly once. Only slices are made, of one window each
    or of several."""

    n_docs: int
    window: int
    """Documents of a window; a multiple of the mini-batch, so that none lies in two."""
    seed: int
    """Of this pass: all that a saved run needs of it."""

    def __post_init__(self) -> None:
        if not (self.n_docs > 0 and self.window > 0 and self.seed >= 0):
            raise ValueError("the order of the texts is not one")

    def __len__(self) -> int:
        return self.n_docs

    def __getitem__(self, part: slice) -> I64:
        first, last, step = part.indices(self.n_docs)
        if step != 1:
            raise ValueError("documents are read one after the other")
        windows = range(first // self.window, -(-last // self.window) if first < last else 0)
        rows = [self.rows_of(w) for w in windows]
        if not rows:
            return np.empty(0, np.int64)
        found = rows[0] if len(rows) == 1 else np.concatenate(rows)
        begin = first // self.window * self.window
        return found[first - begin : last - begin]

    def rows_of(self, window: int) -> I64:
        """The documents of one window, shuffled: int64, read-only."""
        return _rows_of(self, window)


class ByDate:
    """A stream of a large corpus: documents by their dates, those of one date as they stand, those
    without one last; what `numpy.argsort(dates, kind="stable")` would be, of which only slices are
    made.

    Known is how many documents have each date; which they are is found by going through all dates,
    once for every `AT_ONCE` documents: of ten million on the disk ten times in a pass, 0.4 s each.
    Documents of a window are then read from wherever they lie.
    """

    seed = -2
    """Of no pass in particular."""

    def __init__(self, corpus: Corpus, window: int) -> None:
        """`window`: documents, a multiple of the mini-batch. The corpus has dates."""
        self.corpus, self.window = corpus, window
        found: dict[int, int] = {}
        self.is_sorted, before = True, -(2**63)
        """Whether the corpus stands in this order already."""
        for days in _days(corpus):
            for day, n in zip(*np.unique(days, return_counts=True), strict=True):
                found[int(day)] = found.get(int(day), 0) + int(n)
            in_order = before <= days[0] and bool((days[1:] >= days[:-1]).all())
            self.is_sorted, before = self.is_sorted and in_order, int(days[-1])
        self._days = np.array(sorted(found), np.int64)
        self._ends = np.cumsum([found[day] for day in self._days.tolist()], dtype=np.int64)
        self._held: tuple[int, I64] = (0, np.empty(0, np.int64))
        """The last rows that were found: where they begin in the order, and which they are."""

    def __len__(self) -> int:
        return self.corpus.n_docs

    def __getitem__(self, part: slice) -> I64:
        first, last, step = part.indices(len(self))
        if step != 1:
            raise ValueError("documents are read one after the other")
        begin, held = self._held
        if not begin <= first <= last <= begin + len(held):
            begin = first // self.window * self.window
            windows = max(AT_ONCE // self.window, 1) * self.window
            held = self._found(begin, min(max(begin + windows, last), len(self)))
            if len(held) <= windows:
                self._held = begin, held
        return held[first - begin : max(last, first) - begin]

    def rows_of(self, window: int) -> I64:
        """The documents of one window: int64."""
        return self[window * self.window : (window + 1) * self.window]

    def _found(self, first: int, last: int) -> I64:
        """The documents at places `first` to `last`: int64, read-only."""
        if first >= last:
            return np.empty(0, np.int64)
        ends = self._ends.tolist()
        i, j = np.searchsorted(self._ends, (first, last - 1), side="right").tolist()
        # Of the first and the last date only some documents are meant, which stand in their order.
        skip, most = first - (ends[i - 1] if i else 0), last - (ends[j - 1] if j else 0)
        rows, keys, place = [], [], 0
        n_first = n_last = 0
        for days in _days(self.corpus):
            inside = (days >= self._days[i]) & (days <= self._days[j])
            of_last, of_first = days == self._days[j], days == self._days[i]
            inside[of_last] = n_last + np.arange(of_last.sum()) < most
            inside[of_first] &= n_first + np.arange(of_first.sum()) >= skip
            n_last, n_first = n_last + int(of_last.sum()), n_first + int(of_first.sum())
            own = np.flatnonzero(inside)
            rows.append(place + own)
            keys.append(days[own])
            place += len(days)
        found = np.concatenate(rows)[np.argsort(np.concatenate(keys), kind="stable")]
        found.flags.writeable = False
        return found


def _days(corpus: Corpus) -> Iterator[I64]:
    """The dates of some documents after the other as numbers; unknown ones are the largest."""
    for dates in corpus.date_pieces():
        days = dates.astype(np.int64)
        days[np.isnat(dates)] = np.iinfo(np.int64).max
        yield days


Order = I64 | InOrder | Windows | ByDate


def whole(order: Order) -> I64:
    """All rows: int64 (D,)."""
    return order[:]


def windows_of(corpus: Corpus, batch_size: int, rng: np.random.Generator) -> Windows:
    """The order of one pass over a large corpus, drawn from `rng`."""
    return Windows(corpus.n_docs, _window(corpus, batch_size), int(rng.integers(2**63)))


def by_date(corpus: Corpus, batch_size: int) -> InOrder | ByDate:
    """The order of a large corpus with dates as a stream."""
    found = ByDate(corpus, _window(corpus, batch_size))
    return InOrder(corpus.n_docs) if found.is_sorted else found


def _window(corpus: Corpus, batch_size: int) -> int:
    """Documents of a window: a multiple of the mini-batch."""
    fitting = WINDOW_PAIRS * corpus.n_docs // max(corpus.n_pairs, 1)
    return max(fitting // batch_size, 1) * batch_size


@lru_cache(maxsize=2)
def _blocks(n_docs: int, seed: int) -> tuple[I64, I64]:
    """Blocks in the order of a pass: where each begins in the corpus, and in the order."""
    n_blocks = -(-n_docs // BLOCK)
    blocks = np.random.default_rng((seed, 0)).permutation(n_blocks)
    sizes = np.minimum((blocks + 1) * BLOCK, n_docs) - blocks * BLOCK
    return blocks * BLOCK, np.concatenate(([0], np.cumsum(sizes)))


@lru_cache(maxsize=2)
def _rows_of(order: Windows, window: int) -> I64:
    begins, places = _blocks(order.n_docs, order.seed)
    place = np.arange(window * order.window, min((window + 1) * order.window, order.n_docs))
    block = np.searchsorted(places, place, side="right") - 1
    rows = begins[block] + (place - places[block])
    rows = np.random.default_rng((order.seed, 1, window)).permutation(rows)
    rows.flags.writeable = False
    return cast(I64, rows)


def check_order(order: Any, n_docs: int, batch_size: int = 1) -> None:
    """Raise ValueError unless an order from a file has every one of `n_docs` documents once, and
    no mini-batch in two windows."""
    sound = (
        len(order) == n_docs and getattr(order, "window", batch_size) % batch_size == 0
        if isinstance(order, (InOrder, Windows, ByDate))
        else np.array_equal(np.sort(order), np.arange(n_docs))
    )
    if not sound:
        raise ValueError("the order of the texts is not one")
