"""Which phrases there are (`corpus/words/phrases.py`), in texts of which some are held at a time.

Texts are cut once, into tokens that stay on the disk. Each chunk counts its own words, neighbours
and phrases; all chunks are merged in the order of the alphabet, as words are (`merging.py`). Held
are the words that occur often enough to be part of a phrase, and the phrases.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from ...core.arrays import I64
from ...corpus.text import with_titles
from ...corpus.words.counting import bounds
from ...corpus.words.cutting import Cutter
from ...corpus.words.phrases import (
    JOINT,
    LONGEST,
    PhraseTokens,
    coded_of,
    commonest,
    cut_all,
    documents_with,
    join_pairs,
    meetings,
    npmi,
)
from ...corpus.words.settings import TextSettings
from . import facts
from .chunks import chunk_file, source_of
from .counting import WordForm, read_arrays, read_words, write_arrays, write_words
from .facts import Facts, Task, known
from .merging import merged

TOKENS, TERMS, PAIRS = "tokens", "terms", "pairs"
OFTEN, TRIPLES, WITHIN = "often", "triples", "within"
"""Folders, a file a chunk: its tokens and its words; its neighbours; words and neighbours once
pairs are joined, and their neighbours; documents with every phrase."""
FREQUENT, PHRASES = "frequent.json", "phrases.json"
"""Files: words that may be part of a phrase; pairs that are phrases, then all phrases."""
AT_ONCE = 100_000
"""Neighbours that are weighed at once."""
OTHERS = "_"
"""Stands for all words that occur too seldom: no word of a phrase looks so."""

Work = Callable[..., None]


@dataclass(frozen=True)
class Frequent:
    """Words that occur often enough for a phrase, in the order of the alphabet."""

    names: tuple[str, ...]
    often: tuple[int, ...]
    n: int
    """Of all words together, those of others included."""

    @cached_property
    def places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}


@dataclass(frozen=True)
class PhraseCounts:
    """Phrases that were found so far."""

    pairs: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    """Pairs and threes; empty while threes are not known."""


class Phrases:
    """The phrases of the documents of a build; `work` has a step done for every chunk."""

    def __init__(self, home: Path, counted: Facts, settings: TextSettings, work: Work) -> None:
        self._home, self._counted, self._settings, self._work = home, counted, settings, work

    def joined(self) -> TextSettings:
        """The settings with the phrases of all texts, as `text.make_corpus` finds them."""
        self._do("cut", TOKENS, "cutting")
        facts.write(self._home / FREQUENT, self._frequent())
        self._do("pair", PAIRS, "finding pairs", ".arrow")
        frequent = known(Frequent, self._home / FREQUENT)
        often = dict(zip(frequent.names, frequent.often, strict=True))
        pairs = tuple(sorted(self._collocations(PAIRS, often, frequent.n)))
        facts.write(self._home / PHRASES, PhraseCounts(pairs))
        self._do("triple", OFTEN, "finding threes")
        names = sorted((*frequent.names, *pairs))
        counts = self._sum(OFTEN, len(names) + 1).tolist()
        often = dict(zip(names, counts, strict=False))
        triples = self._collocations(TRIPLES, often, sum(counts))
        phrases = tuple(sorted({*pairs, *triples}))
        facts.write(self._home / PHRASES, PhraseCounts(pairs, phrases))
        self._do("find", WITHIN, "finding phrases")
        within = self._sum(WITHIN, len(phrases)).tolist()
        least, _ = bounds(self._counted.n_docs, self._settings.min_df, 1.0)
        kept = commonest(dict(zip(phrases, within, strict=True)), least)
        return replace(self._settings, joined=" ".join(kept))

    def _do(self, step: str, folder: str, what: str, suffix: str = ".npz") -> None:
        self._work(step, folder, suffix, Task(self._counted, asdict(self._settings)), what)

    def _frequent(self) -> Frequent:
        least, n = self._settings.phrase_count, 0
        names, often = list[str](), list[int]()
        for word in self._merged(TERMS):
            n += word.frequency
            if word.frequency >= least:
                names.append(word.key)
                often.append(word.frequency)
        return Frequent(tuple(names), tuple(often), n)

    def _merged(self, folder: str) -> Iterator[WordForm]:
        return merged(self._home / folder, list(range(self._counted.n_chunks)))

    def _collocations(self, folder: str, often: dict[str, int], n: int) -> Iterator[str]:
        """Of the neighbours of all chunks those that are phrases, their words joined."""
        least, surest = self._settings.phrase_count, self._settings.phrase_npmi
        met = (word for word in self._merged(folder) if word.frequency >= least)
        while some := list(islice(met, AT_ONCE)):
            times = [word.frequency for word in some]
            first, second = [often[word.key] for word in some], [often[word.form] for word in some]
            sure = npmi(times, first, second, n) >= surest
            for word, is_phrase in zip(some, sure.tolist(), strict=True):
                if is_phrase:
                    yield f"{word.key}{JOINT}{word.form}"

    def _sum(self, folder: str, n: int) -> I64:
        """int64 (n,): what all chunks counted together."""
        total = np.zeros(n, np.int64)
        for chunk in range(self._counted.n_chunks):
            total += read_arrays(chunk_file(self._home / folder, chunk, ".npz"))["counts"]
        return total


# ---- what a process does with a chunk ------------------------------------------------------------


def cut_chunk(home: Path, task: Task, chunk: int, cutter: Cutter) -> None:
    """Cut the texts of a chunk into tokens, by numbers in the order of the alphabet, and count
    them."""
    source = source_of(home / task.facts.folder, task.facts.part(chunk), chunk)
    texts = (with_titles(source) if cutter.settings.titles else source).texts
    tokens = cut_all(texts or (), cutter)
    order = sorted(range(len(tokens.names)), key=tokens.names.__getitem__)
    rank = np.empty(len(order) + 1, np.int64)
    rank[order], rank[-1] = np.arange(len(order)), -1
    word = rank[tokens.word]
    often = np.bincount(word[word >= 0], minlength=len(order)).tolist()
    names = (tokens.names[i] for i in order)
    counted = (WordForm(name, "", n, 0) for name, n in zip(names, often, strict=True))
    write_words(home / TERMS, chunk, counted)
    arrays = {"word": word.astype(np.int32), "beside": tokens.beside, "ends": tokens.ends}
    write_arrays(chunk_file(home / TOKENS, chunk, ".npz"), arrays)


def pair_chunk(home: Path, chunk: int, frequent: Frequent) -> None:
    """Count the neighbours of a chunk."""
    _write_meetings(home / PAIRS, chunk, tokens_of(home, chunk, frequent), 2)


def triple_chunk(home: Path, chunk: int, frequent: Frequent, pairs: tuple[str, ...]) -> None:
    """Join the pairs of a chunk, and count what stands there then, and its neighbours."""
    tokens = tokens_of(home, chunk, frequent)
    number = {phrase: i for i, phrase in enumerate(coded_of(pairs, frequent.names))}
    met = meetings(tokens, 2, len(frequent.names))
    keys = zip(met.first.tolist(), met.second.tolist(), strict=True)
    of_pair = np.array([number.get(key, -1) for key in keys], np.int64)
    which = np.full(len(tokens.word), -1, np.int64)
    which[met.here] = of_pair[met.which]
    joined = join_pairs(tokens, pairs, which)
    names = sorted((*frequent.names, *pairs))
    places = {name: i for i, name in enumerate((*names, OTHERS))}
    word = np.array([*(places[name] for name in joined.names), -1], np.int64)[joined.word]
    counts = np.bincount(word[word >= 0], minlength=len(places))
    _write_meetings(home / TRIPLES, chunk, replace(joined, word=word, names=[*places]), LONGEST)
    write_arrays(chunk_file(home / OFTEN, chunk, ".npz"), {"counts": counts.astype(np.int64)})


def find_chunk(home: Path, chunk: int, frequent: Frequent, phrases: tuple[str, ...]) -> None:
    """Count the documents of a chunk in which every phrase is joined."""
    coded = coded_of(phrases, frequent.names)
    found = documents_with(tokens_of(home, chunk, frequent), coded)
    write_arrays(chunk_file(home / WITHIN, chunk, ".npz"), {"counts": np.array(found, np.int64)})


def tokens_of(home: Path, chunk: int, frequent: Frequent) -> PhraseTokens:
    """What `cut_chunk` wrote, by places in `frequent.names`; all other words are as one behind
    these, since none of them is part of a phrase."""
    arrays = read_arrays(chunk_file(home / TOKENS, chunk, ".npz"))
    others = len(frequent.names)
    own = [frequent.places.get(word.key, others) for word in read_words(home / TERMS, chunk)]
    word = np.array([*own, -1], np.int64)[arrays["word"]]
    ones = np.ones(len(word), np.int64)
    return PhraseTokens(word, arrays["beside"], ones, arrays["ends"], [*frequent.names, OTHERS])


def _write_meetings(folder: Path, chunk: int, tokens: PhraseTokens, parts: int) -> None:
    """Neighbours of so many parts, the last of the names, `OTHERS`, aside; all others come in the
    order of the alphabet, and so do pairs of them."""
    met, names = meetings(tokens, parts, len(tokens.names) - 1), tokens.names
    columns = zip(met.first.tolist(), met.second.tolist(), met.times.tolist(), strict=True)
    write_words(folder, chunk, (WordForm(names[a], names[b], n, 0) for a, b, n in columns))
