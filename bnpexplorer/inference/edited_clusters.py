"""Clusters of documents divided and dealt out by hand; what comes out is a start of a chain."""

from dataclasses import dataclass, replace
from math import lgamma

import numpy as np

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..kernels.mixture_moves import divide
from ..kernels.tuples import Docs
from ..state.snapshot import Event
from .clusters import Clusters, counted, redraw
from .dirichlet import Dirichlets
from .mixture import document_log_predictive
from .slices import by_distinct_word

TRIES, SWEEPS = 10, 3
"""Divisions of which the best is taken, and how often its documents are then drawn again."""
CHUNK = 2000
"""Documents that are dealt out at once."""


@dataclass(eq=False)
class ClusterParts:
    """Two clusters of M documents, as `Clusters`."""

    lam: Dirichlets
    z: I64
    """int64 (M,): 0 or 1."""
    n: I64
    """int64 (2,): documents."""
    topic_ids: I64
    """int64 (2,)"""
    n_ids: int = 2


def moved(
    clusters: Clusters, kind: str, topics: tuple[int, ...], corpus: Corpus, rng: np.random.Generator
) -> tuple[I64, Event]:
    """The identity of each document's cluster once `topics` are merged, split or deleted, int64
    (D,), and what became of them. A new part has the identity `n_ids`."""
    z, ids = clusters.z.copy(), np.array(topics)
    members = np.flatnonzero(np.isin(z, ids))
    if kind == "merge":
        into = int(
            clusters.topic_ids[np.isin(clusters.topic_ids, ids)][0]
        )  # the largest stand first
        z[members] = into
        return z, Event("merge", topics, (into,))
    if kind == "split":
        z[second_part(corpus, members, clusters.lam.eta, rng)] = clusters.n_ids
        return z, Event("split", topics, (topics[0], clusters.n_ids))
    stay = ~np.isin(clusters.topic_ids, ids)
    lam = replace(clusters.lam, slots=clusters.lam.slots[stay])
    drawn = dealt_out(corpus, members, lam, clusters.n[stay], rng)
    z[members] = clusters.topic_ids[stay][drawn]
    return z, Event("prune", parents=topics)


def second_part(corpus: Corpus, members: I64, eta: float, rng: np.random.Generator) -> I64:
    """Two subjects in the cluster of the documents `members` int64 (M,): those of the smaller one,
    int64 (any number,).

    The best of `TRIES` divisions by the probability of partition and words, each grown from two
    documents as in a proposal to split (Dahl 2005); then Gibbs sweeps that are restricted to the
    two parts, as Jain & Neal 2004 have them, unless one is emptied. Raises ValueError if there are
    no two documents.
    """
    if len(members) < 2:
        raise ValueError("This cluster holds one document; there is nothing to divide.")
    mine = corpus.take(members)
    docs = Docs(mine.indptr, mine.word_ids, mine.counts)
    best = -np.inf
    z: I64 = np.zeros(len(members), np.int64)
    for _ in range(TRIES):
        order, second = rng.permutation(len(members)), np.zeros(len(members), np.bool_)
        held = np.zeros((mine.n_words, 2))
        _, value = divide(docs, order, second, True, held, eta, rng.random(len(members)))
        n_second = int(second.sum())
        value += lgamma(n_second) + lgamma(len(members) - n_second)
        if value > best:
            best = value
            z[order] = second
    held, n = counted(mine, z)
    parts = ClusterParts(Dirichlets.from_excess(held, eta), z.copy(), n, np.arange(2))
    for _ in range(SWEEPS):
        redraw(parts, mine, np.arange(len(members)), 0.0, rng)  # gamma 0: none is opened
    if len(parts.n) == 2:
        z = parts.z
    smaller = int(2 * z.sum() <= len(z))
    part: I64 = members[z == smaller]
    return part


def dealt_out(corpus: Corpus, moved: I64, lam: Dirichlets, n: I64, rng: np.random.Generator) -> I64:
    """A cluster for each of the documents `moved` int64 (M,): places int64 (M,) among the K of
    `lam` and `n` int64 (K,), documents of each.

    With the probability n_k DM(x | eta + C_k), the sampler's own; those that move do not wait for
    each other.
    """
    drawn = np.empty(len(moved), np.int64)
    log_n = np.log(n)
    for i in range(0, len(moved), CHUNK):
        words, entries = by_distinct_word(corpus.take(moved[i : i + CHUNK]))
        value: F64 = log_n + document_log_predictive(entries, lam.at(words), lam.total, None)
        drawn[i : i + CHUNK] = (value + rng.gumbel(size=value.shape)).argmax(axis=1)
    return drawn
