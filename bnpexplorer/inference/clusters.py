"""Clusters of documents whose weights and words are integrated out: Gibbs draws, and a start.

A start from many: the first documents are put into clusters at random, then drawn again and again
while as many others join them, mini-batch by mini-batch. Inference that opens clusters one by one
seldom divides what its first mini-batches lumped together. The clusters' counts, scaled up to all
documents, are what stochastic steps of size S / n_t over these documents come to, so that such
steps go on.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Protocol

import numpy as np
from scipy import sparse

from ..core.arrays import F64, I32, I64, widened
from ..corpus.corpus import Corpus
from ..kernels.mixture_gibbs import Seated, draw_documents
from ..kernels.openings import no_openings
from ..kernels.tuples import Docs
from ..state.invariants import IDENTITIES, Constraint, StateContext
from ..state.snapshot import Event
from .births import last_to_leave, with_details, with_openings
from .dirichlet import Dirichlets, mean_log
from .mixture import document_log_predictive
from .slices import read_only

ROOM = 16
"""New clusters at least before more room is made; has no influence on the draws."""


class Clusters(Protocol):
    """A partition of documents into K clusters."""

    lam: Dirichlets
    """eta in force, and the word counts of the clusters."""
    z: I64
    """int64 (D,): the identity of each document's cluster; -1 before it is seated."""
    n: I64
    """int64 (K,): documents."""
    topic_ids: I64
    """int64 (K,): identities, never given again."""
    n_ids: int
    """Identities given so far."""


