"""The local step of LDA, which methods of other models take, too: where it begins and ends."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import F64
from ..kernels.admixture import fit_documents
from ..kernels.dirichlet import sum_words
from ..kernels.tuples import Docs, LdaFit, TokenLaw, Until
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool, here, in_place, joined
from .slices import Slice, map_slices, slices_of, writeable


class LdaGiven(NamedTuple):
    """Parameters that all documents of a batch are fitted to."""

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


def fit_batch(pool: Pool | None, docs: Docs, start: F64, given: LdaGiven) -> LdaFitted:
    """The local step of a batch from `start` float64 (S, K), and what topics need of it."""
    fit = _fit(pool, docs, start, given)
    factor, stats = given.word_factor, np.empty_like(given.word_factor)

    def gather(first: int, last: int) -> None:
        sum_words(first, last, docs, fit.ratio, fit.theta_factor, stats)
        stats[first:last] *= factor[first:last]

    here(pool, gather, len(stats))
    return LdaFitted(fit.gamma, fit.log_mix, stats)


def _fit(pool: Pool | None, docs: Docs, start: F64, given: LdaGiven) -> LdaFit:
    """The documents fitted from `start` float64 (S, K), here or in slices elsewhere."""
    if not in_place(pool):
        slices = slices_of(docs, len(given.word_factor), pool)
        starts = [start[piece.first : piece.last] for piece in slices]
        if start.strides == (0, 0):  # one number for all: it is sent, and not 3 MB of it
            starts = [one[:1, :1] for one in starts]
        pieces = list(zip(slices, starts, strict=True))
        return LdaFit(*joined(pool, fit_slice, pieces, given))
    fit, n_docs = unfitted(docs, np.array(start, order="C")), len(start)
    map_slices(pool, n_docs, fit_documents, docs, given.word_factor, given.prior, fit, given.until)
    return fit


def fit_slice(piece: Slice, start: F64, given: LdaGiven) -> LdaFit:
    """The local step of some documents from `start` float64 (S, K), or (1, 1) for all alike,
    wherever that is done: the numbers of a document are its own, with the bits that they have
    beside any others."""
    docs, n_docs = piece.sound().docs, piece.last - piece.first
    factor, prior = given.word_factor[piece.words], writeable(given.prior)
    fit = unfitted(docs, np.array(np.broadcast_to(start, (n_docs, len(prior))), order="C"))
    fit_documents(0, n_docs, docs, factor, prior, fit, given.until)
    return fit


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
