"""The passage of a document that speaks most of something: of a topic, or of a word."""

import re

import numpy as np

from ..core.arrays import F64
from ..corpus.occurrences import Occurrence
from ..state.snapshot import Topics
from .documents import TINY, others

WORDS = 60
"""Of a passage that is quoted."""
ENDS = re.compile(r"(?<=[.!?…。！？])[\"'”’)]*\s+|\n\s*\n")
"""Where a sentence or a paragraph ends."""


def typical(topics: Topics, k: int) -> F64:
    """How much each word speaks for topic k: ln [p(w | k) / p(w | all others)], at least 0: (V,).

    Words that the topic seldom uses (below 1 / V) count nothing, however typical they are.
    """
    mine = topics.topic_word[k].astype(np.float64)
    ratio = np.log(np.maximum(mine, TINY)) - np.log(np.maximum(others(topics, k), TINY))
    return np.where(mine > 1.0 / len(mine), np.maximum(ratio, 0.0), 0.0)


def best_passage(
    text: str, words: tuple[Occurrence, ...], value: F64, n_words: int = WORDS
) -> tuple[int, int]:
    """Where the passage of about `n_words` words begins and ends in `text`.

    The run of whole sentences, up to so many words, whose `words` have the largest sum of `value`
    (V,); of equal ones the first. A longer sentence stands alone and may be cut by who shows it.
    """
    starts = [0, *(match.end() for match in ENDS.finditer(text))]
    stops = [*(match.start() for match in ENDS.finditer(text)), len(text)]
    n = [len(text[a:b].split()) for a, b in zip(starts, stops, strict=True)]
    inside = np.searchsorted(starts, [word.start for word in words], side="right") - 1
    worth = np.bincount(inside, value[[word.word for word in words]], len(starts))
    best, found = -1.0, (0, len(text))
    for first in range(len(starts)):
        total, so_many = 0.0, 0
        for last in range(first, len(starts)):
            so_many += n[last]
            if so_many > n_words and last > first:
                break
            total += float(worth[last])
            if total > best + 1e-9:
                best, found = total, (starts[first], stops[last])
    return found
