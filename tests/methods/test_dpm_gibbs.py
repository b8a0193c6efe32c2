"""Collapsed Gibbs for mixtures: every draw, its bookkeeping, and what is kept."""

import math

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.mixture import log_predictive
from bnpexplorer.methods.dpm_gibbs import DpmGibbs
from bnpexplorer.models.base import corpus_from_counts
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.run import Run
from tests.tools.methods import in_turn, one_pass
from tests.twins import particles as naive
from tests.twins.mixture import log_dm
from tests.twins.particles import partition_of

GAMMA, ETA = 0.9, 0.5
X = np.array([[2, 0, 1], [0, 2, 1], [1, 0, 1], [0, 3, 0], [1, 1, 1]])


def in_columns(state):
    """The identities of the clusters in the order of their columns."""
    return state.topic_ids[np.argsort(state.lam.slots)]


def resampled(x, rows, z, columns, uniforms):
    """Clusters as lists of documents after a block, by Neal's algorithm 3 with these uniforms.

    Choices stand in the order of `columns`, the identities as the counts hold them, then clusters
    that the block opened, then a new one; a document that was alone and opens one again keeps its
    place.
    """
    clusters = [np.flatnonzero(z == k).tolist() for k in columns]
    for i, u in zip(rows, uniforms, strict=True):
        own = None
        for place, members in enumerate(clusters):
            if i in members:
                members.remove(i)
                own = place
        weights = [len(c) * math.exp(log_dm(x[i], ETA + x[c].sum(axis=0))) for c in clusters]
        weights.append(GAMMA * math.exp(log_dm(x[i], [ETA] * x.shape[1])))
        chosen = int(np.searchsorted(np.cumsum(weights), u * sum(weights), side="right"))
        if chosen == len(clusters):
            if own is not None and not clusters[own]:
                chosen = own
            else:
                clusters.append([])
        clusters[chosen].append(i)
    return {frozenset(c) for c in clusters if c}


