"""Amounts become whole counts by largest remainders, as written out in plain Python."""

from itertools import pairwise, product
from math import floor

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus, CorpusError
from bnpexplorer.corpus.weighted import Weighted, is_whole, rounded


def by_hand(row: list[float]) -> list[int]:
    """The rule, one amount after the other."""
    counts = [floor(amount) for amount in row]
    while sum(counts) < round(sum(row)):
        open_ones = [i for i in range(len(row)) if counts[i] == floor(row[i])]
        best = max(open_ones, key=lambda i: (row[i] - floor(row[i]), -i))
        counts[best] += 1
    return counts


def rounded_rows(rows: list[list[float]]) -> list[list[int]]:
    indptr = np.cumsum([0, *map(len, rows)])
    found = rounded(indptr, np.array([amount for row in rows for amount in row]))
    assert found.dtype == np.int64
    return [found[a:b].tolist() for a, b in pairwise(indptr)]


def test_the_rule_row_by_row():
    rng = np.random.default_rng(1)
    rows = [rng.uniform(0, 3, rng.integers(0, 7)).tolist() for _ in range(300)]
    assert rounded_rows(rows) == [by_hand(row) for row in rows]


def test_nothing_whole_is_nearer_and_keeps_the_sum():
    """Of all whole counts with the row's rounded sum, none differs less in all."""
    rng = np.random.default_rng(2)
    for row in rng.uniform(0, 2.2, (40, 3)).tolist():
        (found,) = rounded_rows([row])
        assert sum(found) == round(sum(row))
        others = (c for c in product(range(6), repeat=3) if sum(c) == sum(found))
        least = min(sum(abs(a - b) for a, b in zip(row, c, strict=True)) for c in others)
        assert sum(abs(a - b) for a, b in zip(row, found, strict=True)) <= least + 1e-12


def test_ties_go_to_the_first_and_small_rows_come_to_nothing():
    rows = [[0.5, 0.5, 0.5, 0.5], [0.25, 0.25], [0.3, 0.1], [], [1.5], [2.0, 0.75, 0.75]]
    assert rounded_rows(rows) == [[1, 1, 0, 0], [0, 0], [0, 0], [], [2], [2, 1, 1]]


def test_a_row_depends_on_no_other():
    rng = np.random.default_rng(3)
    rows = [rng.uniform(0, 2, 5).tolist() for _ in range(50)]
    assert [rounded_rows([row])[0] for row in rows] == rounded_rows(rows)


def test_what_is_whole():
    for amounts in ([1, 2], [True, False], [0.0, 3.0], []):
        assert is_whole(np.array(amounts))
    assert is_whole(np.array([0.0, 3.0], np.float32))
    assert not is_whole(np.array([1.0, 2.5]))


def test_more_than_a_corpus_holds_is_refused():
    most = 2.0**31 - 1
    assert rounded(np.array([0, 1, 3]), np.array([7.0, most - 5, 5])).tolist() == [7, most - 5, 5]
    with pytest.raises(CorpusError) as told:
        rounded(np.array([0, 1, 3]), np.array([7.0, 1.5e9, 1.5e9]))
    assert str(told.value) == (
        "A row adds up to 3,000,000,000 words; the most is 2,147,483,647, so divide all amounts."
    )


def test_documents_of_weights_add_up_by_document_and_by_word():
    docs = Corpus.from_csr(np.array([[1, 0, 2], [0, 0, 0], [3, 4, 0]]), ["a", "b", "c"])
    found = Weighted.of(docs, np.array([0.5, 2.25, 4.0, 0.75]))
    assert found.doc_lengths.tolist() == [2.75, 4.75]
    assert found.word_totals.tolist() == [4.5, 0.75, 2.25]
    assert (found.n_tokens, found.n_words, found.n_pairs) == (7.5, 3, 4)
    assert found.vocab == ("a", "b", "c")
    assert (found.counted, docs.counted) == (False, True)
    assert found.counts.dtype == np.float64
