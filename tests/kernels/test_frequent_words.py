"""Words that occur more often than one logarithm takes factors: every kernel weighs them alike."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.mixture import document_log_predictive
from bnpexplorer.inference.slices import by_distinct_word
from bnpexplorer.kernels import mixture_moves, osbp
from bnpexplorer.kernels.mixture import BLOCK
from bnpexplorer.kernels.mixture_sampler import component_value, empty_sampler, place_document
from bnpexplorer.kernels.tuples import Base, Docs
from tests.twins.mixture import log_dm

ETA = 0.3
OFTEN = (1, BLOCK - 1, BLOCK, BLOCK + 1, 20 * BLOCK)
DOCS = [[n, 2, m, 0] for n in OFTEN for m in (0, 1, BLOCK + 5)]
"""Documents over four words, the last of which none of them has."""
HELD = np.array([[7, 0, 3, 5], [0, 40, 1, 0]])
"""Of the components that are known."""


@pytest.fixture(scope="module")
def expected():
    """ln DM of every document under each component, token by token: float64 (S, K)."""
    return np.array([[log_dm(doc, (ETA + held).tolist()) for held in HELD] for doc in DOCS])


def test_the_predictive_of_documents(expected):
    words, docs = by_distinct_word(Corpus.from_csr(np.array(DOCS)))
    lam = (ETA + HELD.T)[words]
    found = document_log_predictive(docs, lam, (ETA + HELD).sum(axis=1), None)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def sampler():
    """Nothing placed; the known components, and room for two new ones at the prior."""
    words, docs = by_distinct_word(Corpus.from_csr(np.array(DOCS)))
    known = np.vstack([ETA + HELD, np.full(4, ETA)])
    base = Base(np.ascontiguousarray(known[:, words]), known.sum(axis=1))
    return empty_sampler(docs, base, np.zeros((len(DOCS), 2)), 2)


def test_the_predictive_of_documents_and_of_tables_beside_what_a_sampler_has_placed():
    """A table has the words of its documents together: here of one, and of two of them."""
    s, first = sampler(), 3
    for k in (0, 2):
        place_document(s, first, k, 1)
        s.version[k] += 1
    for k, held in ((0, HELD[0]), (2, np.zeros(4))):
        lam = (ETA + held + DOCS[first]).tolist()
        for i, doc in enumerate(DOCS):
            assert component_value(s, i, k) == pytest.approx(log_dm(doc, lam), rel=1e-10)
            for more in (np.zeros(4, int), np.array(DOCS[-1])):
                pooled = (doc + more)[:3].astype(np.int64)
                words = np.flatnonzero(pooled).astype(np.int32)
                found = osbp._pooled_value(s, k, pooled, words, len(words))
                assert found == pytest.approx(log_dm([*pooled, 0], lam), rel=1e-10)


def test_the_predictive_of_documents_in_the_parts_of_a_split():
    corpus = Corpus.from_csr(np.array(DOCS))
    docs, held = Docs(corpus.indptr, corpus.word_ids, corpus.counts), HELD.T.astype(np.float64)
    parts = (HELD[0], HELD[1], HELD[0] + HELD[1])
    tokens = HELD[:2].sum(axis=1)
    for d, doc in enumerate(DOCS):
        found = mixture_moves.document_values(docs, d, held, tokens, ETA)
        expected = [log_dm(doc, (ETA + part).tolist()) for part in parts]
        assert found == pytest.approx(expected, rel=1e-10)
