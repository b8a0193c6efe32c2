"""A small corpus with texts, and runs of it to save."""

import numpy as np

from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run


def with_texts(corpus):
    """Return a corpus of the same counts whose documents have texts."""
    texts = np.array([f"text {d}" for d in range(corpus.n_docs)], dtype=object)
    docs = DocTable(text=texts)
    return type(corpus)(corpus.indptr, corpus.word_ids, corpus.counts, corpus.vocab, docs)


def make_run(corpus, name="hdp-tsvi", seed=0):
    train, heldout = split_heldout(corpus, seed, n=20)
    return Run(make_method(name), train, seed, batch_size=40, passes=2, heldout=heldout)
