"""The rule by which a large corpus is read, against what any order of documents must be."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus import DocTable
from bnpexplorer.corpus import order as rule
from bnpexplorer.corpus.order import InOrder, Windows, by_date, check_order, is_large, windows_of
from tests.tools.stored import with_names

SHAPES = [(1, 1), (63, 5), (64, 64), (65, 10), (1000, 7), (4096, 512), (5000, 999), (9, 100)]


@pytest.mark.parametrize(("n_docs", "window"), SHAPES)
def test_every_document_comes_exactly_once(n_docs, window):
    for seed in range(5):
        order = Windows(n_docs, window, seed)
        rows = order[:]
        assert rows.dtype == np.int64
        np.testing.assert_array_equal(np.sort(rows), np.arange(n_docs))
        check_order(order, n_docs)


@pytest.mark.parametrize(("n_docs", "window"), SHAPES)
def test_slices_are_those_of_the_whole(n_docs, window):
    order, rng = Windows(n_docs, window, 3), np.random.default_rng(n_docs)
    rows = order[:]
    for first, last in np.sort(rng.integers(0, n_docs + 9, (20, 2)), axis=1):
        np.testing.assert_array_equal(order[first:last], rows[first:last])
    in_order = InOrder(n_docs)
    np.testing.assert_array_equal(in_order[2:7], np.arange(n_docs)[2:7])
    np.testing.assert_array_equal(rule.whole(in_order), np.arange(n_docs))
    np.testing.assert_array_equal(rule.whole(order), rows)


def test_seeds_make_other_orders_of_blocks_and_within_windows():
    one, same, other = (Windows(20_000, 4000, seed)[:] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one == other).mean() < 0.01
    blocks = [set((rows[:4000] // rule.BLOCK).tolist()) for rows in (one, other)]
    assert len(blocks[0]) in (125, 126)  # of 625, the last of which may be divided
    assert len(blocks[0] & blocks[1]) < 45  # 25 expected
    assert abs(np.corrcoef(one[:4000], np.arange(4000))[0, 1]) < 0.1


def test_every_window_is_shuffled_in_a_way_of_its_own():
    """Windows of one block each: where its documents stand in it depends on the shuffling alone."""
    ways = set()
    for seed in range(3):
        order = Windows(40 * rule.BLOCK, rule.BLOCK, seed)
        rows = [order.rows_of(window) for window in range(40)]
        assert len({row.min() for row in rows}) == 40
        ways |= {tuple((row - row.min()).tolist()) for row in rows}
    assert len(ways) == 3 * 40


def test_a_mini_batch_is_of_the_whole_corpus_where_that_is_sorted():
    """Of 100 labels that stand one after the other every window has all, about equally often, and
    a mini-batch nearly as many as one drawn at random."""
    order, labels, spread = Windows(10**6, 57_600, 0), [], []
    for window in range(17):
        found = order.rows_of(window) // 10_000
        labels += [len(np.unique(row)) for row in found[: 256 * 20].reshape(20, 256)]
        spread.append(np.bincount(found, minlength=100).std() / 576)
    random = np.random.default_rng(0).integers(100, size=(300, 256))
    expected = np.mean([len(np.unique(row)) for row in random])
    assert abs(np.mean(labels) - expected) < 2.5
    blocks = 57_600 / rule.BLOCK / 100  # of a label in a window, and it is as if drawn
    assert abs(np.mean(spread) - blocks**-0.5) < 0.03


def test_it_depends_on_the_shape_of_the_corpus_alone(monkeypatch):
    corpus = with_names(200)
    assert not is_large(corpus)
    monkeypatch.setattr(rule, "LARGE_DOCS", 199)
    assert is_large(corpus)
    monkeypatch.setattr(rule, "LARGE_DOCS", 200)
    assert not is_large(corpus)
    monkeypatch.setattr(rule, "LARGE_PAIRS", corpus.n_pairs - 1)
    assert is_large(corpus)
    monkeypatch.setattr(rule, "WINDOW_PAIRS", corpus.n_pairs // 2)
    found = windows_of(corpus, 8, np.random.default_rng(0))
    assert 80 <= found.window <= 100  # about half of the documents
    assert found.window % 8 == 0
    assert windows_of(corpus, 150, np.random.default_rng(0)).window == 150


def test_nothing_is_held_for_every_document():
    order = Windows(10**7, 2**16, 0)
    tracemalloc.start()
    rows = order[5 * 2**16 : 5 * 2**16 + 256]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(rows) == 256
    assert peak < 2 * 10**7  # a permutation takes 80 MB


@pytest.mark.parametrize("bad", [Windows(9, 3, 0), InOrder(11), np.arange(9), np.zeros(10, int)])
def test_what_is_no_order_of_ten_documents_is_refused(bad):
    with pytest.raises(ValueError, match="the order of the texts is not one"):
        check_order(bad, 10)
    with pytest.raises(ValueError, match="the order of the texts is not one"):
        Windows(10, 0, 1)
    check_order(Windows(10, 4, 1), 10, 2)
    with pytest.raises(ValueError, match="the order of the texts is not one"):
        check_order(Windows(10, 4, 1), 10, 3)  # a mini-batch would lie in two windows


def test_documents_are_read_one_after_the_other_only():
    for order in (
        Windows(20, 5, 1),
        rule.ByDate(Dated(lambda: [np.arange(20)[::-1].view("M8[D]")]), 5),
    ):
        assert len(order) == 20
        for part in (slice(0, 9, 2), slice(None, None, -1)):
            with pytest.raises(ValueError, match="documents are read one after the other"):
                order[part]
        assert order[7:7].dtype == order[30:40].dtype == np.int64
        assert len(order[7:7]) == len(order[9:3]) == len(order[30:40]) == 0


def test_a_stream_that_stands_in_the_order_of_its_dates_needs_no_look_at_them():
    """Known from the pieces in which the dates are read, whose ends may be out of order alone."""
    corpus = with_names(200)
    days = np.sort(corpus.docs.date)  # unknown ones last
    for changed, is_sorted in ((None, True), (150, False)):
        if changed is not None:
            days[changed] = days[0]
        dated = replace(corpus, docs=DocTable(date=days.copy()))
        found = by_date(dated, 8)
        assert isinstance(found, InOrder if is_sorted else rule.ByDate)
        assert len(found) == 200
        np.testing.assert_array_equal(found[:], np.argsort(days, kind="stable"))
    assert found.window % 8 == 0
    assert found.seed == -2
    days = np.sort(days)
    cut = rule.ByDate(Dated(lambda: [days[100:], days[:100]]), 8)
    assert not cut.is_sorted


def test_each_pass_has_a_seed_of_its_own():
    corpus, rng = with_names(200), np.random.default_rng(5)
    orders = [windows_of(corpus, 8, rng) for _ in range(3)]
    expected = np.random.default_rng(5)
    assert [order.seed for order in orders] == [int(expected.integers(2**63)) for _ in range(3)]
    assert {order.n_docs for order in orders} == {200}
    assert windows_of(corpus, 8, rng).window == 2**22 * 200 // corpus.n_pairs // 8 * 8


class Dated:
    """All that a stream looks at of a corpus."""

    def __init__(self, pieces):
        self.pieces = pieces
        self.n_docs = sum(len(piece) for piece in pieces())

    def date_pieces(self):
        return self.pieces()


@pytest.mark.parametrize("n_days", [1, 3, 40, 5000])
@pytest.mark.parametrize("missing", [0.0, 0.2, 1.0])
def test_a_stream_is_the_stable_order_of_the_dates(n_days, missing, monkeypatch):
    """Whatever dates are equal, unknown or rare, and wherever a slice begins and ends."""
    monkeypatch.setattr(rule, "AT_ONCE", 130)
    rng = np.random.default_rng(n_days)
    for n_docs, window in ((1, 1), (700, 50), (997, 64), (400, 1000)):
        dates = np.datetime64("1999-12-01") + rng.integers(n_days, size=n_docs)
        dates[rng.random(n_docs) < missing] = np.datetime64("NaT")
        cuts = np.sort(rng.integers(1, max(n_docs, 2), 6))
        order = rule.ByDate(
            Dated(lambda d=dates, c=cuts: [p for p in np.split(d, c) if len(p)]), window
        )
        expected = np.argsort(dates, kind="stable")
        assert len(order) == n_docs
        check_order(order, n_docs, window)
        np.testing.assert_array_equal(order[:], expected)
        assert order.is_sorted == np.array_equal(expected, np.arange(n_docs))
        for first, last in rng.integers(0, n_docs + 9, (30, 2)):
            np.testing.assert_array_equal(order[first:last], expected[first:last])
        rows = [order.rows_of(w) for w in range(-(-n_docs // window))]
        np.testing.assert_array_equal(np.concatenate(rows), expected)


@pytest.mark.second
def test_a_stream_holds_neither_its_dates_nor_its_order(monkeypatch):
    monkeypatch.setattr(rule, "AT_ONCE", 2**14)
    n_pieces, size = 40, 25_000

    def pieces():
        for i in range(n_pieces):
            days = np.random.default_rng(i).integers(3000, size=size)
            yield np.datetime64("2001-01-01") + days

    order = rule.ByDate(Dated(pieces), 4096)
    tracemalloc.start()
    first, later = order[0:2048], order[500_000:502_048]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3e6 < 8 * n_pieces * size
    dates = np.concatenate(list(pieces()))
    expected = np.argsort(dates, kind="stable")
    np.testing.assert_array_equal(first, expected[:2048])
    np.testing.assert_array_equal(later, expected[500_000:502_048])
