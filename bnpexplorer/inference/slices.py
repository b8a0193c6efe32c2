"""A batch as kernels read it: by its distinct words, and in slices for the workers of a pool."""

from collections.abc import Callable
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I32
from ..corpus.corpus import Corpus
from ..kernels.special import add_part, distinct_words
from ..kernels.tuples import Docs as Docs  # plugins/cluster sends them
from .pool import Pool, here, mapped

P = ParamSpec("P")
A = TypeVar("A", bound=npt.NDArray[Any])

FEWEST, MOST, USUAL_SLICES = 32, 256, 8
"""Documents in a slice: as many as make 8 slices of a batch, but 32 at least, since each takes its
words from the topics anew, and 256 at most, so that 4,096 documents feed 16 workers. Where memory
is shared LDA and mixtures cut nothing: slices, with a copy of what each reads and sums of its own,
took 1.17 times (256 documents) and 1.3 times (2,048) as long on one thread. What comes home are
documents, not sums over the words of each slice, which were 56 MB for 4,096 documents of 100
tokens."""
FEW = 32
"""Of fewer documents or words each is done before a helper has begun: steps of 20 documents took up
to 1.4 times the processor time for nothing."""
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

    def sound(self) -> "Slice":
        """The same after it was sent: what may be written, and where it begins in memory, is part
        of the types that kernels are compiled for, and no process brings it along."""
        indptr, local, counts = self.docs
        docs = Docs(read_only(indptr), writeable(local), read_only(counts))
        return self._replace(words=writeable(self.words), docs=docs)


def by_distinct_word(docs: Corpus) -> tuple[I32, Docs]:
    """The distinct words of `docs`, int32 (W,) ascending, and the documents over these words."""
    words, local = distinct_words(docs.word_ids, docs.n_words)
    return words, Docs(docs.indptr, local, docs.counts)


def slice_size(n_docs: int) -> int:
    """Documents of every slice of a batch of `n_docs`; the last one may have fewer."""
    return min(max(-(-n_docs // USUAL_SLICES), FEWEST), MOST)


def slices_of(docs: Docs, n_words: int, pool: Pool | None = None) -> list[Slice]:
    """A batch over `n_words` distinct words, in slices."""
    n_docs = len(docs.indptr) - 1
    firsts = range(0, n_docs, slice_size(n_docs))

    def cut(first: int) -> Slice:
        return _slice(docs, first, min(first + firsts.step, n_docs), n_words)

    return mapped(pool, cut, firsts)


def _slice(docs: Docs, first: int, last: int, n_words: int) -> Slice:
    begin, end = docs.indptr[first], docs.indptr[last]
    words, local = distinct_words(read_only(docs.local[begin:end]), n_words)
    indptr = read_only(docs.indptr[first : last + 1] - begin)
    return Slice(first, last, words, Docs(indptr, local, docs.counts[begin:end]))


def cut_elsewhere(first: int, last: int, docs: Docs, n_words: int, batch_words: I32) -> Slice:
    """The slice that `slices_of` cuts of a batch, where only its documents are at hand.

    `docs`: documents `first` to `last` of the batch, over all `n_words` words. `batch_words` int32
    (W,): the distinct words of the batch, ascending.
    """
    distinct, local = distinct_words(read_only(docs.local), n_words)
    words = np.searchsorted(batch_words, distinct).astype(np.int32)
    return Slice(first, last, words, Docs(docs.indptr, local, docs.counts))


def read_only(array: A) -> A:
    """As arrays of a corpus are, which is part of the type that kernels are compiled for."""
    array = np.require(array, requirements=("C", "A")).view()
    array.flags.writeable = False
    return array


def writeable(array: A) -> A:
    """As all other arrays are; a copy only of one that came from elsewhere."""
    if array.flags.carray:  # asked first, as `require` takes 5 microseconds
        return array
    sound: A = np.require(array, requirements=("C", "A", "W"))
    return sound


def add_at(pool: Pool | None, total: F64, words: I32, stats: F64) -> None:
    """`total[words] += stats`: `total` float64 (V, K), `words` int32 (W,), ascending, and `stats`
    float64 (W, K)."""
    here(pool, lambda start, stop: add_part(start, stop, words, stats, total), len(total))


def map_slices(
    pool: Pool | None,
    n: int,
    work: Callable[Concatenate[int, int, P], object],
    *args: P.args,
    **options: P.kwargs,
) -> None:
    """Call `work(start, stop, *args)`, mostly a kernel, over ranges of `n` documents or words, of
    which each writes its own rows; over all at once without a pool, or where they are few."""
    here(None if n < FEW else pool, lambda start, stop: work(start, stop, *args, **options), n)


def batch_tokens(corpus: Corpus) -> int:
    """Tokens of a mini-batch of the longest documents, for methods that draw token by token: two
    counts of 1e9 are 24 bytes of a file, and 16 GB of tokens."""
    n_batch, longest = min(USUAL_BATCH, corpus.n_docs), np.zeros(0, np.int64)
    for lengths in corpus.length_pieces():
        longest = np.sort(np.concatenate((longest, lengths)))[-n_batch:]
    return int(longest.sum())
