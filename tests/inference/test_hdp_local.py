"""The local step of hdp-batch and hdp-svi against a slow twin that keeps every q dense."""

import numpy as np
import pytest

from bnpexplorer.inference.hdp_local import (
    LOCAL_STARTS,
    HdpGiven,
    all_topics,
    likely_topics,
    start_phi,
    unfitted,
)
from bnpexplorer.inference.slices import by_distinct_word, map_slices
from bnpexplorer.kernels import hdp_local, special
from bnpexplorer.kernels.tuples import Expected, Narrow, Until
from bnpexplorer.methods import hdp_batch, hdp_svi
from tests.tools.meanfield import dense_phi, documents_of, with_all_topics
from tests.twins import meanfield as naive


def fitted(docs, expected, likely, phi, until, narrow, pool=None):
    """The fit of all documents from the start `phi`, which is overwritten."""
    n_docs, n_topics = len(docs.indptr) - 1, len(expected.log_weight)
    fit = unfitted(docs, phi, likely.shape[1], n_topics)
    map_slices(pool, n_docs, hdp_local.fit_documents, docs, expected, likely, fit, until, narrow)
    return fit


def stats_of(case, fit, likely):
    """Gathered in three ranges of words."""
    stats, words = np.zeros((len(case.words), len(fit.closed))), case.words
    every = np.arange(len(words), dtype=np.int32)
    for start, stop in ((0, 2), (2, 3), (3, len(words))):
        part = (start, stop, every, case.docs, fit.phi, fit.zeta, likely, stats)
        hdp_local.add_stats(*part)
    return stats, hdp_local.count_tables(fit, likely)


class Setting:
    """A small corpus with topics and corpus sticks, ready for local steps."""

    def __init__(self, seed=0, n_topics=4, n_sticks=3, n_docs=6, n_words=7):
        rng = np.random.default_rng(seed)
        self.counts = naive.random_counts(rng, n_docs, n_words)
        self.corpus = naive.corpus_of(self.counts)
        self.lam = rng.gamma(1.0, size=(n_topics, n_words)) + 0.05
        self.u, self.v = naive.corpus_sticks(rng.gamma(2.0, size=n_topics), 0.9)
        self.elog, self.elog_pi = naive.elog_topics(self.lam), naive.elog_sticks(self.u, self.v)
        self.words, self.docs = by_distinct_word(self.corpus)
        self.by_word = np.ascontiguousarray(self.elog.T[self.words])
        self.phi = rng.dirichlet(np.ones(n_sticks), size=len(self.docs.local))

    def fit(self, iterations, cut=700.0, empty=0.0, tolerance=0.0, pool=None, likely=None):
        if likely is None:
            likely = all_topics(self.corpus.n_docs, len(self.elog_pi))
        until, narrow = Until(iterations, tolerance), Narrow(cut, empty)
        return fitted(self.docs, self.expected(), likely, self.phi.copy(), until, narrow, pool)

    def start(self, how, n_sticks, cut, n_likely=None):
        n_likely = n_likely or len(self.elog_pi)
        expected = self.expected()
        topics, tokens = likely_topics(self.docs, expected, n_likely, cut, None)
        given = HdpGiven(expected, n_sticks, how, Until(1, 0.0), Narrow(cut, 0.0))
        return start_phi(self.docs, topics, tokens, given)

    def expected(self):
        return Expected(self.by_word, self.elog_pi, 0.7)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_topics", "n_sticks"), [(4, 3), (1, 1), (1, 3), (5, 1), (2, 6)])
