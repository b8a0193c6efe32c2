"""lda-svi and lda-batch against a slow twin, enumeration, finite differences and scikit-learn."""

import copy
import dataclasses

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation

from bnpexplorer.corpus.corpus import Batch
from bnpexplorer.inference.lda_local import LdaGiven, fit_batch
from bnpexplorer.inference.pool import Threads
from bnpexplorer.inference.slices import by_distinct_word
from bnpexplorer.kernels.dirichlet import exp_shifted
from bnpexplorer.kernels.tuples import Until
from bnpexplorer.methods.lda_batch import LdaBatch
from bnpexplorer.methods.lda_svi import LdaSvi
from bnpexplorer.models.lda import LDA
from tests.tools.meanfield import fitted, lam_of
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins import meanfield as naive

METHOD_CLASSES = (LdaBatch, LdaSvi)


def tight(n_topics=3, alpha=0.3, eta=0.2, **knobs):
    settings = {"tolerance": 1e-12, "max_iterations": 1000, **knobs}
    return LdaBatch(LDA(n_topics=n_topics, alpha=alpha, eta=eta), **settings)


# ------------------------------------------------------------------------------- local step, bound


@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_local_step_equals_the_slow_twin(iterations):
    rng = np.random.default_rng(iterations)
    counts = naive.random_counts(rng)
    corpus = naive.corpus_of(counts)
    lam = rng.gamma(1.0, size=(4, 7)) + 0.05
    words, docs = by_distinct_word(corpus)
    factor, _ = exp_shifted(np.ascontiguousarray(naive.elog_topics(lam).T[words]), 1e-150)
    given = LdaGiven(factor, np.full(4, 0.3), Until(iterations, 0.0))
    fit = fit_batch(None, docs, np.ones((8, 4)), given)
    gamma = naive.lda_gamma(counts, lam, np.ones((8, 4)), 0.3, iterations)
    np.testing.assert_allclose(fit.gamma, gamma, rtol=1e-11)
    phi = naive.lda_phi(counts, lam, gamma)
    np.testing.assert_allclose(fit.stats, np.einsum("dw,dwk->wk", counts, phi)[words], rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_topics", [1, 3])
@pytest.mark.parametrize("what", AMOUNTS)
def test_bound_is_the_evidence_lower_bound_term_by_term(seed, n_topics, what):
    rng = np.random.default_rng(seed)
    counts = amounts_of(naive.random_counts(rng), what)
    corpus = corpus_of(counts)
    method = tight(n_topics, max_iterations=3)
    state = method.init(corpus, rng)
    for n_blocks in (1, 3):
        lam = lam_of(state)
        warm = naive.lda_gamma(counts, lam, state.gamma.copy(), 0.3, 3)
        state, info = naive.run_pass(method, state, corpus, rng, n_blocks)
        np.testing.assert_allclose(state.gamma, warm, rtol=1e-9)
        phi = naive.lda_phi(counts, lam, state.gamma)
        expected = naive.lda_bound(counts, lam, state.gamma, phi, 0.3, 0.2)
        assert info.bound == pytest.approx(expected, rel=1e-11)
        by_word = np.einsum("dw,dwk->kw", counts, phi)
        np.testing.assert_allclose(lam_of(state), 0.2 + by_word, rtol=1e-9)


@pytest.mark.parametrize("start", ["random", "k-means"])
@pytest.mark.parametrize("seed", range(4))
def test_bound_never_falls(seed, start):
    rng = np.random.default_rng(seed)
    corpus = naive.corpus_of(naive.random_counts(rng, 25, 15, 0.7))
    model = LDA(n_topics=2 + 2 * seed, alpha=rng.uniform(0.05, 1.5), eta=rng.uniform(0.02, 1.5))
    method = LdaBatch(model, start=start, max_iterations=1 + 5 * seed)
    state = method.init(corpus, rng)
    bounds = []
    for _ in range(35):
        state, info = naive.run_pass(method, state, corpus, rng, n_blocks=3)
        bounds.append(info.bound)
    assert np.all(np.diff(bounds) >= -1e-10 * np.abs(bounds[1:]))
    assert bounds[-1] > bounds[0]


def test_bound_stays_below_the_exact_evidence():
    counts = np.array([[2, 1, 0], [0, 1, 2]])
    evidence = naive.lda_evidence(counts, 2, 0.6, 0.5)
    corpus = naive.corpus_of(counts)
    best = -np.inf
    for seed in range(5):
        rng = np.random.default_rng(seed)
        method = tight(2, 0.6, 0.5, start="random")
        state = method.init(corpus, rng)
        for _ in range(50):
            state, info = naive.run_pass(method, state, corpus, rng)
        assert info.bound < evidence
        best = max(best, info.bound)
    assert best > evidence - 4.0  # a bound, and not just any low number


def test_enumeration_sums_to_one_over_all_texts():
    """The oracle itself: probabilities of all texts of one document of three tokens."""
    total = 0.0
    for text in np.ndindex(2, 2, 2):
        counts = np.bincount(text, minlength=2)[None]
        total += np.exp(naive.lda_evidence(counts, 2, 0.6, 0.5))
    assert total == pytest.approx(1.0, abs=1e-12)


def test_fixed_point_is_stationary_in_every_parameter():
    rng = np.random.default_rng(5)
    counts = naive.random_counts(rng, 4, 4)
    corpus = naive.corpus_of(counts)
    method = tight(start="random")
    state = method.init(corpus, rng)
    for _ in range(3000):
        before = lam_of(state)
        state, _ = naive.run_pass(method, state, corpus, rng)
        if np.abs(lam_of(state) - before).max() < 1e-10:
            break
    lam, gamma = lam_of(state), state.gamma
    phi = naive.lda_phi(counts, lam, gamma)

    def bound(lam, gamma, phi):
        return naive.lda_bound(counts, lam, gamma, phi, 0.3, 0.2)

    def slope(change):
        h = 1e-4
        return (bound(*change(h)) - bound(*change(-h))) / (2 * h)

    def scaled(array, index, h):
        out = array.copy()
        out[index] *= np.exp(h)
        return out

    def tilted(index, h):
        out = phi.copy()
        out[index] *= np.exp(h)
        out[index[:2]] /= out[index[:2]].sum()
        return out

    for index in np.ndindex(*lam.shape):
        assert abs(slope(lambda h, i=index: (scaled(lam, i, h), gamma, phi))) < 1e-6
    for index in np.ndindex(*gamma.shape):
        assert abs(slope(lambda h, i=index: (lam, scaled(gamma, i, h), phi))) < 1e-6
    for index in np.ndindex(*phi.shape):
        assert abs(slope(lambda h, i=index: (lam, gamma, tilted(i, h)))) < 1e-6


# --------------------------------------------------------------------------------- the global step


def test_a_stochastic_step_on_all_documents_with_rho_one_is_the_batch_step():
    rng = np.random.default_rng(0)
    corpus = naive.corpus_of(naive.random_counts(rng, 20, 12))
    model = LDA(n_topics=4)
    batch, svi = LdaBatch(model), LdaSvi(model, tau=0.0)
    one, two = (m.init(corpus, np.random.default_rng(1)) for m in (batch, svi))
    np.testing.assert_array_equal(lam_of(one), lam_of(two))
    one, _ = naive.run_pass(batch, one, corpus, rng)
    two, info = naive.run_pass(svi, two, corpus, rng)
    assert info.scalars["step size"] == 1.0
    np.testing.assert_allclose(lam_of(one), lam_of(two), rtol=1e-12)


@pytest.mark.parametrize("what", AMOUNTS)
def test_a_stochastic_step_follows_equation_26(what):
    """lam <- (1-rho) lam + rho (eta + D/S sum c phi), with the size of the last, short batch."""
    rng = np.random.default_rng(0)
    counts = amounts_of(naive.random_counts(rng, 9, 6), what)
    corpus = corpus_of(counts)
    method = LdaSvi(
        LDA(n_topics=3, alpha=0.4, eta=0.3), tau=2.0, kappa=0.7, max_iterations=4, tolerance=1e-8
    )
    state = method.init(corpus, rng)
    lam = lam_of(state)
    for t, rows in enumerate((np.array([4, 1, 7, 3]), np.array([0, 8])), start=1):
        batch = Batch(corpus.take(rows), rows, t - 1, 2)
        state, _ = method.step(state, batch, rng, None)
        rho = (2.0 + t) ** -0.7
        part = counts[rows]
        gamma = naive.lda_gamma(part, lam, np.ones((len(rows), 3)), 0.4, 4)
        phi = naive.lda_phi(part, lam, gamma)
        fresh = 0.3 + 9 / len(rows) * np.einsum("dw,dwk->kw", part, phi)
        lam = (1 - rho) * lam + rho * fresh
        np.testing.assert_allclose(lam_of(state), lam, rtol=1e-9)


@pytest.mark.parametrize("what", AMOUNTS)
def test_batch_equals_scikit_learn(what):
    """Same start, same updates: three passes give the same topics and proportions."""
    rng = np.random.default_rng(2)
    corpus = corpus_of(amounts_of(naive.random_counts(rng, 30, 20), what))
    method = tight(5, 0.2, 0.1, start="random", tolerance=1e-6, max_iterations=300)
    state = method.init(corpus, rng)
    peer = LatentDirichletAllocation(
        5,
        doc_topic_prior=0.2,
        topic_word_prior=0.1,
        max_doc_update_iter=300,
        mean_change_tol=1e-6,
        max_iter=1,
    )
    matrix = corpus.to_csr().astype(np.float64)
    peer.fit(matrix)  # only to set its attributes up
    lam = lam_of(state)
    for _ in range(3):
        peer.components_ = lam
        peer.exp_dirichlet_component_ = np.exp(naive.elog_topics(lam))
        gamma, stats = peer._e_step(matrix, cal_sstats=True, random_init=False)
        bound = peer._approx_bound(matrix, gamma, sub_sampling=False)
        lam = 0.1 + stats
        state.gamma[:] = 1.0  # scikit-learn starts every pass anew
        state, info = naive.run_pass(method, state, corpus, rng, n_blocks=2)
        np.testing.assert_allclose(state.gamma, gamma, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(lam_of(state), lam, rtol=1e-5, atol=1e-6)
        assert info.bound == pytest.approx(bound, rel=1e-7)


# --------------------------------------------------------------------------------------- behaviour


@pytest.mark.second
@pytest.mark.parametrize(
    ("method_class", "start", "least"),
    [
        (LdaBatch, "random", 5),
        (LdaBatch, "k-means", 8),
        (LdaSvi, "random", 8),
        (LdaSvi, "k-means", 9),
    ],
)
def test_recovers_bars(method_class, start, least, bars):
    """Of ten bars, on average over three seeds; coordinate ascent from noise finds the fewest."""
    corpus, truth = bars
    method = method_class(LDA(n_topics=20, alpha=0.1, eta=0.1), start=start)
    found = [naive.n_found(fitted(method, corpus, s).topic_word, truth) for s in range(3)]
    assert np.mean(found) >= least


@pytest.mark.parametrize("method_class", METHOD_CLASSES)
def test_threads_change_nothing(method_class, bars):
    corpus, _ = bars
    method = method_class(LDA(n_topics=6))
    alone = fitted(method, corpus, 3, steps=3)
    for workers in (1, 4):
        with Threads(workers) as pool:
            wide = fitted(method, corpus, 3, pool, steps=3)
        np.testing.assert_array_equal(alone.topic_word, wide.topic_word)
        np.testing.assert_array_equal(alone.total, wide.total)


@pytest.mark.parametrize("method_class", METHOD_CLASSES)
@pytest.mark.parametrize("counts", [[[3, 1, 2]], [[5], [2], [9]], [[1, 0], [0, 1]]])
@pytest.mark.parametrize("n_topics", [1, 4])
def test_odd_corpora(method_class, counts, n_topics):
    corpus = naive.corpus_of(counts)
    method = method_class(LDA(n_topics=n_topics))
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    for _ in range(5):
        state, info = naive.run_pass(method, state, corpus, rng)
    topics = method.topics(state)
    assert len(topics) == n_topics
    np.testing.assert_allclose(topics.topic_word.sum(axis=1), 1.0, rtol=1e-6)
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0)
    assert topics.concentration == pytest.approx(0.1 * n_topics)
    assert np.isfinite(info.bound) == (method_class is LdaBatch)
    if method_class is LdaBatch:
        assert topics.size.sum() == pytest.approx(corpus.n_tokens)


def test_a_batch_run_converges_and_says_so(bars):
    corpus, _ = bars
    method = LdaBatch(LDA(n_topics=4), bound_tolerance=1e-3)
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    flags, bounds = [], []
    for _ in range(40):
        state, info = naive.run_pass(method, state, corpus, rng)
        flags.append(info.converged)
        bounds.append(info.bound)
    rises = np.diff(bounds) / np.abs(bounds[1:])
    assert flags[0] is False
    assert flags[1:] == [bool(rise <= 1e-3) for rise in rises]
    assert any(flags)


def test_a_step_within_a_pass_reports_no_bound(bars):
    corpus, _ = bars
    method = LdaBatch(LDA(n_topics=3))
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    before = method.topics(state)
    first = naive.blocks_of(corpus, 3)[0]
    state, info = method.step(state, first, rng, None)
    assert np.isnan(info.bound)
    np.testing.assert_array_equal(method.topics(state).topic_word, before.topic_word)


def test_a_copied_state_continues_bit_for_bit(bars):
    corpus, _ = bars
    for method_class in METHOD_CLASSES:
        method = method_class(LDA(n_topics=5))
        rng = np.random.default_rng(0)
        state = method.init(corpus, rng)
        parts = naive.blocks_of(corpus, 4)
        for batch in parts[:2]:
            state, _ = method.step(state, batch, rng, None)
        twin = copy.deepcopy(state)
        assert dataclasses.is_dataclass(twin)
        for batch in parts[2:]:
            state, _ = method.step(state, batch, rng, None)
            twin, _ = method.step(twin, batch, rng, None)
        np.testing.assert_array_equal(lam_of(state), lam_of(twin))


def test_topics_that_fall_out_of_use_are_reported():
    """Two different documents cannot keep forty topics of one token each alive."""
    corpus = naive.corpus_of([[6, 5, 0, 0], [0, 0, 5, 7]])
    method = LdaBatch(LDA(n_topics=40, alpha=0.01), start="random")
    rng = np.random.default_rng(0)
    state = method.init(corpus, rng)
    dead = set()
    for _ in range(20):
        state, info = naive.run_pass(method, state, corpus, rng)
        for event in info.events:
            (dead.update if event.kind == "death" else dead.difference_update)(
                event.parents + event.children
            )
    unused = set(np.flatnonzero(method.topics(state).size < 1.0).tolist())
    started_alive = set(
        np.flatnonzero(
            method.topics(method.init(corpus, np.random.default_rng(0))).size >= 1.0
        ).tolist()
    )
    assert dead == unused & started_alive
    assert dead
