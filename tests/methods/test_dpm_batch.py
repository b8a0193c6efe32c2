"""Batch mean field: its bound against a slow one, against the evidence, and along passes."""

import numpy as np
import pytest
from scipy.stats import gamma as gamma_law

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.concentrations import CONCENTRATION_PRIOR
from bnpexplorer.inference.sticks import stick_parameters
from bnpexplorer.methods.dpm_batch import DpmBatch
from bnpexplorer.models.dpm import DPMixture
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins.mixture import elbo, global_step, log_evidence_truncated, mean_field


def blocks(corpus, size):
    starts = range(0, corpus.n_docs, size)
    for index, first in enumerate(starts):
        rows = np.arange(first, min(first + size, corpus.n_docs))
        yield Batch(corpus.take(rows), rows, index, len(starts))


def one_pass(method, state, corpus, size):
    for batch in blocks(corpus, size):
        before = state.bound
        state, info = method.step(state, batch, np.random.default_rng(0), None)
        if batch.index < batch.of - 1:
            assert np.isnan(info.bound)
            assert state.bound == before
            assert not info.converged
    return state, info


def parameters(state, gamma):
    """lam (K, V), u and v of a state."""
    u, v = stick_parameters(state.n, gamma)
    return state.lam.at(np.arange(state.lam.n_words, dtype=np.int32)).T, u, v


@pytest.fixture
def small():
    rng = np.random.default_rng(4)
    return Corpus.from_csr(rng.integers(0, 3, (9, 5)) + np.eye(9, 5, dtype=int))


@pytest.mark.parametrize("gamma", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("what", AMOUNTS)
def test_pass_is_the_slow_coordinate_step_and_the_bound_is_its_elbo(small, gamma, what):
    x = amounts_of(small.to_csr().toarray(), what)
    small = corpus_of(x)
    method = DpmBatch(DPMixture(gamma, 0.3), truncation=4, start="random", start_length=4.0)
    state = method.init(small, np.random.default_rng(1))
    for _ in range(4):
        phi = mean_field(x, *parameters(state, gamma))
        state, info = one_pass(method, state, small, 4)
        if gamma <= 1.0:  # components are then sorted by size
            phi = phi[:, np.argsort(-phi.sum(axis=0), kind="stable")]
        slow = global_step(x, phi, gamma, 0.3)
        lam, u, v = parameters(state, gamma)
        assert lam == pytest.approx(slow[0], rel=1e-10)
        assert u == pytest.approx(slow[1], rel=1e-10)
        assert v == pytest.approx(slow[2], rel=1e-10)
        assert info.bound == pytest.approx(elbo(x, phi, lam, u, v, gamma, 0.3), rel=1e-10)


@pytest.mark.parametrize("gamma", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("seed", range(5))
def test_bound_never_falls_and_ends_in_convergence(gamma, seed):
    rng = np.random.default_rng(seed)
    corpus = DPMixture(2.0, 0.2).sample(rng, 80, 25, 12.0).corpus
    start = "random" if seed % 2 else "k-means"
    method = DpmBatch(DPMixture(gamma, 0.2), truncation=12, start=start, tolerance=1e-9)
    state = method.init(corpus, rng)
    bounds = []
    for _ in range(200):
        state, info = one_pass(method, state, corpus, 33)
        bounds.append(info.bound)
        assert state.n.sum() == pytest.approx(80)
        if info.converged:
            break
    assert info.converged
    assert len(bounds) > 2
    assert np.diff(bounds).min() > -1e-8


def test_bound_stays_below_the_enumerated_evidence():
    x = np.array([[2, 0, 1], [0, 2, 1], [3, 0, 0], [0, 1, 1], [1, 1, 0]])
    evidence = log_evidence_truncated(x, 3, 1.3, 0.6)
    best = -np.inf
    for seed in range(8):
        method = DpmBatch(DPMixture(1.3, 0.6), truncation=3, start="random", start_length=3.0)
        state = method.init(Corpus.from_csr(x), np.random.default_rng(seed))
        for _ in range(30):
            state, info = one_pass(method, state, Corpus.from_csr(x), 2)
            assert info.bound < evidence
        best = max(best, info.bound)
    assert best > evidence - 3.0


def test_bound_with_learned_gamma_stays_below_the_evidence_averaged_over_its_prior():
    """ln of the integral of p(x | gamma) p(gamma) over a grid of 300 values."""
    x = np.array([[2, 0, 1], [0, 2, 1], [3, 0, 0], [0, 1, 1], [1, 1, 0]])
    logs = np.linspace(np.log(1e-4), np.log(300.0), 300)
    gammas, (shape, rate) = np.exp(logs), CONCENTRATION_PRIOR
    of_x = log_evidence_truncated(x, 3, gammas, 0.6)
    prior = gamma_law(shape, scale=1 / rate).logpdf(gammas) + logs
    evidence = np.logaddexp.reduce(of_x + prior) + np.log(logs[1] - logs[0])
    assert min(of_x) < evidence < max(of_x)
    best = -np.inf
    for seed in range(8):
        method = DpmBatch(
            DPMixture(1.3, 0.6), truncation=3, start="random", start_length=3.0, learn_gamma=True
        )
        state = method.init(Corpus.from_csr(x), np.random.default_rng(seed))
        for _ in range(30):
            state, info = one_pass(method, state, Corpus.from_csr(x), 2)
            assert info.bound < evidence
        best = max(best, info.bound)
    assert best > evidence - 3.0


def test_one_component_makes_the_bound_equal_to_the_evidence():
    x = np.array([[2, 0, 1], [0, 2, 1], [3, 0, 0]])
    method = DpmBatch(DPMixture(1.3, 0.6), truncation=1)
    state = method.init(Corpus.from_csr(x), np.random.default_rng(0))
    _, info = one_pass(method, state, Corpus.from_csr(x), 3)
    assert info.bound == pytest.approx(log_evidence_truncated(x, 1, 1.3, 0.6), rel=1e-12)


def test_components_keep_their_identity_when_sorted_and_die_when_empty():
    corpus = DPMixture(2.0, 0.05).sample(np.random.default_rng(8), 100, 30, 20.0).corpus
    method = DpmBatch(DPMixture(0.5, 0.2), truncation=20, start="random")
    state = method.init(corpus, np.random.default_rng(0))
    alive = set()
    for _ in range(6):
        old = {int(i): n for i, n in zip(state.topic_ids, state.n, strict=True)}
        state, info = one_pass(method, state, corpus, 50)
        for event in info.events:
            assert event.kind in ("birth", "death")
            (changed,) = event.parents + event.children
            assert (changed in alive) == (event.kind == "death")
            alive ^= {changed}
        assert alive == {int(i) for i in state.topic_ids[state.n >= 1.0 - 1e-9]}
        assert sorted(state.topic_ids) == list(range(20))
        assert np.all(np.diff(state.n) <= 0.0)
        assert set(old) == set(map(int, state.topic_ids))
    assert 1 <= len(alive) < 20