def test_local_step_equals_the_slow_twin(seed, n_topics, n_sticks):
    case = Setting(seed, n_topics, n_sticks)
    start = dense_phi(case.corpus, case.phi)
    for iterations in (1, 2, 6):
        fit = case.fit(iterations)
        assert fit.iterations.tolist() == [iterations] * case.corpus.n_docs
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
    dense = with_all_topics(fit, all_topics(case.corpus.n_docs, 5))
    for d, document in enumerate(documents_of(case.corpus, dense)):
        slow = naive.hdp_document_bound(case.counts[d], case.elog, case.elog_pi, *document, 0.7)
        assert fit.bound[d] == pytest.approx(slow, rel=1e-11)


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_bound_and_statistics_are_exact_with_few_topics_and_closed_sticks(iterations):
    """Sticks hold likely topics alone; a closed stick keeps the corpus weights and no token."""
    case = Setting(3, 6, 4, n_docs=12)
    likely, _ = likely_topics(case.docs, case.expected(), 2, 700.0, None)
    fit = case.fit(iterations, 700.0, 1.5, likely=likely)
    documents = documents_of(case.corpus, with_all_topics(fit, likely))
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
    stats, tables = stats_of(case, fit, likely)
    by_word, slow_tables = naive.hdp_statistics(case.counts, documents, 6)
    np.testing.assert_allclose(stats, by_word.T[case.words], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(tables, slow_tables, rtol=1e-11)


def test_likely_topics_are_those_that_expect_the_most_tokens():
    case = Setting(6, 9, 6)
    topics, tokens = likely_topics(case.docs, case.expected(), 4, 700.0, None)
    for d, row in enumerate(case.counts):
        share = np.array([naive.softmax(case.elog_pi + case.elog[:, w]) for w in range(7)])
        expected = (row[:, None] * share).sum(axis=0)
        np.testing.assert_array_equal(topics[d], np.argsort(-expected)[:4])
        np.testing.assert_allclose(tokens[d], np.sort(expected)[::-1][:4], rtol=1e-11)


@pytest.mark.parametrize("n_likely", [2, 4, 5])
def test_of_topics_that_expect_as_many_tokens_the_first_comes_first(n_likely):
    case = Setting(6, 5, 6)
    case.by_word[:], case.elog_pi[:] = case.by_word[:, :1], 0.0
    topics, tokens = likely_topics(case.docs, case.expected(), n_likely, 700.0, None)
    np.testing.assert_array_equal(topics, np.tile(np.arange(n_likely), (len(case.counts), 1)))
    np.testing.assert_array_equal(tokens, np.tile(tokens[:, :1], n_likely))


def test_a_topic_of_just_one_expected_token_gets_a_stick():
    """Each word is surely of a topic of its own, so that the document expects one token of each."""
    case = Setting(2, 3, 3, n_docs=1, n_words=3)
    case.corpus = naive.corpus_of(np.ones((1, 3), int))
    case.words, case.docs = by_distinct_word(case.corpus)
    case.by_word, case.elog_pi[:] = np.where(np.eye(3) > 0, 0.0, -900.0), 0.0
    _, tokens = likely_topics(case.docs, case.expected(), 3, 700.0, None)
    assert (tokens == 1.0).all()
    phi = case.start("greedy", 3, 700.0)
    np.testing.assert_array_equal(np.sort(phi, axis=1), np.tile([0.0, 0.0, 1.0], (3, 1)))
    assert len(set(phi.argmax(axis=1).tolist())) == 3


def test_the_fullest_stick_is_never_closed():
    """One token on forty sticks: all have less than the threshold."""
    case = Setting(0, 5, 40)
    fit = case.fit(3, 10.0, 5.0)
    assert np.all(np.isfinite(fit.bound))
    np.testing.assert_allclose(fit.phi.sum(axis=1), 1.0, rtol=1e-12)
    assert (fit.phi == 0.0).mean() > 0.9


def test_narrow_q_costs_next_to_nothing():
    case = Setting(4, 6, 4, n_docs=20)
    full, narrow = case.fit(20), case.fit(20, *hdp_svi.NARROW)
    np.testing.assert_allclose(narrow.bound, full.bound, rtol=2e-3)
    np.testing.assert_allclose(case.fit(20, hdp_batch.NARROW.cut).bound, full.bound, rtol=1e-10)


@pytest.mark.parametrize("cut", [10.0, 30.0, 32.0, 700.0])
def test_fast_exponential(cut):
    logs = np.concatenate((-np.linspace(0.0, 40.0, 4001), [-np.inf, -1e300, -1e-300])) + 5.0
    out = np.array([special.exp_above(log - 5.0, cut) for log in logs])
    expected = np.where(logs - 5.0 >= -cut, np.exp(logs - 5.0), 0.0)
    np.testing.assert_allclose(out, expected, rtol=1e-15)


def test_statistics_equal_the_slow_twin():
    case = Setting(5)
    fit = case.fit(4)
    stats, tables = stats_of(case, fit, all_topics(6, 4))
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
    words, docs = by_distinct_word(corpus)
    elog = np.ascontiguousarray(naive.elog_topics(lam).T[words])
    elog_pi = naive.elog_sticks(*naive.corpus_sticks(np.full(6, 50.0), 1.0))
    bounds = {}
    for how in LOCAL_STARTS:
        given = HdpGiven(Expected(elog, elog_pi, 1.0), 5, how, Until(100, 1e-6), Narrow(30.0, 0.0))
        topics, tokens = likely_topics(docs, given.expected, 6, 30.0, None)
        phi = start_phi(docs, topics, tokens, given)
        fit = fitted(docs, given.expected, topics, phi, given.until, given.narrow)
        bounds[how] = fit.bound.sum()
    assert bounds["greedy"] > bounds["paper"] + 30
