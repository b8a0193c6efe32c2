"""Collapsed Gibbs: the enumerated posterior, the joint-distribution test, and what is kept."""

import math
from collections import Counter

import naive_particles as naive
import numpy as np
import pytest
from gibbs_tools import largest_gap, moments_gap, pairs
from naive_mixture import canonical, check_law, law_in_turn, log_dm
from scipy.stats import gamma as gamma_law

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.methods.dpm_gibbs import DpmGibbs, State
from bnpexplorer.models.concentrations import CONCENTRATION_PRIOR, ETA_PRIOR
from bnpexplorer.models.dirichlet import Dirichlets
from bnpexplorer.models.dpm import DPMixture, log_predictive
from bnpexplorer.models.synthetic import corpus_from_counts
from bnpexplorer.run import Run

GAMMA, ETA = 0.9, 0.5
X = np.array([[2, 0, 1], [0, 2, 1], [1, 0, 1], [0, 3, 0], [1, 1, 1]])
ALL = naive.partitions(5)


def one_pass(method, state, corpus, size, rng):
    """One pass in blocks of `size`, and the infos of its steps."""
    edges, infos = range(0, corpus.n_docs, size), []
    for index, first in enumerate(edges):
        rows = np.arange(first, min(first + size, corpus.n_docs))
        batch = Batch(corpus.take(rows), rows, index, len(edges))
        state, info = method.step(state, batch, rng, None)
        infos.append(info)
    return state, infos


def partition_of(z) -> naive.Partition:
    """Clusters in the order of their first document."""
    return tuple(tuple(np.flatnonzero(z == k).tolist()) for k in dict.fromkeys(z.tolist()))


def chain(n_passes, size=5, seed=0, **knobs):
    """Partitions as the clusters of all documents, gammas and etas of a long run; 200 passes go
    first."""
    method, corpus = DpmGibbs(DPMixture(GAMMA, ETA), burn_in=10**5, **knobs), Corpus.from_csr(X)
    rng = np.random.default_rng(seed)
    state, drawn = method.init(corpus, rng), []
    for n in range(200 + n_passes):
        state, _ = one_pass(method, state, corpus, size, rng)
        if n >= 200:
            drawn.append((state.z.copy(), state.gamma, state.lam.eta))
    return tuple(map(np.array, zip(*drawn, strict=True)))


def normalised(log_weights) -> np.ndarray:
    weights = np.exp(np.array(log_weights) - np.max(log_weights))
    return weights / weights.sum()


def labels(partition: naive.Partition) -> list[int]:
    return [next(k for k, c in enumerate(partition) if i in c) for i in range(5)]


MOMENTS = np.array([pairs(labels(p)) for p in ALL])
"""Of every partition: ten pairs of documents, the number of clusters, its square, is it one."""
N_CLUSTERS = np.array([len(p) for p in ALL])


def distance(z: np.ndarray, law: np.ndarray) -> float:
    """Total variation between draws and a law over `ALL`."""
    drawn = Counter(map(partition_of, z))
    return 0.5 * sum(abs(drawn[p] / len(z) - q) for p, q in zip(ALL, law, strict=True))


