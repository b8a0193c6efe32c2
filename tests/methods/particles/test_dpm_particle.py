"""The particle filter: exact where it can be, unbiased where it cannot, clusters truly shared."""

import math
from collections import Counter

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.mixture import log_predictive
from bnpexplorer.methods.particles.dpm_particle import DpmParticle, select, survivors, threshold
from bnpexplorer.models.base import corpus_from_counts
from bnpexplorer.models.dpm import DPMixture
from tests.tools.gibbs import moments_gap, pairs
from tests.tools.methods import in_turn, one_pass
from tests.twins import particles as naive
from tests.twins.mixture import canonical, check_law, law_in_turn

GAMMA, ETA = 0.8, 0.4


def marked(counts: np.ndarray) -> np.ndarray:
    """Document i alone has word i, so that clusters tell who is in them."""
    return np.hstack((np.eye(len(counts), dtype=int), counts))


X = marked(np.array([[2, 0, 1], [0, 3, 1], [1, 0, 2], [0, 2, 0], [0, 1, 2], [3, 0, 0]]))


def filtered(x, n_particles, rng, gamma=GAMMA, eta=ETA, size=2):
    """The method, its last state and the infos of all steps."""
    corpus = Corpus.from_csr(x)
    method = DpmParticle(DPMixture(gamma, eta), particles=n_particles)
    state, infos = one_pass(method, method.init(corpus, rng), in_turn(corpus, size), rng)
    return method, state, infos


def held(state, cluster: int) -> np.ndarray:
    """The dense counts of a cluster."""
    stock, out = state.clusters, np.zeros(state.n_words, int)
    inside = slice(stock.start[cluster], stock.start[cluster + 1])
    assert np.all(np.diff(stock.words[inside]) > 0)
    out[stock.words[inside]] = stock.counts[inside]
    return out


def particles_of(state) -> dict:
    """partition -> log weight, for a corpus with marks."""
    found = {}
    for p, log_weight in enumerate(state.log_weight):
        clusters = state.member[state.first[p] : state.first[p + 1]]
        marks = (held(state, j)[: state.n_seen] for j in clusters)
        found[tuple(tuple(np.flatnonzero(m).tolist()) for m in marks)] = float(log_weight)
    return found


@pytest.mark.parametrize(("n", "n_particles"), [(5, 52), (6, 300), (4, 15)])
def test_exact_while_every_partition_has_a_particle(n, n_particles):
    x = X[:n]
    law = {p: naive.log_crp(p, GAMMA) + naive.log_words(x, p, ETA) for p in naive.partitions(n)}
    evidence = float(np.logaddexp.reduce(list(law.values())))
    _, state, infos = filtered(x, n_particles, np.random.default_rng(0))
    found = particles_of(state)
    assert set(found) == set(law)
    assert found == pytest.approx({p: w - evidence for p, w in law.items()}, abs=1e-10)
    assert state.log_evidence == pytest.approx(evidence, abs=1e-10)
    scalars = infos[-1].scalars
    assert scalars["log evidence"] == state.log_evidence
    squares = sum(math.exp(2 * (w - evidence)) for w in law.values())
    assert scalars["effective particles"] == pytest.approx(1 / squares)
    assert scalars["distinct clusters"] == len({c for p in law for c in p})


@pytest.mark.parametrize("n_particles", [1, 2, 7, 30])
@pytest.mark.parametrize("size", [1, 4])
def test_weights_are_those_of_a_slow_twin_that_shares_nothing(n_particles, size):
    rng = np.random.default_rng(5)
    x = marked(rng.poisson(0.8, (11, 5)))
    uniforms = np.random.default_rng(8).random(11)
    expected, evidence = naive.filtered(x, n_particles, GAMMA, ETA, uniforms)
    _, state, _ = filtered(x, n_particles, np.random.default_rng(8), size=size)
    found = particles_of(state)
    assert list(found) == list(expected)
    assert np.exp(list(found.values())) == pytest.approx(list(expected.values()), rel=1e-9)
    assert state.log_evidence == pytest.approx(evidence, abs=1e-9)


@pytest.mark.second
def test_one_particle_draws_each_document_given_those_before():
    law = law_in_turn(X[:4], [], [], [], GAMMA, ETA)
    rng, drawn = np.random.default_rng(3), Counter()
    for _ in range(3000):
        _, state, _ = filtered(X[:4], 1, rng, size=4)
        (partition,) = particles_of(state)
        z = [next(k for k, c in enumerate(partition) if i in c) for i in range(4)]
        drawn[canonical(z, 0)] += 1
    check_law(drawn, law, 3000)
    assert moments_gap(drawn, law, pairs) < 4.0


