"""What the forms of topics share: which topics, in which order, and the proportions of documents.

D documents, V words, K topics in use.
"""

from collections.abc import Iterator

import numpy as np

from ...core.arrays import F64, I64
from ...corpus.corpus import Corpus
from ...export.result import Result, result_of
from ...runs.run import Run

LEAST = 1e-12
"""Probabilities below are raised to this: those programs take logarithms."""
BLOCK = 4096
"""Documents at once: with 200 topics 7 MB of shares, and as much again on the way."""


def result_from(run: Run | Result) -> Result:
    """A run as it stands, or what was made of it by `export.result_of`, with names and groups.

    Of a run all documents come as `runs.whole.whole_of` has them.
    """
    return run if isinstance(run, Result) else result_of(run, run.moment())


def used(result: Result) -> tuple[list[int], I64]:
    """Topics in use, the largest first, and their places, int64 (K,).

    Raises ValueError if there is none.
    """
    ids, row = list(result.moment.in_use), result.moment.row
    if not ids:
        raise ValueError("The run has no topic in use yet; let it learn before you export arrays.")
    return ids, np.array([row[topic] for topic in ids], np.int64)


def proportions(result: Result, places: I64) -> Iterator[F64]:
    """Proportions among the topics at `places` of some documents after the other: float64 (N, K),
    rows sum to 1."""
    for begin in range(0, result.corpus.n_docs, BLOCK):
        part = result.shares[begin : begin + BLOCK].astype(np.float64)
        theta = np.maximum(part[:, places], LEAST)
        yield np.asarray(theta / theta.sum(axis=1, keepdims=True))


def some(result: Result, places: I64) -> Iterator[tuple[int, Corpus, F64]]:
    """Documents some after the others: the number of the first, their words without texts, their
    proportions."""
    first = 0
    parts = result.corpus.without_text().chunks(BLOCK)
    for docs, theta in zip(parts, proportions(result, places), strict=True):
        yield first, docs, theta
        first += docs.n_docs


def prior_of(result: Result, places: I64) -> F64:
    """float64 (K,): the Dirichlet of proportions; shares where there is none."""
    topics = result.moment.topics
    scale = topics.concentration if np.isfinite(topics.concentration) else 1.0
    return np.asarray(scale * topics.weight[places])
