"""The memoized HDP document by document: the local step on slices, and sums over documents.

S documents of a slice or block, U entries (document, word), W words of the block, K topics; arrays
of K+1 hold the rest last.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import digamma

from ...core.arrays import F64, I32
from ...inference.lda_local import law_of, unfitted
from ...inference.pool import Pool, here, mapped
from ...inference.slices import Slice, writeable
from ...kernels import hdp_direct as kernels
from ...kernels.admixture import fit_documents
from ...kernels.special import add_part
from ...kernels.tuples import Docs, TokenLaw, Until

R = TypeVar("R")

TOGETHER = 256
"""Documents of a block that `by_documents` takes at once: of fewer, the calls take as long as what
they work out."""


class DirectGiven(NamedTuple):
    """Parameters that all documents of a block are fitted to."""

    word_factor: F64
    """float64 (W, K+1): exp E ln beta over the largest of each word, and 0 for the rest, which is a
    topic that no token takes."""
    prior: F64
    """float64 (K+1,): alpha E pi."""
    until: Until


class DirectFitted(NamedTuple):
    """The documents of a slice, fitted."""

    theta: F64
    """float64 (S, K+1): `prior` plus the expected tokens of each topic, exactly."""
    lengths: F64
    """float64 (S,)"""
    theta_factor: F64
    """float64 (S, K+1), as the next of `TokenLaw`."""
    ratio: F64
    """float64 (U,)"""
    entropy: float
    """That of q(z) but for what the words hold of it, sum_wk stats_wk ln word_factor_wk."""
    log_share: F64
    """float64 (K+1,): sum_d E ln pi_dk."""
    held: F64
    """float64 (K+1,): see `document_sums`."""


def fit_slice(piece: Slice, start: F64 | None, given: DirectGiven) -> DirectFitted:
    """The local step from `start` float64 (S, K+1), or afresh: LDA's with the prior alpha E pi.

    One more update of theta from the final q(z) makes theta - prior the exact expected tokens,
    which lets every sum be taken apart by topic afterwards.
    """
    _, _, words, (indptr, local, counts) = piece.sound()
    docs, factor, prior = Docs(indptr, words[local], counts), *map(writeable, given[:2])
    lengths = np.add.reduceat(counts, indptr[:-1], dtype=np.float64)
    begin = fresh_theta(prior, lengths) if start is None else np.array(start, order="C")
    fit, n_topics = unfitted(docs, begin), len(prior) - 1
    fit_documents(0, len(lengths), docs, factor, prior, fit, given.until)
    law = law_of(docs, fit, factor)
    tokens = kernels.document_tokens(law)[:, :n_topics]
    # q(z) = ratio theta_factor word_factor / c, hence its entropy without another loop over tokens.
    entropy = float((counts * np.log(counts / law.ratio)).sum())
    entropy -= float((tokens * np.log(law.theta_factor[:, :n_topics])).sum())
    theta = np.tile(prior, (len(lengths), 1))
    theta[:, :n_topics] += tokens
    sums = document_sums(theta, prior, prior.sum() + lengths)
    return DirectFitted(theta, lengths, law.theta_factor, law.ratio, entropy, *sums)


def fresh_theta(prior: F64, lengths: F64) -> F64:
    """Where documents begin that were never visited: their tokens shared out like `prior`."""
    return np.asarray(prior * (1.0 + lengths[:, None] / prior.sum()))


def document_sums(theta: F64, prior: F64, total: F64) -> tuple[F64, F64]:
    """sum_d E ln pi_dk, and sum_d lnGamma(theta_dk) - prior_k E ln pi_dk, which is all that the
    bound has of topic k in the documents but for alpha E pi_k: both float64 (J,).

    `theta` float64 (S, J) and `prior` float64 (J,): of J topics. `total` float64 (S,): the sum of
    theta_d over all topics and the rest, alpha + L_d always.
    """
    theta = np.ascontiguousarray(theta)
    log_share = kernels.log_shares(theta, digamma(total))
    return log_share, kernels.log_gamma_sums(theta) - prior * log_share


def joined(
    pool: Pool | None, docs: Docs, fits: Sequence[DirectFitted], word_factor: F64
) -> tuple[TokenLaw, F64]:
    """q(z) of a block from its slices, and its theta float64 (S, K+1)."""
    of_slices = zip(*((fit.ratio, fit.theta_factor, fit.theta) for fit in fits), strict=True)
    ratio, theta_factor, theta = mapped(pool, np.concatenate, list(of_slices))
    return TokenLaw(docs.indptr, docs.local, ratio, theta_factor, word_factor), theta


def with_rest(pool: Pool | None, word_factor: F64) -> F64:
    """`word_factor` float64 (W, K) with a column of zeros: float64 (W, K+1)."""
    n_words, n_topics = word_factor.shape
    out = np.empty((n_words, n_topics + 1))

    def copy(start: int, stop: int) -> None:
        out[start:stop, :-1] = word_factor[start:stop]
        out[start:stop, -1] = 0.0

    here(pool, copy, n_words)
    return out


def add_words(
    pool: Pool | None, parts: Sequence[tuple[I32, F64]], n_words: int, n_topics: int
) -> F64:
    """The sum over blocks of `words` int32 (W,) and `stats` float64 (W, K): float64 (V, K)."""
    total = np.zeros((n_words, n_topics))

    def add(start: int, stop: int) -> None:
        for words, stats in parts:
            add_part(start, stop, words, stats, total)

    here(pool, add, n_words)
    return total


def by_documents(
    pool: Pool | None, n_docs: Sequence[int], work: Callable[[int, slice], R]
) -> list[list[R]]:
    """`work(b, rows)` for some documents of block b at a time, here; per block, in their order.

    `n_docs`: of every block. Which documents these are depends on the size of the block alone.
    """
    chunks = [
        (b, slice(first, min(first + TOGETHER, n)))
        for b, n in enumerate(n_docs)
        for first in range(0, n, TOGETHER)
    ]
    results: list[list[R]] = [[] for _ in n_docs]
    found = mapped(pool, work, *zip(*chunks, strict=True))
    for (b, _), result in zip(chunks, found, strict=True):
        results[b].append(result)
    return results