@pytest.mark.second
def test_evidence_is_unbiased_whatever_the_number_of_particles():
    """2500 runs of 3 particles; six standard errors."""
    x = X[:5]
    exact = np.logaddexp.reduce(
        [naive.log_crp(p, GAMMA) + naive.log_words(x, p, ETA) for p in naive.partitions(5)]
    )
    rng = np.random.default_rng(2)
    ratios = [math.exp(filtered(x, 3, rng, size=5)[1].log_evidence - exact) for _ in range(2500)]
    assert np.std(ratios) > 0.01
    assert np.mean(ratios) == pytest.approx(1.0, abs=6 * np.std(ratios) / 50)


WEIGHTS = np.array([0.7, 0.1, 0.08, 0.07, 0.05])


@pytest.mark.parametrize(("n", "c"), [(2, 0.30), (3, 0.15), (4, 0.10)])
def test_threshold_is_the_published_one(n, c):
    n_stay, log_c = threshold(np.log(WEIGHTS), n)
    assert math.exp(log_c) == pytest.approx(c, abs=1e-12)
    assert n_stay in ((1, 2) if n == 4 else (1,))  # with 4 the second weighs exactly c
    assert naive.threshold(WEIGHTS, n) == pytest.approx(c, abs=1e-12)


CASES = {
    "published": WEIGHTS,
    "shuffled": WEIGHTS[[3, 1, 4, 0, 2]],
    "all alike": np.full(9, 1 / 9),
    "ties at the threshold": np.array([0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]),
    "steep": np.array([0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125]),
}


@pytest.mark.second
@pytest.mark.parametrize("case", CASES)
def test_resampling_is_unbiased(case):
    """The mean over a grid of 5,000 uniforms; what a grid misses is a cell per jump."""
    weights = CASES[case]
    for n in range(1, len(weights) + 2):
        mean, n_grid = np.zeros(len(weights)), 5_000
        for u in (np.arange(n_grid) + 0.5) / n_grid:
            chosen, log_weight = survivors(np.log(weights), n, u)
            assert len(chosen) == min(n, len(weights))
            mean[chosen] += np.exp(log_weight) / n_grid
        assert mean == pytest.approx(weights, abs=6e-4), n


def test_always_as_many_survivors_as_asked_for():
    """Ties, weights that underflow, uniforms at both ends; the heaviest stay as they are."""
    rng = np.random.default_rng(0)
    for trial in range(600):
        n_children = int(rng.integers(1, 40))
        scale = (0.0, 1.0, 30.0, 2000.0)[trial % 4]
        log_weight = -np.round(scale * rng.random(n_children), trial % 3)
        log_weight -= np.logaddexp.reduce(log_weight)
        n = int(rng.integers(1, 42))
        u = (0.0, rng.random(), np.nextafter(1.0, 0.0))[trial % 3]
        chosen, new = survivors(log_weight, n, u)
        assert len(chosen) == len(new) == min(n, n_children)
        assert np.all(np.diff(chosen) > 0)
        assert np.all(np.isfinite(new))
        assert np.logaddexp.reduce(new) == pytest.approx(0.0, abs=1e-9)
        assert np.all(new >= log_weight[chosen] - 1e-12)
        top = log_weight > new.min() + 1e-9
        if n < n_children:
            assert set(np.flatnonzero(top)) <= set(chosen)


def test_rounding_neither_doubles_nor_loses_a_survivor():
    """Shares a little above and below what they should be."""
    for u in (0.0, 1e-10, 0.5, 1.0 - 1e-10):
        for share in (np.full(6, 1.0 + 1e-9), np.full(6, 1.0 - 1e-9), np.full(12, 0.5 - 1e-9)):
            chosen = select(share, 6, u)
            assert len(set(chosen.tolist())) == 6
            assert 0 <= chosen.min() <= chosen.max() < len(share)


def test_clusters_recounted_after_collections():
    rng = np.random.default_rng(1)
    x = marked(rng.poisson(0.5, (60, 12)))
    method, state, _ = filtered(x, 25, rng, size=7)
    stock, partitions = state.clusters, particles_of(state)
    assert len(partitions) == len(state.log_weight) == 25  # no partition twice
    for partition in partitions:
        assert sorted(i for cluster in partition for i in cluster) == list(range(60))
    for j in np.unique(state.member):
        counts = held(state, j)
        inside = np.flatnonzero(counts[:60])
        assert np.array_equal(counts, x[inside].sum(axis=0))
        assert stock.docs[j] == len(inside)
        assert stock.tokens[j] == x[inside].sum()
        assert stock.opener[j] == inside.min()
    assert np.exp(state.log_weight).sum() == pytest.approx(1.0)
    assert method.memory(Corpus.from_csr(x)) > 0


def test_garbage_does_not_pile_up():
    rng = np.random.default_rng(4)
    x = marked(rng.poisson(0.5, (150, 10)))
    _, state, _ = filtered(x, 20, rng, size=10)
    stock, live = state.clusters, np.unique(state.member)
    in_use = (stock.start[live + 1] - stock.start[live]).sum()
    assert stock.n < 15 * len(live)  # 150 documents made some 20 each
    assert len(stock.words) < 15 * in_use
    same = {tuple(held(state, j)) for j in live}
    assert len(same) == len(live), "a cluster is stored twice"