@pytest.mark.parametrize("size", [3, 30])
def test_every_draw_is_that_of_a_slow_twin_with_the_same_uniforms(size):
    """Nothing of what the block remembers may be out of date."""
    x = np.random.default_rng(1).poisson(0.5, (30, 8)) + np.eye(30, 8, dtype=int)
    x[:, 0] += x.sum(axis=1) == 0
    corpus, rng = Corpus.from_csr(x), np.random.default_rng(2)
    method = DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0)
    state = method.init(corpus, rng)
    for n in range(15 * 30 // size):
        rows = (np.arange(size) + n * size) % 30
        batch = Batch(corpus.take(rows), rows, n % (30 // size), 30 // size)
        twin = np.random.default_rng(n).random(size)
        expected = resampled(x, rows, state.z.copy(), in_columns(state), twin)
        state, _ = method.step(state, batch, np.random.default_rng(n), None)
        found = {frozenset(c) for c in partition_of(state.z)}
        found = {c for c in found if -1 not in state.z[list(c)]}
        assert found == expected


@pytest.mark.second
def test_every_draw_is_that_of_the_slow_twin_while_room_is_made(monkeypatch):
    """So many clusters open in one block that their room grows twice or more."""
    monkeypatch.setitem(globals(), "GAMMA", 60.0)  # read by the twin
    x = np.random.default_rng(1).poisson(0.4, (90, 12)) + np.eye(90, 12, dtype=int)
    x[:, 0] += x.sum(axis=1) == 0
    corpus, rng = Corpus.from_csr(x), np.random.default_rng(2)
    method, rows = DpmGibbs(DPMixture(60.0, ETA), start="nothing", moves=0), np.arange(90)
    state = method.init(corpus, rng)
    for n in range(4):
        twin = np.random.default_rng(n).random(90)
        expected = resampled(x, rows, state.z.copy(), in_columns(state), twin)
        batch = Batch(corpus, rows, 0, 1)
        state, _ = method.step(state, batch, np.random.default_rng(n), None)
        assert {frozenset(c) for c in partition_of(state.z)} == expected
        assert len(expected) > 33, "room for 16 new clusters grew to 32 and beyond"


@pytest.mark.second
@pytest.mark.parametrize("size", [1, 9, 60])
@pytest.mark.parametrize("learn", [False, True])
def test_counts_and_events_agree_with_a_recount(size, learn):
    corpus = DPMixture(4.0, 0.1).sample(np.random.default_rng(1), 60, 20, 8.0).corpus
    x, rng = corpus.to_csr().toarray(), np.random.default_rng(3)
    method = DpmGibbs(
        DPMixture(2.0, 0.3), start="nothing", moves=0, learn_gamma=learn, learn_eta=learn
    )
    state = method.init(corpus, rng)
    alive: set[int] = set()
    ever: set[int] = set()
    n_gone = 0
    order = np.random.default_rng(0).permutation(60)
    blocks = [order[i : i + size] for i in range(0, 60, size)]
    for n_pass in range(6):
        for index, rows in enumerate(blocks):
            before = state.z.copy()
            batch = Batch(corpus.take(rows), rows, index, len(blocks))
            state, info = method.step(state, batch, rng, None)
            others = np.setdiff1d(np.arange(60), rows)
            assert np.array_equal(state.z[others], before[others])
            seated = np.flatnonzero(state.z >= 0)
            assert len(seated) == (60 if n_pass else min(60, (index + 1) * size))
            assert set(state.topic_ids) == set(state.z[seated])
            for k, topic in enumerate(state.topic_ids):
                inside = state.z == topic
                assert state.n[k] == inside.sum()
                column = state.lam.stats[:, state.lam.slots[k]]
                assert np.array_equal(column, x[inside].sum(axis=0))
                assert state.lam.row_sum[state.lam.slots[k]] == x[inside].sum()
            assert np.all(np.diff(state.n) <= 0)
            born = {e.children[0] for e in info.events if e.kind == "birth"}
            gone = {e.parents[0] for e in info.events if e.kind == "prune"}
            assert not born & ever
            assert set(state.topic_ids) == (alive | born) - gone
            assert gone <= alive
            alive, ever, n_gone = set(state.topic_ids), ever | born, n_gone + len(gone)
        partition = partition_of(state.z)
        joint = naive.log_crp(partition, state.gamma) + naive.log_words(x, partition, state.lam.eta)
        assert info.scalars["log joint"] == pytest.approx(joint, rel=1e-9)
        assert ("gamma" in info.scalars) == learn
        topics = method.topics(state)
        assert topics.weight == pytest.approx(state.n / (60 + state.gamma), rel=1e-12)
        assert topics.unseen == pytest.approx(state.gamma / (60 + state.gamma), rel=1e-12)
        assert (topics.gamma, topics.eta) == (state.gamma, state.lam.eta)
        assert state.lam.scale == 1.0
        assert (state.gamma != 2.0, state.lam.eta != 0.3) == (learn, learn)
    assert n_gone > 0


def test_predictive_is_the_one_of_the_partition():
    method, corpus, rng = (
        DpmGibbs(DPMixture(GAMMA, ETA), start="nothing", moves=0),
        Corpus.from_csr(X),
        np.random.default_rng(0),
    )
    state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 2), rng)
    new = np.array([[3, 0, 1], [0, 0, 2], *np.eye(3, dtype=int)])
    slow = [naive.predictive(d, X, partition_of(state.z), GAMMA, ETA) for d in new]
    fast = np.exp(log_predictive(method.topics(state), Corpus.from_csr(new)))
    assert fast == pytest.approx(slow, rel=1e-6)
    assert fast[2:].sum() == pytest.approx(1.0, abs=1e-6)


def test_keeps_the_newest_states_after_burn_in():
    corpus, rng = Corpus.from_csr(X), np.random.default_rng(0)
    method = DpmGibbs(
        DPMixture(GAMMA, ETA),
        start="nothing",
        moves=0,
        burn_in=3,
        thin=2,
        n_kept=2,
        learn_gamma=True,
    )
    state, then = method.init(corpus, rng), {}
    for n_pass in range(1, 11):
        state, _ = one_pass(method, state, in_turn(corpus, 2), rng)
        then[n_pass] = method.topics(state)
        due = [p for p in (5, 7, 9) if p <= n_pass][-2:]
        kept = method.kept(state)
        assert [t.gamma for _, t in kept] == [then[p].gamma for p in due]
        for (weight, topics), p in zip(kept, due, strict=True):
            assert weight == 1 / len(due)
            assert np.array_equal(topics.topic_word, then[p].topic_word)
            assert np.array_equal(topics.weight, then[p].weight)
            assert topics.topic_word.dtype == np.float32
    assert method.memory(corpus) > 8 * 5


def test_a_saved_run_remembers_what_it_kept(tmp_path, dozen):
    method = DpmGibbs(
        DPMixture(), start="nothing", moves=0, burn_in=1, thin=1, learn_gamma=True, learn_eta=True
    )
    run = Run(method, dozen, seed=4, batch_size=5, passes=8)
    for _ in range(14):
        run.step()
    run.save(tmp_path / "half.run")
    loaded = Run.load(tmp_path / "half.run")
    for half in (run, loaded):
        while not half.done:
            half.step()
    kept, again = run.snapshot(with_kept=True).kept, loaded.snapshot(with_kept=True).kept
    assert len(kept) == len(again) == 5
    for (weight, topics), (same_weight, same) in zip(kept, again, strict=True):
        assert (weight, topics.gamma, topics.eta) == (same_weight, same.gamma, same.eta)
        assert np.array_equal(topics.topic_word, same.topic_word)
        assert np.array_equal(topics.weight, same.weight)


def test_a_document_alone_keeps_the_name_of_its_cluster():
    """And nothing is reported to have happened."""
    method, corpus = DpmGibbs(DPMixture(5.0, 0.1), start="nothing", moves=0), Corpus.from_csr(X)
    rng, n_stayed = np.random.default_rng(0), 0
    state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 1), rng)
    for n in range(200):
        i, before = n % 5, state.z.copy()
        state, info = method.step(state, Batch(corpus.take([i]), np.array([i]), i, 5), rng, None)
        alone, still = (np.sum(z == z[i]) == 1 for z in (before, state.z))
        if alone and still:
            assert np.array_equal(state.z, before)
            assert info.events == ()
            n_stayed += 1
    assert n_stayed > 20


