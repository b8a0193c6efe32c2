"""The topics of tokens given Phi, Psi and the rest of their document: the law, and a twin."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.drawn_topics import draw_topics, stream_of, tabled
from bnpexplorer.kernels.partly_collapsed import AHEAD, FOUR, TOKENS, draw_documents
from bnpexplorer.kernels.tuples import Cells, Docs
from tests.tools.drawn import cells_of
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
    drawn = tabled(None, sparse_phi, base)
    phi = drawn.phi.astype(float)
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
    draw_documents(docs, np.arange(n), topic, drawn, 5, 0)
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


def twin(words, z, drawn, stream):
    """One document token by token, `z` overwritten, from the formula and numpy's own stream."""
    held = np.zeros(drawn.phi.shape[1])
    mine = []  # the slots of the document, in the order in which they came; the last fills a gap
    for k in z[z >= 0]:
        if held[k] == 0:
            mine.append(k)
        held[k] += 1
    for i, word in enumerate(words):
        if z[i] >= 0:
            held[z[i]] -= 1
            if held[z[i]] == 0:
                mine[mine.index(z[i])] = mine[-1]
                mine.pop()
        first, last = drawn.start[word], drawn.start[word + 1]
        fewest = list(mine)
        if last - first < len(mine):
            fewest = list(drawn.slot[first:last][drawn.chance[first:last] > 0])
            assert len(fewest) + FOUR > last - first
        ends = np.cumsum([float(drawn.phi[word, k]) * held[k] for k in fewest])
        total = ends[-1] if len(ends) else 0.0
        x = stream[i] * (total + drawn.mass[word])
        if x < total:
            k = fewest[int(np.argmax(ends > x))]
        else:
            x = (x - total) / drawn.mass[word] * (last - first)
            at = min(int(x), last - first - 1)
            own = x - at < drawn.keep[first + at]
            k = (drawn.slot if own else drawn.other)[first + at]
        if held[k] == 0:
            mine.append(k)
        held[k] += 1
        z[i] = k


def test_long_documents_are_drawn_as_by_their_twin():
    rng = np.random.default_rng(0)
    n_words, n_slots, rows = 300, 9, np.array([5, 900, 2**33])
    base = rng.gamma(1.0, size=n_slots)
    cells = cells_of(rng.poisson(0.4, (n_words, n_slots)))
    drawn = tabled(None, draw_topics(None, cells, 0.05, base, "poisson", 3, 4), base)
    counts = rng.poisson(0.6, (3, n_words))
    corpus = Corpus.from_csr(counts)
    before = rng.integers(-1, n_slots, counts.sum()).astype(np.int32)
    expected, found = before.copy(), before.copy()
    ends = np.cumsum(counts.sum(axis=1))
    assert counts.sum(axis=1).min() > 2 * AHEAD
    for d, end in enumerate(ends):
        words = np.repeat(np.arange(n_words), counts[d])
        stream = stream_of(KEY, TOKENS, SWEEP, int(rows[d])).random(len(words))
        twin(words, expected[end - len(words) : end], drawn, stream)
    draw_documents(docs_of(corpus), rows, found, drawn, KEY, SWEEP)
    np.testing.assert_array_equal(found, expected)
    assert (found != before).mean() > 0.5


def docs_of(corpus):
    """All its documents over all its words."""
    return Docs(corpus.indptr, corpus.word_ids, corpus.counts)
