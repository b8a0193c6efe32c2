"""Words that rose or fell between two sets of documents.

Log-odds with an informative Dirichlet prior (Monroe, Colaresi & Quinn 2008, "Fightin' Words",
equations 15 to 22). Of word w, y_a and y_b are the counts before and after, n_a and n_b those of
all words, and alpha_w the prior, in proportion to the word's share of both sides together:

    delta_w = ln (y_b + alpha_w) / (n_b + alpha_0 - y_b - alpha_w)
            - ln (y_a + alpha_w) / (n_a + alpha_0 - y_a - alpha_w)
    variance = 1 / (y_a + alpha_w) + 1 / (y_b + alpha_w)
    z_w = delta_w / sqrt(variance * f_w)

The paper takes words as drawn one by one (f = 1). Words come in bursts, though: a name stands
twenty times in one text and in no other. f_w is how many times as much a word's counts differ
between documents of one side as they would then, at least 1: documents are the units, as for
topics, and passages of one text or texts with the same words are one (`Corpus.units`). On documents
of bursts that do not change, f = 1 calls many words sure (`tests/explore`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..core.arrays import F64, I64, Bools
from ..corpus.corpus import Corpus
from .documents import BLOCK
from .means import LEVEL, student_above

PRIOR = 0.25
"""The prior's weight alpha_0, as a part of the words of the smaller side: where 100 occurrences are
expected and none is found, z is largest between 0.2 and 0.3; noise makes it 0.9 times as large."""
FEWEST = 5
"""Texts that must use a word on the side where it is commoner."""


@dataclass(frozen=True, eq=False)
class ChangedWords:
    """All V words between two sets of documents."""

    before: I64
    """int64 (V,): how often the word occurs."""
    after: I64
    docs_before: I64
    """int64 (V,): documents that use it."""
    docs_after: I64
    n_before: int
    """All words that count, before."""
    n_after: int
    log_odds: F64
    """float64 (V,): delta, above 0 if the word rose."""
    z: F64
    """float64 (V,): delta in standard errors; 0 for words too rare to tell."""
    least: float
    """Beyond this z is sure, for all words that are common enough, together: Student's t with one
    degree of freedom less than the side of fewer texts has texts."""
    n_compared: int
    """Words that are common enough."""

    @property
    def sure(self) -> Bools:
        return np.asarray(np.abs(self.z) > self.least)

    def risen(self, n: int) -> I64:
        """At most `n` words that rose, the surest first: int64."""
        order = np.argsort(-self.z, kind="stable")[:n]
        return np.asarray(order[self.z[order] > 0.0])

    def fallen(self, n: int) -> I64:
        """At most `n` words that fell, the surest first: int64."""
        order = np.argsort(self.z, kind="stable")[:n]
        return np.asarray(order[self.z[order] < 0.0])


def changed_words(corpus: Corpus, before: Bools, after: Bools) -> ChangedWords:
    """Compare the documents `before` with those `after`, bool (D,) each, none in both.

    Raises ValueError if a side has no document, or one stands on both.
    """
    if np.any(before & after):
        raise ValueError("A document stands on both sides of the comparison.")
    sides = [_Side(corpus, np.flatnonzero(rows)) for rows in (before, after)]
    if not all(side.n for side in sides):
        raise ValueError("One side of the comparison has no documents.")
    a, b = sides
    both = a.counts + b.counts
    prior = PRIOR * min(a.n, b.n)
    alpha = prior * both / (a.n + b.n)
    # Of a word that is as common on both sides either will do: neither side comes first.
    more = np.sign(b.counts * a.n - a.counts * b.n)
    used = np.maximum(np.where(more >= 0, b.users, 0), np.where(more <= 0, a.users, 0)) >= FEWEST
    with np.errstate(divide="ignore", invalid="ignore"):  # words of neither side
        odds = [np.log((s.counts + alpha) / (s.n + prior - s.counts - alpha)) for s in sides]
        delta = np.where(used, odds[1] - odds[0], 0.0)
        variance = 1.0 / (a.counts + alpha) + 1.0 / (b.counts + alpha)
        bursts = (a.around + b.around) / (a.expected + b.expected)
        # A word whose two sides are one document each tells nothing of bursts.
        bursts = np.where(a.expected + b.expected > 0.0, np.maximum(bursts, 1.0), np.inf)
        z = np.where(used, delta / np.sqrt(variance * bursts), 0.0)
    n_compared = int(used.sum())
    freedom = max(min(a.n_units, b.n_units) - 1, 1)
    least = float(student_above((1.0 - LEVEL) / 2.0 / max(n_compared, 1), freedom))
    return ChangedWords(
        a.counts.astype(np.int64),
        b.counts.astype(np.int64),
        a.docs,
        b.docs,
        int(a.n),
        int(b.n),
        delta,
        np.nan_to_num(z),
        least,
        n_compared,
    )


class _Side:
    """The counts of one side's texts: all float64 (V,) but `n`, `n_units`, `docs` and `users`.

    Sums of whole numbers, below 2^53: the same whatever the order and the blocks of the texts.
    """

    def __init__(self, corpus: Corpus, rows: I64) -> None:
        n_words = corpus.n_words
        self.docs: I64 = np.zeros(n_words, np.int64)
        self.users: I64 = np.zeros(n_words, np.int64)
        self.n_units, self.n, heavy = 0, 0.0, 0.0
        self.counts, squares, crossed = (np.zeros(n_words) for _ in range(3))
        for part, texts in _blocks(corpus, rows):
            self.docs += np.bincount(part.word_ids, minlength=n_words)
            self.users += np.bincount(texts.indices, minlength=n_words)
            counts, lengths = texts.data, np.asarray(texts.sum(axis=1)).ravel()
            own = np.repeat(lengths, np.diff(texts.indptr))
            self.n_units += texts.shape[0]
            self.n += float(lengths.sum())
            self.counts += np.bincount(texts.indices, counts, n_words)
            squares += np.bincount(texts.indices, counts**2, n_words)
            crossed += np.bincount(texts.indices, counts * own, n_words)
            heavy += float((lengths**2).sum())
        p = self.counts / max(self.n, 1.0)
        # Sum over texts of (count - p * length)^2, and what words drawn singly would give.
        self.around = np.maximum(squares - 2.0 * p * crossed + p**2 * heavy, 0.0)
        self.expected = p * (1.0 - p) * (self.n - heavy / max(self.n, 1.0))


def _blocks(corpus: Corpus, rows: I64) -> Iterator[tuple[Corpus, sparse.csr_matrix]]:
    """The documents `rows` some after the other, and their counts added up by text: float64 (C, V).

    No text is in two blocks; `BLOCK` documents at once, and more where one text has more passages.
    """
    if corpus.units is None:
        for begin in range(0, len(rows), BLOCK):
            part = corpus.take(rows[begin : begin + BLOCK])
            yield part, part.to_csr().astype(np.float64)
        return
    _, firsts, place = np.unique(corpus.units[rows], return_index=True, return_inverse=True)
    # Texts in the order in which they begin: passages stand together, and so on the disk.
    order = np.argsort(firsts[place], kind="stable")
    place = firsts[place][order]
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    begin = 0
    while begin < len(rows):
        after = np.searchsorted(begins, begin + BLOCK)
        end = int(begins[after]) if after < len(begins) else len(rows)
        part = corpus.take(rows[order[begin:end]])
        _, text = np.unique(place[begin:end], return_inverse=True)
        of_text = sparse.csc_matrix((np.ones(len(text)), text, np.arange(len(text) + 1)))
        yield part, sparse.csr_matrix(of_text @ part.to_csr())
        begin = end
