"""The local step of LDA, which methods of other models take, too: where it begins and ends."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64
from ..kernels.admixture import fit_documents
from ..kernels.by_word import sum_words
from ..kernels.tuples import Docs, LdaFit, TokenLaw, Until
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool, each, here, in_place
from .slices import Slice, Sum, add_sums, map_slices, slice_size, slices_of, writeable


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
    shared_out: Sum
    """sum_d ratio_dw theta_factor_dk: `stats` over the factor of each word."""


def fit_batch(pool: Pool | None, docs: Docs, start: F64, given: LdaGiven) -> LdaFitted:
    """The local step of a batch from `start` float64 (S, K), and what topics need of it."""
    if in_place(pool):
        gamma, log_mix, stats = _fit_here(pool, docs, start, given)
    else:
        n_words = len(given.word_factor)
        pieces = [(piece, start[piece.first : piece.last]) for piece in slices_of(docs, n_words)]
        fits = each(pool, fit_slice, pieces, given)
        gamma = np.concatenate([fit.gamma for fit in fits])
        log_mix = np.concatenate([fit.log_mix for fit in fits])
        stats = add_sums(pool, [fit.shared_out for fit in fits], n_words)

    def times_factor(first: int, last: int) -> None:
        stats[first:last] *= given.word_factor[first:last]

    here(pool, times_factor, len(stats))
    return LdaFitted(gamma, log_mix, stats)


def _fit_here(pool: Pool | None, docs: Docs, start: F64, given: LdaGiven) -> tuple[F64, F64, F64]:
    """`gamma` float64 (S, K), `log_mix` float64 (S,) and sum_d ratio_dw theta_factor_dk, float64
    (W, K), of a batch from `start` float64 (S, K); nothing is copied."""
    fit, n_docs = unfitted(docs, start.copy()), len(start)
    map_slices(pool, n_docs, fit_documents, docs, given.word_factor, given.prior, fit, given.until)
    shared_out, size = np.empty_like(given.word_factor), slice_size(n_docs)
    rows, amounts = fit.theta_factor, fit.ratio
    map_slices(pool, len(shared_out), sum_words, docs, size, amounts, rows, shared_out)
    return fit.gamma, fit.log_mix, shared_out


def fit_slice(piece: Slice, start: F64, given: LdaGiven) -> LdaFittedSlice:
    """The local step of some documents, wherever that is done: see `fit_batch`.

    `start` float64 (S, K). The numbers have the bits of those of the whole batch: a document's are
    its own, and the sums over those of a slice are added in the order of the slices.
    """
    docs, n_docs = piece.sound().docs, len(start)
    factor, prior = given.word_factor[piece.words], writeable(given.prior)
    fit = unfitted(docs, np.array(start, order="C"))
    fit_documents(0, n_docs, docs, factor, prior, fit, given.until)
    shared_out = np.empty_like(factor)
    sum_words(0, len(factor), docs, n_docs, fit.ratio, fit.theta_factor, shared_out)
    return LdaFittedSlice(fit.gamma, fit.log_mix, Sum(piece.words, shared_out))


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