def grid(prior, log_given) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (G,), and ln [prior x likelihood] (52, G), on a grid even in the logarithm."""
    values = np.exp(np.linspace(np.log(1e-4), np.log(200.0), 600))
    shape, rate = prior
    log_prior = gamma_law(shape, scale=1 / rate).logpdf(values) + np.log(values)
    return values, np.array([[log_given(p, v) for v in values] for p in ALL]) + log_prior


@pytest.mark.parametrize(("size", "n_passes"), [(5, 8000), (2, 5000)])
def test_long_runs_visit_partitions_as_often_as_the_posterior_says(size, n_passes):
    """13 means within 4 standard errors, which are 0.006 (0.008) for a pair of documents.

    Independent draws would be 0.025 (0.031) away in distance; there are 52 partitions.
    """
    law = normalised([naive.log_crp(p, GAMMA) + naive.log_words(X, p, ETA) for p in ALL])
    z, _, _ = chain(n_passes, size)
    assert largest_gap([pairs(row) for row in z], law @ MOMENTS) < 4.0
    assert distance(z, law) < 1.5 * 2.2 / np.sqrt(n_passes)


def test_learned_concentrations_follow_their_posterior():
    """gamma and eta integrated over a grid for every partition: given it they are independent.

    8,000 passes: 13 means of partitions, six of ln gamma and ln eta, alone and with the number of
    clusters, and six probabilities of being below a quantile, all within 4 standard errors.
    """
    gammas, of_gamma = grid(CONCENTRATION_PRIOR, naive.log_crp)
    etas, of_eta = grid(ETA_PRIOR, lambda p, v: naive.log_words(X, p, v))
    joint_gamma = np.logaddexp.reduce(of_gamma, axis=1)
    joint_eta = np.logaddexp.reduce(of_eta, axis=1)
    law = normalised(joint_gamma + joint_eta)
    z, drawn_gammas, drawn_etas = chain(8000, learn_gamma=True, learn_eta=True)
    seen, exact = [pairs(row) for row in z], [law @ MOMENTS]
    sizes = np.array([len(set(row.tolist())) for row in z])
    columns = []
    for values, logs, joint, drawn in (
        (gammas, of_gamma, joint_gamma, drawn_gammas),
        (etas, of_eta, joint_eta, drawn_etas),
    ):
        given = np.exp(logs - joint[:, None])  # the density of every partition
        means = given @ np.log(values)
        exact.append([law @ means, (law * N_CLUSTERS) @ means, law @ (given @ np.log(values) ** 2)])
        columns += [np.log(drawn), sizes * np.log(drawn), np.log(drawn) ** 2]
        for level in (0.1, 0.5, 0.9):
            cut = values[np.searchsorted(np.cumsum(law @ given), level)]
            # Half a cell of the grid: the density of ln x is summed, not integrated.
            edge = cut * (values[1] / values[0]) ** 0.5
            exact.append([(law @ given)[values <= cut].sum()])
            columns.append(drawn <= edge)
    assert largest_gap(np.column_stack([seen, *columns]), np.concatenate(exact)) < 4.0
    assert distance(z, law) < 0.05


def test_learned_gamma_alone_follows_its_posterior():
    """6,000 passes; 18 means within 4 standard errors.

    What gamma differs from its mean given the number of clusters hardly depends on the pass
    before: 0.08 of ln gamma would be seen.
    """
    gammas, of_gamma = grid(CONCENTRATION_PRIOR, naive.log_crp)
    joint = np.logaddexp.reduce(of_gamma, axis=1)
    law = normalised(joint + [naive.log_words(X, p, ETA) for p in ALL])
    given = np.exp(of_gamma - joint[:, None])
    density = law @ given
    z, found, etas = chain(6000, learn_gamma=True)
    assert np.all(etas == ETA)
    sizes = np.array([len(set(row.tolist())) for row in z])
    mean = dict(zip(N_CLUSTERS.tolist(), given @ np.log(gammas), strict=True))
    surprise = np.log(found) - [mean[k] for k in sizes.tolist()]
    seen = [[pairs(row) for row in z], np.log(found), found, surprise, surprise * sizes, found < 1]
    below_one = density[gammas < 1.0].sum()
    exact = [*(law @ MOMENTS), density @ np.log(gammas), density @ gammas, 0.0, 0.0, below_one]
    assert largest_gap(np.column_stack(seen), np.array(exact)) < 4.0


# ---- the joint-distribution test (Geweke 2004) ------------------------------------------------

LENGTHS = np.array([3, 4, 2, 3])
N_WORDS = 3


def draw_words(z, eta, rng):
    """Documents given their clusters."""
    components = {k: rng.dirichlet(np.full(N_WORDS, eta)) for k in sorted(set(z.tolist()))}
    return np.stack([rng.multinomial(n, components[k]) for n, k in zip(LENGTHS, z, strict=True)])


def what_is_compared(x, z, gamma, eta) -> list[float]:
    n = np.unique(z, return_counts=True)[1]
    together = float((x[0] * x[1]).sum() + (x[2] * x[3]).sum())
    pure = float((x.max(axis=1) == LENGTHS).sum())
    same = float(z[0] == z[1]) + float(z[1] == z[3])
    return [len(n), float((n**2).sum()), together, pure, same * together, math.log(gamma), eta]


def draw_clusters(gamma, rng):
    z: list[int] = []
    for i in range(len(LENGTHS)):
        seats = np.append(np.bincount(z).astype(float) if z else [], gamma)
        z.append(int(rng.choice(len(seats), p=seats / (i + gamma))))
    return np.array(z)


def state_of(x, z, gamma, eta) -> State:
    """The method's state for a partition; labels are identities."""
    ids, columns = np.unique(z, return_inverse=True)
    held = np.zeros((len(ids), N_WORDS))
    np.add.at(held, columns, x)
    n = np.bincount(columns)
    lam = Dirichlets.from_excess(held, eta)
    return State(lam, gamma, z.copy(), n, ids, int(ids.max()) + 1, n_passes=1)


