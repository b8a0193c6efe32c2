"""Sequential sampling with the ordered prior: the law of a batch, what is kept, what it finds."""

import copy
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from naive_mixture import check_law, log_dm
from naive_osbp import (
    Past,
    Prior,
    after_serving,
    by_components,
    in_order,
    joint,
    posterior,
    restaurant_law,
)
from scipy.special import gammaln

from bnpexplorer import store
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.methods import dpm_sumo, make_method
from bnpexplorer.methods.dpm_sumo import DpmSumo, State
from bnpexplorer.models import osbp
from bnpexplorer.models.dirichlet import Dirichlets
from bnpexplorer.models.dpm import DPMixture, log_predictive
from bnpexplorer.models.synthetic import corpus_from_counts
from bnpexplorer.run import Run

# The worked example: two restaurants, three tables, two components, three documents.
PAST = Past(visits=(2, 1), tables=(((3, 0), (1, 1)), ((2, 1),)), words=((5, 1, 1), (1, 4, 2)))
PRIOR = Prior(mu=0.6, gamma=2.0, base_gamma=1.5, eta=0.5)
X = ((2, 0, 0), (0, 1, 1), (2, 0, 1))

# Less even: a large gamma, so that many tables open; three restaurants, the second the largest.
MORE_PAST = Past(
    visits=(1, 3, 1),
    tables=(((1, 0),), ((2, 1), (1, 0), (1, 1)), ((1, 2), (2, 0))),
    words=((3, 2), (2, 5), (0, 2)),
)
MORE_PRIOR = Prior(mu=0.45, gamma=9.0, base_gamma=0.8, eta=0.4)
MORE_X = ((1, 1), (0, 2), (2, 0))


def method_of(prior: Prior, **knobs) -> DpmSumo:
    model = DPMixture(prior.gamma, prior.eta)
    return DpmSumo(model, mu=prior.mu, base_gamma=prior.base_gamma, **knobs)


def state_of(past: Past, prior: Prior) -> State:
    flat = [(j, s, m) for j, tables in enumerate(past.tables) for m, s in tables]
    restaurant, dish, docs = np.array(flat, np.int64).T
    lam = Dirichlets.from_excess(np.array(past.words, float), prior.eta)
    return State(lam, prior.base_gamma, np.array(past.visits), restaurant, dish, docs)


def where(seating, past: Past):
    """(z, seats) of a chain, numbered as the enumeration numbers them."""
    at = seating.room.at
    dishes = seating.room.dish[at]
    n_past = len(past.tables[seating.z]) if seating.z < len(past.tables) else 0
    return seating.z, in_order(list(zip(at, dishes, strict=True)), n_past, len(past.words))


def chain(x, past: Past, prior: Prior, n_sweeps: int, seed: int, thin: int = 1):
    """Yield (z, seats) after every `thin` cycles of one long chain."""
    method, rng = method_of(prior), np.random.default_rng(seed)
    docs = Corpus.from_csr(np.array(x))
    state = state_of(past, prior) if past.visits else method.init(docs, rng)
    seating = method._unseated(state, docs, rng, None)
    seating.seat_documents(rng)
    for sweep in range(n_sweeps):
        seating.seat_documents(rng)
        seating.serve_tables(rng)
        seating.change_restaurant(prior.mu, prior.gamma, rng)
        if sweep % thin == thin - 1:
            yield where(seating, past)


def distance(drawn: dict, law: dict) -> float:
    """Total variation."""
    n = sum(drawn.values())
    assert set(drawn) <= set(law)
    return 0.5 * sum(abs(drawn.get(key, 0) / n - p) for key, p in law.items())


def test_restaurant_of_the_worked_example():
    law = by_components(posterior(X, PAST, PRIOR))
    assert len(law) == 111
    z = [sum(p for (j, _), p in law.items() if j == place) for place in range(3)]
    assert z == pytest.approx([0.8136, 0.0903, 0.0961], abs=5e-5)


CASES = pytest.mark.parametrize(
    ("x", "past", "prior"),
    [(X, PAST, PRIOR), (MORE_X, MORE_PAST, MORE_PRIOR)],
    ids=["worked example", "many tables"],
)


@CASES
def test_cycles_follow_the_enumerated_law(x, past, prior):
    """Restaurant and components after every cycle of a chain of 20,000, then with the seats.

    Of independent draws the total variation would be 0.012 and 0.025 (seats: 0.02 and 0.05);
    neighbouring cycles are a little alike.
    """
    full = posterior(x, past, prior)
    law = by_components(full)
    drawn = Counter(chain(x, past, prior, 20_000, seed=1))
    components = by_components(drawn)
    for place in range(len(past.visits) + 1):
        exact = sum(p for (z, _), p in law.items() if z == place)
        found = sum(n for (z, _), n in components.items() if z == place) / 20_000
        assert found == pytest.approx(exact, abs=0.015)
    assert set(drawn) <= set(full)
    for found, exact in ((components, law), (drawn, full)):
        typical = 0.5 * sum(np.sqrt(2 * p * (1 - p) / np.pi / 20_000) for p in exact.values())
        assert distance(found, exact) < 1.4 * typical


