"""The local step of a truncated mixture: the components of a batch's documents, and their words."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64
from ..kernels.by_word import sum_words
from ..kernels.mixture import fit_documents
from ..kernels.tuples import Docs, MixtureFit
from .pool import Pool, each, in_place
from .slices import Slice, Sum, add_sums, map_slices, slice_size, slices_of, writeable


class MixtureGiven(NamedTuple):
    """What all documents of a batch are fitted to."""

    log_topics: F64
    """float64 (W, K): E ln beta."""
    log_weights: F64
    """float64 (K,): E ln pi."""


class MixtureFitted(NamedTuple):
    """The documents of a batch, fitted."""

    share: F64
    """float64 (S, K): phi_dk = q(z_d = k)."""
    entropy: F64
    """float64 (S,): -sum_k phi_dk ln phi_dk."""
    stats: F64
    """float64 (W, K): sum_d c_dw phi_dk."""


class MixtureFittedSlice(NamedTuple):
    """The documents of a slice, fitted: as `MixtureFitted`."""

    share: F64
    """float64 (S, K)"""
    entropy: F64
    """float64 (S,)"""
    stats: Sum


def fit_batch(pool: Pool | None, docs: Docs, given: MixtureGiven) -> MixtureFitted:
    """The local step of a batch, and what components need of it."""
    n_docs, n_words = len(docs.indptr) - 1, len(given.log_topics)
    if not in_place(pool):
        pieces = [(piece,) for piece in slices_of(docs, n_words)]
        fits = each(pool, fit_slice, pieces, given)
        share, entropy = (np.concatenate(x) for x in ([f[i] for f in fits] for i in range(2)))
        return MixtureFitted(share, entropy, add_sums(pool, [fit.stats for fit in fits], n_words))
    fit = _unfitted(n_docs, given)
    map_slices(pool, n_docs, fit_documents, docs, *given, fit)
    stats, size = np.empty_like(given.log_topics), slice_size(n_docs)
    amounts = docs.counts.astype(np.float64)
    map_slices(pool, n_words, sum_words, docs, size, amounts, fit.share, stats)
    return MixtureFitted(fit.share, fit.entropy, stats)


def fit_slice(piece: Slice, given: MixtureGiven) -> MixtureFittedSlice:
    """The local step of some documents, wherever that is done: see `fit_batch`.

    The numbers have the bits of those of the whole batch: a document's are its own, and the sums
    over those of a slice are added in the order of the slices.
    """
    docs, n_docs = piece.sound().docs, piece.last - piece.first
    log_topics, log_weights = given.log_topics[piece.words], writeable(given.log_weights)
    fit = _unfitted(n_docs, given)
    fit_documents(0, n_docs, docs, log_topics, log_weights, fit)
    stats, amounts = np.empty_like(log_topics), docs.counts.astype(np.float64)
    sum_words(0, len(stats), docs, n_docs, amounts, fit.share, stats)
    return MixtureFittedSlice(fit.share, fit.entropy, Sum(piece.words, stats))


def _unfitted(n_docs: int, given: MixtureGiven) -> MixtureFit:
    """Room for the fit, which needs no start."""
    return MixtureFit(np.empty((n_docs, len(given.log_weights))), np.empty(n_docs))
