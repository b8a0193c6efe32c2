"""The local step of the truncated HDP on a slice of a batch, and what its two methods share.

S documents, U entries (document, word), W words of the batch, K topics, T document sticks, M likely
topics of a document.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..kernels import hdp_local
from ..kernels.hdp_local import add_stats, count_tables, fit_documents
from ..kernels.tuples import Docs, Expected, HdpFit, Narrow, Until
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool, here
from .slices import Slice, writeable
from .start import Start, start_excess
from .sticks import expected_weights

LOCAL_STARTS = ("greedy", "paper")


class HdpGiven(NamedTuple):
    """Parameters that all documents of a batch are fitted to."""

    expected: Expected
    """`log_topics` float64 (W, K): at the words of the batch."""
    n_sticks: int
    """T."""
    local_start: str
    """One of `LOCAL_STARTS`: how unseen documents begin."""
    until: Until
    narrow: Narrow


class HdpFitted(NamedTuple):
    """The documents of a slice, fitted, and what sticks and concentrations need of them."""

    phi: F64
    """float64 (U, T): q(z)."""
    zeta: F64
    """float64 (S, T, M): q(c), as in `HdpFit`."""
    likely: I64
    """int64 (S, M): the topics of `zeta`."""
    tables: F64
    """float64 (K,): sum_d sum_i zeta_dik, with the corpus weights for closed sticks."""
    log_left: float
    """sum over documents and i < T of E ln(1 - stick_di)."""
    bound: float
    """The documents' part of the evidence lower bound."""


def likely_topics(
    docs: Docs, expected: Expected, n_likely: int, cut: float, pool: Pool | None
) -> tuple[I64, F64]:
    """The topics of which each document of a batch expects the most tokens, and how many.

    int64 and float64 (S, M), most tokens first; M is `n_likely`, at most K. Not left to slices:
    these have three times as many distinct words together, and a word takes what a document takes.
    """
    n_docs = len(docs.indptr) - 1
    elog, log_weight, _ = expected
    shape = (n_docs, min(n_likely, len(log_weight)))
    topics, tokens = np.empty(shape, np.int64), np.empty(shape)
    share = np.empty_like(elog)
    here(pool, lambda a, b: hdp_local.shares(a, b, elog, log_weight, cut, share), len(elog))
    here(pool, lambda a, b: hdp_local.likely_topics(a, b, docs, share, topics, tokens), n_docs)
    return topics, tokens


def fit_likely(piece: Slice, likely: I64, tokens: F64, given: HdpGiven) -> HdpFitted:
    """Fit unseen documents whose sticks may hold their `likely_topics` alone.

    `likely` int64 (S, M): these. `tokens` float64 (S, M): how many are expected of each.
    """
    docs, given = _sound(piece, given)
    phi = start_phi(docs, writeable(likely), writeable(tokens), given)
    return _fit(docs, writeable(likely), phi, given)


def fit_unseen(piece: Slice, topics: I64, tokens: F64, given: HdpGiven) -> HdpFitted:
    """Fit unseen documents whose sticks may hold any topic, from their `likely_topics`.

    `topics` int64 (S, T): these. `tokens` float64 (S, T): how many are expected of each.
    """
    docs, given = _sound(piece, given)
    phi = start_phi(docs, writeable(topics), writeable(tokens), given)
    return _fit(docs, all_topics(len(topics), len(given.expected.log_weight)), phi, given)


def fit_again(piece: Slice, start: F64, given: HdpGiven) -> HdpFitted:
    """Fit documents whose sticks may hold any topic from q(z) = `start` float64 (U, T)."""
    return fit_over(piece, start.copy(), given)


def fit_over(piece: Slice, phi: F64, given: HdpGiven) -> HdpFitted:
    """As `fit_again` from `phi` float64 (U, T), which is overwritten."""
    docs, given = _sound(piece, given)
    every = all_topics(piece.last - piece.first, len(given.expected.log_weight))
    return _fit(docs, every, phi, given)


def _fit(docs: Docs, likely: I64, phi: F64, given: HdpGiven) -> HdpFitted:
    """From `phi` float64 (U, T), which is overwritten, with `likely` int64 (S, M) on the sticks."""
    fit = unfitted(docs, phi, likely.shape[1], len(given.expected.log_weight))
    fit_documents(0, len(likely), docs, given.expected, likely, fit, given.until, given.narrow)
    tables, log_left = count_tables(fit, likely), log_left_of_documents(fit.sticks)
    return HdpFitted(phi, fit.zeta, likely, tables, log_left, float(fit.bound.sum()))


def _sound(piece: Slice, given: HdpGiven) -> tuple[Docs, HdpGiven]:
    """The documents over the words of the batch, and what was given, after both were sent."""
    _, _, words, (indptr, local, counts) = piece.sound()
    elog, log_weight, alpha = given.expected
    expected = Expected(writeable(elog), writeable(log_weight), alpha)
    return Docs(indptr, words[local], counts), given._replace(expected=expected)


