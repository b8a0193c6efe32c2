"""Stems, lemmas and stop words of a language, and the packages that some languages need.

*houses* and *house* become one word by Snowball's stems or simplemma's lemmas.
"""

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

from ...corpus import CorpusError
from .names import NAMES, listed

Stem = Callable[[str], str]
"""From a word to what it has in common with its kin; that need not be a word."""
_CODES = (
    "ar ca cs da de el en eo es et eu fa fi fr ga hi hu hy id it lt ne nl no pl pt ro ru sr st sv "
    "ta tr"
)
SNOWBALL = _CODES.split()
"""Languages that PyStemmer knows, by the names they have here."""


def check_stem(how: str, codes: Sequence[str]) -> None:
    """Raise ValueError where the words of a language cannot be stemmed so; `codes`: the commonest
    first."""
    if how == "none":
        return
    if not codes:
        raise ValueError(
            f"stem is {how!r}, but no language is given; give one such as language='en'."
        )
    if how == "stem" and codes[0] not in SNOWBALL:
        raise ValueError(
            f"There are no stems for {NAMES[codes[0]]}; take stem='none', or one of the languages "
            f"{listed(SNOWBALL)}."
        )


@functools.cache
def stem_of(how: str, code: str) -> Stem:
    """What makes words of one kind one, in a language; `how`: "stem" or "lemma".

    Raises CorpusError where the package is missing or does not know the language.
    """
    if how == "stem":
        import Stemmer

        stem: Stem = Stemmer.Stemmer(NAMES[code].lower()).stemWord
        return stem
    lemmas = imported("simplemma", "Words are traced to their lemmas")
    try:
        lemmas.lemmatize("a", lang=code)
    except ValueError as problem:
        raise CorpusError(
            f"There are no lemmas for {NAMES[code]}; take stem='stem' or stem='none'."
        ) from problem
    return functools.lru_cache(maxsize=100_000)(
        lambda word: str(lemmas.lemmatize(word, lang=code)).casefold()
    )


EXTRAS = {"fugashi": "japanese", "pypdf": "pdf", "rjieba": "chinese", "simplemma": "lemmas"}
"""Package -> the extra of `bnpexplorer` that installs it."""


def is_there(package: str) -> bool:
    """Whether a package can be imported, with what it needs of others."""
    try:
        imported(package, "")
    except CorpusError:
        return False
    return True


def imported(package: str, why: str) -> Any:
    """A package. Raises CorpusError, which begins with `why`, if it is not installed."""
    try:
        if package == "fugashi":
            importlib.import_module("unidic_lite")  # its dictionary
        return importlib.import_module(package)
    except ImportError as problem:
        raise CorpusError(
            f"{why} by the package {package}, which is not installed; install it with: "
            f"pip install 'bnpexplorer[{EXTRAS[package]}]'."
        ) from problem


ENGLISH_IS_SCIKIT_LEARNS = "en"
"""English has scikit-learn's 318 words, as ever: of the 1,298 elsewhere many are no stop words."""
# What the lists lack: pieces into which Japanese endings are cut.
MORE = {
    "ja": "まし ませ でし でしょ ましょ てい でい いっ たく たい らしい なけれ おい られ させ いま"
    " これから それでも また ここで みたい ながら くださ ください ござい"
}


@functools.cache
def languages() -> frozenset[str]:
    """Codes of the languages that have a list."""
    import stopwordsiso

    return stopwordsiso.langs()


@functools.cache
def stop_words(code: str) -> frozenset[str]:
    """The stop words of a language, in lower case; none where there is no list."""
    if code == ENGLISH_IS_SCIKIT_LEARNS:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    import stopwordsiso

    words = stopwordsiso.stopwords(code) | set(MORE.get(code, "").split())
    # Thai am may be written as one sign or as two.
    return frozenset(
        w.lower() for w in words | {w.replace("\u0e4d\u0e32", "\u0e33") for w in words}
    )
