"""The bound of hdp-batch: term by term, rising, below the enumerated evidence, stationary."""

import copy

import numpy as np
import pytest

from bnpexplorer.inference.hdp_local import LOCAL_STARTS
from bnpexplorer.kernels.tuples import Narrow
from bnpexplorer.methods import hdp_batch
from bnpexplorer.methods.hdp_batch import HdpBatch
from bnpexplorer.models.hdp import HDP
from tests.tools.meanfield import SMALL, dense_phi, documents_of, lam_of, remember_fits
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins import meanfield as naive


@pytest.mark.second
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_topics", "n_sticks"), [(4, 3), (1, 2), (3, 1)])
@pytest.mark.parametrize("what", AMOUNTS)
def test_bound_is_the_evidence_lower_bound_term_by_term(
    seed, n_topics, n_sticks, what, monkeypatch
):
    rng = np.random.default_rng(seed)
    corpus = corpus_of(amounts_of(naive.random_counts(rng), what))
    method = HdpBatch(SMALL, truncation=n_topics, doc_truncation=n_sticks, max_iterations=3)
    state = method.init(corpus, rng)
    fits = remember_fits(monkeypatch, hdp_batch)
    for n_blocks in (1, 3, 2):
        fits.clear()
        lam, (u, v) = lam_of(state), naive.corpus_sticks(state.tables, 0.9)
        ids = state.topic_ids
        state, info = naive.run_pass(method, state, corpus, rng, n_blocks)
        counts = np.vstack([part.to_csr().toarray() for part, _ in fits])
        documents = [doc for part, fit in fits for doc in documents_of(part, fit)]
        expected = naive.hdp_bound(counts, lam, u, v, documents, 0.9, 0.7, 0.3)
        assert info.bound == pytest.approx(expected, rel=1e-11)
        by_word, tables = naive.hdp_statistics(counts, documents, n_topics)
        place = [ids.tolist().index(i) for i in state.topic_ids]
        np.testing.assert_allclose(lam_of(state), 0.3 + by_word[place], rtol=1e-9)
        np.testing.assert_allclose(state.tables, tables[place], rtol=1e-9)


def test_documents_begin_where_the_last_pass_left_them():
    rng = np.random.default_rng(0)
    counts = naive.random_counts(rng)
    corpus = naive.corpus_of(counts)
    method = HdpBatch(SMALL, truncation=4, doc_truncation=3, max_iterations=2, tolerance=1e-14)
    state, _ = naive.run_pass(method, method.init(corpus, rng), corpus, rng)
    for n_blocks in (3, 1):
        elog = naive.elog_topics(lam_of(state))
        elog_pi = naive.elog_sticks(*naive.corpus_sticks(state.tables, 0.9))
        before = dense_phi(corpus, state.phi)
        state, _ = naive.run_pass(method, state, corpus, rng, n_blocks)
        after = dense_phi(corpus, state.phi)
        for d, row in enumerate(counts):
            slow = naive.hdp_document(row, elog, elog_pi, before[d], 0.7, 2)[0]
            np.testing.assert_allclose(after[d][row > 0], slow[row > 0], rtol=1e-7, atol=1e-10)


@pytest.mark.second
@pytest.mark.parametrize("start", ["random", "k-means"])
@pytest.mark.parametrize("local_start", LOCAL_STARTS)
@pytest.mark.parametrize("seed", range(4))
def test_bound_never_falls(seed, start, local_start):
    """Also for gamma > 1, where reordering could lower the bound."""
    rng = np.random.default_rng(seed)
    corpus = naive.corpus_of(naive.random_counts(rng, 25, 15, 0.7))
    model = HDP(
        gamma=(0.3, 1.0, 4.0, 40.0)[seed], alpha=rng.uniform(0.2, 6), eta=(0.02, 0.5)[seed % 2]
    )
    method = HdpBatch(
        model,
        truncation=5 + 2 * seed,
        doc_truncation=2 + seed,
        start=start,
        local_start=local_start,
        max_iterations=1 + 4 * seed,
        sticks_start=("topics", "prior")[seed % 2],
    )
    state = method.init(corpus, rng)
    bounds = []
    for _ in range(35):
        state, info = naive.run_pass(method, state, corpus, rng, n_blocks=3)
        bounds.append(info.bound)
    assert np.all(np.diff(bounds) >= -1e-10 * np.abs(bounds[1:]))
    assert bounds[-1] > bounds[0]


