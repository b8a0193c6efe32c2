"""Counting words in texts, and leaving out the too rare, the too common and the too many."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ...core.arrays import I64
from ...core.progress import passing
from .cutting import Cutter

Words = npt.NDArray[np.object_]
Mask = npt.NDArray[np.bool_]
TOP = 50
ZIPF_POINTS = 400


@dataclass(frozen=True)
class Removed:
    """Words left out for one reason."""

    total: int
    words: tuple[tuple[str, int], ...]
    """At most 50 of them, those in most documents first: (word, document frequency)."""
    tokens: int = 0
    """How often they occur in all; 0 where nobody counted."""


@dataclass(eq=False)
class Counted:
    """Counts of all words but the stop words, before anything else is left out."""

    matrix: sparse.csr_matrix
    """int32 (D, V)."""
    words: Words
    """object (V,): the words, in the order of the columns."""
    stop_frequency: Counter[str] = field(default_factory=Counter)
    """Stop word -> how often it occurred."""
    stop_documents: Counter[str] = field(default_factory=Counter)
    """Stop word -> in how many documents."""

    def __post_init__(self) -> None:
        self.frequency: I64 = np.asarray(self.matrix.sum(axis=0, dtype=np.int64)).ravel()
        self.documents = document_frequency(self.matrix)


def count_texts(texts: Sequence[str], cutter: Cutter) -> Counted:
    """Counts of texts as `cutter` cuts them; limits on frequency are not applied yet.

    Words of one kind are counted and then added up. Raises ValueError if there is no word at all.
    """
    counted = count_forms(texts, cutter)
    if cutter.key is None:
        return counted
    matrix, words = added_up(counted.matrix, counted.words, cutter.key)
    return Counted(matrix, words, counted.stop_frequency, counted.stop_documents)


def count_forms(texts: Sequence[str], cutter: Cutter) -> Counted:
    """Counts of every form of a word apart, in alphabetical order.

    Stop words are tallied on their way, so that a report can show them, and taken out before runs
    of words are formed, as scikit-learn does, but after phrases are joined. Raises ValueError if
    there is no word at all.
    """
    frequency, documents = Counter[str](), Counter[str]()

    def kept(text: str) -> list[str]:
        words = cutter.words(text)
        stopped = [word for word in words if cutter.is_stop(word)]
        if not stopped:
            return words
        frequency.update(stopped)
        documents.update(gone := set(stopped))
        return [word for word in words if word not in gone]

    own = not cutter.stop and cutter.by_pattern_alone  # scikit-learn's way is faster
    vectorizer = cutter.vectorizer
    plain = type(vectorizer)(**vectorizer.get_params()).set_params(
        min_df=1,
        max_df=1.0,
        max_features=None,
        stop_words=None,
        tokenizer=None if own else kept,
        token_pattern=vectorizer.token_pattern if own else None,
    )
    matrix = plain.fit_transform(passing(texts, "texts", len(texts)))
    return Counted(matrix, plain.get_feature_names_out(), frequency, documents)


def added_up(
    matrix: sparse.csr_matrix, words: Words, key: Callable[[str], str]
) -> tuple[sparse.csr_matrix, Words]:
    """Columns (D, V) of words with the same key as one, named by the commonest word of each.

    Of words as common the first in the alphabet names it. Columns come in the order of the keys.
    """
    keys, kind = np.unique(np.array([*map(key, words)], dtype=object), return_inverse=True)
    frequency = np.asarray(matrix.sum(axis=0, dtype=np.int64)).ravel()
    # The words come in alphabetical order, and the sort keeps it among equals.
    order = np.lexsort((-frequency, kind))
    _, firsts = np.unique(kind[order], return_index=True)
    ones = np.ones(len(words), np.int32)
    kinds = sparse.csr_matrix((ones, (np.arange(len(words)), kind)), (len(words), len(keys)))
    added = (matrix @ kinds).tocsr()
    added.sort_indices()
    return added, words[order[firsts]]


def count_given(counts: sparse.csr_matrix, words: Sequence[str], stop: frozenset[str]) -> Counted:
    """Counts that came as counts: the columns of stop words are taken out."""
    names = np.array(words, dtype=object)
    if not stop:
        return Counted(counts, names)
    stopped = np.array([word in stop for word in words])
    frequency = np.asarray(counts.sum(axis=0, dtype=np.int64)).ravel()
    documents = document_frequency(counts)
    tally, tally_documents = Counter[str](), Counter[str]()
    for w in np.flatnonzero(stopped).tolist():
        tally[words[w]] += int(frequency[w])
        tally_documents[words[w]] += int(documents[w])
    kept = np.flatnonzero(~stopped)
    return Counted(counts[:, kept], names[kept], tally, tally_documents)


def document_frequency(matrix: sparse.csr_matrix) -> I64:
    """int64 (V,): in how many documents every word occurs."""
    return np.bincount(matrix.indices, minlength=matrix.shape[1]).astype(np.int64)


def prune(
    counted: Counted, min_df: int | float, max_df: int | float, max_features: int
) -> tuple[Mask, dict[str, Removed]]:
    """The words that stay, bool (V,), and those left out, by reason; scikit-learn's rules.

    Among words of equal frequency at the limit of `max_features`, the first in the alphabet stay.
    """
    low, high = bounds(counted.matrix.shape[0], min_df, max_df)
    rare, common = counted.documents < low, counted.documents > high
    removed = {in_fewer_than(min_df): rare, in_more_than(max_df): common & ~rare}
    keep = ~(rare | common)
    if max_features and keep.sum() > max_features:
        stay = np.flatnonzero(keep)
        order = np.argsort(-counted.frequency[stay], kind="stable")
        beyond = np.zeros(len(keep), bool)
        beyond[stay[order[max_features:]]] = True
        removed[beyond_the(max_features)] = beyond
        keep &= ~beyond
    listed = {why: removed_words(counted, mask) for why, mask in removed.items() if mask.any()}
    return keep, listed


def bounds(n_docs: int, min_df: int | float, max_df: int | float) -> tuple[float, float]:
    """The fewest and the most documents of `n_docs` in which a word that counts may be."""
    low = min_df * n_docs if isinstance(min_df, float) else min_df
    high = max_df * n_docs if isinstance(max_df, float) else max_df
    return low, high


def in_fewer_than(min_df: int | float) -> str:
    """The reason of words that are left out because too few documents have them."""
    return f"in fewer than {_amount(min_df)}"


def beyond_the(max_features: int) -> str:
    """The reason of words that are left out because others are more frequent."""
    return f"beyond the {max_features:,} most frequent"


def in_more_than(max_df: int | float) -> str:
    """The reason of words that are left out because too many documents have them."""
    return f"in more than {_amount(max_df)}"


def removed_words(counted: Counted, mask: Mask) -> Removed:
    """The words of a mask as a report shows them."""
    pairs = zip(counted.words[mask], counted.documents[mask].tolist(), strict=True)
    return replace(most_frequent(pairs, int(mask.sum())), tokens=int(counted.frequency[mask].sum()))


def most_frequent(pairs: Any, total: int) -> Removed:
    """`Removed` from (word, document frequency) pairs; ties in alphabetical order."""
    ranked = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return Removed(total, tuple((str(word), int(n)) for word, n in ranked[:TOP]))


def zipf(frequency: I64) -> tuple[I64, I64]:
    """Ranks and frequencies of all words that occur, thinned evenly on a logarithmic scale."""
    found, words = np.unique(frequency[frequency > 0], return_counts=True)
    return zipf_of(found, words)


def zipf_of(frequency: I64, words: I64) -> tuple[I64, I64]:
    """As `zipf`, where each `frequency` (ascending, at least 1) is that of so many words."""
    ends = np.cumsum(words[::-1])
    n_words = int(ends[-1]) if len(ends) else 0
    if n_words > ZIPF_POINTS:
        places = np.unique(np.geomspace(1, n_words, ZIPF_POINTS).round().astype(np.int64))
    else:
        places = np.arange(1, n_words + 1)
    return places, frequency[::-1][np.searchsorted(ends, places)]


def _amount(limit: int | float) -> str:
    if isinstance(limit, float):
        return f"{100 * limit:g} % of documents"
    return f"{limit:,} document{'s' if limit != 1 else ''}"