def test_prediction_is_the_average_over_particles():
    rng = np.random.default_rng(7)
    x = rng.poisson(0.7, (12, 6)) + np.eye(12, 6, dtype=int) + np.eye(12, 6, -6, dtype=int)
    uniforms = np.random.default_rng(8).random(12)
    particles, _ = naive.filtered(x, 40, GAMMA, ETA, uniforms)
    method, state, _ = filtered(x, 40, np.random.default_rng(8))
    ((weight, topics),) = method.kept(state)
    assert weight == 1.0
    assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-12)
    assert topics.size.sum() == pytest.approx(12)
    new = np.array(
        [[1, 0, 2, 0, 0, 0], [0, 0, 0, 0, 4, 1], [1, 1, 1, 1, 1, 1], *np.eye(6, dtype=int)]
    )
    slow = [
        sum(w * naive.predictive(d, x, p, GAMMA, ETA) for p, w in particles.items()) for d in new
    ]
    fast = np.exp(log_predictive(topics, Corpus.from_csr(new)))
    assert fast == pytest.approx(slow, rel=5e-6)  # 1e-6 left out, and float32
    assert fast[3:].sum() == pytest.approx(1.0, abs=1e-6)


def test_nothing_but_the_lightest_is_left_out_of_the_average():
    _, state, _ = filtered(X, 300, np.random.default_rng(0))
    method = DpmParticle(DPMixture(GAMMA, ETA))
    ((_, topics),) = method.kept(state)
    weight = np.repeat(np.exp(state.log_weight), np.diff(state.first))
    mass = np.bincount(state.member, weight) * state.clusters.docs[: state.member.max() + 1]
    mass = np.sort(mass[mass > 0])[::-1] / 6
    assert mass[len(topics) :].sum() <= 1e-6
    assert mass[len(topics) - 1 :].sum() > 1e-6


def test_topics_are_the_heaviest_partition_and_keep_their_names():
    """One document at a time: births and prunes lead from each picture to the next."""
    rng = np.random.default_rng(12)
    counts = rng.poisson(0.4, (40, 6))
    x = marked(counts)
    corpus, method = Corpus.from_csr(x), DpmParticle(DPMixture(2.0, 0.3), particles=12)
    state = method.init(corpus, rng)
    shown: dict[int, int] = {}
    ever: set[int] = set()
    n_changes = 0
    for i in range(40):
        state, info = method.step(state, Batch(corpus.take([i]), np.array([i]), i, 40), rng, None)
        topics = method.topics(state)
        best = max(particles_of(state).items(), key=lambda item: item[1])[0]
        rows = sorted(best, key=len, reverse=True)
        assert topics.size.tolist() == [len(c) for c in rows]
        tokens = np.array([x[list(c)].sum() for c in rows])
        assert topics.total == pytest.approx(46 * 0.3 + tokens)
        dense = np.array([0.3 + x[list(c)].sum(axis=0) for c in rows])
        assert topics.topic_word * topics.total[:, None] == pytest.approx(dense, rel=1e-5)
        now = dict(zip([c[0] for c in rows], topics.topic_ids.tolist(), strict=True))
        born = {e.children[0] for e in info.events if e.kind == "birth"}
        gone = {e.parents[0] for e in info.events if e.kind == "prune"}
        assert born == set(now.values()) - set(shown.values())
        assert gone == set(shown.values()) - set(now.values())
        assert not born & ever
        for opener in set(now) & set(shown):
            assert now[opener] == shown[opener]
        n_changes += len(gone)
        shown, ever = now, ever | born
    assert n_changes > 0  # another particle took the lead, or the test tests nothing


def test_long_documents_do_not_underflow():
    x = np.array([[3000, 0], [0, 3000], [2999, 1], [1, 2999], [1500, 1500]])
    _, state, _ = filtered(x, 4, np.random.default_rng(0), eta=0.1)
    assert len(state.log_weight) == 4
    assert np.all(np.isfinite(state.log_weight))
    assert math.isfinite(state.log_evidence)
    _, exact, _ = filtered(x, 100, np.random.default_rng(0), eta=0.1)
    assert len(exact.log_weight) == 52
    assert exact.log_weight.min() < -5000


def test_finds_the_true_number_of_clusters():
    rng = np.random.default_rng(6)
    components = rng.dirichlet(np.full(100, 0.1), 8)
    z = rng.permutation(np.arange(400) % 8)
    counts = rng.multinomial(np.maximum(rng.poisson(40, 400), 1), components[z])
    corpus = corpus_from_counts(counts, "separable")
    method, state, _ = filtered(counts, 50, rng, gamma=1.0, eta=0.5, size=40)
    topics = method.topics(state)
    assert (topics.size >= 10).sum() == 8
    found = method.model.fold_in(topics, corpus).argmax(axis=1)
    table = np.zeros((8, len(topics)), int)
    np.add.at(table, (z, found), 1)
    assert table.max(axis=1).sum() >= 395
