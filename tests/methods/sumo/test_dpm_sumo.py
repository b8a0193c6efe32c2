"""Sequential sampling with the ordered prior: counts against a recount, what is kept and found."""

import copy

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.pool import Threads
from bnpexplorer.methods import make_method
from bnpexplorer.methods.sumo import dpm_sumo
from bnpexplorer.methods.sumo import ordered_sticks as osbp
from bnpexplorer.methods.sumo.dpm_sumo import DpmSumo, State
from bnpexplorer.models.base import corpus_from_counts
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.run import Run
from tests.tools.osbp import method_of
from tests.twins.mixture import log_dm
from tests.twins.osbp import Prior


def documents_of(corpus: Corpus) -> np.ndarray:
    return corpus.to_csr().toarray()


def sampled(method: DpmSumo, state: State, docs: Corpus, rng: np.random.Generator):
    """The chain of a batch, as a step runs it before the statistics take it in."""
    seating = method._unseated(state, docs, rng, None)
    seating.seat_documents(rng)
    for _ in range(method.sweeps):
        seating.seat_documents(rng)
        seating.serve_tables(rng)
        seating.change_restaurant(method.mu, method.model.gamma, rng)
    return seating


def check_seating(seating, state: State, docs: Corpus) -> None:
    """Every count of the chain equals a recount from the documents' tables."""
    x, s, room = documents_of(docs)[:, seating.words], seating.s, seating.room
    assert np.all(room.at >= 0)
    y = room.dish[room.at]
    n_rows, n_known = len(seating.tables), len(state.lam)
    here = state.table_restaurant == seating.z
    assert room.n_past == here.sum()
    before = np.zeros(len(room.docs), int)
    before[: room.n_past] = state.table_docs[here]
    assert np.array_equal(room.docs, before + np.bincount(room.at, minlength=len(before)))
    assert np.array_equal(room.dish[: room.n_past], state.table_dish[here])
    assert np.all((room.docs > 0) == (room.dish >= 0))
    tables = np.bincount(state.table_dish, minlength=n_rows)
    opened = room.dish[room.n_past :]
    assert np.array_equal(
        seating.tables, tables + np.bincount(opened[opened >= 0], minlength=n_rows)
    )
    assert np.all(seating.tables[:n_known] > 0)
    for k in range(n_rows):
        assert np.array_equal(s.held[k], x[y == k].sum(axis=0))
        assert s.held_docs[k] == (y == k).sum()
        assert s.held_tokens[k] == x[y == k].sum()
        assert s.held_docs[k] == 0 or seating.tables[k] > 0
        past = [m for j, d, m in past_tables(state) if (j, d) == (seating.z, k)]
        assert room.past_docs[k] == sum(past)
    check_cache(seating, state, docs, x, y)


def check_cache(seating, state: State, docs: Corpus, x, y) -> None:
    """Values marked as fresh are those of the component without the document itself."""
    s, eta, n_known = seating.s, state.lam.eta, len(state.lam)
    lam = state.lam.at(np.arange(docs.n_words, dtype=np.int32))
    full = documents_of(docs)
    for i, k in zip(*np.nonzero(s.stamp == s.version), strict=True):
        if seating.tables[k] == 0:
            continue
        others = (y == k) & (np.arange(len(y)) != i)
        base = lam[:, k] if k < n_known else np.full(docs.n_words, eta)
        expected = log_dm(full[i], base + full[others].sum(axis=0))
        assert s.value[i, k] == pytest.approx(expected, abs=1e-9)


def past_tables(state: State) -> list[tuple[int, int, int]]:
    columns = (state.table_restaurant, state.table_dish, state.table_docs)
    return [(int(j), int(s), int(m)) for j, s, m in zip(*columns, strict=True)]


def random_corpus(seed: int, n_docs: int = 200) -> Corpus:
    return DPMixture(4.0, 0.1).sample(np.random.default_rng(seed), n_docs, 20, 8.0).corpus