def redraw(
    clusters: Clusters, docs: Corpus, rows: I64, gamma: float, rng: np.random.Generator
) -> tuple[Event, ...]:
    """Take the documents `rows` int64 (S,) out, one at a time, and draw each a cluster given all
    others (Neal 2000, algorithm 3). `docs`: these documents."""
    lam, ids_before = clusters.lam, clusters.z[rows]
    seated = columns_of(clusters.topic_ids, ids_before)
    z = np.append(lam.slots, -1)[seated]
    n_known = n_used = int(lam.slots.max(initial=-1)) + 1
    n = np.zeros(lam.capacity, np.int64)
    n[lam.slots] = clusters.n
    known = np.full(n_known, -1)
    known[lam.slots] = clusters.topic_ids
    opened = no_openings(n_known, n_known + len(rows))
    entries, done = Docs(docs.indptr, docs.word_ids, docs.counts), 0
    while True:
        held = Seated(lam.stats, lam.row_sum, n)
        done, n_used = draw_documents(entries, z, held, n_used, gamma, lam.eta, done, opened, rng)
        if done == len(rows):
            break
        lam.widen(lam.capacity + max(ROOM, lam.capacity // 4))
        n = widened(n, lam.capacity - len(n))
    born = np.flatnonzero(n[n_known:n_used]) + n_known
    ids = np.append(known, np.full(n_used - n_known, -1))
    ids[born] = clusters.n_ids + np.arange(len(born))
    clusters.n_ids += len(born)
    clusters.z[rows] = ids[z]
    gone = clusters.topic_ids[n[lam.slots] == 0]
    slots = np.append(lam.slots[n[lam.slots] > 0], born)
    slots = slots[np.argsort(-n[slots], kind="stable")]
    clusters.n, clusters.topic_ids, lam.slots = n[slots], ids[slots], slots
    lam.pack()
    births = tuple(Event("birth", children=(int(i),)) for i in ids[born])
    ends = tuple(Event("prune", parents=(int(i),)) for i in gone)
    left = last_to_leave(gone, ids_before, clusters.z[rows], lambda i: (int(rows[i]), ()))
    births = with_openings(births, opened, born, known, rows, lambda i, _: (i, ()))
    return births + with_details(ends, left)


def counted(corpus: Corpus, z: I64) -> tuple[F64, I64]:
    """Words of K clusters, float64 (K, V), and how many documents each has, int64 (K,), from the
    place of each document's cluster, `z` int64 (D,); every cluster holds one at least."""
    members = sparse.csr_matrix((np.ones(len(z)), (z, np.arange(len(z)))))
    return (members @ corpus.to_csr()).toarray(), np.bincount(z)


@dataclass(frozen=True, eq=False)
class WeighedBlock:
    """The S documents of a block, and K clusters and the prior, against which they were weighed."""

    docs: Docs
    base: F64
    """float64 (W, K+1): parameters at the block's words, before the block."""
    base_total: F64
    """float64 (K+1,)"""

    @cached_property
    def _owners(self) -> I64:
        """int64 (U,): the document of every entry."""
        return np.repeat(np.arange(len(self.docs.indptr) - 1), np.diff(self.docs.indptr))

    @cached_property
    def _tokens(self) -> F64:
        """float64 (S,): of every document."""
        found = np.bincount(self._owners, self.docs.counts, len(self.docs.indptr) - 1)
        return found.astype(np.float64)

    def mean_log(self, i: int, before: I64, after: I64, places: I64, told: list[int]) -> F64:
        """What mean field has for document i at its turn, of the R clusters at those of `places`
        int64 (any number,) that are `told`: float64 (R,). `before` int64 (S,) and `after` int64
        (S,): as of `at_turn`."""
        return mean_log(*self.at_turn(i, before, after, places[told]))

    def log_predictive(self, i: int, before: I64, after: I64, places: I64) -> F64:
        """ln DM of document i likewise, float64 (R,), of the clusters at `places` int64 (R,).
        `before` int64 (S,) and `after` int64 (S,): as of `at_turn`."""
        counts, lam, total = self.at_turn(i, before, after, places)
        words = np.arange(len(counts), dtype=np.int32)
        document = Docs(read_only(np.array([0, len(counts)])), words, counts)
        return np.asarray(document_log_predictive(document, lam, total, None)[0], np.float64)

    def at_turn(self, i: int, before: I64, after: I64, places: I64) -> tuple[I32, F64, F64]:
        """Document i and the R clusters at `places` int64 (R,) when its turn came, each with what
        the block had added and taken out by then, the document included.

        `before` int64 (S,) and `after` int64 (S,): where documents were counted, -1 for nowhere.
        Returns how often the document has each of its words, int32 (U,), the parameters of these,
        float64 (U, R), and those of all words, float64 (R,).
        """
        nowhere, shape = len(places), (-1, len(places) + 1)
        row_of = np.full(max(places.max(), before.max(), after.max()) + 2, nowhere)
        row_of[places] = np.arange(nowhere)
        came, left = row_of[np.append(after[:i], -1)], row_of[before[: i + 1]]
        start, end = self.docs.indptr[i : i + 2]
        at, column = self.docs.local[start:end], np.minimum(places, len(self.base_total) - 1)
        place_of = np.full(len(self.base), -1)
        place_of[at] = np.arange(len(at))
        place = place_of[self.docs.local[:end]]
        here = np.flatnonzero(place >= 0)  # entries of words that document i has too
        moved, tokens = np.zeros((len(at), nowhere)), np.zeros(nowhere)
        for sign, seats in ((1.0, came), (-1.0, left)):
            cells = place[here] * shape[1] + seats[self._owners[here]]
            found = np.bincount(cells, self.docs.counts[here], len(at) * shape[1]).reshape(shape)
            moved += sign * found[:, :nowhere]
            tokens += sign * np.bincount(seats, self._tokens[: i + 1], shape[1])[:nowhere]
        lam, total = self.base[np.ix_(at, column)] + moved, self.base_total[column] + tokens
        return self.docs.counts[start:end], lam, total


def columns_of(topic_ids: I64, ids: I64) -> I64:
    """The places, int64 (S,), of `ids` int64 (S,) among `topic_ids` int64 (K,); -1 stays -1."""
    columns = np.full(len(ids), -1)
    seated = ids >= 0
    order = np.argsort(topic_ids)
    columns[seated] = order[np.searchsorted(topic_ids[order], ids[seated])]
    return columns


@dataclass(eq=False)
class ManyClusters:
    """The clusters of the S documents so far."""

    lam: Annotated[Dirichlets, Constraint("K")]
    """eta, and the word counts of the clusters."""
    indptr: Annotated[I64, Constraint("S+1")]
    """int64 (S+1,): document d owns entries `indptr[d]:indptr[d+1]`."""
    word_ids: Annotated[I32, Constraint("E", below="V")]
    """int32 (E,): the word of every entry."""
    counts: Annotated[I32, Constraint("E", least=1)]
    """int32 (E,): how often it occurs."""
    z: Annotated[I64, Constraint("S", below="n_ids")]
    """int64 (S,): the identity of each document's cluster."""
    n: Annotated[I64, Constraint("K", least=1)] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )
    """int64 (K,): documents."""
    topic_ids: Annotated[I64, IDENTITIES] = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64 (K,): identities, never given again."""
    n_ids: int = 0
    next_doc: int = 0
    """The document whose turn it is to be drawn again."""

    @classmethod
    def empty(cls, n_words: int, eta: float) -> "ManyClusters":
        """No document yet."""
        none = np.zeros(0, np.int32)
        lam, start = Dirichlets.empty(n_words, eta), np.zeros(1, np.int64)
        return cls(lam, start, none, none, np.zeros(0, np.int64))

    def mismatch(self, ground: StateContext) -> str:
        """Other clusters than those of `z`."""
        lengths = np.diff(self.indptr)
        if self.indptr[0] or (lengths < 1).any() or self.indptr[-1] != len(self.counts):
            return "documents that do not follow each other"
        ids, columns = np.unique(self.z, return_inverse=True)
        if not np.array_equal(ids, np.sort(self.topic_ids)):
            return "documents in clusters that are not there"
        held = np.zeros((len(ids), ground.corpus.n_words))
        np.add.at(held, (np.repeat(columns, lengths), self.word_ids), self.counts)
        order = np.searchsorted(ids, self.topic_ids)
        same = np.array_equal(np.bincount(columns, minlength=len(ids))[order], self.n)
        stats = self.lam.scale * self.lam.stats[:, self.lam.slots]
        return "" if same and np.array_equal(stats, held[order].T) else "other counts"

    @property
    def n_docs(self) -> int:
        """S, the documents so far."""
        return len(self.z)

    def seat(
        self, docs: Corpus, n_new: int, gamma: float, n_times: int, rng: np.random.Generator
    ) -> None:
        """Put `docs` into `n_new` new clusters at random, each of which gets one at least, or draw
        them a cluster if there are none; then draw, `n_times`, as many documents, each in its turn.

        So a step costs what its mini-batch costs.
        """
        n_before = self.n_docs
        self.indptr = np.concatenate((self.indptr, self.indptr[-1] + docs.indptr[1:]))
        self.word_ids = np.concatenate((self.word_ids, docs.word_ids))
        self.counts = np.concatenate((self.counts, docs.counts))
        self.z = np.concatenate((self.z, np.full(docs.n_docs, -1)))
        if n_new:
            self._scatter(docs, n_before, n_new, rng)
        else:
            redraw(self, docs, np.arange(n_before, self.n_docs), gamma, rng)
        for _ in range(n_times):
            rows = np.arange(self.next_doc, min(self.next_doc + docs.n_docs, self.n_docs))
            redraw(self, self._documents(docs, rows), rows, gamma, rng)
            self.next_doc = int(rows[-1] + 1) % self.n_docs

    def _scatter(self, docs: Corpus, first: int, n_new: int, rng: np.random.Generator) -> None:
        """Put `docs`, the last ones from `first` on, into so many new clusters at random."""
        label = rng.permutation(docs.n_docs) % n_new
        self.z[first:] = self.n_ids + label
        held = np.zeros((n_new, docs.n_words))
        places = (np.repeat(label, np.diff(docs.indptr)), docs.word_ids)
        np.add.at(held, places, docs.counts)
        self.lam.append(np.arange(docs.n_words, dtype=np.int32), np.ascontiguousarray(held.T))
        self.n = np.concatenate((self.n, np.bincount(label)))
        self.topic_ids = np.concatenate((self.topic_ids, self.n_ids + np.arange(n_new)))
        self.n_ids += n_new

    def _documents(self, like: Corpus, rows: I64) -> Corpus:
        """The documents `rows` int64 (any number,), which follow each other, over the words of
        `like`."""
        first, last = self.indptr[rows[0]], self.indptr[rows[-1] + 1]
        indptr = self.indptr[rows[0] : rows[-1] + 2] - first
        words, counts = self.word_ids[first:last], self.counts[first:last]
        return Corpus(indptr, words, counts, like.vocab)

    def posterior(self, n_docs: int) -> tuple[Dirichlets, F64]:
        """q of all clusters, and the documents of each, float64 (K,), if all `n_docs` documents
        were as those so far."""
        times, lam = n_docs / self.n_docs, self.lam
        slots = np.arange(len(lam))
        stats = times * lam.stats[:, lam.slots]
        n = times * self.n.astype(np.float64)
        return Dirichlets(lam.eta, stats, stats.sum(axis=0), slots), n
