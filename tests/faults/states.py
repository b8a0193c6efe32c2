"""A run of any method opens from wherever it was saved, and goes on as if it had stayed open; and
no corpus is made of counts that kernels cannot hold."""

from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse

from bnpexplorer.checks.reopening import try_reopening
from bnpexplorer.corpus.corpus import Corpus, CorpusError
from bnpexplorer.corpus.matrix import MAX_COUNT
from bnpexplorer.methods import METHODS


def reopening(name: str, rng: np.random.Generator, folder: Path) -> None:
    """Drawn texts, settings and start; the file is written and read in memory."""
    try_reopening(name, int(rng.integers(2**32)))


def counts(rng: np.random.Generator, folder: Path) -> None:
    """Entries around parts of the most, some given twice, of any type that holds each."""
    n, shape = int(rng.integers(1, 9)), (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    rows, words = rng.integers(0, shape[0], n), rng.integers(0, shape[1], n)
    values = [
        min(max(MAX_COUNT // int(rng.integers(1, 5)) + int(rng.integers(-2, 3)), 1), MAX_COUNT)
        for _ in range(n)
    ]
    totals = [sum(v for v, w in zip(values, words, strict=True) if w == k) for k in range(shape[1])]
    dtype = rng.choice([np.int32, np.uint32, np.int64, np.uint64, np.float64])
    matrix = sparse.coo_matrix((np.array(values, dtype), (rows, words)), shape)
    kind = matrix.tocsr() if dtype(0).itemsize == 8 and rng.random() < 0.5 else matrix
    try:
        corpus = Corpus.from_csr(kind)
    except CorpusError:
        assert max(totals) > MAX_COUNT, totals
        return
    assert corpus.word_totals.tolist() == totals


TRIALS = {"counts": counts}
TRIALS |= {f"reopening-{name}": partial(reopening, name) for name in METHODS}
IN_GATE = 1
"""The check of every method tries more."""
