"""The texts of all tabs together are bounded, and what nobody holds is counted no more."""

import gc
import sys

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.intake import held as held_room
from bnpexplorer.corpus.intake.held import HeldBytes, bytes_of, held_limit
from bnpexplorer.corpus.readers.formats import read
from bnpexplorer.corpus.readers.source import Source, strings
from bnpexplorer.corpus.text import TextSettings, make_corpus

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


def test_every_array_word_and_text_counts_once():
    """Of a source and of a corpus, with a column of numbers and one of days among them."""
    words = ("sea", "h\xe4ll")
    texts, titles = strings(["a", "bc\u6d77"]), strings(["x", None])
    days = np.array(["2001-01-01", "NaT"], "M8[D]")
    docs = DocTable(title=titles, date=days, text=texts, origin=np.arange(2))
    table = 4 * 2 * 8 + sum(map(sys.getsizeof, [*texts, *titles]))
    corpus = Corpus.from_csr([[1, 2], [3, 0]], words, docs)
    vocab = sum(map(sys.getsizeof, words))
    assert bytes_of(corpus) == table + vocab + 3 * 8 + 3 * 4 + 3 * 4
    source = Source("a", "csv", tuple(texts), docs=docs)
    assert bytes_of(source) == table
    counts = corpus.to_csr()
    arrays = counts.indptr.nbytes + counts.indices.nbytes + counts.data.nbytes
    assert bytes_of(Source("a", "mtx", counts=counts, vocab=words)) == vocab + arrays


@pytest.mark.parametrize(
    ("memory", "asked", "limit"),
    [
        (2**40, "", 4 * 2**30),
        (6 * 2**30, "", 3 * 2**30),
        (2**40, "77", 77 * 2**20),
        (2**40, "9000", 9000 * 2**20),
    ],
)
def test_tabs_together_may_hold_so_much(memory, asked, limit, monkeypatch):
    monkeypatch.setattr(held_room, "usable_memory", lambda: memory)
    monkeypatch.setenv("BNPEXPLORER_MEMORY_MB", asked)
    assert held_limit() == limit
    held, source = HeldBytes(), Source("a", "csv", ())
    for size, full in ((limit - 1, False), (limit, True)):
        monkeypatch.setattr(held_room, "bytes_of", lambda _, size=size: size)
        held.note(source)
        assert held.full == full
    monkeypatch.setattr(held_room, "bytes_of", lambda _: limit + 10 * 2**20)
    held.note(source)
    with pytest.raises(CorpusError) as told:
        held.check("b.csv")
    assert str(told.value) == (
        f"b.csv was not read: the texts of all tabs take {limit // 2**20 + 10:,} MB and may take "
        f"{limit // 2**20:,} MB; close tabs with other texts and try again in three minutes, or "
        "start the app with a larger BNPEXPLORER_MEMORY_MB."
    )
