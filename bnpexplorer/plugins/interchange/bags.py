"""From bags of words, as other programs hold them, to a `Corpus`: the checks that all share.

A bag is what one document holds: pairs of a key and a count. A key is a word or, of gensim, its
number; one that stands twice counts twice.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ...corpus.corpus import Corpus, CorpusError, DocTable
from ...corpus.readers.dates import parse_dates
from ...corpus.readers.source import strings

Bag = Iterable[tuple[Hashable, Any]]
WHOLE = "counts must be whole numbers >= 0; give them as they were before any weighting"


def corpus_of_words(
    bags: Iterable[Bag], vocab: Sequence[str] | None, docs: DocTable | None, name: str
) -> Corpus:
    """The corpus of bags of words.

    Its vocabulary is `vocab`, in that order, also of words that occur nowhere; without it the words
    that occur, in the order of the alphabet. Raises CorpusError for a word that `vocab` lacks, and
    what `corpus_of_numbers` raises.
    """
    if vocab is not None:
        places = placed(vocab)
        return corpus_of_numbers(bags, places, tuple(vocab), docs, name, _not_in_vocabulary)
    found: dict[str, int] = {}

    def noted(bag: Bag, number: int) -> Bag:
        for word, count in bag:
            if not isinstance(word, str) or not word:
                raise CorpusError(
                    f"Document {number:,} of {name} holds {word!r:.40} in place of a word; give "
                    "words as strings that are not empty."
                )
            found.setdefault(word, len(found))
            yield word, count

    matrix = _counted((noted(bag, i) for i, bag in enumerate(bags, 1)), found, name, None)
    words = sorted(found)
    return Corpus.from_csr(matrix[:, [found[word] for word in words]], words, docs, name)


def corpus_of_numbers(
    bags: Iterable[Bag],
    places: Mapping[Any, int],
    vocab: Sequence[str],
    docs: DocTable | None,
    name: str,
    unknown: Callable[[Any, int], str],
) -> Corpus:
    """The corpus of bags whose keys stand in the columns `places` of V words.

    `unknown`: says of a key without a column, in a document by its number from 1, what is wrong.
    Raises CorpusError for such a key, for a count that is negative or no whole number, and what
    `Corpus.from_csr` raises.
    """
    return Corpus.from_csr(_counted(bags, places, name, unknown), vocab, docs, name)


def placed(vocab: Sequence[str]) -> dict[str, int]:
    """Word -> its place. Raises CorpusError for a word that stands twice."""
    places = {word: w for w, word in enumerate(vocab)}
    if len(places) < len(vocab):
        twice = next(word for w, word in enumerate(vocab) if places[word] != w)
        raise CorpusError(
            f"The word {twice!r} stands twice in the vocabulary, and counts by name cannot tell "
            "which is meant; give every word one name."
        )
    return places


def table_of(said: Mapping[str, Sequence[Any]]) -> DocTable:
    """What is known of D documents beside their words: column of `DocTable` -> D values, None or
    an empty string where nothing is said. A column that says nothing is none."""
    columns: dict[str, Any] = {
        name: strings("" if value is None else str(value) for value in values)
        for name, values in said.items()
        if any(value is not None and str(value) for value in values)
    }
    if "date" in columns:
        columns["date"] = parse_dates(columns["date"].tolist())[0]
    return DocTable(**columns)


def as_said(value: Any) -> str:
    """One value of a `DocTable` as a string; an unknown date is empty."""
    return "" if isinstance(value, np.datetime64) and np.isnat(value) else str(value)


def _counted(
    bags: Iterable[Bag],
    places: Mapping[Any, int],
    name: str,
    unknown: Callable[[Any, int], str] | None,
) -> sparse.csr_matrix:
    """Counts (D, V) of any type; without `unknown` every key has its place when it comes."""
    columns: list[int] = []
    counts: list[Any] = []
    ends = [0]
    for number, bag in enumerate(bags, 1):
        for key, count in bag:
            place = places.get(key)
            if place is None:
                assert unknown is not None
                raise CorpusError(unknown(key, number))
            columns.append(place)
            counts.append(count)
        ends.append(len(columns))
    data = _whole(counts, ends, name)
    # scipy keeps places as int32 where they fit.
    return sparse.csr_matrix((data, columns, ends), shape=(len(ends) - 1, len(places)))


def _whole(counts: list[Any], ends: list[int], name: str) -> Any:
    """The counts as an array. Raises CorpusError for the first that is no whole number >= 0."""
    data = np.asarray(counts, np.int64 if not counts else None)
    if data.dtype.kind in "iu":
        wrong = data < 0
    elif data.dtype.kind == "f":
        wrong = ~(np.isfinite(data) & (data >= 0) & (data == np.round(data)))
    else:
        wrong = np.array([not isinstance(count, int) or count < 0 for count in counts])
    if not wrong.any():
        return data
    first = int(wrong.argmax())
    number = int(np.searchsorted(ends, first, side="right"))
    raise CorpusError(
        f"Document {number:,} of {name} holds a word {counts[first]!r:.40} times; {WHOLE}."
    )


def _not_in_vocabulary(word: Any, number: int) -> str:
    return (
        f"Document {number:,} holds the word {word!r:.40}, which the vocabulary given lacks; give "
        "the vocabulary of these texts, or none."
    )
