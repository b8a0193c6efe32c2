"""Small corpora drawn whole from a prior, with the topics that every document was made of."""

from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64
from ..corpus.corpus import Corpus
from ..models import MODELS

Settings = dict[str, float | int]
SIDE = 5
N_WORDS = SIDE * SIDE
"""Words are the pixels of a picture of 5 x 5, so that a topic can be looked at."""


@dataclass(frozen=True, eq=False)
class Small:
    """A drawn corpus; K topics were used by it."""

    corpus: Corpus
    topic_word: F64
    """float64 (K, 25)."""
    doc_topic: F64
    """float64 (D, K): what each document was made of."""


def draw(model: str, settings: Settings, n_docs: int, length: int, seed: int) -> Small:
    """A corpus from the model of that name, its topics sorted by their share of the corpus."""
    rng = np.random.default_rng(seed)
    drawn = MODELS[model](**settings).sample(rng, n_docs, N_WORDS, float(length))
    order = np.argsort(-drawn.doc_topic.sum(axis=0), kind="stable")
    return Small(drawn.corpus, drawn.topic_word[order], drawn.doc_topic[:, order])


def topics_for(doc_topic: F64, share: float = 0.9) -> I64:
    """How many topics make up `share` of each document, its largest first: int64 (D,)."""
    sums = np.cumsum(-np.sort(-doc_topic, axis=1), axis=1)
    within = sums < share * doc_topic.sum(axis=1, keepdims=True) - 1e-12
    return np.asarray(within.sum(axis=1) + 1, dtype=np.int64)


def words_for(topic_word: F64, share: float = 0.9) -> I64:
    """How many words make up `share` of each topic, its most probable first: int64 (K,)."""
    return topics_for(topic_word, share)