@pytest.mark.parametrize("seed", range(5))
def test_counts_equal_a_recount_after_random_batches(seed):
    rng = np.random.default_rng(seed)
    corpus, x = random_corpus(seed), documents_of(random_corpus(seed))
    prior = Prior(rng.uniform(0.3, 0.9), rng.choice([0.2, 3.0, 30.0]), rng.choice([0.3, 5.0]), 0.2)
    method = method_of(prior, sweeps=int(rng.integers(1, 4)))
    state, start, born = method.init(corpus, rng), 0, set()
    words: dict[int, np.ndarray] = {}
    visits: list[int] = []
    for index in range(14):
        rows = np.arange(start, start + int(rng.integers(1, 15)))
        start = rows[-1] + 1
        docs = corpus.take(rows)
        before = copy.deepcopy(state)
        seating = sampled(method, state, docs, copy.deepcopy(rng))
        assert same(state, before), "sampling must leave the statistics alone"
        check_seating(seating, state, docs)
        state, info = method.step(state, Batch(docs, rows, index, 14), rng, None)
        births = [e.children[0] for e in info.events]
        assert {e.kind for e in info.events} <= {"birth"}
        assert not set(births) & born
        born |= set(births)
        assert born == set(range(len(state.lam)))
        # Words: each document's, in the component of its table; new ones in order of their rows.
        used = np.flatnonzero(seating.tables > 0).tolist()
        for i, row in enumerate(rows):
            k = used.index(seating.room.dish[seating.room.at[i]])
            words[k] = words.get(k, np.zeros(20)) + x[row]
        lam = state.lam.at(np.arange(20, dtype=np.int32)).T
        assert np.array_equal(lam, 0.2 + np.array([words[k] for k in range(len(lam))]))
        assert state.lam.size == pytest.approx(lam.sum(axis=1) - 4.0)
        # Visits and tables: those of the restaurant are replaced, all others stay.
        visits = [*visits, 0] if seating.z == len(visits) else visits
        visits[seating.z] += 1
        assert state.visits.tolist() == visits
        old = [t for t in past_tables(before) if t[0] != seating.z]
        room = seating.room
        new = [
            (seating.z, used.index(s), int(m))
            for s, m in zip(room.dish.tolist(), room.docs.tolist(), strict=True)
            if s >= 0
        ]
        assert sorted(past_tables(state)) == sorted(old + new)
        assert state.table_docs.sum() == start
        assert set(state.table_dish) == set(range(len(state.lam)))
        topics = method.topics(state)
        assert topics.size == pytest.approx(state.docs(len(visits)).sum(axis=0))
        assert topics.weight.sum() + topics.unseen == pytest.approx(1.0, abs=1e-12)
        weights, innovation = osbp.predictive(state.visits, prior.mu, prior.gamma)
        assert info.scalars == {
            "restaurants": len(visits),
            "innovation probability": innovation,
            "first restaurant": weights[0],
            "tables": len(state.table_docs),
            "components": len(state.lam),
        }
    assert len(born) > 3


@pytest.mark.parametrize("seed", range(3))
def test_counts_equal_a_recount_after_every_single_step(seed):
    """Entering a restaurant counts the base's tables anew and would hide what (a) or (b) missed."""
    rng, corpus = np.random.default_rng(seed), random_corpus(seed)
    method = method_of(Prior(0.6, (0.5, 5.0, 40.0)[seed], 2.0, 0.2), sweeps=2)
    state = method.init(corpus, rng)
    for index in range(4):
        rows = np.arange(12 * index, 12 * index + 12)
        docs = corpus.take(rows)
        seating = method._unseated(state, docs, rng, None)
        for _ in range(4):
            seating.seat_documents(rng)
            check_seating(seating, state, docs)
            seating.serve_tables(rng)
            check_seating(seating, state, docs)
            seating.change_restaurant(0.6, method.model.gamma, rng)
            check_seating(seating, state, docs)
        state, _ = method.step(state, Batch(docs, rows, index, 4), rng, None)


def same(a: State, b: State) -> bool:
    arrays = ("visits", "table_restaurant", "table_dish", "table_docs")
    return (
        all(np.array_equal(getattr(a, f), getattr(b, f)) for f in arrays)
        and np.array_equal(a.lam.stats, b.lam.stats)
        and np.array_equal(a.lam.slots, b.lam.slots)
        and a.base_gamma == b.base_gamma
    )


@pytest.mark.second
def test_what_is_kept_does_not_grow_with_the_documents():
    """All arrays are accounted for by components, restaurants and tables, words apart."""
    counts = np.tile(np.array([[9, 9, 0, 0], [0, 0, 9, 9]]), (600, 1))
    corpus, method = Corpus.from_csr(counts), make_method("dpm-sumo")
    run = Run(method, corpus, batch_size=20)
    while not run.done:
        run.step()
    state, arrays = run.state, {}
    store.pack(state, arrays)
    capacity, n_tables = state.lam.stats.shape[1], len(state.table_docs)
    known = 4 * capacity + capacity + len(state.lam) + len(state.visits) + 3 * n_tables
    assert sum(a.size for a in arrays.values()) == known
    assert n_tables < 20
    assert len(state.lam) == 2
    assert capacity == 16


def test_room_for_new_components_has_no_influence(monkeypatch):
    """Rows run out in the midst of a sweep; the draws must go on as if there were plenty."""
    corpus, method = random_corpus(3), method_of(Prior(0.6, 30.0, 30.0, 0.2), sweeps=3)
    states = []
    for room in (1, 500):
        monkeypatch.setattr(dpm_sumo, "FIRST_ROOM", room)
        run = Run(method, corpus, batch_size=70)
        while not run.done:
            run.step()
        states.append(run.state)
    assert same(*states)
    assert len(states[0].lam) > 12


