"""Local steps that methods and held-out scoring share."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..corpus.corpus import Corpus
from ..kernels import admixture
from ..kernels.fold_in import fold_in_documents
from ..kernels.jit import F64, I32, I64
from ..kernels.special import distinct_words
from ..state.snapshot import Topics

N_SLICES = 8
"""Documents of a batch are cut into this many slices whatever the number of threads, and every
document writes only its own rows, so that results never depend on the threads."""

FOLD_IN_ITERATIONS, FOLD_IN_TOLERANCE = 300, 1e-5
"""A document in a thousand needs more; within these its shares are right to 0.0003 as a rule."""


def map_slices(pool: Executor | None, work: Callable[[int, int], object], n_docs: int) -> None:
    """Call `work(start, stop)` over a fixed number of slices of `n_docs` documents."""
    edges = np.linspace(0, n_docs, min(N_SLICES, n_docs) + 1).astype(int).tolist()
    pieces = list(pairwise(edges))
    if pool is None:
        for start, stop in pieces:
            work(start, stop)
    else:
        list(pool.map(lambda piece: work(*piece), pieces))


@dataclass(frozen=True, eq=False)
class LdaLocal:
    """The fitted q(theta) and q(z) of S documents."""

    gamma: F64
    """float64 (S, K)."""
    theta_factor: F64
    """float64 (S, K): exp E ln theta up to a factor per document."""
    ratio: F64
    """float64 (U,)."""
    log_mix: float
    """sum_dw c_dw ln sum_k exp(psi(gamma_dk)) word_factor_wk."""


def fit_lda_documents(
    indptr: I64,
    local: I32,
    counts: I32,
    word_factor: F64,
    prior: F64,
    gamma: F64,
    pool: Executor | None,
    max_iterations: int,
    tolerance: float,
) -> LdaLocal:
    """Fit every document's q(theta) from the start `gamma` (S, K), which is overwritten."""
    n_docs = len(indptr) - 1
    theta_factor = np.empty_like(gamma)
    ratio, log_mix = np.empty(len(local)), np.empty(n_docs)

    def work(start: int, stop: int) -> None:
        admixture.fit_documents(
            indptr,
            local,
            counts,
            word_factor,
            prior,
            gamma,
            theta_factor,
            ratio,
            log_mix,
            start,
            stop,
            max_iterations,
            tolerance,
        )

    map_slices(pool, work, n_docs)
    return LdaLocal(gamma, theta_factor, ratio, float(log_mix.sum()))


def with_rest_topic(topics: Topics, docs: Corpus) -> tuple[F64, F64, I32]:
    """Fixed E beta at the words of `docs`, with a rest topic where some weight is unseen.

    Returns `(factor, prior, local)`: float64 (W, K or K+1), the rest topic last and uniform over
    the V words; the Dirichlet prior of proportions `concentration * weight`; int32 (U,), the row of
    `factor` of every entry of `docs.word_ids`.
    """
    words, local = distinct_words(docs.word_ids, docs.n_words)
    n_topics = len(topics)
    factor = np.empty((len(words), n_topics + 1))
    factor[:, :n_topics] = topics.topic_word[:, words].T
    factor[:, n_topics] = 1.0 / docs.n_words
    prior = topics.concentration * np.append(topics.weight, topics.unseen)
    prior = np.maximum(prior, 1e-12)  # a weight of exactly 0 has no digamma
    if topics.unseen <= 0.0:
        factor, prior = np.ascontiguousarray(factor[:, :n_topics]), prior[:n_topics]
    return factor, prior, local


def fold_in_proportions(topics: Topics, docs: Corpus, pool: Executor | None = None) -> F64:
    """E theta of new documents under fixed E beta, float64 (D, K); what is missing to 1 is unseen.

    The common fold-in of all topic models, so that held-out scores compare methods and not local
    algorithms: the LDA local step with prior `concentration * weight` and, where some weight is
    unseen, a rest topic that is uniform over the V words.
    """
    factor, prior, local = with_rest_topic(topics, docs)
    gamma = prior + docs.doc_lengths[:, None] / len(prior)

    def work(start: int, stop: int) -> None:
        fold_in_documents(
            docs.indptr,
            local,
            docs.counts,
            factor,
            prior,
            gamma,
            start,
            stop,
            FOLD_IN_ITERATIONS,
            FOLD_IN_TOLERANCE,
        )

    map_slices(pool, work, docs.n_docs)
    return np.asarray(gamma[:, : len(topics)] / gamma.sum(axis=1, keepdims=True))
