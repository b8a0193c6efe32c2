"""The texts of all tabs together are bounded, and what nobody holds is counted no more."""

import gc

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.text import TextSettings, make_corpus
from bnpexplorer.intake.held import HeldBytes, bytes_of, held_limit

ROWS = b"text\n" + b"\n".join(b"word " * 200 + str(i).encode() for i in range(1000))


def test_what_is_held_counts_until_it_is_let_go(monkeypatch):
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "1")
    held, source = HeldBytes(), read("a.csv", ROWS)
    held.check("a.csv")
    held.note(source)
    assert 10**6 < bytes_of(source) == held.n_bytes < 1.2e6
    corpus, _ = make_corpus(source, TextSettings(min_df=1, max_df=1.0))
    held.note(corpus)
    assert held.n_bytes == bytes_of(source) + bytes_of(corpus)
    with pytest.raises(CorpusError, match=r"b\.csv was not read: the texts of all tabs take 2 MB"):
        held.check("b.csv")
    del source, corpus
    gc.collect()
    assert held.n_bytes == 0
    held.check("b.csv")


def test_counts_count_too_and_the_limit_is_a_number(monkeypatch):
    source = read("docword.a.txt", b"1\n1\n1\n1 1 5\n", vocab=("v.txt", b"sea\n"))
    assert bytes_of(source) > 8 + 4 + 4
    assert held_limit() <= 4 * 2**30
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", "much")
    with pytest.raises(ValueError, match="BNPEXPLORER_MEMORY_MB must be a whole number"):
        held_limit()
