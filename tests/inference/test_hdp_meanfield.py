"""hdp-batch and hdp-svi on whole runs: bars recovered, odd corpora, ids, convergence, resuming."""

import copy

import numpy as np
import pytest

from bnpexplorer.inference.hdp_local import start_corpus
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods.hdp_batch import HdpBatch
from bnpexplorer.methods.hdp_svi import HdpSvi
from bnpexplorer.models.hdp import HDP
from tests.tools.meanfield import fitted, lam_of
from tests.twins import meanfield as naive

METHOD_CLASSES = (HdpBatch, HdpSvi)


@pytest.mark.second
@pytest.mark.parametrize(
    ("method_class", "start", "least"),
    [
        (HdpBatch, "random", 7),
        (HdpBatch, "k-means", 7),
        (HdpSvi, "random", 9.5),
        (HdpSvi, "k-means", 9.5),
    ],
)
def test_recovers_bars(method_class, start, least, bars):
    """Of ten bars, on average over two seeds; coordinate ascent gets stuck more often."""
    corpus, truth = bars
    model = HDP(gamma=2.0, alpha=1.0, eta=0.1)
    knobs = {"truncation": 20, "doc_truncation": 8, "start": start, "max_iterations": 50}
    if method_class is HdpSvi:
        knobs["tau"] = 1.0  # from noise, small steps would need many passes
    method = method_class(model, **knobs)
    found = [naive.n_found(fitted(method, corpus, s).topic_word, truth) for s in range(2)]
    assert np.mean(found) >= least


@pytest.mark.parametrize("start", ["random", "k-means"])
def test_at_the_start_every_topic_has_its_part_of_the_documents(start, bars):
    """One count a document by what topics hold, the largest first; none from the prior."""
    corpus, length = bars[0], 80.0
    lam, tables = start_corpus(start, "topics", corpus, 0.1, 12, length, np.random.default_rng(1))
    np.testing.assert_allclose(tables, lam.size / length, rtol=1e-12)
    assert (np.diff(tables) <= 0.0).all()
    assert tables[0] > 1.02 * tables[-1], "else their order could not be seen"
    assert tables.sum() == pytest.approx(corpus.n_docs, rel=0.1)
    rng = np.random.default_rng(1)
    same, none = start_corpus(start, "prior", corpus, 0.1, 12, length, rng)
    np.testing.assert_array_equal(none, np.zeros(12))
    np.testing.assert_allclose(np.sort(same.size), np.sort(lam.size), rtol=1e-12)


@pytest.mark.parametrize("method_class", METHOD_CLASSES)
def test_threads_change_nothing(method_class, bars):
    corpus, _ = bars
    method = method_class(truncation=12, doc_truncation=5)
    alone = fitted(method, corpus, 3, steps=3)
    for workers in (1, 4):
        with Threads(workers) as pool:
            wide = fitted(method, corpus, 3, pool, steps=3)
        np.testing.assert_array_equal(alone.topic_word, wide.topic_word)
        np.testing.assert_array_equal(alone.weight, wide.weight)


@pytest.mark.parametrize("method_class", METHOD_CLASSES)
@pytest.mark.parametrize("counts", [[[3, 1, 2]], [[5], [2], [9]], [[1, 0], [0, 1]]])
@pytest.mark.parametrize(("n_topics", "n_sticks"), [(1, 1), (1, 3), (4, 6)])
def test_odd_corpora(method_class, counts, n_topics, n_sticks):
    corpus = naive.corpus_of(counts)
    method = method_class(truncation=n_topics, doc_truncation=n_sticks)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    for _ in range(5):
        state, info = naive.run_pass(method, state, corpus, rng)
    topics = method.topics(state)
    assert len(topics) == n_topics
    np.testing.assert_allclose(topics.topic_word.sum(axis=1), 1.0, rtol=1e-6)
    assert topics.weight.sum() == pytest.approx(1.0)
    assert topics.unseen == 0.0
    assert (topics.concentration, topics.gamma) == (method.model.alpha, method.model.gamma)
    assert np.isfinite(info.bound) == (method_class is HdpBatch)
    if method_class is HdpBatch:
        assert topics.size.sum() == pytest.approx(corpus.n_tokens)
        assert state.tables.sum() == pytest.approx(corpus.n_docs * n_sticks)


@pytest.mark.parametrize("method_class", METHOD_CLASSES)
def test_topic_ids_follow_the_topics_through_reordering(method_class, bars):
    """A topic's words change little in a late pass, so its id must sit on similar words."""
    corpus, _ = bars
    method = method_class(HDP(gamma=0.5, alpha=1.0), truncation=15, doc_truncation=6)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    orders, seen = set(), None
    for step in range(25):
        state, _ = naive.run_pass(method, state, corpus, rng)
        topics = method.topics(state)
        assert sorted(topics.topic_ids) == list(range(15))
        orders.add(tuple(topics.topic_ids))
        now = dict(
            zip(
                topics.topic_ids.tolist(),
                zip(topics.topic_word, topics.size, strict=True),
                strict=True,
            )
        )
        if step > 12:
            for i, (words, size) in now.items():
                if size > 50 and seen[i][1] > 50:
                    assert 0.5 * np.abs(words - seen[i][0]).sum() < 0.3
        seen = now
    assert len(orders) > 1


def test_a_batch_run_converges_and_says_so(bars):
    corpus, _ = bars
    method = HdpBatch(truncation=8, doc_truncation=4, bound_tolerance=1e-3)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    flags, bounds = [], []
    for _ in range(25):
        state, info = naive.run_pass(method, state, corpus, rng, 2)
        flags.append(info.converged)
        bounds.append(info.bound)
    rises = np.diff(bounds) / np.abs(bounds[1:])
    assert flags == [False, *[bool(rise <= 1e-3) for rise in rises]]
    assert any(flags)


def test_a_copied_state_continues_bit_for_bit(bars):
    corpus, _ = bars
    for method_class in METHOD_CLASSES:
        method = method_class(truncation=8, doc_truncation=4)
        rng = np.random.default_rng(0)
        state = method.init(corpus, rng)
        parts = naive.blocks_of(corpus, 4)
        for batch in parts + parts[:2]:
            state, _ = method.step(state, batch, rng, None)
        twin = copy.deepcopy(state)
        for batch in parts[2:]:
            state, _ = method.step(state, batch, rng, None)
            twin, _ = method.step(twin, batch, rng, None)
        np.testing.assert_array_equal(lam_of(state), lam_of(twin))
        np.testing.assert_array_equal(state.tables, twin.tables)
