"""Stochastic mean field: equal to the batch step at S = n, and to a dense slow twin."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Batch
from bnpexplorer.inference.sticks import stick_parameters
from bnpexplorer.methods.dpm_batch import DpmBatch
from bnpexplorer.methods.dpm_svi import DpmSvi
from bnpexplorer.models.dpm import DPMixture
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins.mixture import mean_field

WORDS = np.arange(20, dtype=np.int32)


@pytest.fixture
def corpus():
    return DPMixture(2.0, 0.2).sample(np.random.default_rng(0), 30, 20, 15.0).corpus


def test_whole_corpus_at_step_size_one_is_one_batch_pass(corpus):
    model, knobs = DPMixture(2.5, 0.3), {"truncation": 6, "start": "random"}
    batch = Batch(corpus, np.arange(30), 0, 1)
    svi, whole = DpmSvi(model, **knobs), DpmBatch(model, **knobs)
    a, b = (m.init(corpus, np.random.default_rng(3)) for m in (svi, whole))
    for _ in range(3):
        a, info = svi.step(a, batch, np.random.default_rng(0), None)
        b, _ = whole.step(b, batch, np.random.default_rng(0), None)
        assert info.scalars["step size"] == 1.0
        assert a.n == pytest.approx(b.n, rel=1e-12)
        assert a.lam.at(WORDS) == pytest.approx(b.lam.at(WORDS), rel=1e-12)
        assert a.lam.total == pytest.approx(b.lam.total, rel=1e-12)


@pytest.mark.parametrize("what", AMOUNTS)
def test_steps_equal_a_dense_twin_that_moves_every_parameter(corpus, what):
    """Equation 11 on lam, u and v, all three dense; 15 steps at two batch sizes."""
    gamma, eta, tau, kappa = 1.4, 0.25, 2.0, 0.7
    method = DpmSvi(DPMixture(gamma, eta), truncation=5, tau=tau, kappa=kappa)
    x = amounts_of(corpus.to_csr().toarray(), what)
    corpus = corpus_of(x)
    state = method.init(corpus, np.random.default_rng(3))
    lam = state.lam.at(WORDS).T
    u, v = np.ones(5), np.full(5, gamma)
    rng = np.random.default_rng(7)
    for t in range(1, 16):
        rows = rng.choice(30, 4 if t % 3 else 7, replace=False)
        state, info = method.step(state, Batch(corpus.take(rows), rows, 0, 9), rng, None)
        rho, times = max((tau + t) ** -kappa, len(rows) / 30), 30 / len(rows)
        phi = mean_field(x[rows], lam, u, v)
        beyond = np.array([phi[:, k + 1 :].sum() for k in range(5)])
        lam = (1 - rho) * lam + rho * (eta + times * phi.T @ x[rows])
        u = (1 - rho) * u + rho * (1 + times * phi.sum(axis=0))
        v = (1 - rho) * v + rho * (gamma + times * beyond)
        assert info.scalars["step size"] == pytest.approx(rho)
        np.testing.assert_allclose(state.lam.at(WORDS).T, lam, rtol=1e-9)
        assert state.lam.total == pytest.approx(lam.sum(axis=1), rel=1e-9)
        sticks_a, sticks_b = stick_parameters(state.n, gamma)
        assert sticks_a == pytest.approx(u, rel=1e-9)
        assert sticks_b == pytest.approx(v, rel=1e-9)


def test_step_size_never_falls_below_the_share_of_the_batch(corpus):
    method = DpmSvi(DPMixture(), truncation=3, tau=1e6, kappa=1.0)
    state = method.init(corpus, np.random.default_rng(3))
    batch = Batch(corpus.take(np.arange(6)), np.arange(6), 0, 5)
    _, info = method.step(state, batch, np.random.default_rng(0), None)
    assert info.scalars["step size"] == pytest.approx(6 / 30)
