"""A batch as kernels read it: by its distinct words, and in slices for the workers of a pool."""

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I32
from ..corpus.corpus import Corpus
from ..kernels.special import distinct_words
from ..kernels.tuples import Docs
from ..kernels.vectors import add_part
from .pool import Pool, here

P = ParamSpec("P")
A = TypeVar("A", bound=npt.NDArray[Any])

FEWEST, MOST, USUAL_SLICES = 32, 256, 8
"""Documents in a slice: as many as make 8 slices of a batch, but 32 at least, since sums of words
are gathered for each slice anew, and 256 at most, so that large batches feed many workers."""
USUAL_BATCH = 256
"""Documents of the mini-batch that estimates of memory assume, which do not know its size."""


class Slice(NamedTuple):
    """Some documents of a batch; which ones depends on the size of the batch alone."""

    first: int
    last: int
    """Documents `first` to `last` of the batch, the last one left out."""
    words: I32
    """int32 (W_s,): their distinct words, ascending, by their places among those of the batch."""
    docs: Docs
    """The documents over these words."""


class Sum(NamedTuple):
    """A sum over the documents of a slice."""

    words: I32
    """int32 (W_s,): places among the words of the batch, ascending."""
    stats: F64
    """float64 (W_s, K)."""


def by_distinct_word(docs: Corpus) -> tuple[I32, Docs]:
    """The distinct words of `docs`, int32 (W,) ascending, and the documents over these words."""
    words, local = distinct_words(docs.word_ids, docs.n_words)
    return words, Docs(docs.indptr, local, docs.counts)


def slices_of(docs: Docs, n_words: int) -> list[Slice]:
    """A batch over `n_words` distinct words, in slices."""
    n_docs = len(docs.indptr) - 1
    size = min(max(-(-n_docs // USUAL_SLICES), FEWEST), MOST)
    slices = []
    for first in range(0, n_docs, size):
        last = min(first + size, n_docs)
        begin, end = docs.indptr[first], docs.indptr[last]
        words, local = distinct_words(_read_only(docs.local[begin:end]), n_words)
        indptr = _read_only(docs.indptr[first : last + 1] - begin)
        slices.append(Slice(first, last, words, Docs(indptr, local, docs.counts[begin:end])))
    return slices


def _read_only(array: A) -> A:
    """As arrays of a corpus are, which is part of the type that kernels are compiled for."""
    array.flags.writeable = False
    return array


def add_sums(pool: Pool | None, sums: Sequence[Sum], n_words: int) -> F64:
    """The sum over the batch, float64 (W, K), of those of its slices, added in their order."""
    total = np.zeros((n_words, sums[0].stats.shape[1]))

    def add(start: int, stop: int) -> None:
        for words, stats in sums:
            add_part(start, stop, words, stats, total)

    here(pool, add, n_words)
    return total


def map_slices(
    pool: Pool | None,
    n_docs: int,
    work: Callable[Concatenate[int, int, P], object],
    *args: P.args,
    **options: P.kwargs,
) -> None:
    """Call `work(start, stop, *args)`, mostly a kernel, over ranges of `n_docs` documents, of which
    each writes its own rows; over all at once without a pool."""
    here(pool, lambda start, stop: work(start, stop, *args, **options), n_docs)


def batch_tokens(corpus: Corpus) -> int:
    """Tokens of a mini-batch of the longest documents, for methods that draw token by token: two
    counts of 1e9 are 24 bytes of a file, and 16 GB of tokens."""
    n_batch, longest = min(USUAL_BATCH, corpus.n_docs), np.zeros(0, np.int64)
    for lengths in corpus.length_pieces():
        longest = np.sort(np.concatenate((longest, lengths)))[-n_batch:]
    return int(longest.sum())