@pytest.mark.second
def test_decreasing_order_is_taken_only_where_it_helps():
    """The order's part of the bound, and a case where decreasing order would lower it."""
    rng = np.random.default_rng(0)
    lower = 0
    for _ in range(200):
        tables, gamma = rng.gamma(0.5, 5.0, size=4), rng.uniform(0.1, 30.0)
        decreasing = np.sort(tables)[::-1]
        u, v = naive.corpus_sticks(tables, gamma)
        slow = naive.betas_bound(u, v, gamma) + tables @ naive.elog_sticks(u, v)
        assert hdp_batch._order_bound(tables, gamma) == pytest.approx(slow, rel=1e-10)
        gain = hdp_batch._order_bound(decreasing, gamma) - slow
        if gamma <= 1.0:
            assert gain >= -1e-9
        lower += gain < -1e-6
    assert lower > 0


def test_bound_stays_below_the_exact_evidence():
    counts = np.array([[2, 1], [0, 2]])
    evidence = naive.hdp_evidence(counts, 2, 2, 0.9, 0.7, 0.3)
    corpus = naive.corpus_of(counts)
    best = -np.inf
    for seed in range(5):
        rng = np.random.default_rng(seed)
        method = HdpBatch(SMALL, truncation=2, doc_truncation=2, start="random")
        state = method.init(corpus, rng)
        for _ in range(50):
            state, info = naive.run_pass(method, state, corpus, rng)
        assert info.bound < evidence
        best = max(best, info.bound)
    assert best > evidence - 4.0


def test_enumeration_sums_to_one_over_all_texts():
    """The oracle itself: probabilities of all texts of two documents of two and one tokens."""
    total = 0.0
    for a, b, c in np.ndindex(2, 2, 2):
        counts = np.array([np.bincount([a, b], minlength=2), np.bincount([c], minlength=2)])
        total += np.exp(naive.hdp_evidence(counts, 2, 2, 0.9, 0.7, 0.3))
    assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.second
def test_fixed_point_is_stationary_in_every_parameter(monkeypatch):
    rng = np.random.default_rng(2)
    counts = naive.random_counts(rng, 3, 4)
    corpus = naive.corpus_of(counts)
    method = HdpBatch(
        SMALL, truncation=3, doc_truncation=3, start="random", max_iterations=200, tolerance=1e-14
    )
    monkeypatch.setattr(hdp_batch, "NARROW", Narrow(cut=700.0, empty=0.0))
    state = method.init(corpus, rng)
    fits = remember_fits(monkeypatch, hdp_batch)
    for _ in range(3000):
        fits.clear()
        before = lam_of(state)
        state, _ = naive.run_pass(method, state, corpus, rng)
        after = lam_of(state)
        if np.abs(after - before).max() < 1e-10:
            break
    part, fit = fits[0]
    counts = part.to_csr().toarray()
    documents = documents_of(part, fit)
    lam, (u, v) = lam_of(state), naive.corpus_sticks(state.tables, 0.9)

    def slope(change, h=1e-4):
        """Central difference of the bound; `change` alters copies of all parameters by h."""
        values = []
        for step in (h, -h):
            q = copy.deepcopy((lam, u, v, documents))
            change(q, step)
            values.append(naive.hdp_bound(counts, *q, 0.9, 0.7, 0.3))
        return (values[0] - values[1]) / (2 * h)

    def scale(array, index):
        def change(q, h):
            array(q)[index] *= np.exp(h)

        return change

    def tilt(array, index):
        def change(q, h):
            row = array(q)[index[:-1]]
            row[index[-1]] *= np.exp(h)
            row /= row.sum()

        return change

    slopes = []
    for name, array in (("lam", lambda q: q[0]), ("u", lambda q: q[1]), ("v", lambda q: q[2])):
        for index in np.ndindex(*array((lam, u, v)).shape):
            slopes.append((name, slope(scale(array, index))))
    for d, (phi, zeta, a, _) in enumerate(documents):
        for index in np.ndindex(*a.shape):
            slopes.append(("a", slope(scale(lambda q, d=d: q[3][d][2], index))))
            slopes.append(("b", slope(scale(lambda q, d=d: q[3][d][3], index))))
        for index in np.ndindex(*zeta.shape):
            slopes.append(("zeta", slope(tilt(lambda q, d=d: q[3][d][1], index))))
        for index in np.ndindex(*phi.shape):
            if counts[d, index[0]]:
                slopes.append(("phi", slope(tilt(lambda q, d=d: q[3][d][0], index))))
    worst = max(slopes, key=lambda pair: abs(pair[1]))
    assert abs(worst[1]) < 1e-5, worst
