"""Immutable clusters of documents that many particles share.

A cluster never changes: the one that a document joins stays, and a new one, parent plus document,
stands beside it. So what thousands of particles hold is stored, and its predictive computed, once.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import F32, F64, I32, I64
from ...kernels import particles as kernels
from ...kernels.tuples import Document, Stock
from ...state.invariants import Constraint, StateContext


def _whole() -> I64:
    return np.zeros(1, np.int64)


def _pool() -> I32:
    return np.zeros(1, np.int32)


@dataclass(eq=False)
class ParticleClusters:
    """M clusters in arrays that are longer than their used part, so that they can grow."""

    n: int = 0
    """M."""
    opener: Annotated[I64, Constraint("C")] = field(default_factory=_whole)
    """The document, by its place in the stream, that opened the cluster: kept by its children."""
    docs: Annotated[I64, Constraint("C")] = field(default_factory=_whole)
    tokens: Annotated[I64, Constraint("C")] = field(default_factory=_whole)
    start: Annotated[I64, Constraint("C+1")] = field(default_factory=lambda: np.zeros(2, np.int64))
    """Cluster j has the entries `start[j]:start[j + 1]` of `words` and `counts`."""
    words: Annotated[I32, Constraint("E", below="V")] = field(default_factory=_pool)
    """Ascending within a cluster."""
    counts: Annotated[I32, Constraint("E")] = field(default_factory=_pool)

    def mismatch(self, ground: StateContext) -> str:
        """Clusters that kernels could not walk, or counts that are not theirs."""
        n = self.n
        if not n <= len(self.docs) or self.start[0] != 0 or self.n_entries > len(self.words):
            return "more clusters than there is room for"
        lengths, used = np.diff(self.start[: n + 1]), slice(self.n_entries)
        if (lengths < 1).any():
            return "a cluster without words"
        of = np.repeat(np.arange(n), lengths)
        order = of * ground.corpus.n_words + self.words[used]
        tokens = np.bincount(of, self.counts[used], n)
        if (np.diff(order) <= 0).any() or (self.counts[used] < 1).any():
            return "the words of a cluster are not in order"
        if not np.array_equal(tokens, self.tokens[:n]) or (self.docs[:n] < 1).any():
            return "other counts than those of its words"
        return "" if (self.opener[:n] < ground.docs_seen).all() else "opened by no document"

    @property
    def n_entries(self) -> int:
        """Entries in use."""
        return int(self.start[self.n])

    def stock(self) -> Stock:
        """The same arrays as kernels take them."""
        return Stock(self.docs, self.tokens, self.start, self.words, self.counts)

    def join(self, parents: I64, doc: Document, opener: int) -> None:
        """Append one cluster per parent (J,), parent plus document; -1: the document alone.

        There must be room: call `grow` first.
        """
        kernels.join(doc, parents, self.n, self.stock())
        old, new = parents >= 0, slice(self.n, self.n + len(parents))
        length = int(doc.counts.sum(dtype=np.int64))
        self.opener[new] = np.where(old, self.opener[parents], opener)
        self.docs[new] = np.where(old, self.docs[parents], 0) + 1
        self.tokens[new] = np.where(old, self.tokens[parents], 0) + length
        self.n += len(parents)

    def room_for(self, parents: I64, n_distinct: int) -> bool:
        """Whether the children of `parents` by a document of `n_distinct` words surely fit."""
        return self.n + len(parents) <= len(self.docs) and self._needed(parents, n_distinct) <= len(
            self.words
        )

    def _needed(self, parents: I64, n_distinct: int) -> int:
        old = parents[parents >= 0]
        grown = int((self.start[old + 1] - self.start[old]).sum())
        return self.n_entries + grown + len(parents) * n_distinct

    def collect(self, member: I64) -> I64:
        """Forget all clusters but `member`; returns the new numbers of those."""
        live = np.zeros(self.n, np.bool_)
        live[member] = True
        kept = kernels.collect(live, self.start, self.words, self.counts)
        for array in (self.opener, self.docs, self.tokens):
            array[: len(kept)] = array[kept]
        self.n = len(kept)
        return np.asarray((np.cumsum(live) - 1)[member], dtype=np.int64)

    def grow(self, parents: I64, n_distinct: int) -> None:
        """Make room for the children of `parents`, and twice that, so that it lasts."""
        size = 2 * (self.n + len(parents))
        self.opener, self.docs = _longer(self.opener, size), _longer(self.docs, size)
        self.tokens, self.start = _longer(self.tokens, size), _longer(self.start, size + 1)
        entries = 2 * self._needed(parents, n_distinct)
        self.words, self.counts = _longer(self.words, entries), _longer(self.counts, entries)

    def total(self, clusters: I64, eta: float, n_words: int) -> F64:
        """V eta + tokens of `clusters` (K,)."""
        return np.asarray(n_words * eta + self.tokens[clusters])

    def expected(self, clusters: I64, eta: float, n_words: int) -> F32:
        """E beta of `clusters`, float32 (K, V)."""
        total = self.total(clusters, eta, n_words)
        return kernels.expected_words(
            clusters, self.start, self.words, self.counts, total, eta, n_words
        )


def _longer(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """`array` with zeros behind it, if it is shorter than `size`."""
    if len(array) >= size:
        return array
    return np.concatenate((array, np.zeros(size - len(array), array.dtype)))
