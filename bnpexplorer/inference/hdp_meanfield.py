"""What the two mean-field methods of the truncated HDP share: local step, start, order, topics."""

import numpy as np
from scipy.special import digamma

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..kernels import hdp_start
from ..kernels.tuples import Docs, HdpFit
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .pool import Pool
from .slices import map_slices
from .start import Start, start_excess
from .sticks import expected_weights

LOCAL_STARTS = ("greedy", "paper")
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


def unfitted(docs: Docs, phi: F64, n_topics: int) -> HdpFit:
    """Room for the fit of `docs` from the start `phi` float64 (U, T), which it overwrites."""
    n_docs, n_sticks = len(docs.indptr) - 1, phi.shape[1]
    return HdpFit(
        phi,
        np.empty((n_docs, n_sticks, n_topics)),
        np.empty((n_docs, n_sticks, 2)),
        np.empty(n_docs),
        np.zeros(n_docs, np.int64),
    )


def likely_topics(
    docs: Docs, elog: F64, log_weight: F64, n_likely: int, pool: Pool | None, cut: float
) -> tuple[I64, F64]:
    """The topics of which each document expects the most tokens, and how many it expects.

    int64 and float64 (S, M), most tokens first; M is `n_likely`, at most K. `elog` float64 (W, K):
    E ln beta. `log_weight` float64 (K,): E ln pi of the corpus.
    """
    n_docs = len(docs.indptr) - 1
    shape = (n_docs, min(n_likely, len(log_weight)))
    topics, tokens = np.empty(shape, np.int64), np.empty(shape)
    share = np.empty_like(elog)
    hdp_start.shares(elog, log_weight, cut, share)
    map_slices(pool, n_docs, hdp_start.likely_topics, docs, share, topics, tokens)
    return topics, tokens


def start_phi(
    local_start: str,
    docs: Docs,
    elog: F64,
    topics: I64,
    tokens: F64,
    doc_truncation: int,
    pool: Pool | None,
    cut: float,
) -> F64:
    """Where q(z) of unseen documents starts, from their `likely_topics`: float64 (U, T).

    `paper`: Hoffman et al. 2013, figure 9, lines 5 and 6. They give every stick the same topics, so
    that phi is uniform and only the sizes of the sticks can tell them apart. `greedy`: stick i
    holds the document's i-th most expected topic, which reaches far better optima. `elog` float64
    (W, K): E ln beta. `topics` int64 (S, M), `tokens` float64 (S, M): those of `likely_topics`.
    """
    n_entries, n_docs = len(docs.local), len(docs.indptr) - 1
    if local_start == "paper":
        return np.full((n_entries, doc_truncation), 1.0 / doc_truncation)
    phi = np.empty((n_entries, doc_truncation))
    map_slices(pool, n_docs, hdp_start.greedy_phi, docs, elog, topics, tokens, phi, cut)
    return phi


def all_topics(n_docs: int, n_topics: int) -> I64:
    """int64 (S, K), the topics that a document may have where every topic is left to it."""
    return np.tile(np.arange(n_topics, dtype=np.int64), (n_docs, 1))


def entries_of(indptr: I64, rows: I64) -> I64:
    """The places of the entries of some documents in a corpus: int64 (U,).

    `indptr` int64 (D+1,): where each document's entries begin. `rows` int64 (S,): the documents.
    """
    lengths = indptr[rows + 1] - indptr[rows]
    begins = np.cumsum(lengths) - lengths
    return np.asarray(np.repeat(indptr[rows] - begins, lengths) + np.arange(lengths.sum()))


def log_left_of_documents(sticks: F64) -> float:
    """sum over documents and i < T of E ln(1 - pi'_di), for `sticks` float64 (S, T, 2), their Beta
    parameters."""
    sticks_a, sticks_b = sticks[:, :-1, 0], sticks[:, :-1, 1]
    return float((digamma(sticks_b) - digamma(sticks_a + sticks_b)).sum())


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
