"""Algorithm 2: the exact law of a pass, and the state that it leaves."""

from collections import Counter

import numpy as np
import pytest

from bnpexplorer.checks.expecting import same
from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import Batch, Corpus
from bnpexplorer.inference.dirichlet import Dirichlets
from bnpexplorer.inference.sticks import stick_parameters
from bnpexplorer.methods.dpm_collapsed import DpmCollapsed, State, end_pass
from bnpexplorer.models.dpm import DPMixture
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Details
from tests.tools.gibbs import moments_gap, pairs_and_old
from tests.tools.methods import in_turn, one_pass
from tests.twins.mixture import canonical, check_law, law_in_turn, log_dm, prior_probability

GAMMA, ETA = 1.8, 0.4
# Document i alone has word i, so that its component can be read off the next q.
X = np.array([[1, 0, 0, 0, 2, 0], [0, 1, 0, 0, 1, 1], [0, 0, 2, 0, 0, 1], [0, 0, 0, 1, 0, 2]])
N = np.array([0.7, 0.3])
EXCESS = np.array([[0.6, 0.2, 0.1, 0.3, 2.0, 0.1], [0.1, 0.3, 0.2, 0.1, 0.2, 0.9]])


def start(n_old: int) -> State:
    lam = Dirichlets.from_excess(EXCESS[:n_old], ETA)
    model, nothing = DPMixture(GAMMA, ETA), Dirichlets.empty(6, ETA, 1)
    return State(model, lam, nothing, N[:n_old], np.zeros(0), np.arange(n_old), n_old)


def run_pass(method, state, corpus, size, rng):
    state, infos = one_pass(method, state, in_turn(corpus, size), rng)
    return state, infos[-1]


def components_of(state: State) -> tuple[int, ...]:
    held = state.lam.at(np.arange(4, dtype=np.int32)) > ETA + 0.5
    assert np.all(held.sum(axis=1) == 1)
    return tuple(int(state.topic_ids[k]) for k in held.argmax(axis=1))


@pytest.mark.second
@pytest.mark.parametrize("n_old", [0, 2])
@pytest.mark.parametrize("size", [4, 2])
def test_pass_follows_the_enumerated_law_whatever_the_blocks(n_old, size):
    """6,000 passes: chi-square, and how often documents share components (standard error 0.006)."""
    u, v = stick_parameters(N[:n_old], GAMMA)
    law = law_in_turn(X, ETA + EXCESS[:n_old], u, v, GAMMA, ETA)
    assert sum(law.values()) == pytest.approx(1.0)
    assert len(law) == (15 if n_old == 0 else 151)
    method, rng = DpmCollapsed(DPMixture(GAMMA, ETA)), np.random.default_rng(2)
    blocks = in_turn(Corpus.from_csr(X), size)
    drawn: Counter = Counter()
    for _ in range(6000):
        state, _ = one_pass(method, start(n_old), blocks, rng)
        drawn[canonical(components_of(state), n_old)] += 1
    check_law(drawn, law, 6000)
    assert moments_gap(drawn, law, pairs_and_old(n_old)) < 4.0


def test_q_is_fixed_until_the_pass_ends_and_then_counts_the_draws():
    corpus = DPMixture(3.0, 0.1).sample(np.random.default_rng(1), 60, 20, 15.0).corpus
    method, rng = DpmCollapsed(DPMixture(1.0, 0.3)), np.random.default_rng(0)
    state = method.init(corpus, rng)
    for _ in range(3):
        before = method.topics(state)
        for index in range(3):
            rows = np.arange(20 * index, 20 * index + 20)
            state, info = method.step(state, Batch(corpus.take(rows), rows, index, 3), rng, None)
            if index < 2:
                assert np.array_equal(method.topics(state).topic_word, before.topic_word)
                assert info.events == ()
        assert state.n.sum() == 60
        assert np.all(state.n == np.round(state.n))
        assert np.all(np.diff(state.n) <= 0)
        words = state.lam.at(np.arange(20, dtype=np.int32)) - 0.3
        assert words.sum(axis=1) == pytest.approx(corpus.to_csr().toarray().sum(axis=0))
        born = {e.children[0] for e in info.events if e.kind == "birth"}
        gone = {e.parents[0] for e in info.events if e.kind == "prune"}
        assert set(state.topic_ids) == (set(before.topic_ids) | born) - gone


