"""A batch in slices: each document once, sums in one order, and the same after a journey."""

import pickle

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.pool import Threads, here
from bnpexplorer.inference.slices import (
    FEWEST,
    MOST,
    add_at,
    batch_tokens,
    by_distinct_word,
    read_only,
    slice_size,
    slices_of,
    writeable,
)
from bnpexplorer.kernels.dirichlet import sum_words
from tests.tools.pools import WAYS, Sent, sent, texts_of_lengths

SIZES = [1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 300, 2047]


def cut(n_docs, seed=0, longest=0):
    rng = np.random.default_rng(seed)
    counts = texts_of_lengths(rng, n_docs, longest=longest)
    words, docs = by_distinct_word(Corpus.from_csr(counts))
    return counts[:, words], words, docs


@pytest.mark.parametrize("n_docs", SIZES)
def test_slices_hold_each_document_once_over_its_own_words(n_docs):
    counts, words, docs = cut(n_docs)
    slices = slices_of(docs, len(words))
    assert [s.first for s in slices] == [0, *(s.last for s in slices[:-1])]
    assert slices[-1].last == n_docs
    for piece in slices:
        dense = np.zeros((piece.last - piece.first, len(words)), int)
        for d in range(len(dense)):
            own = slice(piece.docs.indptr[d], piece.docs.indptr[d + 1])
            dense[d, piece.words[piece.docs.local[own]]] = piece.docs.counts[own]
        np.testing.assert_array_equal(dense, counts[piece.first : piece.last])
        assert np.all(np.diff(piece.words) > 0)
        assert dense.sum(axis=0)[piece.words].all()


def test_how_a_batch_is_cut_depends_on_its_size_alone():
    _, words, docs = cut(300)
    alone = slices_of(docs, len(words))
    with Threads(3) as threads:
        for pool in (threads, Sent()):
            assert pickle.dumps(slices_of(docs, len(words), pool)) == pickle.dumps(alone)
    sizes = [slice_size(n) for n in range(1, 20_000, 7)]
    assert min(sizes) == FEWEST
    assert max(sizes) == MOST
    assert -(-4096 // slice_size(4096)) >= 16  # so many machines get work


@pytest.mark.parametrize("n_docs", [1, 31, 33, 257, 300])
def test_words_are_summed_up_in_the_order_of_documents_for_any_pool(n_docs):
    _, words, docs = cut(n_docs, longest=5000)
    rng = np.random.default_rng(1)
    rows, amounts = rng.gamma(0.3, size=(n_docs, 7)), rng.gamma(1.0, size=len(docs.local))
    found, expected = np.full((len(words), 7), np.nan), np.zeros((len(words), 7))
    sum_words(0, len(words), docs, amounts, rows, found)
    for d in range(n_docs):
        for u in range(docs.indptr[d], docs.indptr[d + 1]):
            expected[docs.local[u]] += amounts[u] * rows[d]
    np.testing.assert_allclose(found, expected, rtol=1e-12)

    again = np.full_like(found, np.nan)

    def work(start, stop):
        sum_words(start, stop, docs, amounts, rows, again)

    here(Sent(), work, len(words))
    assert again.tobytes() == found.tobytes()


def test_documents_are_summed_up_in_their_order():
    """1e16 + 1 is 1e16: what is added to it one by one is lost, and not what is added to itself."""
    words, docs = by_distinct_word(Corpus.from_csr(np.ones((5, 1), int)))
    for amounts, expected in (([1e16, 0, 1, 1, -1e16], 0.0), ([1, 1, 1e16, 0, -1e16], 2.0)):
        found = np.empty((1, 1))
        sum_words(0, len(words), docs, np.array(amounts, float), np.ones((5, 1)), found)
        assert found.item() == expected


def test_words_are_added_where_they_belong():
    rng = np.random.default_rng(2)
    words, stats = np.array([1, 4, 5, 8], np.int32), rng.random((4, 3))
    expected = np.ones((9, 3))
    expected[words] += stats
    with Threads(3) as threads:
        for pool in (None, threads, Sent()):
            total = np.ones((9, 3))
            add_at(pool, total, words, stats)
            np.testing.assert_array_equal(total, expected)


@pytest.mark.parametrize("way", WAYS)
def test_a_slice_is_sound_again_after_it_was_sent(way):
    _, words, docs = cut(70)
    for piece in slices_of(docs, len(words)):
        there = sent(piece, way).sound()
        assert pickle.dumps(there) == pickle.dumps(piece)
        for before, after in zip(piece.docs, there.docs, strict=True):
            assert before.flags.writeable == after.flags.writeable
        assert there.words.flags.writeable


class InPieces:
    """As a corpus whose lengths are read some after the other."""

    def __init__(self, pieces):
        self.pieces, self.n_docs = pieces, sum(map(len, pieces))

    def length_pieces(self):
        return iter(self.pieces)


@pytest.mark.parametrize("n_docs", [1, 255, 256, 257, 700])
def test_a_mini_batch_is_thought_to_be_of_the_longest_documents(n_docs):
    """However these lie among the others, and whatever the pieces in which lengths are read."""
    lengths = np.random.default_rng(n_docs).permutation(np.arange(n_docs) ** 2 + 3)
    longest = sum(sorted(lengths.tolist(), reverse=True)[:256])
    for cuts in ([], [n_docs // 3], [n_docs // 7, n_docs // 2, n_docs - 1]):
        assert batch_tokens(InPieces(np.split(lengths, cuts))) == longest


def test_arrays_that_are_as_they_should_be_are_not_copied():
    mine = np.arange(5.0)
    assert writeable(mine) is mine
    fixed = read_only(mine)
    assert not fixed.flags.writeable
    assert mine.flags.writeable
    assert np.shares_memory(fixed, mine)
    odd = np.frombuffer(b"\0" * 41, np.uint8)[1:].view(np.float64)
    assert not odd.flags.aligned
    assert read_only(odd).flags.aligned
    assert writeable(fixed).flags.writeable
    assert not np.shares_memory(writeable(fixed), mine)
