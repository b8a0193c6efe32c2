"""Other programs, with which forms are tried, and a corpus that has everything they may lose."""

import importlib
import os
from types import ModuleType

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings

REQUIRED = "BNPEXPLORER_REQUIRE_NEIGHBOURS"
"""Set by .ci/neighbours, which installs them all: then none may be missing."""


def neighbour(name: str) -> ModuleType:
    """The package, or else the test is skipped, unless all of them are there by promise."""
    if os.environ.get(REQUIRED):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed; see .ci/neighbours")


def awkward(n_docs: int = 40) -> Corpus:
    """Words out of alphabetical order, with blanks, accents and signs, one of which occurs nowhere;
    one count of a hundred thousand; dates of which some are unknown and one is long ago."""
    rng = np.random.default_rng(3)
    words = ["zoo", "new york", "été", "A", "supreme_court", "=cmd", "never", "b", "大学", "Zoo"]
    counts = rng.poisson(0.7, (n_docs, len(words)))
    counts[:, 7] += 1  # so that no document is empty
    counts[:, 6] = 0
    counts[2, 0] = 100_000
    dates = np.datetime64("1999-12-30") + np.arange(n_docs)
    dates[1], dates[3] = np.datetime64("1789-04-30"), np.datetime64("NaT")
    docs = DocTable(
        id=strings(f"id {d}" for d in range(n_docs)),
        title=strings(["", 'Tïtle, "quoted"\nand broken'] * (n_docs // 2)),
        date=dates,
        label=strings(["left", "right", ""][d % 3] for d in range(n_docs)),
        text=strings(f"What {d} says." for d in range(n_docs)),
    )
    return Corpus.from_csr(counts, words, docs, "awkward")


def assert_same(found: Corpus, wanted: Corpus, columns: str) -> None:
    """Counts, vocabulary and order are equal to the bit, and so are these columns of documents; no
    other is there."""
    for name in ("indptr", "word_ids", "counts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
        assert getattr(found, name).dtype == getattr(wanted, name).dtype
    assert found.vocab == wanted.vocab
    assert found.fingerprint == wanted.fingerprint
    assert found.fault() == ""
    assert set(found.docs.names()) == set(columns.split())
    for name, column in found.docs.columns().items():
        np.testing.assert_array_equal(column, wanted.docs.columns()[name], err_msg=name)