@pytest.mark.parametrize("learn", [False, True])
def test_joint_distribution(learn):
    """Drawing everything from the prior, or x given all and then all given x: the same law.

    Standard errors from 40 blocks of the chain; of 7 numbers none may be 4.5 of them away.
    """
    method = DpmGibbs(DPMixture(GAMMA, ETA), learn_gamma=learn, learn_eta=learn)
    rng = np.random.default_rng(11)

    def from_priors() -> tuple[float, float]:
        if not learn:
            return GAMMA, ETA
        (p, q), (r, s) = CONCENTRATION_PRIOR, ETA_PRIOR
        return rng.gamma(p, 1 / q), max(rng.gamma(r, 1 / s), 1e-4)

    straight = []
    for _ in range(4000):
        gamma, eta = from_priors()
        z = draw_clusters(gamma, rng)
        straight.append(what_is_compared(draw_words(z, eta, rng), z, gamma, eta))
    gamma, eta = from_priors()
    z, around = draw_clusters(gamma, rng), []
    for _ in range(4000):
        x = draw_words(z, eta, rng)
        state = state_of(x, z, gamma, eta)
        state, _ = one_pass(method, state, Corpus.from_csr(x), 3, rng)
        z, gamma, eta = state.z, state.gamma, state.lam.eta
        around.append(what_is_compared(x, z, gamma, eta))
    straight, around = np.array(straight), np.array(around)
    blocks = around.reshape(40, 100, -1).mean(axis=1)
    error = np.sqrt(blocks.var(axis=0) / 40 + straight.var(axis=0) / 4000)
    gap = np.abs(straight.mean(axis=0) - around.mean(axis=0))
    assert np.all(gap <= 4.5 * error + 1e-9), gap / np.maximum(error, 1e-9)


# ---- bookkeeping -------------------------------------------------------------------------------


