"""Which words stay: what all chunks count, merged in the order of the alphabet.

A dictionary of all words of a large corpus may be larger than memory (most stand there once). Here
each chunk has its words in order, and they are gone through side by side: held are `ROWS` words of
each of `TOGETHER` chunks, and the words that stay.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...core.arrays import I64
from ...corpus.words.counting import (
    TOP,
    Removed,
    beyond_the,
    bounds,
    in_fewer_than,
    in_more_than,
    most_frequent,
    zipf_of,
)
from ...corpus.words.settings import TextSettings
from .chunks import chunk_file
from .counting import WORDS, WordForm, read_words, write_words

TOGETHER = 100
"""Chunks that are gone through side by side: 100,000 words, 20 MB."""


class WordFamily(NamedTuple):
    """A word of the corpus, with all of its kin."""

    key: str
    name: str
    frequency: int
    documents: int


@dataclass(eq=False)
class WordKeys:
    """The words that stay, in the order of their keys."""

    kinds: list[WordFamily]
    removed: dict[str, Removed]
    """As in `Report`: reason -> the others, but stop words."""
    frequencies: Counter[int] = field(default_factory=Counter)
    """How often a word occurs -> how many words occur so often, of all but stop words."""

    def zipf(self, stops: Iterable[int]) -> tuple[I64, I64]:
        """As in `Report`, with the frequencies of stop words."""
        all_words = self.frequencies + Counter(stops)
        del all_words[0]
        frequency = np.array(sorted(all_words), np.int64)
        return zipf_of(frequency, np.array([all_words[n] for n in frequency.tolist()], np.int64))


def kinds_of(words: Iterable[WordForm]) -> Iterator[WordFamily]:
    """Words with their kin as one, named by the commonest; of words as common by the first."""
    key, name, most, frequency, documents = "", "", -1, 0, 0
    for word in words:
        if most >= 0 and word.key != key:
            yield WordFamily(key, name, frequency, documents)
            most, frequency, documents = -1, 0, 0
        key = word.key
        if word.frequency > most:
            name, most = word.form, word.frequency
        frequency += word.frequency
        documents += word.documents
    if most >= 0:
        yield WordFamily(key, name, frequency, documents)


def merged(folder: Path, chunks: list[int]) -> Iterator[WordForm]:
    """The words of all chunks in order, each once. Files of words that many chunks have together
    are written beside those of the chunks."""
    while len(chunks) > TOGETHER:
        groups = [chunks[i : i + TOGETHER] for i in range(0, len(chunks), TOGETHER)]
        first = max(chunks) + 1
        for i, group in enumerate(groups):
            write_words(folder, first + i, _side_by_side(folder, group))
        chunks = list(range(first, first + len(groups)))
    yield from _side_by_side(folder, chunks)


def _side_by_side(folder: Path, chunks: list[int]) -> Iterator[WordForm]:
    files = [read_words(folder, chunk) for chunk in chunks if chunk_file(folder, chunk).is_file()]
    last: WordForm | None = None
    for word in heapq.merge(*files):
        if last is None or word[:2] != last[:2]:
            if last is not None:
                yield last
            last = word
        else:
            n, documents = last.frequency + word.frequency, last.documents + word.documents
            last = WordForm(word.key, word.form, n, documents)
    if last is not None:
        yield last


def choose(home: Path, n_chunks: int, n_docs: int, settings: TextSettings) -> WordKeys:
    """The words of so many documents that stay, by the rules of `counting.prune`."""
    kinds = kinds_of(merged(home / WORDS, list(range(n_chunks))))
    return chosen(kinds, n_docs, settings)


def chosen(kinds: Iterable[WordFamily], n_docs: int, settings: TextSettings) -> WordKeys:
    """As `choose`, of kinds in the order of their keys."""
    low, high = bounds(n_docs, settings.min_df, settings.max_df)
    most = settings.max_features
    rare, common, beyond = _Tally(), _Tally(), _Tally()
    frequencies = Counter[int]()
    stay: list[tuple[int, int, WordFamily]] = []
    for place, kind in enumerate(kinds):
        frequencies[kind.frequency] += 1
        if kind.documents < low:
            rare.add(kind)
        elif kind.documents > high:
            common.add(kind)
        elif not most or len(stay) < most:
            # Of words as frequent the last in the alphabet goes first.
            stay.append((kind.frequency, -place, kind))
            if len(stay) == most:
                heapq.heapify(stay)
        else:
            beyond.add(heapq.heappushpop(stay, (kind.frequency, -place, kind))[2])
    ordered = [kind for _, _, kind in sorted(stay, key=lambda entry: -entry[1])]
    reasons = (
        (in_fewer_than(settings.min_df), rare),
        (in_more_than(settings.max_df), common),
        (beyond_the(most), beyond),
    )
    removed = {why: tally.removed for why, tally in reasons if tally.total}
    return WordKeys(ordered, removed, frequencies)


def removed_kinds(kinds: Iterable[WordFamily]) -> Removed:
    """Words left out, as a report shows them."""
    tally = _Tally()
    for kind in kinds:
        tally.add(kind)
    return tally.removed


class _Tally:
    """Words left out for one reason, of which those in most documents are held."""

    def __init__(self) -> None:
        self.total = self._tokens = 0
        self._top: list[tuple[str, int]] = []

    def add(self, kind: WordFamily) -> None:
        self.total += 1
        self._tokens += kind.frequency
        self._top.append((kind.name, kind.documents))
        if len(self._top) > 100 * TOP:
            self._top = list(most_frequent(self._top, 0).words)

    @property
    def removed(self) -> Removed:
        return Removed(self.total, most_frequent(self._top, 0).words, self._tokens)
