"""What the two mean-field methods of the truncated HDP share: local step, start, order, topics."""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma

from ..core.arrays import F64, I32, I64
from ..corpus.corpus import Corpus
from ..kernels import hdp_local, hdp_start
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .slices import map_slices
from .start import start_excess
from .sticks import expected_weights

LOCAL_STARTS = ("greedy", "paper")
STICKS_STARTS = ("topics", "prior")


def start_corpus(
    start: str,
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


@dataclass(frozen=True, eq=False)
class HdpLocal:
    """The fitted q of S documents with U entries; T sticks each, K topics."""

    phi: F64
    """float64 (U, T): q(z), the stick of a token, one row per word type."""
    zeta: F64
    """float64 (S, T, K): q(c), the topic of a stick."""
    sticks: F64
    """float64 (S, T, 2): Beta parameters; the last row is unused."""
    bound: F64
    """float64 (S,): each document's part of the evidence lower bound."""
    iterations: int


def likely_topics(
    docs: Corpus,
    local: I32,
    elog: F64,
    log_weight: F64,
    n_likely: int,
    pool: Executor | None,
    cut: float,
) -> tuple[I64, F64]:
    """The topics of which each document expects the most tokens: int64 and float64 (S, M).

    M is `n_likely`, at most K; most tokens first.
    """
    shape = (docs.n_docs, min(n_likely, len(log_weight)))
    topics, tokens = np.empty(shape, np.int64), np.empty(shape)
    share = np.empty_like(elog)
    hdp_start.shares(elog, log_weight, cut, share)

    def work(start: int, stop: int) -> None:
        hdp_start.likely_topics(docs.indptr, local, docs.counts, share, topics, tokens, start, stop)

    map_slices(pool, work, docs.n_docs)
    return topics, tokens


def start_phi(
    local_start: str,
    docs: Corpus,
    local: I32,
    elog: F64,
    topics: I64,
    tokens: F64,
    doc_truncation: int,
    pool: Executor | None,
    cut: float,
) -> F64:
    """Where `phi` (U, T) of unseen documents starts, from their `likely_topics`.

    `paper`: Hoffman et al. 2013, figure 9, lines 5 and 6. They give every stick the same topics, so
    that phi is uniform and only the sizes of the sticks can tell them apart. `greedy`: stick i
    holds the document's i-th most expected topic, which reaches far better optima.
    """
    if local_start == "paper":
        return np.full((len(local), doc_truncation), 1.0 / doc_truncation)
    phi = np.empty((len(local), doc_truncation))

    def work(start: int, stop: int) -> None:
        hdp_start.greedy_phi(
            docs.indptr, local, docs.counts, elog, topics, tokens, phi, start, stop, cut
        )

    map_slices(pool, work, docs.n_docs)
    return phi


def fit_hdp_documents(
    docs: Corpus,
    local: I32,
    elog: F64,
    log_weight: F64,
    alpha: float,
    likely: I64,
    phi: F64,
    pool: Executor | None,
    max_iterations: int,
    tolerance: float,
    cut: float,
    empty: float,
) -> HdpLocal:
    """Fit the documents from the start `phi` (U, T), which is overwritten.

    Sticks hold topics of `likely` (S, M) alone; probabilities `cut` nats below the largest become
    0; a stick that is left with fewer than `empty` expected tokens gives them up and keeps the
    corpus weights. All three narrow down q, whose bound stays exact.
    """
    n_topics, n_sticks = len(log_weight), phi.shape[1]
    zeta = np.empty((docs.n_docs, n_sticks, n_topics))
    sticks = np.empty((docs.n_docs, n_sticks, 2))
    bound = np.empty(docs.n_docs)
    iterations: list[int] = []

    def work(start: int, stop: int) -> None:
        used = hdp_local.fit_documents(
            docs.indptr,
            local,
            docs.counts,
            elog,
            log_weight,
            alpha,
            likely,
            phi,
            zeta,
            sticks,
            bound,
            start,
            stop,
            max_iterations,
            tolerance,
            cut,
            empty,
        )
        iterations.append(used)

    map_slices(pool, work, docs.n_docs)
    return HdpLocal(phi, zeta, sticks, bound, sum(iterations))


def all_topics(n_docs: int, n_topics: int) -> I64:
    """`likely` (S, K) that leaves every topic to every document."""
    return np.tile(np.arange(n_topics, dtype=np.int64), (n_docs, 1))


def entries_of(indptr: I64, rows: I64) -> I64:
    """The places of the entries of documents `rows` in a corpus with `indptr` (D+1,)."""
    lengths = indptr[rows + 1] - indptr[rows]
    begins = np.cumsum(lengths) - lengths
    return np.asarray(np.repeat(indptr[rows] - begins, lengths) + np.arange(lengths.sum()))


def log_left_of_documents(sticks: F64) -> float:
    """sum over documents and i < T of E ln(1 - pi'_di), for Beta parameters (S, T, 2)."""
    sticks_a, sticks_b = sticks[:, :-1, 0], sticks[:, :-1, 1]
    return float((digamma(sticks_b) - digamma(sticks_a + sticks_b)).sum())


def largest_first(tables: F64) -> I64:
    """The order of topics by decreasing count, ties as they stand.

    A size-biased order is the mode of the stick posterior (Kurihara et al. 2007). We sort by the
    counts that the sticks themselves hold.
    """
    return np.asarray(np.argsort(-tables, kind="stable"), dtype=np.int64)


def hdp_topics(gamma: float, alpha: float, lam: Dirichlets, tables: F64, topic_ids: I64) -> Topics:
    """`Topics` of a truncated posterior: nothing is unseen."""
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
