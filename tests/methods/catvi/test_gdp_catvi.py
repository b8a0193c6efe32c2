"""CATVI for the gamma-Dirichlet process: the mass; the rest it shares with the HDP."""

import copy
import math

import numpy as np
import pytest
from scipy.special import digamma, gammaln

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.kernels.tuples import Sweeps
from bnpexplorer.methods.catvi import partition as catvi
from bnpexplorer.methods.catvi.gdp_catvi import GdpCatvi
from bnpexplorer.methods.catvi.hdp_catvi import HdpCatvi
from bnpexplorer.models.gdp import GammaDP
from bnpexplorer.models.hdp import HDP
from tests.tools.methods import take_batch
from tests.twins.catvi import ten_bars


def small_corpus(seed: int = 2) -> Corpus:
    return HDP(3.0, 2.0, 0.2).sample(np.random.default_rng(seed), 30, 25, 30.0).corpus


def first_draws(method: GdpCatvi, corpus: Corpus, n_batch: int):
    """The state and draws that the first step on `n_batch` documents works with."""
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
    docs = corpus.take(np.arange(n_batch))
    draws = catvi.sample(state, docs, method.model.gamma, "expected-log", Sweeps(10, 5), True, rng)
    catvi.refine(state, draws)
    return state, docs, draws


def first_step(method: GdpCatvi, corpus: Corpus, n_batch: int):
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(1)
    return method.step(state, take_batch(corpus, np.arange(n_batch)), rng, None)


def test_the_objective_is_equation_b4_with_the_right_sign():
    """The terms of appendix C.7 written out from the draws, with -mu."""
    method = GdpCatvi(GammaDP(3.0, 0.5), start_topics=6)
    corpus = small_corpus()
    state, docs, draws = first_draws(method, corpus, 10)
    mu, m, m_0 = state.concentration, state.weight, state.rest
    assert mu == 3.0
    value = -mu + 2.0 * math.log(mu * m_0) - np.log(m).sum()
    for d, length in enumerate(docs.doc_lengths):
        value += 3.0 * (gammaln(mu) - gammaln(mu + length))
        for sweep in draws.topics[:, draws.tokens.doc_start[d] : draws.tokens.doc_start[d + 1]]:
            n = np.bincount(sweep, minlength=len(m))
            value += 3.0 / 5 * (gammaln(mu * m + n) - gammaln(mu * m)).sum()
    _, info = first_step(method, corpus, 10)
    assert info.scalars["objective"] == pytest.approx(value, rel=1e-10)
    assert math.isnan(info.bound)


def test_the_gradient_in_the_mass_agrees_with_differences():
    method = GdpCatvi(GammaDP(3.0, 0.5), start_topics=6)
    state, docs, draws = first_draws(method, small_corpus(), 10)
    lengths = docs.doc_lengths.astype(float)
    for mass in (0.2, 1.0, 7.0, 90.0):

        def value(mass: float) -> float:
            there = copy.copy(state)
            there.concentration = mass
            method = GdpCatvi(GammaDP(3.0, 0.5))
            return method.objective(there, docs, catvi.count(there, draws))

        there = copy.copy(state)
        there.concentration = mass
        tables = catvi.count(there, draws).tables.sum()
        step = 1e-4 * mass
        slope = (value(mass + step) - value(mass - step)) / (2 * step)
        ours = catvi.mass_gradient(mass, tables, lengths, 3.0, 3.0)
        assert ours == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("gamma", [0.5, 3.0])
def test_the_fixed_point_of_the_mass_is_where_the_gradient_is_zero(gamma):
    method = GdpCatvi(GammaDP(gamma, 0.5), start_topics=6)
    corpus = small_corpus()
    before, docs, draws = first_draws(method, corpus, 10)
    tables = catvi.count(before, draws).tables.sum()
    state, info = first_step(method, corpus, 10)
    rho = 2.0**-0.7
    best = (state.concentration - (1 - rho) * gamma) / rho
    lengths = docs.doc_lengths.astype(float)
    assert catvi.mass_gradient(best, tables, lengths, 3.0, gamma) == pytest.approx(0, abs=1e-4)
    left = best * (1.0 + 3.0 * (digamma(best + lengths) - digamma(best)).sum())
    assert left == pytest.approx(gamma - 1.0 + tables, rel=1e-6)
    assert info.scalars["mass"] == state.concentration == method.topics(state).concentration


