"""LDA and mixtures by mean field: equal bits for any number of threads, and computed elsewhere."""

from dataclasses import fields

import numpy as np
import pytest

from bnpexplorer import Run, make_method
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.pool import Threads
from bnpexplorer.inference.slices import slice_size
from tests.tools.pools import WAYS, Sent, compiled, leaves, texts_of_lengths

NAMES = ["lda-svi", "lda-batch", "dpm-svi", "dpm-batch"]
SIZES = [(1, 3), (31, 62), (33, 66), (257, 514), (300, 300)]
"""Documents of a mini-batch and of all."""


def learned(name, corpus, size, pool):
    """State and topics after two passes with all that is learned switched on."""
    settings = {"start": "random"}
    settings |= {"n_topics": 7} if name.startswith("lda") else {"truncation": 7}
    method = make_method(name, "default", settings)
    switches = {f.name: True for f in fields(method) if f.name.startswith("learn_")}
    run = Run(make_method(name, "default", settings | switches), corpus, 4, size, 2, pool=pool)
    run.pool = pool  # not the cores of the process, where there is none
    while not run.done:
        run.step()
    return leaves(run.state) + leaves(run.snapshot().topics)


@pytest.mark.second
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("size", "n_docs"), SIZES)
def test_equal_bits_for_any_number_of_threads_and_elsewhere(name, size, n_docs):
    counts = texts_of_lengths(np.random.default_rng(size), n_docs, 400, longest=4000)
    corpus = Corpus.from_csr(counts)
    alone = learned(name, corpus, size, None)
    for n in (1, 2, 3, 4):
        with Threads(n) as threads:
            assert learned(name, corpus, size, threads) == alone
    before = compiled()
    for way in WAYS:
        elsewhere = Sent(way)
        assert learned(name, corpus, size, elsewhere) == alone
        assert set(elsewhere.n_pieces) == {-(-size // slice_size(size))}
    assert compiled() == before


def test_they_differ_for_other_texts():
    """What is compared above is what was learned."""
    one, other = (
        learned(
            "lda-svi", Corpus.from_csr(texts_of_lengths(np.random.default_rng(s), 40)), 20, None
        )
        for s in (1, 2)
    )
    assert one != other
