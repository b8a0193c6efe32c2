"""Corpora in memory and the same on the disk."""

from pathlib import Path

import numpy as np

from bnpexplorer.corpus.corpus import Corpus, DocTable
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.corpus.stored.writer import ShardWriter


def with_names(n_docs: int = 900, n_words: int = 40, seed: int = 0) -> Corpus:
    """Documents of 2 to some 20 tokens with every column; every seventh lacks a title."""
    rng = np.random.default_rng(seed)
    themes = rng.dirichlet(np.full(n_words, 0.1), 5)
    counts = rng.poisson(12 * themes[rng.integers(5, size=n_docs)])
    counts[np.arange(n_docs), rng.integers(n_words, size=n_docs)] += 1
    counts[:, 0] += 1
    days = np.datetime64("2001-01-01") + rng.permutation(n_docs)
    days[5] = np.datetime64("NaT", "D")
    titles = [None if d % 7 == 0 else f"Title {d}" for d in range(n_docs)]
    docs = DocTable(
        np.array([f"d{d}" for d in range(n_docs)], object),
        np.array(titles, object),
        days.astype("datetime64[D]"),
        np.array([f"label {d % 3}" for d in range(n_docs)], object),
        np.array([f"The text of {d}, ä\n" for d in range(n_docs)], object),
        np.arange(n_docs) // 2,
    )
    vocab = [f"word{w}" for w in range(n_words)]
    return Corpus.from_csr(counts, vocab, docs, "made up")


def on_disk(corpus: Corpus, folder: Path, shard_docs: int = 128, at_once: int = 75) -> StoredCorpus:
    """The same corpus in a folder."""
    writer = ShardWriter(folder, corpus.vocab, corpus.name, shard_docs=shard_docs)
    for docs in corpus.chunks(at_once):
        writer.add(docs)
    return writer.finish()


def same(found: Corpus, expected: Corpus) -> None:
    """Fail unless counts, words and all that is known of the documents are equal."""
    assert (found.vocab, found.name) == (expected.vocab, expected.name)
    for name in ("indptr", "word_ids", "counts", "doc_lengths", "word_totals", "word_docs"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype, name
        np.testing.assert_array_equal(one, other, name)
    sizes = ("n_docs", "n_words", "n_pairs", "n_tokens", "n_bytes", "fingerprint")
    for name in sizes:
        assert getattr(found, name) == getattr(expected, name), name
    assert found.docs.names() == expected.docs.names()
    for name, column in expected.docs.columns().items():
        np.testing.assert_array_equal(np.asarray(getattr(found.docs, name)), column, name)
