"""A text cut into words as its settings say: for the counts of a corpus and for marks in a text."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from .language.runs import runs_cut
from .language.stems import stem_of

if TYPE_CHECKING:
    from .text import TextSettings


class Cutter:
    """What cuts texts into tokens.

    Raises CorpusError where a package that the settings name is not installed.
    """

    def __init__(self, settings: "TextSettings") -> None:
        self.settings = settings
        self.vectorizer = settings.vectorizer()
        self.stop: frozenset[str] = frozenset(self.vectorizer.stop_words or ())
        """The stop words, as tokens."""
        self.key = key_of(settings)
        """From a term to what words of one kind share; None: every word is one of its own."""
        self._find: Callable[[str], list[str]] = self.vectorizer.build_tokenizer()
        self._stop_keys = (
            frozenset(map(self.key, settings.extra_stops(self.vectorizer)))
            if (self.key)
            else frozenset[str]()
        )

    def preprocess(self, text: str) -> str:
        """In lower case and without accents, as far as the settings ask."""
        return str(self.vectorizer.build_preprocessor()(text))

    def tokens(self, plain: str) -> list[str]:
        """The tokens of a preprocessed text, stop words among them."""
        if self.settings.cutter == "none":
            return self._find(plain)
        return [plain[start:stop] for start, stop in self.spans(plain)]

    def spans(self, plain: str) -> list[tuple[int, int]]:
        """Where the tokens of a preprocessed text begin and end."""
        pattern = re.compile(self.settings.token_pattern)
        group = min(pattern.groups, 1)
        pieces = [(0, len(plain))]
        if self.settings.cutter != "none":
            pieces = list(runs_cut(plain, self.settings.cutter, self.settings.codes))
        found = []
        for start, stop in pieces:
            for match in pattern.finditer(plain[start:stop]):
                # Where its group takes no part in a match, scikit-learn takes the empty word.
                took_part = match.group(group) is not None
                a, b = match.span(group) if took_part else (match.end(), match.end())
                found.append((start + a, start + b))
        return found

    def is_stop(self, token: str) -> bool:
        """Whether a token is left out, itself or as kin of a word that somebody left out."""
        if token in self.stop:
            return True
        return bool(self._stop_keys and self.key and self.key(token) in self._stop_keys)


def key_of(settings: "TextSettings") -> Callable[[str], str] | None:
    """From a word, or words with blanks between, to what words of one kind share.

    Of a word of the vocabulary it is the key of every word that was counted with it, so that
    vocabulary and settings tell which word stands for another. None where words are not stemmed.
    Raises CorpusError where a package is missing.
    """
    if settings.stem == "none":
        return None
    stem = stem_of(settings.stem, settings.codes[0])
    return lambda term: " ".join(map(stem, term.split(" ")))
