"""Memoized inference for the HDP by direct assignment: enumeration, a slow twin, differences."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logit

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import unigram_score
from bnpexplorer.kernels import hdp_direct as kernels
from bnpexplorer.kernels.tuples import Until
from bnpexplorer.methods import METHODS, make_method
from bnpexplorer.methods.memoized import fit as direct
from bnpexplorer.methods.memoized.fit import (
    fit_sticks,
    settle,
    start_fit,
    stick_sizes,
    sticks_bound,
    sticks_of,
    visit,
    weights_of,
)
from bnpexplorer.methods.memoized.hdp_memoized import HdpMemoized
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.plan import Plan
from bnpexplorer.runs.run import Run
from bnpexplorer.samples import load_sample
from tests.tools.direct import bound, cut, dense_lam, random_counts
from tests.tools.methods import blocks_of
from tests.tools.weights import AMOUNTS, amounts_of, corpus_of
from tests.twins import direct as naive

# --- the bound ------------------------------------------------------------------------------------


def test_the_enumerated_evidence_is_normalised():
    """All corpora of a given shape have probability 1 together."""
    total = sum(
        np.exp(naive.log_evidence([[a, b], [c]], 0.7, 1.3, 0.4, 3))
        for a, b, c in product(range(3), repeat=3)
    )
    assert total == pytest.approx(1.0, rel=1e-10)


TINY = ([[0, 0, 1], [1, 1]], [[0, 0, 0], [1], [1]], [[0, 1, 2, 2, 0]], [[0], [0], [1], [2, 2]])


@pytest.mark.second
@pytest.mark.parametrize("name", ["hdp-memoized", "hdp-splitmerge"])
@pytest.mark.parametrize("docs", TINY)
def test_the_bound_stays_below_the_enumerated_evidence(name, docs):
    counts = np.array([np.bincount(doc, minlength=3) for doc in docs])
    for gamma, alpha, eta in ((1.0, 1.0, 0.5), (5.0, 0.5, 0.1), (0.3, 4.0, 2.0)):
        evidence = naive.log_evidence(docs, gamma, alpha, eta, 3)
        for n_topics in (1, 2, 4):
            fewer = {"truncation": n_topics} if name == "hdp-memoized" else {"n_start": n_topics}
            values = {"gamma": gamma, "alpha": alpha, "eta": eta, "start": "random", **fewer}
            values |= {f"learn_{which}": False for which in METHODS[name].learnable()}
            run = Run(
                make_method(name, "default", values),
                Corpus.from_csr(counts),
                batch_size=2,
                passes=12,
            )
            while not run.done:
                run.step()
            bounds = np.array([p.bound for p in run.snapshot().trace if np.isfinite(p.bound)])
            assert np.all(bounds <= evidence)
            if n_topics == 1:
                # The worst is loose by what the surrogate and factorised q(z) lose, not by more.
                assert bounds[-1] > evidence - 12.0


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("what", AMOUNTS)
def test_visits_agree_with_a_slow_twin(seed, n_blocks, what):
    """Statistics, proportions, entropy and bound after every visit; one block is batch ascent."""
    rng = np.random.default_rng(seed)
    gamma, alpha, eta = rng.uniform(0.3, 4.0), rng.uniform(0.3, 4.0), rng.uniform(0.05, 0.8)
    counts = amounts_of(random_counts(seed, 11, 7), what)
    model, corpus = HDP(gamma, alpha, eta), corpus_of(counts)
    fit = start_fit(model, "random", corpus, 4, rng)
    blocks = cut(11, n_blocks, seed)
    twin = naive.Memoized(counts, blocks, dense_lam(fit) - eta, gamma, alpha, eta, 4)
    start = fit.rho
    for lap in range(3):
        for batch in blocks_of(corpus, blocks):
            twin.visit(batch.index, weights_of(fit.rho))
            visit(fit, model, batch, None, Until(3, 1e-14))
            assert dense_lam(fit) == pytest.approx(twin.lam, rel=1e-9)
            block, rows = fit.blocks[batch.index], blocks[batch.index]
            assert block.theta == pytest.approx(twin.theta[rows], rel=1e-9)
            r, c = twin.r[rows], counts[rows][:, :, None]
            assert block.entropy == pytest.approx(-(c * r * np.log(r)).sum(), abs=1e-9)
            tokens = block.theta - block.prior
            assert tokens[:, :-1] == pytest.approx((c * r).sum(axis=1), abs=1e-9)
            if fit.complete:
                assert bound(fit, model) == pytest.approx(twin.bound(fit.rho), rel=1e-10)
            else:
                assert fit.rho is start
        assert fit.complete
        assert lap == 0 or len(fit.blocks) == n_blocks


def test_the_bound_knows_documents_whose_topics_have_old_priors():
    """Between visits theta belongs to weights that are no longer in force."""
    counts = random_counts(5, 9, 6)
    model, corpus = HDP(2.0, 3.0, 0.3), Corpus.from_csr(counts)
    fit = start_fit(model, "random", corpus, 3, np.random.default_rng(0))
    blocks = cut(9, 3, 0)
    twin = naive.Memoized(counts, blocks, dense_lam(fit) - 0.3, 2.0, 3.0, 0.3, 4)
    for batch in blocks_of(corpus, blocks):
        twin.visit(batch.index, weights_of(fit.rho))
        visit(fit, model, batch, None, Until(3, 1e-14))
    fit.rho = np.array([0.2, 0.7, 0.4])
    assert bound(fit, model) == pytest.approx(twin.bound(fit.rho), rel=1e-10)


# --- sticks ---------------------------------------------------------------------------------------


def random_shares(rng, n_docs: int, n_topics: int) -> tuple[np.ndarray, np.ndarray]:
    theta = rng.gamma(0.3, 5.0, (n_docs, n_topics + 1)) + 0.02
    return theta, naive.expected_log(theta).sum(axis=0)


def test_weights_and_sticks_are_inverse():
    weights = np.array([0.5, 0.2, 0.05, 0.25])
    assert weights_of(sticks_of(weights)) == pytest.approx(weights, rel=1e-12)
    assert weights_of(np.array([0.3])) == pytest.approx([0.3, 0.7])


@pytest.mark.parametrize("seed", range(4))
def test_no_sticks_nearby_are_better_than_the_fitted_ones(seed):
    """Started far away, where sticks are almost 0 and 1."""
    rng = np.random.default_rng(seed)
    n_topics, n_docs = int(rng.integers(1, 30)), int(rng.integers(1, 3000))
    _, shares = random_shares(rng, n_docs, n_topics)
    fitted = fit_sticks(expit(rng.uniform(-15, 15, n_topics)), 1.7, 2.3, n_docs, shares)
    best = sticks_bound(fitted, 1.7, 2.3, n_docs, shares)
    for step in (1e-3, -1e-3):
        moved = [expit(logit(fitted) + step * row) for row in np.eye(n_topics)]
        worse = [best - sticks_bound(rho, 1.7, 2.3, n_docs, shares) for rho in moved]
        assert min(worse) > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_the_fitted_sticks_are_those_of_another_optimiser(seed):
    rng = np.random.default_rng(seed)
    theta, shares = random_shares(rng, 30, 4)
    start = rng.uniform(0.1, 0.9, 4)
    fitted = fit_sticks(start, 1.7, 2.3, 30, shares, 200)
    a, b = naive.fit_sticks(theta, start * stick_sizes(4, 1.7, 30), 1.7, 2.3)
    assert fitted == pytest.approx(a / (a + b), rel=1e-4)
    assert stick_sizes(4, 1.7, 30) == pytest.approx(a + b)
    before = sticks_bound(start, 1.7, 2.3, 30, shares)
    for sweeps in (1, 2, 5):
        rho = fit_sticks(start, 1.7, 2.3, 30, shares, sweeps)
        after = sticks_bound(rho, 1.7, 2.3, 30, shares)
        assert after >= before
        before = after


def test_extreme_sticks_stay_finite():
    shares = np.array([-1e-9, -1e7, -1e7])
    rho = fit_sticks(expit(np.array([-15.0, 15.0])), 1e-3, 1e3, 50, shares)
    assert np.all(np.isfinite(logit(rho)))


# --- coordinate ascent ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_no_visit_and_no_settling_lets_the_bound_fall(seed):
    rng = np.random.default_rng(seed)
    model = HDP(*rng.choice([0.1, 1.0, 10.0], 2), rng.choice([0.01, 0.1, 2.0]))
    corpus = Corpus.from_csr(random_counts(seed, 40, 12))
    fit = start_fit(model, ("random", "k-means")[seed % 2], corpus, 6, rng)
    blocks = blocks_of(corpus, cut(40, 4, seed))
    before = -np.inf
    for _ in range(6):
        for batch in blocks:
            visit(fit, model, batch, None, Until(int(rng.integers(1, 8)), 1e-3))
            if not fit.complete:
                continue
            after = bound(fit, model)
            assert after >= before - 1e-9 * abs(after)
            recount = np.zeros((12, 6))
            for block in fit.blocks:
                np.add.at(recount, block.words, block.stats)
            assert dense_lam(fit) == pytest.approx(model.eta + recount.T, rel=1e-9)
            assert fit.lam.size.sum() == pytest.approx(corpus.n_tokens)
            shares = np.sum([block.log_share for block in fit.blocks], axis=0)
            assert fit.log_share == pytest.approx(shares, rel=1e-12)
            before = after
        settle(fit, model)
        after = bound(fit, model)
        assert after >= before - 1e-9 * abs(after)
        before = after
        for block in fit.blocks:
            assert block.theta.sum(axis=1) == pytest.approx(model.alpha + block.lengths)
            assert np.all(block.theta >= block.prior)
            assert block.prior == pytest.approx(model.alpha * block.prior / block.prior.sum())


def test_settling_raises_the_bound_and_keeps_the_tokens():
    corpus = Corpus.from_csr(random_counts(3, 40, 12))
    model = HDP(1.0, 2.0, 0.2)
    fit = start_fit(model, "random", corpus, 6, np.random.default_rng(0))
    for _ in range(2):
        for batch in blocks_of(corpus, cut(40, 4, 0)):
            visit(fit, model, batch, None, Until(4, 1e-3))
    before = [b.theta - b.prior for b in fit.blocks]
    start = bound(fit, model)
    settle(fit, model)
    assert bound(fit, model) > start + 1e-3
    for block, tokens in zip(fit.blocks, before, strict=True):
        assert block.theta - block.prior == pytest.approx(tokens, abs=1e-12)


def test_the_start_leaves_as_the_blocks_come_in():
    corpus = Corpus.from_csr(random_counts(4, 20, 8))
    model = HDP(1.0, 1.0, 0.2)
    fit = start_fit(model, "random", corpus, 3, np.random.default_rng(0))
    assert fit.lam.size.sum() == pytest.approx(corpus.n_tokens, rel=0.5)
    assert not np.any(np.diff(fit.lam.size) > 0)
    excess = fit.start.sum()
    seen = 0
    for batch in blocks_of(corpus, cut(20, 4, 0)):
        visit(fit, model, batch, None, Until(4, 1e-3))
        seen += batch.docs.n_tokens
        expected = seen + excess * (1 - seen / corpus.n_tokens)
        assert fit.lam.size.sum() == pytest.approx(expected)


def test_topic_evidence_against_its_definition():
    from scipy.special import gammaln

    stats = np.random.default_rng(0).gamma(1.0, 2.0, (6, 3))
    stats[2] = 0.0
    lam = 0.3 + stats
    expected = gammaln(6 * 0.3) - 6 * gammaln(0.3) - gammaln(lam.sum(axis=0))
    expected += gammaln(lam).sum(axis=0)
    assert kernels.topic_evidence(stats, 0.3) == pytest.approx(expected, rel=1e-12)


# --- what it learns -------------------------------------------------------------------------------


@pytest.mark.second
def test_memoized_recovers_the_bars(bars):
    corpus, truth = bars
    method = HdpMemoized(HDP(1.0, 1.0, 0.1), truncation=20)
    run = Run(method, corpus, seed=1, batch_size=50, passes=40)
    while not run.done:
        run.step()
    topics = run.snapshot().topics
    errors = 0.5 * np.abs(topics.topic_word[:, None, :] - truth).sum(axis=2)
    assert np.all(errors.min(axis=0) < 0.25)  # two different bars are 0.8 apart or more


def test_the_estimate_of_memory_is_close():
    corpus = Corpus.from_csr(random_counts(0, 700, 300, 0.1))
    method = HdpMemoized(truncation=9, start="random")
    run = Run(method, corpus, batch_size=256, passes=1)
    while not run.done:
        run.step()
    kept = sum(b.stats.nbytes + b.theta.nbytes for b in run.state.fit.blocks)
    assert method.memory(corpus) == pytest.approx(kept, rel=0.2)
    assert direct.kept_bytes(corpus, 18, 256) > 1.8 * method.memory(corpus)


def test_the_default_learns_alpha_and_gamma_unless_told_their_values():
    """Else texts of two dozen words end below word frequencies, scored from one start, while the
    bound rises."""
    corpus = load_sample("small-csv").corpus

    def gain(**values):
        plan = Plan.of("hdp-memoized", values=values, protocol="completion")
        run = plan.split_and_start(corpus)
        while not run.done:
            run.step()
        return run.history[-1].heldout - unigram_score(run.corpus, run.heldout)

    assert gain() > 1.0
    assert gain(learn_alpha=False, learn_gamma=False) < 0.0
