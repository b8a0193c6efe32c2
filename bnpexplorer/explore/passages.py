"""The passage of a document that speaks most of something: of a topic, or of a word."""

import re

import numpy as np

from ..core.arrays import F32, F64, I64, Bools
from ..corpus.corpus import Corpus, CorpusError
from ..corpus.intake.api import find_words
from ..corpus.words.occurrences import Occurrence, index_of
from ..corpus.words.settings import TextSettings
from ..state.moment import Moment
from ..state.snapshot import Topics
from .documents import TINY, best_by_share, lengths_of, others, usual_minimum

WORDS = 60
"""Of a passage that is quoted."""
ENDS = re.compile(r"(?<=[.!?…。！？])[\"'”’)]*\s+|\n\s*\n")
"""Where a sentence or a paragraph ends."""
BEGINNING = 100_000
"""Letters of a document among which its best passage is looked for: a page waits for several."""
LETTERS = 500
"""At most, of what is quoted."""


def best_rows(moment: Moment, shares: F32, topic: int, rows: Bools, n: int) -> I64:
    """Of `rows` bool (D,) the `n` documents with the largest share of a topic, short ones last.

    `shares` float32 (D, K): the proportions of the moment's corpus.
    """
    k = moment.row[topic]
    lengths = lengths_of(moment.corpus)
    fewest = usual_minimum(lengths)
    long = np.flatnonzero(rows & (lengths >= fewest))
    found = best_by_share(moment.topics, moment.corpus, shares, k, long, n)
    if len(found) < n:
        short = np.flatnonzero(rows & (lengths < fewest))
        found = np.append(found, short[np.argsort(-shares[short, k], kind="stable")])[:n]
    return found


def passage_of(
    moment: Moment, corpus: Corpus, settings: TextSettings | None, topic: int, row: int
) -> str:
    """The passage of a document's `BEGINNING` that speaks most of a topic; empty without text.

    `settings`: how texts became words; where that is not known, nothing is quoted.
    """
    text = str(corpus.docs.text[row] or "")[:BEGINNING] if corpus.docs.text is not None else ""
    if not text.strip() or settings is None:
        return ""
    index = index_of(moment.vocab, settings)
    try:
        found = find_words(text, settings, index)
    except CorpusError:  # its pattern does not get through it in time: its beginning will do
        return " ".join(text[:LETTERS].split())
    start, stop = best_passage(text, found.occurrences, typical(moment.topics, moment.row[topic]))
    words = " ".join(text[start:stop].split())
    return words if len(words) <= LETTERS else words[: LETTERS - 1].rstrip() + "…"


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
