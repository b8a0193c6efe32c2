"""What the tests of several methods share: batches, steps, topics written out."""

from functools import cache
from pathlib import Path

import numpy as np

from bnpexplorer import Run
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.dirichlet import Dirichlets


def corpus_of(docs: list[list[int]], n_words: int) -> Corpus:
    return corpus_of_counts(np.array([np.bincount(doc, minlength=n_words) for doc in docs]))


def corpus_of_counts(counts: np.ndarray) -> Corpus:
    """That of `Corpus.from_csr` for sound counts (D, V), no row empty, in a tenth of the time: for
    tests that make thousands."""
    rows, words = counts.nonzero()
    sizes = np.bincount(rows, minlength=len(counts))
    assert sizes.all()
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    return Corpus(indptr, words, counts[rows, words], numbered_words(counts.shape[1]))


@cache
def numbered_words(n_words: int) -> tuple[str, ...]:
    return tuple(f"word {w}" for w in range(n_words))


def take_batch(corpus: Corpus, rows: np.ndarray) -> Batch:
    return Batch(corpus.take(rows), np.asarray(rows), 0, 1)


def blocks_of(corpus: Corpus, partition: list[list[int]]) -> list[Batch]:
    """One batch for every list of rows."""
    return [
        Batch(corpus.take(np.array(rows)), np.array(rows), i, len(partition), corpus)
        for i, rows in enumerate(partition)
    ]


def in_turn(corpus: Corpus, size: int) -> list[Batch]:
    """Batches of `size` documents in their order."""
    rows = np.arange(corpus.n_docs)
    return blocks_of(corpus, [rows[i : i + size] for i in range(0, len(rows), size)])


def one_pass(method, state, blocks: list[Batch], rng: np.random.Generator):
    infos = []
    for batch in blocks:
        state, info = method.step(state, batch, rng, None)
        infos.append(info)
    return state, infos


def saved_and_ended(run: Run, path: Path) -> Run:
    """The run as it was saved after ten steps in `path`; both were learned to the end."""
    for _ in range(10):
        run.step()
    run.save(path)
    loaded = Run.load(path)
    while not run.done:
        run.step()
        loaded.step()
    return loaded


def dense(lam: Dirichlets) -> np.ndarray:
    """lam (K, V) as written in the docstring of `Dirichlets`."""
    return lam.eta + lam.scale * lam.stats[:, lam.slots].T
