"""Filler: topics that lie over nearly all documents alike and say little of any. K topics.

Two of the measures of AlSumait, Barbara, Gentle & Domeniconi 2009 ("Topic significance ranking of
LDA generative models"): how far a topic's words are from word frequencies ("vacuous"), and how
evenly it lies over documents ("background").
"""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F32, F64, Bools
from ..state.moment import Moment
from ..state.names import marginal
from ..state.snapshot import Topics

EVEN = 0.75
"""A topic is filler if its words lie over documents at least so evenly, as measured against all
words. Set by reading the topics of seven runs on news, tweets, speeches and definitions with an
earlier form of this rule; planted filler is found (`tests/explore/test_filler.py`), what people
would call so on other texts was not tried."""
PRESENT = 0.25
"""And if at least this part of the documents has a word of it: what is left over in a topic without
documents lies evenly, too."""
LEFT_OVER = 0.005
"""Topics in fewer of the documents are little more than their prior, near word frequencies, too."""
FEWEST = 3
"""Of fewer topics none is filler."""
SAMPLE = 500
"""Documents that are read for it, spread over the corpus: 1,000 took up to 0.8 s."""


@dataclass(frozen=True, eq=False)
class Spread:
    """How K topics lie over words and documents."""

    divergence: F64
    """float64 (K,): Kullback-Leibler divergence of the topic's words from word frequencies, bits.
    """
    even: F64
    """float64 (K,): the effective number of documents of the topic's words (exp of the entropy)
    over that of all words; 1 is as even as the texts are."""
    present: F64
    """float64 (K,): the part of the documents that has at least one word of the topic."""

    @property
    def filler(self) -> Bools:
        """bool (K,): spread evenly, and as near to word frequencies as half of the topics that have
        documents."""
        there = self.present >= LEFT_OVER
        if there.sum() < FEWEST:
            return np.zeros(len(self.even), bool)
        near = self.divergence <= np.median(self.divergence[there])
        return np.asarray((self.even >= EVEN) & (self.present >= PRESENT) & near)


def spread(topics: Topics, proportions: F32, lengths: F64) -> Spread:
    """Of topics, their proportions (D, K) in some documents, and these documents' words (D,)."""
    p_word = marginal(topics)
    tiny = np.finfo(np.float32).tiny
    inside = topics.topic_word
    logs = np.log2(np.maximum(inside, tiny)) - np.log2(np.maximum(p_word, tiny)).astype(np.float32)
    divergence = np.einsum("kv,kv->k", inside, logs, dtype=np.float64)
    words = proportions.astype(np.float64) * lengths[:, None]
    even = _effective(words) / max(float(_effective(lengths[:, None])[0]), 1.0)
    return Spread(divergence, even, (words >= 1.0).mean(axis=0))


def _effective(words: F64) -> F64:
    """The effective number of documents of each column of (D, K)."""
    total = words.sum(axis=0)
    share = words / np.where(total > 0.0, total, 1.0)
    logs = np.log(np.where(share > 0.0, share, 1.0))
    return np.where(total > 0.0, np.exp(-(share * logs).sum(axis=0)), 0.0)


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """Some documents as they are read with the topics that were learned."""

    proportions: F32
    """float32 (D, K)."""
    lengths: F64
    """float64 (D,): their words."""


def sample(moment: Moment) -> DocumentSample:
    """At most `SAMPLE` documents, spread over the corpus, by the model's fold-in; none where filler
    is not judged."""
    corpus, topics = moment.corpus, moment.snapshot.topics
    if not corpus.n_docs or len(topics) < FEWEST:
        return DocumentSample(np.zeros((0, len(topics)), np.float32), np.zeros(0))
    rows = np.unique(np.linspace(0, corpus.n_docs - 1, SAMPLE).astype(np.int64))
    docs = corpus.take(rows)
    return DocumentSample(moment.model.fold_in(topics, docs), docs.doc_lengths.astype(np.float64))


def filler(moment: Moment, read: DocumentSample | None = None) -> frozenset[int]:
    """The topics in use that are filler, by identity, each group judged as the one that it counts
    as; none where there are no documents. `read`: what `sample` has found."""
    read = sample(moment) if read is None else read
    if not len(read.lengths):
        return frozenset()
    topics = moment.topics
    found = spread(topics, moment.gathered(read.proportions), read.lengths)
    return frozenset(topics.topic_ids[found.filler & topics.in_use].tolist())
