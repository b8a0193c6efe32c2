"""Words that travel together: in the same documents more often than by chance."""

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from ..core.arrays import F64, I64
from ..corpus.corpus import CHUNK_DOCS, Corpus
from .columns import uses_of

FEWEST = 3
"""Documents that hold both words; fewer tell little, and NPMI is largest for the rarest words."""


@dataclass(frozen=True, eq=False)
class Companions:
    """N words that stand in documents with one word, the surest first."""

    words: I64
    """int64 (N,)"""
    both: I64
    """int64 (N,): documents with both words."""
    alone: I64
    """int64 (N,): documents with the companion."""
    likelihood: F64
    """float64 (N,): how surely, Dunning's (1993) log likelihood ratio; 10.8 has one chance in a
    thousand for a single pair."""
    npmi: F64
    """float64 (N,): how closely, normalised pointwise mutual information (Bouma 2009): 0 by
    chance, 1 never apart."""


def companions(corpus: Corpus, word: int, n: int) -> Companions:
    """At most `n` words that stand with `word` in documents more often than by chance.

    One pass over the corpus's entries: 0.03 s for 50,000 words in 60,000 documents.
    """
    total = corpus.n_docs
    rows, alone = uses_of(corpus, word)[0], corpus.word_docs
    both, mine = np.zeros(corpus.n_words, np.int64), len(rows)
    for begin in range(0, mine, CHUNK_DOCS):
        both += corpus.take(rows[begin : begin + CHUNK_DOCS]).word_docs
    often = (both >= FEWEST) & (both * total > alone.astype(np.float64) * mine)
    often[word] = False
    found = np.flatnonzero(often)
    ratio = log_likelihood(both[found], mine, alone[found], total)
    order = np.argsort(-ratio, kind="stable")[:n]
    found = found[order]
    share = both[found] / total
    with np.errstate(divide="ignore", invalid="ignore"):  # both in every document: 0 / 0
        npmi = np.log(share * total * total / (mine * alone[found])) / -np.log(share)
    return Companions(found, both[found], alone[found], ratio[order], np.nan_to_num(npmi, nan=0.0))


def log_likelihood(both: I64, one: int, other: I64, total: int) -> F64:
    """Dunning's ratio of the table of documents with both words, one, the other, none: (N,)."""
    cells = (both, one - both, other - both, total - one - other + both)
    rows = (one, one, total - one, total - one)
    columns = (other, total - other, other, total - other)
    found = np.zeros(len(both))
    for cell, row, column in zip(cells, rows, columns, strict=True):
        seen = cell.astype(np.float64)
        expected = row * np.asarray(column, np.float64) / total
        found += xlogy(seen, seen) - xlogy(seen, np.where(seen > 0, expected, 1.0))
    return np.asarray(np.maximum(2.0 * found, 0.0))
