"""The document order of a pass, and its mini-batches, for corpora in memory and on the disk."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..core.arrays import I64
from ..core.faults import NotNow
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.documents.absent import GONE, AbsentCorpus
from ..corpus.order import (
    WINDOW_PAIRS,
    ByDate,
    InOrder,
    Order,
    Windows,
    by_date,
    is_large,
    windows_of,
)
from ..corpus.stored import StoredCorpus
from .choices import Order as Asked


def order_of_pass(
    corpus: Corpus, asked: Asked, as_it_stands: bool, batch_size: int, rng: np.random.Generator
) -> Order:
    """Return the row order of one pass: int64 (D,), or a rule for a large corpus.

    A stream goes by date; with `as_it_stands` the corpus's own order is kept; otherwise `rng` draws
    a new order.
    """
    n_docs, large = corpus.n_docs, is_large(corpus)
    if asked == "stream" and "date" in corpus.docs.names():
        if large:
            return by_date(corpus, batch_size)
        dates = np.asarray(corpus.docs.date)
        return np.asarray(np.argsort(dates, kind="stable"), dtype=np.int64)
    if asked == "stream" or as_it_stands:
        return InOrder(n_docs) if large else np.arange(n_docs, dtype=np.int64)
    if large:
        return windows_of(corpus, batch_size, rng)
    return rng.permutation(n_docs).astype(np.int64)


class TextsLost(CorpusError, NotNow):
    """A corpus on the disk cannot be read any more."""


class Feed:
    """Reads the mini-batches of a run.

    For a large corpus on the disk it holds the present window (`corpus/order.py`), 34 MB, and for a
    smaller one all of it, at most 140 MB.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._key: tuple[int, int] | None = None
        self._rows: I64 = np.empty(0, np.int64)
        """Rows of the window, ascending."""
        self._held: Corpus | None = None

    @property
    def n_bytes(self) -> int:
        """Return the bytes held of a corpus on the disk, or to be held once it is read."""
        if self._held is not None:
            return self._held.n_bytes + self._rows.nbytes
        return (
            min(self._corpus.n_bytes, 8 * WINDOW_PAIRS)
            if is_large(self._corpus)
            else self._corpus.n_bytes
        )

    def batch(self, order: Order, first: int, last: int) -> tuple[Corpus, I64]:
        """Return the documents at places `first` to `last` of `order`, and their rows int64 (S,).

        Raises TextsLost if they cannot be read; nothing changes then, so it can be called again.
        """
        try:
            return self._batch(order, first, last)
        except CorpusError as problem:
            raise TextsLost(str(problem)) from problem

    def check(self) -> None:
        """Raise TextsLost if the texts are not on this machine."""
        if isinstance(self._corpus, AbsentCorpus):
            raise TextsLost(GONE)

    def hold_all(self) -> None:
        """Read a corpus on the disk whole, for a step that needs all texts. Raises TextsLost."""
        if isinstance(self._corpus, StoredCorpus):
            try:
                self._corpus.hold()
            except CorpusError as problem:
                raise TextsLost(str(problem)) from problem

    @contextmanager
    def asked_for_all(self, rng: np.random.Generator) -> Iterator[None]:
        """Allow whole texts within the block, and release them after it. If a corpus on the disk
        cannot be read, restore `rng` and raise TextsLost."""
        if not isinstance(self._corpus, StoredCorpus):
            yield
            return
        before = rng.bit_generator.state
        try:
            yield
        except CorpusError as problem:
            rng.bit_generator.state = before
            raise TextsLost(str(problem)) from problem
        finally:
            self._corpus.let_go()

    def _batch(self, order: Order, first: int, last: int) -> tuple[Corpus, I64]:
        rows = order[first:last]
        if not isinstance(self._corpus, StoredCorpus):
            return self._corpus.take(rows), rows
        if isinstance(order, (Windows, ByDate)):
            window = first // order.window
            self._hold((order.seed, window), order.rows_of(window))
            return self._of_held(rows), rows
        if is_large(self._corpus):
            return self._corpus.take(rows), rows
        self._hold((-1, 0), None)
        return self._of_held(rows), rows

    def _of_held(self, rows: I64) -> Corpus:
        assert self._held is not None
        places = np.searchsorted(self._rows, rows) if len(self._rows) else rows
        return self._held.take(places)

    def _hold(self, key: tuple[int, int], rows: I64 | None) -> None:
        if self._key == key:
            return
        self._key, self._held = None, None  # first, so that only one window is in memory
        ascending = np.empty(0, np.int64) if rows is None else np.sort(rows)
        n_docs = self._corpus.n_docs
        held = self._corpus.part(0, n_docs) if rows is None else self._corpus.take(ascending)
        self._key, self._rows, self._held = key, ascending, held
