"""A batch as kernels read it: by its distinct words, and in slices for the threads of a pool."""

from collections.abc import Callable
from concurrent.futures import Executor
from itertools import pairwise
from typing import Concatenate, ParamSpec

import numpy as np

from ..core.arrays import I32
from ..corpus.corpus import Corpus
from ..kernels.special import distinct_words
from ..kernels.tuples import Docs

P = ParamSpec("P")

N_SLICES = 8
"""For a pool, documents of a batch are cut into this many slices whatever the number of threads.
Every document writes only its own rows, so that results never depend on slices or threads."""
USUAL_BATCH = 256
"""Documents of the mini-batch that estimates of memory assume, which do not know its size."""


def by_distinct_word(docs: Corpus) -> tuple[I32, Docs]:
    """The distinct words of `docs`, int32 (W,) ascending, and the documents over these words."""
    words, local = distinct_words(docs.word_ids, docs.n_words)
    return words, Docs(docs.indptr, local, docs.counts)


def map_slices(
    pool: Executor | None,
    n_docs: int,
    work: Callable[Concatenate[int, int, P], object],
    *args: P.args,
    **options: P.kwargs,
) -> None:
    """Call `work(start, stop, *args)`, mostly a kernel, over a fixed number of slices of `n_docs`
    documents; over all at once without a pool, since a call costs more than a short document."""
    if pool is None:
        work(0, n_docs, *args, **options)
        return
    edges = np.linspace(0, n_docs, min(N_SLICES, n_docs) + 1).astype(int).tolist()
    list(pool.map(lambda piece: work(*piece, *args, **options), pairwise(edges)))


def batch_tokens(corpus: Corpus) -> int:
    """Tokens of a mini-batch of the longest documents, for methods that draw token by token: two
    counts of 1e9 are 24 bytes of a file, and 16 GB of tokens."""
    lengths = corpus.doc_lengths
    n_batch = min(USUAL_BATCH, len(lengths))
    return int(np.partition(lengths, -n_batch)[-n_batch:].sum())
