"""hdp-batch and hdp-svi against a slow twin, enumeration and finite differences."""

import copy
from concurrent.futures import ThreadPoolExecutor

import naive_meanfield as naive
import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Batch
from bnpexplorer.kernels import hdp_local, vectors
from bnpexplorer.kernels.special import distinct_words
from bnpexplorer.methods import METHODS, hdp_batch, hdp_svi
from bnpexplorer.methods.hdp_batch import HdpBatch
from bnpexplorer.methods.hdp_svi import HdpSvi
from bnpexplorer.models import hdp_meanfield
from bnpexplorer.models.hdp import HDP
from bnpexplorer.models.hdp_meanfield import (
    LOCAL_STARTS,
    all_topics,
    fit_hdp_documents,
    likely_topics,
    start_phi,
)

METHOD_CLASSES = (HdpBatch, HdpSvi)
SMALL = HDP(gamma=0.9, alpha=0.7, eta=0.3)


def lam_of(state):
    """lam, dense (K, V)."""
    lam = state.lam
    return lam.at(np.arange(lam.n_words, dtype=np.int32)).T.copy()


def dense_phi(corpus, phi):
    """(D, V, T): 0 where a document lacks the word."""
    out = np.zeros((corpus.n_docs, corpus.n_words, phi.shape[1]))
    for d in range(corpus.n_docs):
        for j in range(corpus.indptr[d], corpus.indptr[d + 1]):
            out[d, corpus.word_ids[j]] = phi[j]
    return out


def documents_of(corpus, fit):
    """(phi, zeta, a, b) of every document, as the slow twin keeps them."""
    phi = dense_phi(corpus, fit.phi)
    return [
        (phi[d], fit.zeta[d], fit.sticks[d, :-1, 0], fit.sticks[d, :-1, 1])
        for d in range(corpus.n_docs)
    ]


class Setting:
    """A small corpus with topics and corpus sticks, ready for local steps."""

    def __init__(self, seed=0, n_topics=4, n_sticks=3, n_docs=6, n_words=7):
        rng = np.random.default_rng(seed)
        self.counts = naive.random_counts(rng, n_docs, n_words)
        self.corpus = naive.corpus_of(self.counts)
        self.lam = rng.gamma(1.0, size=(n_topics, n_words)) + 0.05
        self.u, self.v = naive.corpus_sticks(rng.gamma(2.0, size=n_topics), 0.9)
        self.elog, self.elog_pi = naive.elog_topics(self.lam), naive.elog_sticks(self.u, self.v)
        self.words, self.local = distinct_words(self.corpus.word_ids, n_words)
        self.by_word = np.ascontiguousarray(self.elog.T[self.words])
        self.phi = rng.dirichlet(np.ones(n_sticks), size=len(self.local))

    def fit(self, iterations, cut=700.0, empty=0.0, tolerance=0.0, pool=None, likely=None):
        if likely is None:
            likely = all_topics(self.corpus.n_docs, len(self.elog_pi))
        return fit_hdp_documents(
            self.corpus, self.local, self.by_word, self.elog_pi, 0.7, likely, self.phi.copy(), pool,
            iterations, tolerance, cut, empty,
        )  # fmt: skip

    def start(self, how, n_sticks, cut, n_likely=None):
        n_likely = n_likely or len(self.elog_pi)
        topics, tokens = likely_topics(
            self.corpus, self.local, self.by_word, self.elog_pi, n_likely, None, cut
        )
        return start_phi(
            how, self.corpus, self.local, self.by_word, topics, tokens, n_sticks, None, cut
        )


def test_both_are_registered():
    assert METHODS["hdp-batch"] is HdpBatch
    assert METHODS["hdp-svi"] is HdpSvi


