"""Documents that were picked out: their bits there and back, and what an address may not do."""

import base64
import tracemalloc
import zlib

import numpy as np
import pytest

from bnpexplorer.explore.choosing import are_picked, as_letters, how_many, of_letters, picked


def letters_of(raw):
    return base64.urlsafe_b64encode(zlib.compress(raw)).decode()


@pytest.mark.parametrize("n_docs", [1, 7, 8, 9, 1000])
def test_rows_come_back_as_they_were(n_docs):
    rng = np.random.default_rng(n_docs)
    for n_rows in {1, n_docs // 3 + 1, n_docs}:
        rows = np.sort(rng.permutation(n_docs)[:n_rows])
        bits = picked(rows, n_docs)
        assert len(bits) == -(-n_docs // 8)
        assert how_many(bits) == n_rows
        again = of_letters(as_letters(bits), n_docs)
        assert np.flatnonzero(are_picked(again, n_docs)).tolist() == rows.tolist()
        assert as_letters(bits).replace("-", "").replace("_", "").isalnum(), "no escape is needed"


def test_nothing_picked_asks_for_nothing():
    assert picked(np.zeros(0, np.int64), 20) == b""
    assert of_letters("", 20) == b""
    assert of_letters(letters_of(bytes(3)), 20) == b""


@pytest.mark.parametrize(
    "letters",
    [
        "<b>",
        "abc",
        "é",
        letters_of(b"\xff\xff"),  # too few documents
        letters_of(b"\xff\xff\xff\xff"),  # too many
        letters_of(b"\xff\xff\xff"),  # 24 of 20
        letters_of(b"\xff\xff\xf0")[:-6],
        letters_of(bytes(50_000_000)),  # small, and large in memory
    ],
)
def test_an_address_that_says_no_documents_asks_for_none(letters):
    assert of_letters(letters, 20) == b""


def test_no_more_is_unpacked_than_so_many_documents_have():
    letters = letters_of(bytes(5_000_000))
    tracemalloc.start()
    try:
        assert of_letters(letters, 20) == b""
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


def test_documents_together_are_short_in_an_address():
    bits = picked(np.arange(20_000, 30_000), 50_000)
    assert len(as_letters(bits)) < 60
