"""The fold-in of new documents under fixed topics, which held-out scores and pages share."""

import numpy as np

from ..core.arrays import F64
from ..corpus.corpus import Corpus
from ..kernels.fold_in import fold_in_documents
from ..kernels.tuples import Docs, Until
from ..state.snapshot import Topics
from .pool import Pool
from .slices import by_distinct_word, map_slices

UNTIL = Until(max_iterations=10_000, tolerance=1e-5)
"""Every document comes to its fixed point; of topics that are nearly alike the slowest one tried
took 7,000. With 300, one of 343 documents of KOS (hdp-catvi) was still 8 % of its shares away and
the score of all 0.0001; what the others need besides is one iteration in a hundred. A tolerance of
1e-9 moves the score by 1e-6."""


def with_rest_topic(topics: Topics, docs: Corpus) -> tuple[F64, F64, Docs]:
    """Fixed E beta at the words of `docs`, with a rest topic where some weight is unseen.

    Returns `(factor, prior, entries)`: float64 (W, K or K+1), the rest topic last and uniform over
    the V words; float64 (K or K+1,), the Dirichlet prior of proportions `concentration * weight`;
    the documents over these words.
    """
    words, entries = by_distinct_word(docs)
    n_topics = len(topics)
    factor = np.empty((len(words), n_topics + 1))
    factor[:, :n_topics] = topics.topic_word[:, words].T
    factor[:, n_topics] = 1.0 / docs.n_words
    prior = topics.concentration * np.append(topics.weight, topics.unseen)
    prior = np.maximum(prior, 1e-12)  # a weight of exactly 0 has no digamma
    if topics.unseen <= 0.0:
        factor, prior = np.ascontiguousarray(factor[:, :n_topics]), prior[:n_topics]
    return factor, prior, entries


def fold_in_proportions(topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
    """E theta of new documents under fixed E beta, float64 (D, K); what is missing to 1 is unseen.

    The common fold-in of all topic models, so that held-out scores compare methods and not local
    algorithms: the LDA local step with prior `concentration * weight` and, where some weight is
    unseen, a rest topic that is uniform over the V words.
    """
    factor, prior, entries = with_rest_topic(topics, docs)
    gamma = prior + docs.doc_lengths[:, None] / len(prior)
    map_slices(pool, docs.n_docs, fold_in_documents, entries, factor, prior, gamma, UNTIL)
    return np.asarray(gamma[:, : len(topics)] / gamma.sum(axis=1, keepdims=True))
