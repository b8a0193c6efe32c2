"""The local step of LDA, which methods of other models take, too: where it begins and ends."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64
from ..kernels.admixture import fit_documents, gather_stats, gather_words
from ..kernels.tuples import Docs, LdaFit, TokenLaw, Until
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool, each, in_place
from .slices import Slice, Sum, add_sums, by_word_of, map_slices, slice_size, slices_of, writeable


class LdaGiven(NamedTuple):
    """What all documents of a batch are fitted to."""

    word_factor: F64
    """float64 (W, K): exp E ln beta up to a factor per word."""
    prior: F64
    """float64 (K,): Dirichlet prior of the proportions."""
    until: Until


class LdaFitted(NamedTuple):
    """The documents of a batch, fitted."""

    gamma: F64
    """float64 (S, K): q(theta_d) = Dir(gamma_d)."""
    log_mix: F64
    """float64 (S,), as in `LdaFit`."""
    stats: F64
    """float64 (W, K): sum_d c_dw phi_dwk."""


class LdaFittedSlice(NamedTuple):
    """The documents of a slice, fitted: as `LdaFitted`."""

    gamma: F64
    """float64 (S, K)"""
    log_mix: F64
    """float64 (S,)"""
    stats: Sum


def fit_batch(pool: Pool | None, docs: Docs, start: F64, given: LdaGiven) -> LdaFitted:
    """The local step of a batch from `start` float64 (S, K), and what topics need of it."""
    n_words = len(given.word_factor)
    if not in_place(pool):
        pieces = [(piece, start[piece.first : piece.last]) for piece in slices_of(docs, n_words)]
        fits = each(pool, fit_slice, pieces, given)
        gamma, log_mix = (np.concatenate(x) for x in ([f[i] for f in fits] for i in range(2)))
        return LdaFitted(gamma, log_mix, add_sums(pool, [fit.stats for fit in fits], n_words))
    fit = unfitted(docs, start.copy())
    factor, prior, until = given
    map_slices(pool, len(start), fit_documents, docs, factor, prior, fit, until)
    by_word, size, law = (
        by_word_of(docs, n_words),
        slice_size(len(start)),
        law_of(docs, fit, factor),
    )
    stats = np.empty_like(factor)
    map_slices(pool, n_words, gather_words, by_word, size, law, stats)
    return LdaFitted(fit.gamma, fit.log_mix, stats)


def fit_slice(piece: Slice, start: F64, given: LdaGiven) -> LdaFittedSlice:
    """The local step of some documents, wherever that is done: see `fit_batch`.

    `start` float64 (S, K). The numbers have the bits of those of the whole batch: a document's are
    its own, and the sums over those of a slice are added in the order of the slices.
    """
    piece = piece.sound()
    factor, prior = given.word_factor[piece.words], writeable(given.prior)
    fit = unfitted(piece.docs, np.array(start, order="C"))
    fit_documents(0, len(start), piece.docs, factor, prior, fit, given.until)
    stats = gather_stats(law_of(piece.docs, fit, factor))
    return LdaFittedSlice(fit.gamma, fit.log_mix, Sum(piece.words, stats))


def unfitted(docs: Docs, gamma: F64) -> LdaFit:
    """Room for the fit of `docs` from the start `gamma` float64 (S, K), which it overwrites."""
    n_entries, n_docs = len(docs.local), len(gamma)
    return LdaFit(gamma, np.empty_like(gamma), np.empty(n_entries), np.empty(n_docs))


def law_of(docs: Docs, fit: LdaFit, word_factor: F64) -> TokenLaw:
    """q(z) after the fit of `docs` to topics with `word_factor` float64 (W, K)."""
    return TokenLaw(docs.indptr, docs.local, fit.ratio, fit.theta_factor, word_factor)


def lda_topics(alpha: float, lam: Dirichlets) -> Topics:
    """`Topics` of an LDA posterior: the weights are the prior's, 1 / K each; `alpha` per topic."""
    return Topics(
        topic_word=lam.expected(),
        total=lam.total,
        size=lam.size,
        weight=np.full(len(lam), 1.0 / len(lam)),
        unseen=0.0,
        topic_ids=np.arange(len(lam), dtype=np.int64),
        concentration=alpha * len(lam),
        gamma=float("nan"),
        eta=lam.eta,
    )
