"""A step of hdp-svi: equations 22 to 27 written out densely, and hdp-batch as its limit."""

import numpy as np
import pytest
from scipy.special import digamma

from bnpexplorer.corpus.corpus import Batch
from bnpexplorer.inference import hdp_local
from bnpexplorer.kernels.tuples import Narrow
from bnpexplorer.methods import hdp_batch, hdp_svi
from bnpexplorer.methods.hdp_batch import HdpBatch
from bnpexplorer.methods.hdp_svi import HdpSvi
from bnpexplorer.models.hdp import HDP
from tests.tools.meanfield import SMALL, lam_of
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins import meanfield as naive


def test_a_stochastic_step_on_all_documents_with_rho_one_is_the_batch_step(monkeypatch):
    monkeypatch.setattr(hdp_svi, "NARROW", hdp_batch.NARROW)
    rng = np.random.default_rng(0)
    corpus = naive.corpus_of(naive.random_counts(rng, 20, 12))
    shared = {"truncation": 6, "doc_truncation": 4, "max_iterations": 30, "tolerance": 1e-6}
    batch, svi = HdpBatch(SMALL, **shared), HdpSvi(SMALL, tau=0.0, **shared)
    one, two = (m.init(corpus, np.random.default_rng(1)) for m in (batch, svi))
    np.testing.assert_array_equal(lam_of(one), lam_of(two))
    one, _ = naive.run_pass(batch, one, corpus, rng)
    two, info = naive.run_pass(svi, two, corpus, rng)
    assert info.scalars["step size"] == 1.0
    back = [one.topic_ids.tolist().index(i) for i in two.topic_ids]
    np.testing.assert_allclose(lam_of(one)[back], lam_of(two), rtol=1e-12)
    np.testing.assert_allclose(one.tables[back], two.tables, rtol=1e-12)


@pytest.mark.parametrize("what", AMOUNTS)
def test_a_stochastic_step_follows_equations_22_to_27(what, monkeypatch):
    """lam, u and v move by rho, with the size of the last, short batch, and are then sorted."""
    monkeypatch.setattr(hdp_svi, "NARROW", Narrow(cut=700.0, empty=0.0))
    rng = np.random.default_rng(0)
    counts = amounts_of(naive.random_counts(rng, 9, 6), what)
    corpus = corpus_of(counts)
    method = HdpSvi(
        SMALL,
        truncation=4,
        doc_truncation=3,
        tau=2.0,
        kappa=0.7,
        local_start="paper",
        max_iterations=5,
        tolerance=1e-12,
    )
    state = method.init(corpus, rng)
    lam, tables, ids = lam_of(state), state.tables, state.topic_ids
    u, v = naive.corpus_sticks(tables, 0.9)
    moved = False
    for t, rows in enumerate((np.array([4, 1, 7, 3]), np.array([0, 8])), start=1):
        state, _ = method.step(state, Batch(corpus.take(rows), rows, t - 1, 2), rng, None)
        rho, part = (2.0 + t) ** -0.7, counts[rows]
        elog, elog_pi = naive.elog_topics(lam), naive.elog_sticks(u, v)
        uniform = np.full((6, 3), 1 / 3)
        documents = [naive.hdp_document(row, elog, elog_pi, uniform, 0.7, 5) for row in part]
        by_word, fresh = naive.hdp_statistics(part, documents, 4)
        scale = 9 / len(rows)
        lam = (1 - rho) * lam + rho * (0.3 + scale * by_word)
        fresh_u, fresh_v = naive.corpus_sticks(scale * fresh, 0.9)
        u, v = (1 - rho) * u + rho * fresh_u, (1 - rho) * v + rho * fresh_v
        tables = (1 - rho) * tables + rho * scale * fresh
        ours = naive.corpus_sticks(tables, 0.9)  # one count per topic says what u and v say
        np.testing.assert_allclose(ours, (u, v), rtol=1e-12)
        order = np.argsort(-tables)
        moved |= not np.array_equal(order, np.arange(4))
        lam, tables, ids = lam[order], tables[order], ids[order]
        u, v = naive.corpus_sticks(tables, 0.9)
        np.testing.assert_allclose(lam_of(state), lam, rtol=1e-8)
        np.testing.assert_allclose(state.tables, tables, rtol=1e-8)
        np.testing.assert_array_equal(state.topic_ids, ids)
    assert moved