def test_first_batch_sits_in_the_first_restaurant_and_follows_its_law():
    """No past at all: 12,000 cycles; every third is kept, which makes them all but independent."""
    nothing, prior = Past((), (), ()), Prior(0.6, 3.0, 1.0, 0.5)
    x = ((2, 0), (0, 1), (1, 2))
    law = posterior(x, nothing, prior)
    assert {z for z, _ in law} == {0}
    drawn = Counter(chain(x, nothing, prior, 12_000, seed=2, thin=3))
    check_law(drawn, law, 4000)


def test_a_batch_is_sampled_from_the_law_of_its_state():
    """Through `step`, 1500 times from one state; six standard errors of z are 0.06.

    Document i alone has word i, so that its component shows in the statistics kept.
    """
    x = ((1, 0, 0, 2, 0), (0, 1, 0, 1, 1), (0, 0, 1, 0, 2))
    words = ((0, 0, 0, 5, 1), (0, 0, 0, 2, 6))
    past = Past((2, 1), (((3, 0), (1, 1)), ((2, 1),)), words)
    law = by_components(posterior(x, past, PRIOR))
    docs, method = Corpus.from_csr(np.array(x)), method_of(PRIOR, sweeps=6)
    drawn: Counter = Counter()
    for seed in range(1500):
        state = state_of(past, PRIOR)
        batch = Batch(docs, np.arange(3), 3, 9)
        state, info = method.step(state, batch, np.random.default_rng(seed), None)
        grown = np.append(state.visits, 0)[:3] - [2, 1, 0]
        y = state.lam.at(np.arange(3, dtype=np.int32)).argmax(axis=1)
        key = tuple((0, int(k)) for k in y)
        drawn[int(grown.argmax()), tuple(s for _, s in in_order(key, 9, 2))] += 1
        assert [e.children for e in info.events] == [(k,) for k in range(2, len(state.lam))]
    check_law(drawn, law, 1500)


def test_batch_begins_in_a_restaurant_of_the_predictive_law():
    """5,000 draws; six standard errors are 0.042."""
    method, rng = method_of(MORE_PRIOR), np.random.default_rng(0)
    state, docs = state_of(MORE_PAST, MORE_PRIOR), Corpus.from_csr(np.array(MORE_X))
    z = [method._unseated(state, docs, rng, None).z for _ in range(5000)]
    expected = restaurant_law(MORE_PAST.visits, MORE_PRIOR.mu, MORE_PRIOR.gamma)
    assert np.bincount(z) / 5000 == pytest.approx(np.array(expected), abs=0.042)


def test_tables_are_served_in_random_order():
    """One visit to three tables from a fixed state, 20,000 times, against its enumerated law.

    In the order of their slots, or with the tables' own shares counted, the law is another.
    """
    x, prior = ((3, 0, 0), (1, 2, 0), (0, 3, 1)), Prior(0.6, 9.0, 0.7, 0.5)
    past = Past((1,), (((2, 0),),), ((1, 1, 2),))
    start = ((1, 1), (2, 2), (3, 3))
    method, rng = method_of(prior), np.random.default_rng(5)
    while True:
        seating = method._unseated(state_of(past, prior), Corpus.from_csr(np.array(x)), rng, None)
        seating.enter(0)
        seating.seat_documents(rng)
        if where(seating, past) == (0, start):
            break
    kept = (seating.room.dish, seating.tables, seating.s.held, seating.s.held_docs)
    kept += (seating.s.held_tokens,)
    saved = [a.copy() for a in kept]
    drawn: Counter = Counter()
    for _ in range(20_000):
        for array, before in zip(kept, saved, strict=True):
            array[...] = before
        seating.serve_tables(rng)
        drawn[where(seating, past)[1]] += 1
    check_law(drawn, after_serving(x, start, past, prior, 0), 20_000)


def documents_of(corpus: Corpus) -> np.ndarray:
    return corpus.to_csr().toarray()


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
        seating = method.sample(state, docs, copy.deepcopy(rng), None)
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


def test_prediction_is_the_joint_law_of_one_more_document():
    """ln p(x* | past), over all restaurants, tables and dishes, is the mixture's predictive."""
    for past, prior, n_words in ((PAST, PRIOR, 3), (MORE_PAST, MORE_PRIOR, 2)):
        method, rng = method_of(prior), np.random.default_rng(0)
        x = rng.poisson(1.5, (6, n_words))
        x[:, 0] += 1
        found = log_predictive(method.topics(state_of(past, prior)), Corpus.from_csr(x))
        exact = [np.log(sum(joint([row], past, prior).values())) for row in x.tolist()]
        assert found == pytest.approx(np.array(exact), abs=1e-6)  # float32 topics


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
    with ThreadPoolExecutor(3) as pool:
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


def test_drawn_base_gamma_follows_its_law():
    """Given 30 tables of 6 components: Gamma(1, 0.1) times b^6 Gamma(b) / Gamma(b + 30).

    30,000 draws, of which neighbours are a little alike; mean 2.2, tolerance about six errors.
    """
    grid = np.exp(np.linspace(-9, 6, 4001))
    logs = 7 * np.log(grid) - 0.1 * grid + gammaln(grid) - gammaln(grid + 30)
    weight = np.exp(logs - logs.max())
    exact = (weight @ grid) / weight.sum()
    rng, value, drawn = np.random.default_rng(1), 5.0, []
    for _ in range(30_000):
        value = dpm_sumo.draw_gamma(value, 30, 6, rng)
        drawn.append(value)
    assert np.mean(drawn) == pytest.approx(exact, abs=0.08)


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