def test_pool_has_no_influence_and_seeds_have():
    corpus, states = random_corpus(4), []
    with Threads(3) as pool:
        for seed, wide in ((1, None), (1, pool), (2, None)):
            run = Run(make_method("dpm-sumo"), corpus, seed=seed, batch_size=30, pool=wide)
            while not run.done:
                run.step()
            states.append(run.state)
    assert same(states[0], states[1])
    assert not same(states[0], states[2])


def test_base_gamma_is_learned_from_the_tables_of_the_base(monkeypatch):
    """Tables are customers, components what they eat; the value in force goes on from there."""
    calls = []

    def note(value, customers, dishes, rng):
        calls.append((value, customers, dishes))
        return value + 1.0

    monkeypatch.setattr(dpm_sumo, "draw_gamma", note)
    corpus = random_corpus(5)
    method = method_of(Prior(0.6, 40.0, 4.0, 0.2), sweeps=2, learn_base_gamma=True)
    state, rng = method.init(corpus, np.random.default_rng(0)), np.random.default_rng(0)
    for index in range(3):
        rows = np.arange(50 * index, 50 * index + 50)
        state, info = method.step(state, Batch(corpus.take(rows), rows, index, 3), rng, None)
        assert len(state.table_docs) > len(state.lam)
        assert calls[-1] == (4.0 + index, len(state.table_docs), len(state.lam))
        assert info.scalars["base gamma"] == state.base_gamma == 5.0 + index
    topics = method.topics(state)
    rest = topics.unseen
    state.base_gamma *= 10
    assert method.topics(state).unseen > rest
    off = method_of(Prior(0.6, 2.0, 4.0, 0.2), sweeps=1)
    assert (
        "base gamma"
        not in off.step(off.init(corpus, rng), batch_of(corpus, 9), rng, None)[1].scalars
    )


def batch_of(corpus: Corpus, n: int) -> Batch:
    return Batch(corpus.take(np.arange(n)), np.arange(n), 0, 1)


# --- what it finds --------------------------------------------------------------------------------


def separable(rng: np.random.Generator, z: np.ndarray) -> Corpus:
    components = rng.dirichlet(np.full(100, 0.1), z.max() + 1)
    counts = rng.multinomial(np.maximum(rng.poisson(40, len(z)), 1), components[z])
    return corpus_from_counts(counts, "separable")


def learned(corpus: Corpus, batch_size: int, seed: int = 0, **values) -> Run:
    run = Run(make_method("dpm-sumo", "default", values), corpus, seed=seed, batch_size=batch_size)
    while not run.done:
        run.step()
    return run


@pytest.mark.second
@pytest.mark.parametrize("batch_size", [10, 100])
def test_finds_the_true_number_of_clusters(batch_size):
    rng = np.random.default_rng(6)
    z = rng.permutation(np.arange(1200) % 8)
    corpus = separable(rng, z)
    run = learned(corpus, batch_size, gamma=1.0, eta=0.5)
    topics = run.snapshot().topics
    assert len(topics) == 8
    found = run.method.model.fold_in(topics, corpus).argmax(axis=1)
    table = np.zeros((8, 8), int)
    np.add.at(table, (z, found), 1)
    assert table.max(axis=1).sum() >= 1195
    assert len(set(table.argmax(axis=1))) == 8
    scalars = run.snapshot().trace[-1].scalars
    bound = osbp.innovation_bound(int(scalars["restaurants"]))
    assert scalars["innovation probability"] < bound


def test_finds_the_clusters_of_a_drawn_mixture():
    drawn = DPMixture(3.0, 0.05).sample(np.random.default_rng(2), 1000, 80, 40.0)
    true = np.sort(np.unique(drawn.corpus.docs.label, return_counts=True)[1])[::-1]
    topics = learned(drawn.corpus, 100, gamma=3.0, eta=0.05).snapshot().topics
    found = np.sort(topics.size)[::-1]
    assert (found >= 2).sum() == (true >= 2).sum()
    assert found[:5] == pytest.approx(true[:5], abs=3)


def test_two_kinds_of_batches_get_a_restaurant_each():
    """Batches take turns between two groups of four clusters that share none."""
    rng = np.random.default_rng(7)
    kind = np.repeat(np.arange(20) % 2, 50)
    corpus = separable(rng, 4 * kind + rng.integers(0, 4, 1000))
    run = learned(corpus, 50, gamma=1.0, eta=0.5)
    state = run.state
    assert state.visits.tolist() == [10, 10]
    served = state.docs(2)
    assert served.sum(axis=1).tolist() == [500, 500]
    assert np.all((served > 0).sum(axis=0) == 1)
    assert len(state.lam) == 8


def test_presets():
    paper = make_method("dpm-sumo", "das-2015")
    assert (paper.mu, paper.base_gamma, paper.model.gamma, paper.model.eta) == (0.6, 5.0, 0.5, 0.5)
    assert DpmSumo.presets["das-2015"].batch_size == 500
    assert DpmSumo().sweeps == 20
    assert DpmSumo().memory(random_corpus(0)) == 0