def test_the_raw_step_is_kept_within_bounds():
    corpus = small_corpus()
    method = GdpCatvi(GammaDP(3.0, 0.5), start_topics=6, mass_step="raw")
    before, docs, draws = first_draws(method, corpus, 10)
    tally = catvi.count(before, draws)
    for rho in (1e-5, 1e-4, 1.0):
        for mass in (1e-3, 1.0, 500.0):
            lengths = docs.doc_lengths.astype(float)
            slope = catvi.mass_gradient(mass, float(tally.tables.sum()), lengths, 3.0, 3.0)
            moved = method._better_mass(mass, docs, tally, rho)
            assert moved >= 1e-3
            assert abs(math.log(moved / mass)) <= 0.5 + 1e-12
            if abs(rho * slope) < 0.3 * mass:
                assert moved == pytest.approx(max(mass + rho * slope, 1e-3))
    state, info = first_step(method, corpus, 10)
    assert info.scalars["mass"] == state.concentration == pytest.approx(3.0 * math.exp(-0.5))


def test_given_the_mass_it_is_the_hdp():
    """One step from the same numbers: topics, weights and users agree bit for bit."""
    corpus = small_corpus()
    ours, _ = first_step(GdpCatvi(GammaDP(4.0, 0.5), start_topics=9), corpus, 12)
    theirs, _ = first_step(HdpCatvi(HDP(4.0, 4.0, 0.5), start_topics=9), corpus, 12)
    assert np.array_equal(ours.weight, theirs.weight)
    assert np.array_equal(ours.users, theirs.users)
    assert np.array_equal(ours.lam.stats, theirs.lam.stats)
    assert ours.concentration != theirs.concentration == 4.0


@pytest.mark.second
@pytest.mark.parametrize("mass_step", ["fixed-point", "raw"])
@pytest.mark.parametrize("truth", [0.7, 6.0])
def test_the_mass_is_learned_where_the_topics_are_known(truth, mass_step):
    """Within a third: 300 documents of 60 tokens, whose topics overlap. The raw step overshoots
    to and fro by up to exp(0.5)."""
    counts, tokens = ten_bars(truth, 300)
    method = GdpCatvi(GammaDP(3.0, 0.5), start_topics=10, mass_step=mass_step)
    corpus, rng = Corpus.from_csr(counts), np.random.default_rng(0)
    state = method.init(corpus, rng)
    state.lam = Dirichlets.from_excess(tokens, 0.5)
    for _ in range(6):
        for rows in np.array_split(rng.permutation(300), 6):
            state, _ = method.step(state, take_batch(corpus, rows), rng, None)
    near = 1 / 3 if mass_step == "fixed-point" else 0.7
    assert state.concentration == pytest.approx(truth, rel=near)


@pytest.mark.second
def test_bars_are_recovered(bars):
    corpus, truth = bars
    method = GdpCatvi(GammaDP(2.0, 0.5), start_topics=20)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    for _ in range(20):
        for rows in np.array_split(rng.permutation(corpus.n_docs), 6):
            state, _ = method.step(state, take_batch(corpus, rows), rng, None)
    topics = method.topics(state)
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.15)
    assert topics.weight[errors.min(axis=1) < 0.15].sum() > 0.8
    assert 0.5 < topics.concentration < 5.0  # drawn from Dir(0.2, ..., 0.2) over ten topics


def test_the_paper_s_setting_and_the_caution():
    paper = GdpCatvi.presets["liu-2022"]
    assert paper.model == {"gamma": 5.0, "eta": 5.0}
    assert paper.batch_size == 256
    assert GdpCatvi().model.eta >= 0.5
    assert GdpCatvi().caution() == ""
    assert "Hardly any new topic" in GdpCatvi(GammaDP(eta=0.05)).caution()
