"""Splits and merges of hdp-gibbs: same posterior with them, and with them alone."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import beta

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference import assignments
from bnpexplorer.kernels import topic_moves
from bnpexplorer.kernels.hdp_collapsed import draw_weights
from bnpexplorer.kernels.tuples import Parts
from bnpexplorer.methods.direct.hdp_gibbs import HdpGibbs
from bnpexplorer.methods.direct.moves import move
from bnpexplorer.models.hdp import HDP
from bnpexplorer.runs.run import Run
from tests.methods.test_hdp_gibbs import check_state
from tests.methods.test_hdp_gibbs_law import PARTITION, features, prior_state, slots_law
from tests.tools.gibbs import largest_gap, largest_z, law_moments, pairs, total_variation
from tests.tools.methods import blocks_of, corpus_of, in_turn, one_pass, saved_and_ended
from tests.twins.gibbs import log_dirichlet_multinomial
from tests.twins.hdp import Prior, enumerate_law

DOCS = [[0, 0, 1], [1, 2]]
CORPUS = corpus_of(DOCS, 3)
LAW, _ = enumerate_law(Prior((), (), (), 0.8, 0.9, 0.4, 3), DOCS)
BLOCKS = blocks_of(CORPUS, [[1], [0]])
NO_STICKS = np.zeros(0)


@pytest.mark.second
def test_moves_alone_reach_the_enumerated_posterior():
    """5,000 moves, weights drawn given tables between: 13 means within 4 standard errors, of 0.012.

    Splits and merges lead from every one of the 52 states to every other one.
    """
    method, rng, seen = (
        HdpGibbs(HDP(0.8, 0.9, 0.4), start="nothing", moves=1),
        np.random.default_rng(1),
        [],
    )
    state, _ = one_pass(method, method.init(CORPUS, rng), BLOCKS, rng)
    for _ in range(5000):
        move(state, CORPUS, 1, rng)
        draw_weights(
            NO_STICKS, NO_STICKS, state.gamma, state.all_tables, state.weight, state.rest, rng
        )
        seen.append(slots_law(state))
    assert largest_gap([pairs(z) for z in seen], law_moments(LAW, pairs)) < 4.0
    assert total_variation(LAW, Counter({z: n / 5000 for z, n in Counter(seen).items()})) < 0.07


@pytest.mark.second
@pytest.mark.parametrize("start", ["nothing", "many"])
def test_draws_and_moves_together_have_the_same_law_from_every_start(start):
    """1,000 passes: 13 means within 4 standard errors, of 0.02."""
    knobs = {"start": start, "n_start": 9, "start_passes": 3, "moves": 2}
    method, rng, seen = HdpGibbs(HDP(0.8, 0.9, 0.4), **knobs), np.random.default_rng(2), []
    state = method.init(CORPUS, rng)
    for _ in range(1000):
        state, _ = one_pass(method, state, BLOCKS, rng)
        seen.append(slots_law(state))
    assert largest_gap([pairs(z) for z in seen], law_moments(LAW, pairs)) < 4.0


@pytest.mark.second
@pytest.mark.parametrize("learned", [False, True], ids=["fixed", "learned"])
def test_joint_distribution(learned, monkeypatch):
    """Geweke 2004 with independent replicates: a draw from the model stays one after six moves.

    300 replicates; of 28 features the largest z stays below 4.5 but for one seed in 5,000.
    """
    monkeypatch.setattr(assignments, "MOST_SWEEPS", 2)
    knobs = dict.fromkeys(("learn_gamma", "learn_alpha", "learn_eta"), learned)
    method = HdpGibbs(HDP(0.3, 4.0, 0.5), start="nothing", moves=6, **knobs)
    rng, before, after = np.random.default_rng(7), [], []
    for _ in range(300):
        gamma, alpha, eta = 0.3, 4.0, 0.5
        if learned:
            gamma, alpha, eta = rng.gamma(1.0, 10.0), rng.gamma(1.0, 10.0), rng.gamma(2.0, 0.1)
        state, corpus = prior_state(method, gamma, alpha, eta, rng)
        before.append(features(state, corpus))
        state, _ = one_pass(method, state, blocks_of(corpus, PARTITION), rng)
        after.append(features(state, corpus))
    assert largest_z(before, after) < 4.5


# --- the proposal ---------------------------------------------------------------------------------

FIRST, WORD = np.array([0, 3, 5]), np.array([0, 0, 1, 1, 2], np.int32)
SEEDS, MASS, ETA = (0, 3), 0.7, 0.4


def parts_of(second) -> Parts:
    return Parts(FIRST, WORD, np.array(second, bool), np.empty((3, 2)))


def divisions():
    """All that leave the two seeds apart, with their probabilities after two scans."""
    rng = np.random.default_rng(0)
    for a, b, c in itertools.product([False, True], repeat=3):
        parts = parts_of([False, a, b, True, c])
        log_q = topic_moves.divide(parts, SEEDS, MASS, ETA, 2, False, rng)
        yield parts, log_q


def slow_probability(second) -> float:
    """The launch and the last scan, everything summed anew for every token."""
    doc, share, log_q = np.repeat([0, 1], np.diff(FIRST)), np.full(5, 0.5), 0.0
    share[list(SEEDS)] = 0.0, 1.0
    for scan in range(3):
        for m in (1, 2, 4):
            others, p = np.arange(5) != m, []
            for s in (1.0 - share, share):
                in_doc = s[others & (doc == doc[m])].sum() + 0.5 * MASS
                same = s[others & (WORD[m] == WORD)].sum() + ETA
                p.append(in_doc * same / (s[others].sum() + 3 * ETA))
            share[m] = p[1] / sum(p)
            if scan == 2:
                log_q += math.log(share[m] if second[m] else 1.0 - share[m])
                share[m] = second[m]
    return log_q


def test_the_probabilities_of_all_divisions_are_those_of_the_slow_twin_and_sum_to_1():
    total = 0.0
    for parts, log_q in divisions():
        assert log_q == pytest.approx(slow_probability(parts.second), abs=1e-12)
        for k in (0, 1):
            inside = parts.second == bool(k)
            assert np.array_equal(parts.held[:, k], np.bincount(WORD[inside], minlength=3))
        total += math.exp(log_q)
    assert total == pytest.approx(1.0, abs=1e-12)


def test_a_division_is_drawn_with_its_probability():
    """10,000 draws of the eight divisions, all within 4 standard errors."""
    rng, seen, n = np.random.default_rng(5), Counter(), 10_000
    for _ in range(n):
        parts = parts_of([False] * 5)
        topic_moves.divide(parts, SEEDS, MASS, ETA, 2, True, rng)
        seen[tuple(parts.second.tolist())] += 1
    for parts, log_q in divisions():
        p = math.exp(log_q)
        assert abs(seen[tuple(parts.second.tolist())] / n - p) < 4 * math.sqrt(p * (1 - p) / n)


def test_the_ratio_of_two_topics_over_one():
    u = 0.3
    for parts, _ in divisions():
        exact = 0.0
        for s, mass in ((~parts.second, MASS * (1 - u)), (parts.second, MASS * u)):
            exact += log_dirichlet_multinomial(np.bincount(WORD[s], minlength=3), ETA)
            for a, b in itertools.pairwise(FIRST):
                exact += math.lgamma(mass + s[a:b].sum()) - math.lgamma(mass)
        exact -= log_dirichlet_multinomial(np.bincount(WORD, minlength=3), ETA)
        exact -= sum(math.lgamma(MASS + n) - math.lgamma(MASS) for n in np.diff(FIRST))
        assert topic_moves.log_ratio(parts, MASS, 1 - u, ETA) == pytest.approx(exact, abs=1e-12)
    assert topic_moves.log_beta_density(u, 2.5, 1.5) == pytest.approx(beta(2.5, 1.5).logpdf(u))


# --- what they leave behind -----------------------------------------------------------------------


def test_counts_names_and_events_follow_every_move():
    corpus = HDP(2.0, 1.0, 0.1).sample(np.random.default_rng(1), 40, 15, 8.0).corpus
    rng, kinds, alive = np.random.default_rng(3), Counter(), set()
    method = HdpGibbs(HDP(3.0, 1.0, 0.1), start="nothing", moves=20)
    state, blocks = method.init(corpus, rng), in_turn(corpus, 15)
    for _ in range(25):
        for batch in blocks:
            state, info = method.step(state, batch, rng, None)
            for event in info.events:
                assert set(event.parents) <= alive
                assert not set(event.children) & alive
                alive = (alive - set(event.parents)) | set(event.children)
                kinds[event.kind] += 1
            assert set(state.slot_ids[state.slot_ids >= 0].tolist()) == alive
            check_state(state, corpus, blocks)
    assert kinds["split"] > 2
    assert kinds["merge"] > 2


def test_the_slot_that_a_merge_closes_holds_nothing():
    """Right after the moves, before the end of a pass makes sums anew."""
    corpus = HDP(2.0, 1.0, 0.1).sample(np.random.default_rng(1), 40, 15, 8.0).corpus
    rng, merges = np.random.default_rng(3), 0
    method = HdpGibbs(HDP(3.0, 1.0, 0.1), start="nothing", moves=1, merge_passes=0)
    state, blocks = method.init(corpus, rng), in_turn(corpus, 40)
    for _ in range(25):
        state, _ = one_pass(method, state, blocks, rng)
        events = move(state, corpus, 20, rng)
        merges += sum(event.kind == "merge" for event in events)
        check_state(state, corpus, blocks)
    assert merges > 2


def test_room_is_made_where_all_slots_are_in_use():
    """Sixty tokens that hardly share topics are lumped into one, in 24 slots."""
    corpus, rng = corpus_of([[*range(60)]], 60), np.random.default_rng(0)
    knobs = {"start": "many", "n_start": 1, "start_passes": 1, "moves": 1}
    method, blocks = HdpGibbs(HDP(1000.0, 1000.0, 1e-4), **knobs), blocks_of(corpus, [[0]])
    state, _ = one_pass(method, method.init(corpus, rng), blocks, rng)
    assert len(state.weight) == 24
    move(state, corpus, 1000, rng)
    assert (state.tokens.count > 0).sum() > 24
    check_state(state, corpus, blocks)


def test_a_saved_run_goes_on_with_the_same_moves(dozen, tmp_path):
    run = Run(
        HdpGibbs(HDP(1.5, 0.8, 0.2), start="nothing", moves=5), dozen, batch_size=5, passes=12
    )
    loaded = saved_and_ended(run, tmp_path / "a.run")
    assert {"split", "merge"} & {event.kind for event in run.snapshot().events}
    assert np.array_equal(run.state.tokens.topic, loaded.state.tokens.topic)
    assert np.array_equal(run.state.weight, loaded.state.weight)


def test_moves_part_what_single_tokens_cannot():
    """Six topics that were lumped together, each document of one of them."""
    rng = np.random.default_rng(0)
    components = rng.dirichlet(np.full(60, 0.1), 6)
    counts = rng.multinomial(20, components[np.arange(120) % 6])
    corpus, found = Corpus.from_csr(counts), []
    for moves in (0, 10):
        knobs = {"start": "many", "n_start": 1, "start_passes": 1, "moves": moves}
        method = HdpGibbs(HDP(1.0, 1.0, 0.5), merge_passes=0, **knobs)
        state = method.init(corpus, rng)
        for _ in range(6):
            state, _ = one_pass(method, state, in_turn(corpus, 60), rng)
        found.append(int((state.tokens.count > 100).sum()))
    assert found[0] < 6
    assert found[1] == 6
