"""Where the words of a corpus stand in a text: found as the corpus's own settings cut it.

Saved runs keep these settings. Only what is shown is worked out, so that a text of 100,000 words
answers within a second.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import I64, Bools
from .cleaning import cleaned
from .cutting import Cutter, key_of
from .letters import one_way, one_way_places
from .phrases import joined_at
from .settings import TextSettings


@dataclass(frozen=True)
class Occurrence:
    """A word of the vocabulary (or a run of words, if those count) at one place of a text."""

    start: int
    stop: int
    word: int
    """Its place in the vocabulary."""


@dataclass(frozen=True)
class TextMatches:
    """What the settings make of one text."""

    occurrences: tuple[Occurrence, ...]
    """In the order of the text, none over another: of two terms that meet, the longer one."""
    counts: Mapping[int, int]
    """Word -> how often it occurs, as in the corpus; terms that meet count each."""
    unknown: Mapping[str, int]
    """Terms outside the vocabulary, the most frequent first."""
    n_stop: int
    """How many stop words were left out."""


@dataclass(frozen=True)
class Cut:
    """A text cut into tokens, before any vocabulary is known."""

    plain: str
    """The text in lower case and without accents, as far as the settings ask."""
    spans: I64
    """int64 (n, 2): where each token begins and ends in `plain`."""
    lengths: I64
    """int64 (m,): how many tokens each word takes, more than one for a phrase; sum n."""
    is_stop: Bools
    """bool (m,): the words that are stop words."""

    def words(self) -> tuple[list[str], I64]:
        """The words, and where each begins and ends in `plain`: int64 (m, 2)."""
        tokens = [self.plain[slice(*span)] for span in self.spans.tolist()]
        ends = np.cumsum(self.lengths)
        starts = ends - self.lengths
        words = joined_at(tokens, self.lengths.tolist())
        return words, np.stack([self.spans[starts, 0], self.spans[ends - 1, 1]], axis=1)


def find_words(text: str, settings: TextSettings, index: Mapping[str, int]) -> TextMatches:
    """Cut `text` as scikit-learn's vectoriser with these settings does, and note the places.

    `index`: that of `index_of`. Of n-grams, `unknown` holds only the shortest.
    """
    return find_in(text, cut(text, settings), settings, index)


def cut(text: str, settings: TextSettings) -> Cut:
    """Where the tokens of a text stand. It takes as long as the settings' pattern wants."""
    cutter = Cutter(settings)
    plain = cutter.preprocess(text)
    spans = cutter.spans(plain)
    found = Cut(
        plain,
        np.array(spans, np.int64).reshape(-1, 2),
        np.array(lengths := cutter.lengths(plain, spans), np.int64),
        np.zeros(len(lengths), bool),
    )
    return replace(found, is_stop=np.array([*map(cutter.is_stop, found.words()[0])], bool))


def index_of(vocab: Sequence[str], settings: TextSettings) -> dict[str, int]:
    """Word -> its place in the vocabulary, or what words of one kind share -> their place.

    Raises CorpusError where a package that the settings name is not installed.
    """
    key = key_of(settings) or str
    return {key(word): place for place, word in enumerate(vocab)}


def find_in(
    text: str, pieces: Cut, settings: TextSettings, index: Mapping[str, int]
) -> TextMatches:
    """`find_words` of a text that was cut; no pattern is at work."""
    key = key_of(settings) or str
    plain = pieces.plain
    places = original_places(text, plain, settings)
    words, stand = pieces.words()
    spans = stand[~pieces.is_stop].tolist()
    tokens = [word for word, stops in zip(words, pieces.is_stop.tolist(), strict=True) if not stops]
    counts, unknown = Counter[int](), Counter[str]()
    candidates = []
    for n in range(settings.ngram_min, settings.ngram_max + 1):
        for i in range(len(tokens) - n + 1):
            term = " ".join(tokens[i : i + n])
            word = index.get(key(term))
            if word is not None:
                counts[word] += 1
                candidates.append((-n, i, word))
            elif n == settings.ngram_min:
                unknown[term] += 1
    chosen: dict[int, Occurrence] = {}
    taken = np.zeros(len(plain), bool)  # by place: pairs of signs overlap
    for minus_n, i, word in sorted(candidates):
        first, last = spans[i][0], spans[i - minus_n - 1][1]
        if not taken[first:last].any():
            taken[first:last] = True
            start, stop_at = int(places[first]), int(places[last])
            if start < stop_at:
                chosen[i] = Occurrence(start, stop_at, word)
    return TextMatches(
        tuple(chosen[i] for i in sorted(chosen)),
        counts,
        dict(sorted(unknown.items(), key=lambda item: (-item[1], item[0]))),
        int(pieces.is_stop.sum()),
    )


def original_places(text: str, plain: str, settings: TextSettings) -> I64:
    """Place in `text` of every place in the preprocessed `plain`: int64 (len(plain) + 1,).

    Lower case and the removal of accents may change a letter's length, each letter by itself, so
    that lengths letter by letter add up to the places. A mark of length 0 goes with the letter
    before it. What the clean-up changes before keeps its own account.
    """
    if settings.clean:
        before = cleaned(text, settings.clean)
        without = replace(settings, clean="")
        return before.places[original_places(before.text, plain, without)]
    if settings.whole_words:
        ways = settings.lowercase, settings.is_turkish
        without = replace(settings, whole_words=False)
        text, places = one_way(text, *ways), one_way_places(text, *ways)
        return places[original_places(text, plain, without)]
    if len(text) == len(plain) and (text.isascii() or settings.strip_accents == "none"):
        return np.arange(len(plain) + 1, dtype=np.int64)
    preprocess = settings.letters()
    lengths = {letter: len(preprocess(letter)) for letter in set(text)}
    ends = np.cumsum([0, *(lengths[letter] for letter in text)])
    # The last letter that begins at or before a place; marks of length 0 are passed over.
    found = np.searchsorted(ends, np.arange(len(plain) + 1), side="right") - 1
    return np.asarray(np.minimum(found, len(text)), dtype=np.int64)
