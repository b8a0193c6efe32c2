"""The fold-in of new documents under fixed topics, which held-out scores and pages share.

Where a document's prior on topics is sparse the fold-in has several optima: with 154 topics of news
the same documents scored -7.65 to -8.10 from different starts (`benchmarks/README.md`). Scores
therefore take several starts together (`readings`); pages, which show one reading of a text, take
one (`fold_in_proportions`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..kernels.fold_in import fold_in_documents, log_bounds
from ..kernels.tuples import Docs, Until
from ..state.snapshot import Topics
from .pool import Pool
from .slices import by_distinct_word, map_slices

UNTIL = Until(max_iterations=10_000, tolerance=1e-5)
"""Every document comes to its fixed point; of topics that are nearly alike the slowest one tried
took 7,000. With 300, one of 343 documents of KOS (hdp-catvi) was still 8 % of its shares away and
the score of all 0.0001; what the others need besides is one iteration in a hundred. A tolerance of
1e-9 moves the score by 1e-6."""

STARTS = 4
"""The tokens spread evenly, as in `fold_in_proportions`; all in the best single topic; and two
random divisions. The mean of the prior itself leads to worse optima (`benchmarks/README.md`)."""
SEED = 0x73746172
"""Of the random starts, which are the same for every document: its fit depends on no other one."""


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


# ---- several starts ------------------------------------------------------------------------------


class Readings(NamedTuple):
    """S readings of each of D documents, one from each start of the fold-in."""

    theta: F64
    """float64 (S, D, K): E theta; what is missing to 1 is unseen."""
    weight: F64
    """float64 (D, S): of the readings of a document, proportional to exp(bound on the words that
    were read); rows sum to 1. Words that are to be predicted have no part in it."""


def readings(topics: Topics, docs: Corpus, pool: Pool | None = None) -> Readings:
    """Fold documents in from `STARTS` starts, each to its fixed point."""
    found = list(_from_each_start(topics, docs, pool))
    bounds = np.stack([bound for _, bound in found], axis=1)
    weight = np.exp(bounds - bounds.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    return Readings(np.stack([theta for theta, _ in found]), weight)


def mean_proportions(topics: Topics, docs: Corpus, pool: Pool | None = None) -> F64:
    """E theta of new documents, float64 (D, K): the mean of their `readings` by weight.

    Holds two readings at a time, since there may be many documents.
    """
    mean, total = np.zeros((docs.n_docs, len(topics))), np.full(docs.n_docs, -np.inf)
    for theta, bound in _from_each_start(topics, docs, pool):
        after = np.logaddexp(total, bound)
        mean *= np.exp(total - after)[:, None]
        mean += np.exp(bound - after)[:, None] * theta
        total = after
    return mean


def _from_each_start(topics: Topics, docs: Corpus, pool: Pool | None) -> Iterator[tuple[F64, F64]]:
    """Yield for each start E theta, float64 (D, K), and the bound on ln p(document), (D,)."""
    factor, prior, entries = with_rest_topic(topics, docs)
    for gamma in _starts(factor, prior, entries, docs.doc_lengths.astype(np.float64)):
        bound = np.empty(docs.n_docs)
        map_slices(pool, docs.n_docs, fold_in_documents, entries, factor, prior, gamma, UNTIL)
        map_slices(pool, docs.n_docs, log_bounds, entries, factor, prior, gamma, bound)
        yield gamma[:, : len(topics)] / gamma.sum(axis=1, keepdims=True), bound


def _starts(factor: F64, prior: F64, entries: Docs, lengths: F64) -> Iterator[F64]:
    """The Dirichlet parameters at which `STARTS` fits begin, float64 (D, K) each.

    `factor` float64 (W, K) and `prior` float64 (K,): as `with_rest_topic` gives them. `lengths`
    float64 (D,): tokens of the documents.
    """
    n_topics = len(prior)
    yield prior + lengths[:, None] / n_topics
    best = np.tile(prior, (len(lengths), 1))
    best[np.arange(len(lengths)), _best_topic(factor, prior, entries, lengths)] += lengths
    yield best
    for share in np.random.default_rng(SEED).dirichlet(np.ones(n_topics), STARTS - 2):
        yield prior + lengths[:, None] * share


def _best_topic(factor: F64, prior: F64, entries: Docs, lengths: F64) -> I64:
    """The topic that explains each document best alone, by ln p(words, all of this topic): int64
    (D,).

    `factor` float64 (W, K), `prior` float64 (K,), `lengths` float64 (D,): as for `_starts`.
    """
    counts = csr_array((entries.counts, entries.local, entries.indptr), (len(lengths), len(factor)))
    logs = np.log(np.maximum(factor, 1e-300))  # 0 has none
    of_length, row = np.unique(lengths, return_inverse=True)
    rising = (gammaln(prior + of_length[:, None]) - gammaln(prior))[row]
    joint = np.asarray(counts @ logs, np.float64) + rising
    return np.asarray(joint.argmax(axis=1), np.int64)