def resampled(x, rows, z, topic_ids, uniforms):
    """Clusters as lists of documents after a block, by Neal's algorithm 3 with these uniforms.

    Choices stand in the order of `topic_ids`, then clusters that the block opened, then a new one;
    a document that was alone and opens one again keeps its place.
    """
    clusters = [np.flatnonzero(z == k).tolist() for k in topic_ids]
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
    method = DpmGibbs(DPMixture(GAMMA, ETA))
    state = method.init(corpus, rng)
    for n in range(15 * 30 // size):
        rows = (np.arange(size) + n * size) % 30
        batch = Batch(corpus.take(rows), rows, n % (30 // size), 30 // size)
        twin = np.random.default_rng(n).random(size)
        expected = resampled(x, rows, state.z.copy(), state.topic_ids.copy(), twin)
        state, _ = method.step(state, batch, np.random.default_rng(n), None)
        found = {frozenset(c) for c in partition_of(state.z)}
        found = {c for c in found if -1 not in state.z[list(c)]}
        assert found == expected


def test_every_draw_is_that_of_the_slow_twin_while_room_is_made(monkeypatch):
    """So many clusters open in one block that their room grows twice or more."""
    monkeypatch.setitem(globals(), "GAMMA", 60.0)  # read by the twin
    x = np.random.default_rng(1).poisson(0.4, (90, 12)) + np.eye(90, 12, dtype=int)
    x[:, 0] += x.sum(axis=1) == 0
    corpus, rng = Corpus.from_csr(x), np.random.default_rng(2)
    method, rows = DpmGibbs(DPMixture(60.0, ETA)), np.arange(90)
    state = method.init(corpus, rng)
    for n in range(4):
        twin = np.random.default_rng(n).random(90)
        expected = resampled(x, rows, state.z.copy(), state.topic_ids.copy(), twin)
        batch = Batch(corpus, rows, 0, 1)
        state, _ = method.step(state, batch, np.random.default_rng(n), None)
        assert {frozenset(c) for c in partition_of(state.z)} == expected
        assert len(expected) > 33, "room for 16 new clusters grew to 32 and beyond"


@pytest.mark.parametrize("size", [4, 2, 1])
def test_first_pass_seats_each_document_given_those_before(size):
    law = law_in_turn(X[:4], [], [], [], GAMMA, ETA)
    method, corpus = DpmGibbs(DPMixture(GAMMA, ETA)), Corpus.from_csr(X[:4])
    rng, drawn = np.random.default_rng(2), Counter()
    for _ in range(1200):
        state, _ = one_pass(method, method.init(corpus, rng), corpus, size, rng)
        drawn[canonical(state.z, 0)] += 1
    check_law(drawn, law, 1200)
    assert moments_gap(drawn, law, pairs) < 4.0


@pytest.mark.parametrize("size", [1, 9, 60])
@pytest.mark.parametrize("learn", [False, True])
def test_counts_and_events_agree_with_a_recount(size, learn):
    corpus = DPMixture(4.0, 0.1).sample(np.random.default_rng(1), 60, 20, 8.0).corpus
    x, rng = corpus.to_csr().toarray(), np.random.default_rng(3)
    method = DpmGibbs(DPMixture(2.0, 0.3), learn_gamma=learn, learn_eta=learn)
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
        DpmGibbs(DPMixture(GAMMA, ETA)),
        Corpus.from_csr(X),
        np.random.default_rng(0),
    )
    state, _ = one_pass(method, method.init(corpus, rng), corpus, 2, rng)
    new = np.array([[3, 0, 1], [0, 0, 2], *np.eye(3, dtype=int)])
    slow = [naive.predictive(d, X, partition_of(state.z), GAMMA, ETA) for d in new]
    fast = np.exp(log_predictive(method.topics(state), Corpus.from_csr(new)))
    assert fast == pytest.approx(slow, rel=1e-6)
    assert fast[2:].sum() == pytest.approx(1.0, abs=1e-6)


def test_keeps_the_newest_states_after_burn_in():
    corpus, rng = Corpus.from_csr(X), np.random.default_rng(0)
    method = DpmGibbs(DPMixture(GAMMA, ETA), burn_in=3, thin=2, n_kept=2, learn_gamma=True)
    state, then = method.init(corpus, rng), {}
    for n_pass in range(1, 11):
        state, _ = one_pass(method, state, corpus, 2, rng)
        then[n_pass] = method.topics(state)
        due = [p for p in (5, 7, 9) if p <= n_pass][-2:]
        kept = method.kept(state)
        assert [t.gamma for _, t in kept] == [then[p].gamma for p in due]
        for (weight, topics), p in zip(kept, due, strict=True):
            assert weight == 1 / len(due)
            assert np.array_equal(topics.topic_word, then[p].topic_word)
            assert np.array_equal(topics.weight, then[p].weight)
            assert topics.topic_word.dtype == np.float32
            topics.topic_word[:] = 0.0  # a copy
    assert method.memory(corpus) > 8 * 5


def test_a_saved_run_remembers_what_it_kept(tmp_path, dozen):
    method = DpmGibbs(DPMixture(), burn_in=1, thin=1, learn_gamma=True, learn_eta=True)
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
    method, corpus = DpmGibbs(DPMixture(5.0, 0.1)), Corpus.from_csr(X)
    rng, n_stayed = np.random.default_rng(0), 0
    state, _ = one_pass(method, method.init(corpus, rng), corpus, 1, rng)
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
    method = DpmGibbs(DPMixture(1.0, 0.2))
    state = method.init(corpus, rng)
    for _ in range(8):
        state, _ = one_pass(method, state, corpus, 100, rng)
    big = state.topic_ids[state.n >= 10]
    assert len(big) == 8
    table = np.array([[((state.z == k) & (z == true)).sum() for true in range(8)] for k in big])
    assert table.max(axis=0).sum() >= 595
    assert len(set(table.argmax(axis=0))) == 8
