"""hdp-parallel-gibbs where documents and vocabularies are longer than what is drawn at once."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.drawn_topics import CHUNK, WORDS, draw_topics, stream_of
from bnpexplorer.kernels.partly_collapsed import AHEAD, TOKENS, draw_documents
from bnpexplorer.kernels.tuples import Cells, Docs
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from bnpexplorer.runs.run import Run
from tests.tools.methods import corpus_of_counts

KEY, SWEEP = 77, 6


def cells_of(counts):
    """`Cells` of int (V, K) tokens."""
    start = np.concatenate(([0], np.cumsum((counts > 0).sum(axis=1))))
    slots = np.nonzero(counts)[1].astype(np.int32)
    return Cells(start, slots, counts[counts > 0].astype(np.int32))


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
        fewest = list(drawn.slot[first:last]) if last - first < len(mine) else list(mine)
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
    drawn = draw_topics(None, cells, 0.05, base, "poisson", 3, 4)
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


@pytest.mark.parametrize("draw", ["poisson", "exact"])
def test_topics_over_many_words_are_distributions(draw):
    counts = np.random.default_rng(1).poisson(2.0, (3 * CHUNK + 5, 4))
    drawn = draw_topics(None, cells_of(counts), 0.1, np.ones(4), draw, KEY, SWEEP)
    np.testing.assert_allclose(drawn.phi.sum(axis=0, dtype=float), 1.0, rtol=1e-5)


@pytest.mark.parametrize("draw", ["poisson", "exact"])
def test_words_have_random_numbers_of_their_own(draw):
    """Equal counts in every chunk, and no two chunks with equal draws."""
    counts = np.tile(np.random.default_rng(1).poisson(5.0, (CHUNK, 4)), (3, 1))
    drawn = draw_topics(None, cells_of(counts), 0.1, np.ones(4), draw, KEY, SWEEP)
    chunks = drawn.phi.reshape(3, CHUNK, 4)
    assert not np.array_equal(chunks[0], chunks[1])
    assert not np.array_equal(chunks[1], chunks[2])


def test_words_and_documents_have_streams_of_their_own():
    assert WORDS != TOKENS
    one, other = (stream_of(KEY, purpose, SWEEP, 3).random() for purpose in (WORDS, TOKENS))
    assert one != other


def test_no_state_of_the_start_is_kept():
    corpus = corpus_of_counts(
        np.random.default_rng(2).poisson(1.0, (12, 8)) + np.eye(12, 8, dtype=int)
    )
    kept = {}
    for start_passes in (1, 6, 50):
        method = HdpParallelGibbs(start_passes=start_passes, burn_in=3, thin=1, n_kept=20)
        run = Run(method, corpus, seed=1, batch_size=12, passes=10)
        while not run.done:
            run.step()
        kept[start_passes] = len(method.kept(run.state))
    assert kept[1] > kept[6] > kept[50] == 0
