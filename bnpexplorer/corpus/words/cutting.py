"""A text cut into words as its settings say: for counts, for marks in a text, for phrases."""

import re
from collections.abc import Callable, Sequence

from .cleaning import clean
from .junk import Span
from .language.runs import runs_cut
from .language.stems import stem_of
from .phrases import joined_at, phrase_lengths, read_phrases
from .settings import TextSettings


class Cutter:
    """The one way from a text to its words: `preprocess` it (clean-up, then letters), cut it into
    tokens where `spans` says, join phrases by their `lengths`; some words are stop words, and those
    with the same `key` are of one kind.

    Raises CorpusError where a package that the settings name is not installed.
    """

    def __init__(self, settings: TextSettings) -> None:
        self.settings = settings
        self.vectorizer = settings.vectorizer()
        self.stop: frozenset[str] = frozenset(self.vectorizer.stop_words or ())
        """The stop words, as tokens."""
        self.key = key_of(settings)
        """From a term to what words of one kind share; None: every word is one of its own."""
        self.preprocess: Callable[[str], str] = self.vectorizer.build_preprocessor()
        """Cleaned up, in lower case and without accents, as far as the settings ask."""
        self._find: Callable[[str], list[str]] = self.vectorizer.build_tokenizer()
        self._pattern = re.compile(settings.pattern)
        self._heads = read_phrases(settings.joined_words())
        extra = settings.extra_stops(self.vectorizer) if self.key else ()
        self._stop_keys = frozenset(map(self.key, extra)) if self.key else frozenset[str]()

    @property
    def by_pattern_alone(self) -> bool:
        """Whether scikit-learn's own way to cut gives the same words."""
        return self.settings.cutter == "none" and not self._heads

    def words(self, plain: str) -> list[str]:
        """The words of a preprocessed text, stop words among them, phrases as one."""
        if self.by_pattern_alone:
            return self._find(plain)
        spans = self.spans(plain)
        tokens = [plain[start:stop] for start, stop in spans]
        return joined_at(tokens, self.lengths(plain, spans))

    def spans(self, plain: str) -> list[Span]:
        """Where the tokens of a preprocessed text begin and end."""
        if self.settings.cutter == "none":
            return self._spans_in(plain, 0)
        pieces = runs_cut(plain, self.settings.cutter, self.settings.codes)
        return [span for a, b in pieces for span in self._spans_in(plain[a:b], a)]

    def _spans_in(self, piece: str, start: int) -> list[Span]:
        """Of a piece that begins at `start`, as scikit-learn's `findall` cuts it.

        Where the pattern's group takes no part in a match, that takes the empty word.
        """
        group = min(self._pattern.groups, 1)
        found = []
        for match in self._pattern.finditer(piece):
            took_part = match.group(group) is not None
            a, b = match.span(group) if took_part else (match.end(), match.end())
            found.append((start + a, start + b))
        return found

    def lengths(self, plain: str, spans: Sequence[Span]) -> list[int]:
        """How many of the tokens at `spans` each word takes: more than one for a phrase."""
        return phrase_lengths(plain, spans, self._heads)

    def is_stop(self, word: str) -> bool:
        """Whether a word is left out, itself or as kin of one that somebody left out."""
        if word in self.stop:
            return True
        if self.settings.whole_words and "'" in word and self.stop:
            # it's leaves it, which is short, that's a stop word, and don't nothing
            return self.stop.issuperset(self._find(clean(word, "contractions")))
        return bool(self._stop_keys and self.key and self.key(word) in self._stop_keys)


def key_of(settings: TextSettings) -> Callable[[str], str] | None:
    """From a word, or words with blanks between, to what words of one kind share.

    Of a word of the vocabulary it is the key of every word that was counted with it, so that
    vocabulary and settings tell which word stands for another. A phrase has no kin: it is found by
    the very words that stand together. None where words are not stemmed. Raises CorpusError where a
    package is missing.
    """
    if settings.stem == "none":
        return None
    stem, phrases = stem_of(settings.stem, settings.codes[0]), settings.joined_words()

    def kind(word: str) -> str:
        return word if word in phrases else stem(word)

    return lambda term: " ".join(map(kind, term.split(" ")))
