"""Filler: topics that lie over the documents alike and say little of any. K topics, D documents.

Two of the measures of AlSumait, Barbara, Gentle & Domeniconi 2009 ("Topic significance ranking of
LDA generative models"): how far a topic's words are from word frequencies ("vacuous"), and how
evenly it lies over documents ("background"). A large topic lies evenly, too, so a third measure
tells it from filler: how much its share varies between documents, of the most that it could
(Wright's F_ST). By the model's prior that is 1 / (alpha + 1) for every topic, large or small.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import F32, F64, Bools
from ..corpus.corpus import Corpus
from .names import marginal
from .snapshot import Topics

EVEN = 0.6
"""Filler lies over documents at least so evenly, as measured against all words. `benchmarks.filler`
tells how often these five numbers find planted filler, and how often they take a real topic."""
STEADY = 0.6
"""And its share varies at most so much, as measured against all other topics together."""
NEAR = 1.5
"""And it is at most so many times as far from word frequencies as the mean of all words' topics."""
PRESENT = 0.25
"""And at least this part of the documents has a word of it."""
FEWEST = 3
"""Of fewer topics none is filler."""
SAMPLE = 500
"""Documents that are read for it, spread over the corpus: at most 0.3 s for the long ones."""


@dataclass(frozen=True, eq=False)
class Spread:
    """How K topics lie over words and documents."""

    divergence: F64
    """float64 (K,): Kullback-Leibler divergence of the topic's words from word frequencies, over
    the mean of all topics by their words."""
    even: F64
    """float64 (K,): the effective number of documents of the topic's words (exp of the entropy)
    over that of all words; 1 is as even as the texts are."""
    steady: F64
    """float64 (K,): the variance of the topic's share between documents over that of a topic of its
    size that has documents of its own, over the same of all other topics together; 1 by the prior.
    """
    present: F64
    """float64 (K,): the part of the documents that has at least one word of the topic."""

    @property
    def filler(self) -> Bools:
        """bool (K,): even, steady, near to word frequencies, and in many documents; never all."""
        found = (self.even >= EVEN) & (self.steady <= STEADY) & (self.divergence <= NEAR)
        found &= self.present >= PRESENT
        return np.asarray(found & (len(found) >= FEWEST) & (not found.all()))


def spread(topics: Topics, proportions: F32, lengths: F64) -> Spread:
    """Measure topics by their proportions (D, K) in some documents of `lengths` (D,) words."""
    p_word = marginal(topics)
    tiny = np.finfo(np.float32).tiny
    inside = topics.topic_word
    logs = np.log2(np.maximum(inside, tiny)) - np.log2(np.maximum(p_word, tiny)).astype(np.float32)
    divergence = np.einsum("kv,kv->k", inside, logs, dtype=np.float64)
    words = proportions.astype(np.float64) * lengths[:, None]
    even = _effective(words) / max(float(_effective(lengths[:, None])[0]), 1.0)
    usual = float(topics.shares @ divergence)
    return Spread(
        divergence / (usual or 1.0), even, _steady(words, lengths), (words >= 1.0).mean(axis=0)
    )


def _effective(words: F64) -> F64:
    """Return the effective number of documents of each column of (D, K)."""
    total = words.sum(axis=0)
    share = words / np.where(total > 0.0, total, 1.0)
    logs = np.log(np.where(share > 0.0, share, 1.0))
    return np.where(total > 0.0, np.exp(-(share * logs).sum(axis=0)), 0.0)


def _steady(words: F64, lengths: F64) -> F64:
    """Return `Spread.steady` of the words (D, K) of each topic in each document."""
    total = max(float(lengths.sum()), 1.0)
    share = words / np.maximum(lengths, 1.0)[:, None]
    mean = words.sum(axis=0) / total
    varies, most = lengths @ (share - mean) ** 2 / total, mean * (1.0 - mean)
    others, most_others = varies.sum() - varies, most.sum() - most
    nothing = (most <= 0.0) | (most_others <= 0.0) | (others <= 0.0)
    return np.where(nothing, 1.0, varies * most_others / np.where(nothing, 1.0, most * others))


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """Some documents as they are read with the topics that were learned."""

    proportions: F32
    """float32 (D, K)."""
    lengths: F64
    """float64 (D,): their words."""


def sample(model: Any, corpus: Corpus, topics: Topics) -> DocumentSample:
    """Read at most `SAMPLE` documents, spread over the corpus, by the fold-in of the `model`; none
    where filler is not judged."""
    if not corpus.n_docs or len(topics) < FEWEST:
        return DocumentSample(np.zeros((0, len(topics)), np.float32), np.zeros(0))
    rows = np.unique(np.linspace(0, corpus.n_docs - 1, SAMPLE).astype(np.int64))
    docs = corpus.take(rows)
    return DocumentSample(model.fold_in(topics, docs), docs.doc_lengths.astype(np.float64))


def filler(topics: Topics, proportions: F32, lengths: F64) -> frozenset[int]:
    """Return the topics in use that are filler, by identity; none where there are no documents."""
    if not lengths.any():
        return frozenset()
    found = spread(topics, proportions, lengths).filler
    return frozenset(topics.topic_ids[found & topics.in_use].tolist())
