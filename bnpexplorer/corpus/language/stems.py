"""Words of one kind made one: *houses* and *house*, by Snowball's stems or simplemma's lemmas."""

import functools
from collections.abc import Callable, Sequence

from ..corpus import CorpusError
from .extras import imported
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