@pytest.mark.parametrize("seed", range(3))
def test_finds_the_true_number_of_clusters(seed):
    """At eta = 0.5 some runs seat two true clusters together early on and stay there."""
    rng = np.random.default_rng(seed)
    components = rng.dirichlet(np.full(100, 0.1), 8)
    z = rng.permutation(np.arange(600) % 8)
    counts = rng.multinomial(np.maximum(rng.poisson(40, 600), 1), components[z])
    corpus = corpus_from_counts(counts, "separable")
    method = DpmGibbs(DPMixture(1.0, 0.2), start="nothing", moves=0)
    state = method.init(corpus, rng)
    for _ in range(8):
        state, _ = one_pass(method, state, in_turn(corpus, 100), rng)
    big = state.topic_ids[state.n >= 10]
    assert len(big) == 8
    table = np.array([[((state.z == k) & (z == true)).sum() for true in range(8)] for k in big])
    assert table.max(axis=0).sum() >= 595
    assert len(set(table.argmax(axis=0))) == 8


@pytest.mark.parametrize(
    ("values", "n_clusters"),
    [
        ({}, 6),  # ten documents in each at least
        ({"start_size": 7}, 8),
        ({"start_size": 7, "n_start": 4}, 4),
        ({"start_size": 100}, 1),
        ({"start_size": 1, "n_start": 500}, 60),
    ],
)
def test_a_start_from_many_divides_all_documents_evenly(values, n_clusters):
    corpus = DPMixture(4.0, 0.1).sample(np.random.default_rng(1), 60, 20, 8.0).corpus
    method = DpmGibbs(DPMixture(), **values)
    states = [method.init(corpus, np.random.default_rng(seed)) for seed in (0, 1)]
    for state in states:
        n = np.bincount(state.z)
        assert len(n) == n_clusters == len(state.n)
        assert n.max() - n.min() <= 1
        assert n.sum() == 60
    assert np.array_equal(states[0].z, states[1].z) == (n_clusters == 1)
