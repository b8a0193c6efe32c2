"""Corpora of counts, and of weights that are no whole numbers, for what must hold of both."""

import numpy as np

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.corpus.weighted import Weighted

AMOUNTS = ("counts", "weights")


def amounts_of(counts, what: str) -> np.ndarray:
    """The counts as they are, or each times a number between 0.2 and 1.9."""
    if what == "counts":
        return np.asarray(counts)
    return counts * np.random.default_rng(11).uniform(0.2, 1.9, np.shape(counts))


def corpus_of(amounts: np.ndarray) -> Corpus:
    """A corpus of whole counts (D, V), or of weights."""
    if amounts.dtype.kind == "i":
        return Corpus.from_csr(amounts)
    return Weighted.of(Corpus.from_csr((amounts > 0).astype(int)), amounts[amounts > 0])