@pytest.mark.parametrize("how", hdp_local.STICKS_STARTS)
def test_corpus_sticks_start_at_the_prior_or_in_proportion_to_the_topics(how):
    corpus = naive.corpus_of(naive.random_counts(np.random.default_rng(0), 40, 9))
    method = HdpSvi(
        HDP(gamma=2.0), truncation=6, sticks_start=how, start="random", start_length=40.0
    )
    state = method.init(corpus, np.random.default_rng(1))
    weight = method.topics(state).weight
    if how == "prior":
        left = (2.0 / 3.0) ** np.arange(5)
        np.testing.assert_allclose(weight, [*(left / 3.0), left[-1] * 2.0 / 3.0], rtol=1e-12)
    else:
        assert state.tables.sum() == pytest.approx(state.lam.size.sum() / 40.0)
        assert np.all(np.diff(state.tables) <= 0.0)
        share = state.lam.size / state.lam.size.sum()
        np.testing.assert_allclose(weight, share, atol=0.04)


@pytest.mark.parametrize("how", ["prior", "uniform"])
def test_the_first_step_alone_has_even_weights_where_that_is_asked(how, monkeypatch):
    """Sticks Beta(1, K - k), E ln by digamma; afterwards, and without it, the counts of tables."""
    corpus = naive.corpus_of(naive.random_counts(np.random.default_rng(0), 40, 9))
    method = HdpSvi(HDP(gamma=2.0), truncation=4, sticks_start=how, start="random")
    given: list[np.ndarray] = []
    expected = hdp_svi.Expected
    monkeypatch.setattr(
        hdp_svi,
        "Expected",
        lambda elog, weight, alpha: given.append(weight) or expected(elog, weight, alpha),
    )
    rng = np.random.default_rng(1)
    state = method.init(corpus, rng)
    for _ in range(2):
        tables = state.tables.copy()
        state, _ = method.step(state, Batch(corpus, np.arange(40), 0, 2), rng, None)
        u, v = naive.corpus_sticks(tables, 2.0)
        if how == "uniform" and len(given) == 1:
            u, v = np.ones(3), np.array([3.0, 2.0, 1.0])
        stick, rest = digamma(u) - digamma(u + v), digamma(v) - digamma(u + v)
        log_weight = np.append(stick, 0.0) + np.append(0.0, np.cumsum(rest))
        np.testing.assert_allclose(given[-1], log_weight, rtol=1e-10)
    assert len(given) == 2


@pytest.mark.parametrize(("likely", "n_sticks", "expected"), [(2, 3, 3), (5, 3, 5), (48, 3, 7)])
def test_sticks_may_hold_the_likely_topics_and_as_many_as_there_are_sticks(
    likely, n_sticks, expected, monkeypatch
):
    monkeypatch.setattr(hdp_svi, "LIKELY", likely)
    found, real = [], hdp_svi.likely_topics

    def noted(*arguments):
        found.append(real(*arguments))
        return found[-1]

    monkeypatch.setattr(hdp_svi, "likely_topics", noted)
    corpus = naive.corpus_of(naive.random_counts(np.random.default_rng(0), 12, 9))
    method = HdpSvi(SMALL, truncation=7, doc_truncation=n_sticks)
    rng = np.random.default_rng(1)
    method.step(method.init(corpus, rng), Batch(corpus, np.arange(12), 0, 1), rng, None)
    ((topics, tokens),) = found
    assert topics.shape == tokens.shape == (12, expected)
