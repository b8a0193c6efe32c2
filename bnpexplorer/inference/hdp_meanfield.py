"""What the two mean-field methods of the truncated HDP share: start, order, topics."""

import numpy as np

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..state.snapshot import Topics
from .dirichlet import Dirichlets
from .start import Start, start_excess
from .sticks import expected_weights

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