def test_reported_joint_is_that_of_the_drawn_partition():
    method, rng = DpmCollapsed(DPMixture(GAMMA, ETA)), np.random.default_rng(5)
    corpus = Corpus.from_csr(X)
    state, info = run_pass(method, method.init(corpus, rng), corpus, 2, rng)
    z = np.array(components_of(state))
    sizes = tuple(int((z == k).sum()) for k in set(z.tolist()))
    slow = np.log(prior_probability(sizes, GAMMA))
    slow += sum(log_dm(X[z == k].sum(axis=0), [ETA] * 6) for k in set(z.tolist()))
    assert info.scalars["log joint"] == pytest.approx(slow, rel=1e-10)


def dying_run(n_steps: int) -> Run:
    """Three blocks a pass; most components of a pass are empty after the next one."""
    corpus = DPMixture(3.0, 0.5).sample(np.random.default_rng(1), 30, 8, 3.0).corpus
    run = Run(DpmCollapsed(DPMixture(30.0, 0.5)), corpus, seed=2, batch_size=10, passes=4)
    while run.n_steps < n_steps:
        run.step()
    return run


def test_nothing_is_drawn_between_passes():
    for n_steps, drawn in ((3, 0), (4, 10), (5, 20), (6, 0)):
        state = dying_run(n_steps).state
        assert (state.next_n.sum(), len(state.next_lam)) == (drawn, len(state.next_n))


def reopened(run: Run) -> Run:
    (texts, arrays), (standing, more) = run.pack_texts(), run.pack_standing()
    return Run.unpack({**texts, **standing}, {**arrays, **more}, "theirs")


def test_a_run_that_an_earlier_version_saved_after_a_pass_with_deaths_opens():
    """It kept the counts of the pass: of the components that were left, and of all."""
    run = dying_run(6)
    pruned = [e.parents[0] for e in run.latest_info.events if e.kind == "prune"]
    assert pruned
    run.state.next_lam = run.state.lam
    run.state.next_n = np.append(run.state.n, np.zeros(len(pruned)))
    opened, straight = reopened(run), dying_run(6)
    while not straight.done:
        straight.step()
        opened.step()
    assert same(straight.snapshot().topics, opened.snapshot().topics)


@pytest.mark.parametrize("n_steps", [4, 5])
def test_counts_of_another_length_within_a_pass_are_refused(n_steps):
    run = dying_run(n_steps)
    run.state.next_n = np.append(run.state.next_n, 0.0)
    with pytest.raises(store.StoreError, match="other documents than those of the present pass"):
        reopened(run)


def test_of_a_pass_that_an_earlier_version_began_the_last_births_are_told():
    """It knew of none; those since are the last."""
    model, told = DPMixture(1.0, 0.5), [Details(document=3), Details(document=5)]
    held = Dirichlets.from_excess(np.array([[1.0, 0], [0, 2], [3, 0], [0, 1]]), 0.5)
    old = Dirichlets.from_excess(np.array([[2.0, 0]]), 0.5)
    state = State(model, old, held, np.array([2.0]), np.array([1.0, 2.0, 3.0, 1.0]))
    state.topic_ids, state.n_ids, state.told = np.array([4]), 7, told
    events = end_pass(state)
    assert [event.children for event in events] == [(7,), (8,), (9,)]
    assert [event.details for event in events] == [None, *told]
    assert (state.topic_ids.tolist(), state.n.tolist()) == ([8, 7, 4, 9], [3, 2, 1, 1])
    assert (state.n_ids, state.told, len(state.next_n)) == (10, [], 0)
