"""Concentrations learned by the variational methods: optimal, reported, and safe for the bound."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import betaln, digamma, gammaln
from scipy.stats import gamma as gamma_law

from bnpexplorer.checks.expecting import known
from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.assignments import MOST_SWEEPS
from bnpexplorer.inference.concentrations import (
    CONCENTRATION_PRIOR,
    ETA_PRIOR,
    log_gamma_density,
    solve_alpha,
    solve_dirichlet,
    solve_eta,
    solve_tables,
    sticks_gamma,
    sticks_gamma_bound,
)
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.inference.sticks import sticks_bound
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.lda_gibbs import LdaGibbs
from bnpexplorer.models import MODELS
from bnpexplorer.runs.run import Run

GIVEN = GivenTopics(np.random.default_rng(0).gamma(0.5, 9.0, (3, 9)))
"""Topics of another run over the words of `dozen`."""
ASCENDING = [name for name, method in METHODS.items() if method.ascends]


def switches(name):
    return [f"learn_{which}" for which in METHODS[name].learnable()]


def fitted(name, corpus, seed=0, batch_size=50, passes=8, **values):
    fewer = known(name, {"n_topics": 10, "truncation": 15, "doc_truncation": 6})
    method = make_method(name, "default", {**fewer, **values})
    run = Run(method, corpus, seed=seed, batch_size=batch_size, passes=passes)
    while not run.done:
        run.step()
    return run.snapshot()


# ---- the mathematics ---------------------------------------------------------------------------


def slow_bound_of_gamma(rate, n, a, b, prior):
    """E ln p(sticks, gamma) - E ln q(gamma) for q(gamma) = Gamma(shape + K - 1, rate), numerically.

    The sticks Beta(a, b) are kept as they are; integrals over gamma on a fine grid.
    """
    shape = prior[0] + len(a)
    x, step = np.linspace(1e-6, 80.0, 400_001, retstep=True)
    density = gamma_law.pdf(x, shape, scale=1.0 / rate)
    log_left = digamma(b) - digamma(a + b)
    log_p = len(a) * np.log(x) + (x - 1.0) * log_left.sum()
    log_p += gamma_law.logpdf(x, prior[0], scale=1.0 / prior[1])
    log_q = gamma_law.logpdf(x, shape, scale=1.0 / rate)
    entropy = (betaln(a, b) - (a - 1) * (digamma(a) - digamma(a + b)) - (b - 1) * log_left).sum()
    return float((density * (log_p - log_q)).sum() * step + entropy)


@pytest.mark.second
def test_gamma_of_sticks_is_the_best_q():
    n, gamma, prior = np.array([6.0, 3.0, 1.5, 0.4, 0.0]), 2.3, CONCENTRATION_PRIOR
    later = np.cumsum(n[::-1])[::-1][1:]
    a, b = 1.0 + n[:-1], gamma + later
    mean = sticks_gamma(n, gamma, truncated=True)
    best = minimize_scalar(
        lambda rate: -slow_bound_of_gamma(rate, n, a, b, prior), bounds=(0.3, 8.0), method="bounded"
    )
    assert mean == pytest.approx((prior[0] + 4) / best.x, rel=1e-4)


def test_what_gamma_adds_to_the_bound_is_its_part_of_the_elbo():
    n, prior = np.array([6.0, 3.0, 1.5, 0.4, 0.0]), CONCENTRATION_PRIOR
    for mean in (0.7, 2.3):
        later = np.cumsum(n[::-1])[::-1][1:]
        a, b = 1.0 + n[:-1], mean + later
        slow = slow_bound_of_gamma((prior[0] + 4) / mean, n, a, b, prior)
        assert sticks_bound(n, mean) + sticks_gamma_bound(mean, 4) == pytest.approx(slow, abs=1e-5)


def test_dirichlet_parameter_maximises_its_objective():
    rng = np.random.default_rng(0)
    for prior, n_rows, dimension, true in (
        (ETA_PRIOR, 7, 30, 0.3),
        (CONCENTRATION_PRIOR, 40, 6, 2.0),
    ):
        parameters = rng.gamma(true, size=(n_rows, dimension)) * 9 + 0.2
        sum_log = (digamma(parameters) - digamma(parameters.sum(1, keepdims=True))).sum()

        def objective(c, prior=prior, n_rows=n_rows, dimension=dimension, sum_log=sum_log):
            normaliser = gammaln(dimension * c) - dimension * gammaln(c)
            return n_rows * normaliser + c * sum_log + log_gamma_density(c, prior)

        found = solve_dirichlet(n_rows, dimension, sum_log, prior)
        slope = (objective(found * 1.001) - objective(found * 0.999)) / 0.002
        curvature = objective(found * 1.1) + objective(found * 0.9) - 2 * objective(found)
        assert abs(slope) < 1e-3 * abs(curvature)
        assert curvature < 0


def test_what_every_row_says_alike_is_the_largest_parameter_and_what_none_says_is_kept():
    alike = -7 * 30 * np.log(30.0)  # of each of 7 rows all 30 categories have 1 / 30
    assert solve_dirichlet(7, 30, alike, ETA_PRIOR) < 100.0, "the prior has a say"
    assert solve_dirichlet(7e6, 30, 1e6 * alike, ETA_PRIOR) == 100.0
    assert solve_dirichlet(7, 30, 1e9 * alike, ETA_PRIOR) == 1e-3
    assert solve_eta(Dirichlets.empty(30, 0.37)) == 0.37


def test_prior_density_is_the_gamma_density():
    for prior in (CONCENTRATION_PRIOR, ETA_PRIOR):
        expected = gamma_law.logpdf(0.37, prior[0], scale=1 / prior[1])
        assert log_gamma_density(0.37, prior) == pytest.approx(expected, abs=1e-12)


def test_eta_and_alpha_read_their_posteriors():
    rng = np.random.default_rng(1)
    excess = rng.gamma(0.3, 5.0, size=(4, 12)) * (rng.random((4, 12)) < 0.6)
    lam = Dirichlets.from_excess(excess, 0.2)
    full = 0.2 + excess
    sum_log = (digamma(full) - digamma(full.sum(1, keepdims=True))).sum()
    assert lam.sum_expected_log() == pytest.approx(sum_log, rel=1e-12)
    assert solve_eta(lam) == pytest.approx(solve_dirichlet(4, 12, sum_log, ETA_PRIOR), rel=1e-9)
    assert lam.eta == 0.2
    elog = digamma(full) - digamma(full.sum(1, keepdims=True))
    alpha = solve_dirichlet(4, 12, elog.sum(), CONCENTRATION_PRIOR)
    assert solve_alpha(full) == pytest.approx(alpha, rel=1e-9)


def test_tables_are_those_that_alpha_expects():
    lengths, times, tables = np.array([3, 8, 8, 40]), 2.5, 31.0
    for mode in (False, True):
        alpha = solve_tables(tables, lengths, times, 1.0, mode=mode)
        expected = times * sum(alpha / (alpha + j) for n in lengths for j in range(n))
        shape, rate = CONCENTRATION_PRIOR
        assert expected + rate * alpha == pytest.approx(tables + shape - mode, rel=1e-8)
    assert solve_tables(0.0, lengths, times, 0.8, (1.0, 0.1), mode=True) == 0.8


# ---- the methods -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ASCENDING)
@pytest.mark.parametrize("start", [{}, {"gamma": 0.05, "alpha": 20.0, "eta": 2.0}])
def test_learning_never_lowers_the_bound(name, start, bars):
    values = known(name, start)
    values |= dict.fromkeys(switches(name), True)
    tolerance = {"bound_tolerance": 0.0} if name != "dpm-batch" else {"tolerance": 0.0}
    snapshot = fitted(name, bars[0].take(np.arange(80)), passes=25, **values, **tolerance)
    bounds = np.array([p.bound for p in snapshot.trace if np.isfinite(p.bound)])
    assert len(bounds) > 5
    assert np.all(np.diff(bounds) >= -1e-8 * np.abs(bounds[1:]))


def test_the_bound_holds_what_is_learned(bars):
    """In the first pass nothing has moved: learning adds its priors and entropies, no more."""
    corpus = bars[0].take(np.arange(60))

    def first_bound(name, learning):
        snapshot = fitted(name, corpus, passes=1, **dict.fromkeys(switches(name), learning))
        return next(p.bound for p in snapshot.trace if np.isfinite(p.bound))

    names = ("lda-batch", "dpm-batch", "hdp-batch", "hdp-memoized", "hdp-splitmerge")
    lda, dpm, hdp, memoized, split = (METHODS[name]().model for name in names)
    added = {
        "lda-batch": log_gamma_density(lda.alpha, CONCENTRATION_PRIOR)
        + log_gamma_density(lda.eta, ETA_PRIOR),
        "dpm-batch": sticks_gamma_bound(dpm.gamma, 14) + log_gamma_density(dpm.eta, ETA_PRIOR),
        "hdp-batch": sticks_gamma_bound(hdp.gamma, 14)
        + sticks_gamma_bound(hdp.alpha, 60 * 5)
        + log_gamma_density(hdp.eta, ETA_PRIOR),
        "hdp-memoized": sticks_gamma_bound(memoized.gamma, 15)
        + log_gamma_density(memoized.alpha, CONCENTRATION_PRIOR)
        + log_gamma_density(memoized.eta, ETA_PRIOR),
        "hdp-splitmerge": log_gamma_density(split.alpha, CONCENTRATION_PRIOR),
    }
    for name, expected in added.items():
        gained = first_bound(name, True) - first_bound(name, False)
        assert gained == pytest.approx(expected, abs=1e-6), name


@pytest.mark.second
@pytest.mark.parametrize(("name", "starts"), [("lda-batch", (0.4, 3.0)), ("lda-svi", (0.05, 3.0))])
def test_lda_finds_its_alpha_again(name, starts):
    """From 0.05 a batch stays where documents have one topic each, an optimum of its own."""
    true = MODELS["lda"](n_topics=6, alpha=0.4, eta=0.05)
    corpus = true.sample(np.random.default_rng(2), 600, 60, 80.0).corpus
    for start in starts:
        snapshot = fitted(
            name, corpus, passes=25, n_topics=6, alpha=start, eta=0.05, learn_alpha=True
        )
        low, high = (0.34, 0.46) if name == "lda-batch" else (0.2, 0.6)
        assert low < snapshot.topics.concentration / 6 < high


@pytest.mark.second
@pytest.mark.parametrize("name", ["lda-batch", "lda-svi", "lda-gibbs"])
def test_a_large_alpha_stays_within_what_the_model_allows(name):
    """Documents that are all alike would have alpha grow without end."""
    corpus = Corpus.from_csr(np.full((400, 2), 200))
    values = {"alpha": 50.0, "eta": 1e-4, "n_topics": 2, "learn_alpha": True}
    values |= {"start": "random"} if name != "lda-gibbs" else {}
    values |= {"bound_tolerance": 0.0} if name == "lda-batch" else {}
    snapshot = fitted(name, corpus, passes=10, batch_size=400, **values)
    assert snapshot.topics.concentration / 2 <= 100.0


IN_PASSES = [
    # from the first pass to the second the bound rises by more than all of itself
    ("lda-batch", {}, 3),
    ("hdp-batch", {}, 3),
    ("hdp-memoized", {}, 2),
    ("dpm-batch", {}, 2),
    # without a move it ends after fifteen passes that hardly raise the bound
    ("hdp-splitmerge", {"n_start": 1, "max_topics": 1}, 16),
]
"""Batch methods, and after how many passes they end where any rise of the bound is too small."""


@pytest.mark.parametrize(("name", "values", "ends_after"), IN_PASSES)
@pytest.mark.parametrize("learning", [False, True])
def test_concentrations_wait_for_topics_and_a_run_for_concentrations(
    name, values, ends_after, learning, dozen
):
    """Those of topic models move in the sixth pass for the first time, and no run ends before the
    seventh; those of a mixture move at once."""
    which = METHODS[name].learnable()
    tolerance = "tolerance" if name == "dpm-batch" else "bound_tolerance"
    values = {tolerance: 1.0} | values | {f"learn_{one}": learning for one in which}
    run = Run(make_method(name, "default", values), dozen, batch_size=12, passes=40)
    series = []
    while not run.done:
        run.step()
        series.append(run.latest_info.scalars)
    waits = 0 if name == "dpm-batch" else 5
    assert len(series) == (max(ends_after, waits + 2) if learning and waits else ends_after)
    start = vars(run.method.model)
    for one in which:
        values = [scalars.get(one) for scalars in series]
        if not learning:
            assert values == [None] * len(series)
            continue
        assert values[:waits] == [start[one]] * waits
        assert values[waits] != start[one]


@pytest.mark.second
@pytest.mark.parametrize(("name", "times"), [("dpm-tsvi", 2.0), ("hdp-tsvi", 8.0)])
def test_learned_values_forget_where_they_started(name, times, bars):
    """Starts 60 times apart. Topics that a large gamma has opened early keep it larger."""
    found = []
    for gamma in (0.5, 30.0):
        snapshot = fitted(name, bars[0], passes=20, gamma=gamma, learn_gamma=True)
        found.append(snapshot.topics.gamma)
    assert 1 / 2.0 < found[1] / found[0] < times


@pytest.mark.parametrize(
    ("name", "start", "waits"),
    [
        ("hdp-gibbs", None, 3),
        ("hdp-gibbs", GIVEN, 1),
        ("hdp-parallel-gibbs", None, 2),  # the third pass draws all else by the law
        ("hdp-parallel-gibbs", GIVEN, 0),
    ],
    ids=["hdp-gibbs", "hdp-gibbs given", "hdp-parallel-gibbs", "hdp-parallel-gibbs given"],
)
def test_samplers_learn_no_concentration_while_a_start_lasts(name, start, waits, dozen):
    values = {"start_passes": 3, "n_start": 6, **dict.fromkeys(switches(name), True)}
    run = Run(make_method(name, "default", values), dozen, seed=1, batch_size=5, passes=5)
    if start is not None:
        run.begin_at(start)
    model, series = vars(run.method.model), []
    while not run.done:
        run.step()
        if run.docs_seen % dozen.n_docs == 0:
            series.append(run.latest_info.scalars)
    for which in ("gamma", "alpha", "eta"):
        found = [scalars[which] for scalars in series]
        assert found[:waits] == [model[which]] * waits
        assert len(set(found[waits:])) == 5 - waits
        assert model[which] not in found[waits:]


@pytest.mark.parametrize(("start", "n_first"), [(None, 3), (GIVEN, 1)], ids=["many", "given"])
def test_few_tokens_are_drawn_again_and_again_once_a_start_is_over(
    start, n_first, dozen, monkeypatch
):
    """So that concentrations can move; where none is learned, once a pass."""
    drawn, real = [], HdpGibbs._draw_topics_and_tables

    def noted(self, state, batch, rng):
        drawn.append(state.n_passes)
        return real(self, state, batch, rng)

    monkeypatch.setattr(HdpGibbs, "_draw_topics_and_tables", noted)
    for learning in (True, False):
        values = {"start_passes": 3, "n_start": 6, "learn_alpha": learning}
        run = Run(make_method("hdp-gibbs", "default", values), dozen, batch_size=12, passes=5)
        if start is not None:
            run.begin_at(start)
        while not run.done:
            run.step()
        often = MOST_SWEEPS if learning else 1
        assert [drawn.count(n) for n in range(5)] == [1] * n_first + [often] * (5 - n_first)
        drawn.clear()


def test_a_first_pass_at_given_topics_draws_every_token_of_lda_once(dozen, monkeypatch):
    drawn, real = [], LdaGibbs._draw_topics

    def noted(self, state, batch, rng):
        drawn.append(state.n_passes)
        real(self, state, batch, rng)

    monkeypatch.setattr(LdaGibbs, "_draw_topics", noted)
    values = {"n_topics": 3, "learn_alpha": True}
    for start in (None, GIVEN):
        run = Run(make_method("lda-gibbs", "default", values), dozen, batch_size=12, passes=2)
        if start is not None:
            run.begin_at(start)
        while not run.done:
            run.step()
        first = 1 if start is GIVEN else MOST_SWEEPS
        assert [drawn.count(0), drawn.count(1)] == [first, MOST_SWEEPS]
        drawn.clear()
