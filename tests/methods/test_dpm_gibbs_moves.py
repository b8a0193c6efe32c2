"""Starts, splits and merges of collapsed Gibbs for mixtures: same posterior from everywhere."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.start import GivenTopics
from bnpexplorer.kernels.mixture_moves import divide
from bnpexplorer.kernels.tuples import Docs
from bnpexplorer.methods import make_method
from bnpexplorer.methods.dpm_gibbs import DpmGibbs, move
from bnpexplorer.models.dpm import DPMixture
from tests.tools.gibbs import largest_gap, pairs
from tests.tools.methods import in_turn, one_pass
from tests.twins import particles as naive
from tests.twins.mixture import log_dm
from tests.twins.particles import partition_of

GAMMA, ETA = 0.9, 0.5
X = np.array([[2, 0, 1], [0, 2, 1], [1, 0, 1], [0, 3, 0], [1, 1, 1]])
CORPUS = Corpus.from_csr(X)
DOCS = Docs(CORPUS.indptr, CORPUS.word_ids, CORPUS.counts)
ALL = naive.partitions(5)
GIVEN = GivenTopics(np.array([[3.0, 0.0, 1.0], [0.0, 5.0, 2.0]]))
"""The topics of another run, at which one may begin."""


def labels(partition: naive.Partition) -> list[int]:
    return [next(k for k, c in enumerate(partition) if i in c) for i in range(5)]


MOMENTS = np.array([pairs(labels(p)) for p in ALL])
LOG_LAW = [naive.log_crp(p, GAMMA) + naive.log_words(X, p, ETA) for p in ALL]
LAW = np.exp(LOG_LAW) / np.exp(LOG_LAW).sum()


def distance(z: np.ndarray) -> float:
    """Total variation between draws and the posterior."""
    drawn = Counter(map(partition_of, z))
    return 0.5 * sum(abs(drawn[p] / len(z) - q) for p, q in zip(ALL, LAW, strict=True))


@pytest.mark.second
@pytest.mark.parametrize("n_start", [1, 3, 5])
def test_moves_alone_reach_the_enumerated_posterior(n_start):
    """12,000 moves: 13 means within 4 standard errors, of 0.006; 52 partitions.

    Splits and merges lead from every partition to every other one, so nothing else is needed.
    """
    rng = np.random.default_rng(1)
    method = DpmGibbs(DPMixture(GAMMA, ETA), start="many", n_start=n_start, start_size=1)
    state, drawn = method.init(CORPUS, rng), []
    for _ in range(12_000):
        move(state, CORPUS, 1, rng)
        drawn.append(state.z.copy())
    assert largest_gap([pairs(z) for z in drawn], LAW @ MOMENTS) < 4.0
    assert distance(np.array(drawn)) < 0.04


@pytest.mark.second
@pytest.mark.parametrize(
    ("start", "size", "moves"),
    [
        *((start, *mix) for start in ("nothing", "many") for mix in ((5, 0), (5, 2), (2, 1))),
        pytest.param(GIVEN, 5, 0, id="given"),
    ],
)
def test_draws_and_moves_together_have_the_same_law_from_every_start(start, size, moves):
    """4,000 passes: 13 means within 4 standard errors, of 0.008."""
    method = DpmGibbs(DPMixture(GAMMA, ETA), start_size=1, moves=moves, burn_in=10**5)
    rng, blocks = np.random.default_rng(2), in_turn(CORPUS, size)
    state, drawn = method.begin(CORPUS, start, rng), []
    for _ in range(4000):
        state, _ = one_pass(method, state, blocks, rng)
        drawn.append(state.z.copy())
    assert largest_gap([pairs(z) for z in drawn], LAW @ MOMENTS) < 4.0
    assert distance(np.array(drawn)) < 0.06


def slow_division(order, second) -> float:
    """ln of the probability of a division, document after document."""
    parts: tuple[list[int], list[int]] = ([order[0]], [order[1]])
    log_q = 0.0
    for i, side in zip(order[2:], second[2:], strict=True):
        score = [math.log(len(part)) + log_dm(X[i], ETA + X[part].sum(axis=0)) for part in parts]
        log_q += score[side] - np.logaddexp(*score)
        parts[side].append(i)
    return log_q


@pytest.mark.second
def test_the_probabilities_of_all_divisions_are_those_of_the_slow_twin_and_sum_to_1():
    order, total = np.array([3, 0, 4, 1, 2]), 0.0
    for sides in itertools.product([False, True], repeat=3):
        second, held = np.array([False, True, *sides]), np.zeros((3, 2))
        log_q, log_ratio = divide(DOCS, order, second, False, held, ETA, np.zeros(5))
        assert log_q == pytest.approx(slow_division(order, second.astype(int)), abs=1e-12)
        parts = (tuple(order[~second].tolist()), tuple(order[second].tolist()))
        apart = naive.log_words(X, parts, ETA)
        together = naive.log_words(X, (tuple(range(5)),), ETA)
        assert log_ratio == pytest.approx(apart - together, abs=1e-12)
        for k in (0, 1):
            assert np.array_equal(held[:, k], X[list(parts[k])].sum(axis=0))
        total += math.exp(log_q)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_a_division_is_drawn_with_its_probability():
    """20,000 draws of the eight divisions, all within 4 standard errors."""
    order, rng = np.array([3, 0, 4, 1, 2]), np.random.default_rng(5)
    seen: Counter[tuple[bool, ...]] = Counter()
    for u in rng.random((20_000, 5)):
        second = np.zeros(5, bool)
        divide(DOCS, order, second, True, np.zeros((3, 2)), ETA, u)
        seen[tuple(second.tolist())] += 1
    for sides in itertools.product([False, True], repeat=3):
        second = (False, True, *sides)
        p = math.exp(slow_division(order, np.array(second).astype(int)))
        assert abs(seen[second] / 20_000 - p) < 4 * math.sqrt(p * (1 - p) / 20_000)


def test_what_is_impossible_to_a_double_is_a_small_probability():
    """Long documents that do not fit: odds of e^-1000 and less, no infinity and no nan."""
    x = np.array([[900, 0], [0, 900], [800, 0], [0, 800]])
    corpus = Corpus.from_csr(x)
    docs = Docs(corpus.indptr, corpus.word_ids, corpus.counts)
    for second in ([False, True, False, True], [False, True, True, False]):
        log_q, ratio = divide(
            docs, np.arange(4), np.array(second), False, np.zeros((2, 2)), 1e-4, np.zeros(4)
        )
        assert np.isfinite([log_q, ratio]).all()
    assert log_q < -1500


@pytest.mark.parametrize("start", ["nothing", "many"])
def test_counts_names_and_events_follow_every_move(start):
    corpus = DPMixture(4.0, 0.1).sample(np.random.default_rng(1), 60, 20, 8.0).corpus
    x, rng = corpus.to_csr().toarray(), np.random.default_rng(3)
    method = DpmGibbs(DPMixture(3.0, 0.1), start=start, n_start=20, start_size=1, moves=10)
    state, kinds = method.init(corpus, rng), Counter()
    alive = set(state.topic_ids.tolist())
    for n in range(30):
        rows = (np.arange(20) + 20 * n) % 60
        batch = Batch(corpus.take(rows), rows, n % 3, 3, corpus)
        state, info = method.step(state, batch, rng, None)
        for event in info.events:
            assert set(event.parents) <= alive
            assert not set(event.children) & alive
            alive = (alive - set(event.parents)) | set(event.children)
            kinds[event.kind] += 1
        assert set(state.topic_ids.tolist()) == alive == set(state.z[state.z >= 0].tolist())
        assert np.all(np.diff(state.n) <= 0)
        for k, topic in enumerate(state.topic_ids):
            inside = state.z == topic
            assert state.n[k] == inside.sum()
            assert np.array_equal(state.lam.stats[:, state.lam.slots[k]], x[inside].sum(axis=0))
            assert state.lam.row_sum[state.lam.slots[k]] == x[inside].sum()
    assert kinds["split"] > 0
    assert kinds["merge"] > 0


@pytest.mark.parametrize(("start_size", "n"), [(1, [1] * 5), (2, [3, 2]), (10, [5])])
def test_many_clusters_at_the_start_have_so_many_documents_each(start_size, n):
    method = DpmGibbs(DPMixture(GAMMA, ETA), start="many", n_start=500, start_size=start_size)
    state = method.init(CORPUS, np.random.default_rng(0))
    assert np.bincount(state.z).tolist() == state.n.tolist() == n


def test_by_default_eta_is_learned_by_the_preset_and_fixed_in_the_class():
    """What `METHODS[name](MODELS[m](gamma=..., eta=...))` samples is that posterior."""
    assert not DpmGibbs().learn_gamma
    assert not DpmGibbs().learn_eta
    assert make_method("dpm-gibbs") == replace(DpmGibbs(DPMixture()), learn_eta=True)
    assert DpmGibbs(DPMixture()).model == DPMixture(gamma=1.0, eta=0.2)


def test_moves_part_what_single_documents_cannot():
    """Eight clusters that were lumped together, at an eta that makes a cluster broad."""
    rng = np.random.default_rng(0)
    components = rng.dirichlet(np.full(100, 0.1), 8)
    counts = rng.multinomial(10, components[np.arange(400) % 8])
    corpus, found = Corpus.from_csr(counts), []
    for moves in (0, 5):
        method = DpmGibbs(DPMixture(1.0, 0.5), start="many", n_start=1, moves=moves)
        state = method.init(corpus, rng)
        for _ in range(10):
            state, _ = one_pass(method, state, in_turn(corpus, 100), rng)
        found.append(len(state.n))
    assert found[0] < 8
    assert found[1] == 8
