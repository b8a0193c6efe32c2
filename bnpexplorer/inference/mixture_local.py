"""The local step of a truncated mixture: the components of a batch's documents, and their words."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64
from ..kernels.by_word import sum_words
from ..kernels.mixture import fit_documents
from ..kernels.tuples import Docs, MixtureFit
from .pool import Pool, in_place, joined
from .slices import Slice, map_slices, slices_of, writeable


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


def fit_batch(pool: Pool | None, docs: Docs, given: MixtureGiven) -> MixtureFitted:
    """The local step of a batch, and what components need of it."""
    fit = _fit(pool, docs, given)
    stats, amounts = np.empty_like(given.log_topics), docs.counts.astype(np.float64)
    map_slices(pool, len(stats), sum_words, docs, amounts, fit.share, stats)
    return MixtureFitted(fit.share, fit.entropy, stats)


def _fit(pool: Pool | None, docs: Docs, given: MixtureGiven) -> MixtureFit:
    if not in_place(pool):
        pieces = [(piece,) for piece in slices_of(docs, len(given.log_topics), pool)]
        return MixtureFit(*joined(pool, fit_slice, pieces, given))
    n_docs = len(docs.indptr) - 1
    fit = _unfitted(n_docs, given)
    map_slices(pool, n_docs, fit_documents, docs, *given, fit)
    return fit


def fit_slice(piece: Slice, given: MixtureGiven) -> MixtureFit:
    """The local step of some documents, wherever that is done: the numbers of a document are its
    own, with the bits that they have beside any others."""
    docs, n_docs = piece.sound().docs, piece.last - piece.first
    log_topics, log_weights = given.log_topics[piece.words], writeable(given.log_weights)
    fit = _unfitted(n_docs, given)
    fit_documents(0, n_docs, docs, log_topics, log_weights, fit)
    return fit


def _unfitted(n_docs: int, given: MixtureGiven) -> MixtureFit:
    """Room for the fit, which needs no start."""
    return MixtureFit(np.empty((n_docs, len(given.log_weights))), np.empty(n_docs))