def unfitted(docs: Docs, phi: F64, n_likely: int, n_topics: int) -> HdpFit:
    """Room for the fit of `docs` from the start `phi` float64 (U, T), which it overwrites."""
    n_docs, n_sticks = len(docs.indptr) - 1, phi.shape[1]
    return HdpFit(
        phi,
        np.empty((n_docs, n_sticks, n_likely)),
        np.empty(n_topics),
        np.empty((n_docs, n_sticks, 2)),
        np.empty(n_docs),
        np.zeros(n_docs, np.int64),
    )


def start_phi(docs: Docs, topics: I64, tokens: F64, given: HdpGiven) -> F64:
    """Where q(z) of unseen documents starts, from their `likely_topics`: float64 (U, T).

    `paper`: Hoffman et al. 2013, figure 9, lines 5 and 6. They give every stick the same topics, so
    that phi is uniform and only the sizes of the sticks can tell them apart. `greedy`: stick i
    holds the document's i-th most expected topic, which reaches far better optima. `topics` int64
    (S, M), `tokens` float64 (S, M): those of `likely_topics`.
    """
    n_entries, n_docs, n_sticks = len(docs.local), len(docs.indptr) - 1, given.n_sticks
    if given.local_start == "paper":
        return np.full((n_entries, n_sticks), 1.0 / n_sticks)
    phi, elog = np.empty((n_entries, n_sticks)), given.expected.log_topics
    hdp_local.greedy_phi(0, n_docs, docs, elog, topics, tokens, phi, given.narrow.cut)
    return phi


def all_topics(n_docs: int, n_topics: int) -> I64:
    """int64 (S, K), the topics that a document may have where every topic is left to it."""
    return np.tile(np.arange(n_topics, dtype=np.int64), (n_docs, 1))


def log_left_of_documents(sticks: F64) -> float:
    """sum over documents and i < T of E ln(1 - pi'_di), for `sticks` float64 (S, T, 2), their Beta
    parameters."""
    sticks_a, sticks_b = sticks[:, :-1, 0], sticks[:, :-1, 1]
    return float((digamma(sticks_b) - digamma(sticks_a + sticks_b)).sum())


def topic_stats(
    pool: Pool | None, pieces: Sequence[Slice], fits: Sequence[HdpFitted], n_words: int
) -> F64:
    """sum_d c_dw sum_i phi_dwi zeta_dik over a batch, float64 (W, K), document by document.

    Gathered here and not in the slices, as a word of the batch is in three of them and every topic
    would have a number there: 60 MB for 2,048 documents instead of 30.
    """
    stats = np.empty((n_words, len(fits[0].tables)))
    arrays = [(writeable(fit.phi), writeable(fit.zeta), writeable(fit.likely)) for fit in fits]

    def add(start: int, stop: int) -> None:
        stats[start:stop] = 0.0
        for (_, _, words, docs), (phi, zeta, likely) in zip(pieces, arrays, strict=True):
            add_stats(start, stop, words, docs, phi, zeta, likely, stats)

    here(pool, add, n_words)
    return stats


STICKS_STARTS = ("topics", "prior")


def start_corpus(
    start: Start,
    sticks_start: str,
    corpus: Corpus,
    eta: float,
    n_topics: int,
    start_length: float,
    rng: np.random.Generator,
) -> tuple[Dirichlets, F64]:
    """Topics and the counts of their corpus sticks, float64 (K,), at the start, largest first.

    Counts `prior`: none, so that the sticks are Beta(1, gamma) (Hoffman et al. 2013, figure 9).
    `topics`: one per document, shared out as the start shared out its tokens; they fade with the
    step sizes. `uniform`: none; the method takes even weights for the first mini-batch alone.
    """
    lam = Dirichlets.from_excess(start_excess(start, corpus, n_topics, rng, start_length), eta)
    tables = lam.size / start_length if sticks_start == "topics" else np.zeros(n_topics)
    order = largest_first(tables)
    lam.reorder(order)
    return lam, tables[order]


def entries_of(indptr: I64, rows: I64) -> I64:
    """The places of the entries of some documents in a corpus: int64 (U,).

    `indptr` int64 (D+1,): where each document's entries begin. `rows` int64 (S,): the documents.
    """
    lengths = indptr[rows + 1] - indptr[rows]
    begins = np.cumsum(lengths) - lengths
    return np.asarray(np.repeat(indptr[rows] - begins, lengths) + np.arange(lengths.sum()))


def largest_first(tables: F64) -> I64:
    """The order of topics by decreasing count, int64 (K,), ties as they stand.

    `tables` float64 (K,): the counts of the corpus sticks. A size-biased order is the mode of the
    stick posterior (Kurihara et al. 2007). We sort by the counts that the sticks themselves hold.
    """
    return np.asarray(np.argsort(-tables, kind="stable"), dtype=np.int64)


def hdp_topics(gamma: float, alpha: float, lam: Dirichlets, tables: F64, topic_ids: I64) -> Topics:
    """`Topics` of a truncated posterior: nothing is unseen.

    `tables` float64 (K,): the counts of the corpus sticks. `topic_ids` int64 (K,): identities.
    """
    weight, _ = expected_weights(tables, gamma, truncated=True)
    return Topics(
        topic_word=lam.expected(),
        total=lam.total,
        size=lam.size,
        weight=weight,
        unseen=0.0,
        topic_ids=topic_ids.copy(),
        concentration=alpha,
        gamma=gamma,
        eta=lam.eta,
    )