# -------------------------------------------------------------------------------------- local step


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_topics", "n_sticks"), [(4, 3), (1, 1), (1, 3), (5, 1), (2, 6)])
def test_local_step_equals_the_slow_twin(seed, n_topics, n_sticks):
    case = Setting(seed, n_topics, n_sticks)
    start = dense_phi(case.corpus, case.phi)
    for iterations in (1, 2, 6):
        fit = case.fit(iterations)
        assert fit.iterations == iterations * case.corpus.n_docs
        for d, (phi, zeta, a, b) in enumerate(documents_of(case.corpus, fit)):
            row = case.counts[d]
            slow = naive.hdp_document(row, case.elog, case.elog_pi, start[d], 0.7, iterations)
            used = row > 0
            np.testing.assert_allclose(phi[used], slow[0][used], rtol=1e-9, atol=1e-13)
            for ours, theirs in zip((zeta, a, b), slow[1:], strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize(("cut", "empty"), [(700.0, 0.0), (30.0, 0.0), (10.0, 0.01), (2.0, 0.7)])
@pytest.mark.parametrize("iterations", [1, 5])
def test_document_bound_is_exact_however_q_is_narrowed(cut, empty, iterations):
    """Zeros are a choice of q: the bound must be that of the q with the zeros."""
    case = Setting(3, 5, 4)
    fit = case.fit(iterations, cut, empty)
    if cut < 10.0:
        assert (fit.zeta == 0.0).any()
        assert (fit.phi == 0.0).any()
    for d, document in enumerate(documents_of(case.corpus, fit)):
        slow = naive.hdp_document_bound(case.counts[d], case.elog, case.elog_pi, *document, 0.7)
        assert fit.bound[d] == pytest.approx(slow, rel=1e-11)


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_bound_and_statistics_are_exact_with_few_topics_and_closed_sticks(iterations):
    """Sticks hold likely topics alone; a closed stick keeps the corpus weights and no token."""
    case = Setting(3, 6, 4, n_docs=12)
    likely, _ = likely_topics(case.corpus, case.local, case.by_word, case.elog_pi, 2, None, 700.0)
    fit = case.fit(iterations, 700.0, 1.5, likely=likely)
    documents = documents_of(case.corpus, fit)
    n_closed = 0
    for d, (phi, zeta, a, b) in enumerate(documents):
        slow = naive.hdp_document_bound(
            case.counts[d], case.elog, case.elog_pi, phi, zeta, a, b, 0.7
        )
        assert fit.bound[d] == pytest.approx(slow, rel=1e-11)
        unlikely = np.setdiff1d(np.arange(6), likely[d])
        for stick, topics in zip(phi.T, zeta, strict=True):
            if stick.any():
                assert np.all(topics[unlikely] == 0.0)
            else:
                n_closed += 1
                np.testing.assert_allclose(topics, naive.softmax(case.elog_pi), rtol=1e-12)
    assert 12 <= n_closed < 12 * 4
    stats, tables = hdp_local.gather_stats(
        case.corpus.indptr, case.local, case.corpus.counts, fit.phi, fit.zeta, likely,
        len(case.words),
    )  # fmt: skip
    by_word, slow_tables = naive.hdp_statistics(case.counts, documents, 6)
    np.testing.assert_allclose(stats, by_word.T[case.words], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(tables, slow_tables, rtol=1e-11)


def test_likely_topics_are_those_that_expect_the_most_tokens():
    case = Setting(6, 9, 6)
    topics, tokens = likely_topics(
        case.corpus, case.local, case.by_word, case.elog_pi, 4, None, 700.0
    )
    for d, row in enumerate(case.counts):
        share = np.array([naive.softmax(case.elog_pi + case.elog[:, w]) for w in range(7)])
        expected = (row[:, None] * share).sum(axis=0)
        np.testing.assert_array_equal(topics[d], np.argsort(-expected)[:4])
        np.testing.assert_allclose(tokens[d], np.sort(expected)[::-1][:4], rtol=1e-11)


def test_the_fullest_stick_is_never_closed():
    """One token on forty sticks: all have less than the threshold."""
    case = Setting(0, 5, 40)
    fit = case.fit(3, 10.0, 5.0)
    assert np.all(np.isfinite(fit.bound))
    np.testing.assert_allclose(fit.phi.sum(axis=1), 1.0, rtol=1e-12)
    assert (fit.phi == 0.0).mean() > 0.9


def test_narrow_q_costs_next_to_nothing():
    case = Setting(4, 6, 4, n_docs=20)
    full, narrow = case.fit(20), case.fit(20, hdp_svi.CUT, hdp_svi.EMPTY)
    np.testing.assert_allclose(narrow.bound, full.bound, rtol=2e-3)
    np.testing.assert_allclose(case.fit(20, hdp_batch.CUT).bound, full.bound, rtol=1e-10)


@pytest.mark.parametrize("cut", [10.0, 30.0, 32.0, 700.0])
def test_fast_exponential(cut):
    logs = np.concatenate((-np.linspace(0.0, 40.0, 4001), [-np.inf, -1e300, -1e-300])) + 5.0
    out = np.empty_like(logs)
    vectors.exp_not_positive(logs, 5.0, cut, out)
    expected = np.where(logs - 5.0 >= -cut, np.exp(logs - 5.0), 0.0)
    np.testing.assert_allclose(out, expected, rtol=1e-13)


def test_statistics_equal_the_slow_twin():
    case = Setting(5)
    fit = case.fit(4)
    stats, tables = hdp_local.gather_stats(
        case.corpus.indptr, case.local, case.corpus.counts, fit.phi, fit.zeta, all_topics(6, 4),
        len(case.words),
    )  # fmt: skip
    by_word, slow_tables = naive.hdp_statistics(case.counts, documents_of(case.corpus, fit), 4)
    np.testing.assert_allclose(stats, by_word.T[case.words], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(tables, slow_tables, rtol=1e-11)
    assert stats.sum() == pytest.approx(case.corpus.n_tokens)


def test_greedy_start_gives_sticks_to_the_most_expected_topics():
    case = Setting(6, 9, 6)
    phi = case.start("greedy", 6, 700.0)
    dense = dense_phi(case.corpus, phi)
    unused = 0
    for d, row in enumerate(case.counts):
        share = np.array([naive.softmax(case.elog_pi + case.elog[:, w]) for w in range(7)])
        expected = (row[:, None] * share).sum(axis=0)
        chosen = [k for k in np.argsort(-expected)[:6] if expected[k] >= 1.0]
        unused += 6 - len(chosen)
        for w in np.flatnonzero(row):
            by_hand = naive.softmax(case.elog[chosen, w])
            np.testing.assert_allclose(dense[d, w, : len(chosen)], by_hand, rtol=1e-10)
            assert np.all(dense[d, w, len(chosen) :] == 0.0)
    assert unused > 0


def test_paper_start_is_uniform_since_every_stick_gets_the_same_topics():
    """Figure 9, lines 5 and 6, taken literally."""
    case = Setting(7)
    phi = case.start("paper", 3, 30.0)
    whole = case.counts[0] @ case.elog.T
    zeta = np.tile(naive.softmax(whole), (3, 1))
    for j in range(case.corpus.indptr[1]):
        literal = naive.softmax(zeta @ case.elog[:, case.corpus.word_ids[j]])
        np.testing.assert_allclose(phi[j], literal, rtol=1e-12)


def test_greedy_start_reaches_better_optima_than_the_papers():
    """Documents of two clearly different topics: the symmetric start splits them late or never."""
    rng = np.random.default_rng(0)
    case = Setting(0)
    lam = np.full((6, 30), 0.05)
    for k in range(6):
        lam[k, 5 * k : 5 * k + 5] += 40.0
    expected = lam / lam.sum(axis=1, keepdims=True)
    counts = np.array(
        [
            rng.multinomial(40, expected[rng.choice(6, 2, replace=False)].mean(axis=0))
            for _ in range(30)
        ]
    )
    corpus = naive.corpus_of(counts)
    words, local = distinct_words(corpus.word_ids, 30)
    elog = np.ascontiguousarray(naive.elog_topics(lam).T[words])
    elog_pi = naive.elog_sticks(*naive.corpus_sticks(np.full(6, 50.0), 1.0))
    bounds = {}
    for how in LOCAL_STARTS:
        topics, tokens = likely_topics(corpus, local, elog, elog_pi, 6, None, 30.0)
        phi = start_phi(how, corpus, local, elog, topics, tokens, 5, None, 30.0)
        fit = fit_hdp_documents(
            corpus, local, elog, elog_pi, 1.0, topics, phi, None, 100, 1e-6, 30.0, 0.0
        )
        bounds[how] = fit.bound.sum()
    assert bounds["greedy"] > bounds["paper"] + 30
    assert case.corpus.n_docs


# ------------------------------------------------------------------------------------------- bound


def remember_fits(monkeypatch, module):
    """The local fits that `module` makes, in order."""
    fits = []

    def record(*args):
        fit = fit_hdp_documents(*args)
        fits.append((args[0], copy.deepcopy(fit)))
        return fit

    monkeypatch.setattr(module, "fit_hdp_documents", record)
    return fits


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_topics", "n_sticks"), [(4, 3), (1, 2), (3, 1)])
def test_bound_is_the_evidence_lower_bound_term_by_term(seed, n_topics, n_sticks, monkeypatch):
    rng = np.random.default_rng(seed)
    corpus = naive.corpus_of(naive.random_counts(rng))
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
        model, truncation=5 + 2 * seed, doc_truncation=2 + seed, start=start,
        local_start=local_start, max_iterations=1 + 4 * seed,
        sticks_start=("topics", "prior")[seed % 2],
    )  # fmt: skip
    state = method.init(corpus, rng)
    bounds = []
    for _ in range(35):
        state, info = naive.run_pass(method, state, corpus, rng, n_blocks=3)
        bounds.append(info.bound)
    assert np.all(np.diff(bounds) >= -1e-10 * np.abs(bounds[1:]))
    assert bounds[-1] > bounds[0]


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


def test_fixed_point_is_stationary_in_every_parameter(monkeypatch):
    rng = np.random.default_rng(2)
    counts = naive.random_counts(rng, 3, 4)
    corpus = naive.corpus_of(counts)
    method = HdpBatch(
        SMALL, truncation=3, doc_truncation=3, start="random", max_iterations=200, tolerance=1e-14
    )
    monkeypatch.setattr(hdp_batch, "CUT", 700.0)
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


# --------------------------------------------------------------------------------- the global step


def test_a_stochastic_step_on_all_documents_with_rho_one_is_the_batch_step(monkeypatch):
    monkeypatch.setattr(hdp_svi, "CUT", hdp_batch.CUT)
    monkeypatch.setattr(hdp_svi, "EMPTY", hdp_batch.EMPTY)
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


def test_a_stochastic_step_follows_equations_22_to_27(monkeypatch):
    """lam, u and v move by rho, with the size of the last, short batch, and are then sorted."""
    monkeypatch.setattr(hdp_svi, "CUT", 700.0)
    monkeypatch.setattr(hdp_svi, "EMPTY", 0.0)
    rng = np.random.default_rng(0)
    counts = naive.random_counts(rng, 9, 6)
    corpus = naive.corpus_of(counts)
    method = HdpSvi(SMALL, truncation=4, doc_truncation=3, tau=2.0, kappa=0.7, local_start="paper",
                    max_iterations=5, tolerance=1e-12)  # fmt: skip
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


@pytest.mark.parametrize("how", hdp_meanfield.STICKS_STARTS)
def test_corpus_sticks_start_at_the_prior_or_in_proportion_to_the_topics(how):
    corpus = naive.corpus_of(naive.random_counts(np.random.default_rng(0), 40, 9))
    method = HdpSvi(HDP(gamma=2.0), truncation=6, sticks_start=how, start="random")
    state = method.init(corpus, np.random.default_rng(1))
    weight = method.topics(state).weight
    if how == "prior":
        left = (2.0 / 3.0) ** np.arange(5)
        np.testing.assert_allclose(weight, [*(left / 3.0), left[-1] * 2.0 / 3.0], rtol=1e-12)
    else:
        assert state.tables.sum() == pytest.approx(state.lam.size.sum() / 100.0)
        assert np.all(np.diff(state.tables) <= 0.0)
        share = state.lam.size / state.lam.size.sum()
        np.testing.assert_allclose(weight, share, atol=0.04)


# --------------------------------------------------------------------------------------- behaviour


def fitted(method, corpus, seed, pool=None, steps=30):
    rng = np.random.default_rng(seed)
    state = method.init(corpus, rng)
    for _ in range(steps):
        for batch in naive.blocks_of(corpus, 3):
            state, _ = method.step(state, batch, rng, pool)
    return method.topics(state)


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


@pytest.mark.parametrize("method_class", METHOD_CLASSES)
def test_threads_change_nothing(method_class, bars):
    corpus, _ = bars
    method = method_class(truncation=12, doc_truncation=5)
    alone = fitted(method, corpus, 3, steps=3)
    for workers in (1, 4):
        with ThreadPoolExecutor(workers) as pool:
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
