"""The ordered prior's law: restaurants, tables and components against enumeration."""

from collections import Counter

import numpy as np
import pytest
from scipy.special import gammaln

from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.mixture import log_predictive
from bnpexplorer.methods.sumo import dpm_sumo
from tests.tools.osbp import method_of, state_of
from tests.twins.mixture import check_law
from tests.twins.osbp import (
    Past,
    Prior,
    after_serving,
    by_components,
    in_order,
    joint,
    posterior,
    restaurant_law,
)

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


@pytest.mark.second
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


@pytest.mark.second
def test_first_batch_sits_in_the_first_restaurant_and_follows_its_law():
    """No past at all: 12,000 cycles; every third is kept, which makes them all but independent."""
    nothing, prior = Past((), (), ()), Prior(0.6, 3.0, 1.0, 0.5)
    x = ((2, 0), (0, 1), (1, 2))
    law = posterior(x, nothing, prior)
    assert {z for z, _ in law} == {0}
    drawn = Counter(chain(x, nothing, prior, 12_000, seed=2, thin=3))
    check_law(drawn, law, 4000)


@pytest.mark.second
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


@pytest.mark.second
def test_batch_begins_in_a_restaurant_of_the_predictive_law():
    """5,000 draws; six standard errors are 0.042."""
    method, rng = method_of(MORE_PRIOR), np.random.default_rng(0)
    state, docs = state_of(MORE_PAST, MORE_PRIOR), Corpus.from_csr(np.array(MORE_X))
    z = [method._unseated(state, docs, rng, None).z for _ in range(5000)]
    expected = restaurant_law(MORE_PAST.visits, MORE_PRIOR.mu, MORE_PRIOR.gamma)
    assert np.bincount(z) / 5000 == pytest.approx(np.array(expected), abs=0.042)


@pytest.mark.second
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


def test_prediction_is_the_joint_law_of_one_more_document():
    """ln p(x* | past), over all restaurants, tables and dishes, is the mixture's predictive."""
    for past, prior, n_words in ((PAST, PRIOR, 3), (MORE_PAST, MORE_PRIOR, 2)):
        method, rng = method_of(prior), np.random.default_rng(0)
        x = rng.poisson(1.5, (6, n_words))
        x[:, 0] += 1
        found = log_predictive(method.topics(state_of(past, prior)), Corpus.from_csr(x))
        exact = [np.log(sum(joint([row], past, prior).values())) for row in x.tolist()]
        assert found == pytest.approx(np.array(exact), abs=1e-6)  # float32 topics


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
