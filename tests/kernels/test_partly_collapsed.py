"""The topics of tokens given Phi, Psi and the rest of their document: the law, and a twin."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.drawn_topics import draw_topics, placed, stream_of
from bnpexplorer.kernels.partly_collapsed import AHEAD, EIGHT, TOKENS, draw_documents
from bnpexplorer.kernels.tuples import Cells, Docs
from tests.tools.drawn import cells_of, dense
from tests.tools.gibbs import chi_square

KEY, SWEEP = 77, 6


@pytest.mark.parametrize("sparse", [False, True])
def test_a_token_is_drawn_by_phi_times_psi_and_the_rest_of_its_document(sparse):
    """One document of four tokens, all 3^4 outcomes of a sweep from one state, token by token.

    40,000 documents with streams of their own; p-value of all 81 together above 1e-4.
    """
    n, n_slots, eta = 40_000, 3, 0.5
    word = np.array([0, 0, 1, 2], np.int32)
    cells = Cells(
        np.array([0, 2, 3, 5]),
        np.array([0, 1, 2, 0, 2], np.int32),
        np.array([4, 2, 3, 1, 1], np.int32),
    )
    base = np.array([0.9, 0.4, 0.7])
    draw, key = ("poisson", 3) if sparse else ("exact", 1)
    sparse_phi = draw_topics(None, cells, eta if not sparse else 0.05, base, draw, key, 1)
    drawn, phi = placed(None, sparse_phi, base), dense(sparse_phi, n_slots)
    assert phi.sum(axis=0) == pytest.approx([1.0] * 3, abs=1e-6)
    assert (np.diff(sparse_phi.start) < n_slots).any() == sparse
    first = np.array([0, 1, 1, 2])
    docs = Docs(
        np.arange(n + 1) * 3,
        np.tile(np.array([0, 1, 2], np.int32), n),
        np.tile(np.array([2, 1, 1], np.int32), n),
    )
    for array in docs:
        array.flags.writeable = False
    topic = np.tile(first, n).astype(np.int32)
    draw_documents(docs, np.arange(n), topic, drawn, n_slots, 5, 0)
    seen = np.bincount(topic.reshape(n, 4) @ 3 ** np.arange(4), minlength=81)
    exact = np.zeros(81)
    for code in range(81):
        z, p = [code // 3**i % 3 for i in range(4)], 1.0
        now = first.tolist()
        for i in range(4):
            m = np.bincount(now[:i] + now[i + 1 :], minlength=3)
            law = phi[word[i]] * (base + m)
            p *= law[z[i]] / law.sum()
            now[i] = z[i]
        exact[code] = p
    assert exact.sum() == pytest.approx(1.0)
    assert (seen[exact == 0.0] == 0).all()
    assert chi_square(seen, exact) > 1e-4


def twin(words, z, phi, base, stream):
    """One document token by token, `z` overwritten, from the formula and numpy's own stream; of
    every token, in how many slots its word and the document meet, and whether the word's own were
    looked through."""
    held, met, seen = np.zeros(phi.shape[1]), [], []
    mine = []  # the slots of the document, in the order in which they came; the last fills a gap
    for k in z[z >= 0]:
        if held[k] == 0:
            mine.append(k)
        held[k] += 1
    joined = True
    for i, word in enumerate(words):
        if z[i] >= 0:
            held[z[i]] -= 1
            if held[z[i]] == 0:
                mine[mine.index(z[i])] = mine[-1]
                mine.pop()
        own = np.flatnonzero(phi[word])
        if joined or word != words[i - 1]:  # they keep their order until another one joins
            fewer = 4 * len(own) < len(mine)
            met = [k for k in (own if fewer else mine) if held[k] > 0 and phi[word, k] > 0]
        seen.append((len(met), fewer))
        ends = np.cumsum([phi[word, k] * held[k] for k in met])
        total = ends[-1] if len(ends) else 0.0
        of_prior = np.cumsum(phi[word, own] * base[own])
        x = stream[i] * (total + of_prior[-1])
        if x < total:
            k = met[int(np.argmax(ends > x))]
        else:
            k = own[int(np.argmax(of_prior > x - total))]
        joined = held[k] == 0
        if joined:
            mine.append(k)
        held[k] += 1
        z[i] = k
    return seen


def test_long_documents_are_drawn_as_by_their_twin():
    """Of words in few topics and in most of 41, which two groups of slots and up to six blocks
    hold; and short ones, which topics join between two tokens of a word."""
    rng = np.random.default_rng(0)
    n_words, n_slots, rows = 300, 41, np.array([5, 900, 2**33, 6, 7, 8])
    base = rng.gamma(1.0, size=n_slots)
    counts = rng.poisson(rng.choice([0.02, 0.3, 2.0], (n_words, 1)), (n_words, n_slots))
    phi = draw_topics(None, cells_of(counts), 0.05, base, "poisson", 3, 4)
    drawn = placed(None, phi, base)
    short = rng.poisson(4.0, (3, n_words)) * (rng.random((3, n_words)) < 0.05)
    counts = np.concatenate((rng.poisson(1.2, (3, n_words)), short))
    corpus = Corpus.from_csr(counts)
    before = rng.integers(-1, n_slots, counts.sum()).astype(np.int32)
    expected, found, seen = before.copy(), before.copy(), []
    ends = np.cumsum(counts.sum(axis=1))
    assert counts[:3].sum(axis=1).min() > 2 * AHEAD
    assert counts[3:].sum(axis=1).max() < 2 * AHEAD
    for d, end in enumerate(ends):
        words = np.repeat(np.arange(n_words), counts[d])
        stream = stream_of(KEY, TOKENS, SWEEP, int(rows[d])).random(len(words))
        z = expected[end - len(words) : end]
        seen += twin(words, z, dense(phi, n_slots), base, stream)
    met, fewer = np.array(seen).T
    assert (met > 2 * EIGHT).mean() > 0.1
    assert 0.1 < fewer.mean() < 0.9
    gained = draw_documents(docs_of(corpus), rows, found, drawn, n_slots, KEY, SWEEP)
    np.testing.assert_array_equal(found, expected)
    assert (found != before).mean() > 0.5
    lost = np.bincount(before[before >= 0], minlength=n_slots)
    np.testing.assert_array_equal(gained, np.bincount(found, minlength=n_slots) - lost)


def docs_of(corpus):
    """All its documents over all its words."""
    return Docs(corpus.indptr, corpus.word_ids, corpus.counts)
