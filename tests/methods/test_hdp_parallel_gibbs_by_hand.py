"""Topics of hdp-parallel-gibbs changed by hand: the tables that they get, the end of a start."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.kernels.tables import mean_table_count
from bnpexplorer.methods.parallel.hdp_parallel_gibbs import HdpParallelGibbs
from bnpexplorer.methods.parallel.state import State
from bnpexplorer.models.hdp import HDP
from bnpexplorer.state.invariants import StateContext
from bnpexplorer.state.snapshot import Event
from tests.tools.methods import blocks_of, in_turn, one_pass

N_EDITS = 100
METHOD = HdpParallelGibbs(HDP(1.0, 4.0, 0.1), n_start=12, start_passes=2)


@pytest.fixture(scope="module")
def corpus(bars) -> Corpus:
    return bars[0].take(np.arange(120))


@pytest.fixture(scope="module")
def state(corpus) -> State:
    """After five passes, of which two were of the start."""
    rng = np.random.default_rng(5)
    state = METHOD.init(corpus, rng)
    for _ in range(5):
        state, _ = one_pass(METHOD, state, in_turn(corpus, 120), rng)
    return state


def edited(state: State, corpus: Corpus, kind: str, n_topics: int):
    """The largest topics changed so, again and again: each new state and what was told of it."""
    rng, ground = np.random.default_rng(1), StateContext(corpus, {}, np.arange(120), 120, 0, 1)
    chosen = tuple(state.slot_ids[np.argsort(-state.count, kind="stable")[:n_topics]].tolist())
    for _ in range(N_EDITS):
        yield METHOD.edit(state, kind, chosen, ground, rng)


def slot_of(state: State, topic: int) -> int:
    return int(np.flatnonzero(state.slot_ids == topic)[0])


def beyond(new: State, corpus: Corpus, slot: int, weight: float) -> float:
    """The tables of a slot less those that are expected where its corpus weight is this."""
    owner = np.repeat(np.arange(corpus.n_docs), corpus.doc_lengths)
    of_doc = np.bincount(owner[new.topic == slot])
    expected = sum(mean_table_count(int(n), new.alpha * weight) for n in of_doc if n)
    return float(new.tables[slot] - expected)


def expect_zero(differences: list[float]) -> None:
    """Their mean, within four standard errors."""
    assert abs(np.mean(differences)) < 4.0 * np.std(differences) / np.sqrt(len(differences))


def test_merged_topics_have_the_weight_of_all(state, corpus):
    differences, chosen = [], None
    for new, event in edited(state, corpus, "merge", 3):
        chosen = [slot_of(state, topic) for topic in event.parents]
        into = slot_of(new, event.children[0])
        assert into == max(chosen, key=lambda slot: state.count[slot])
        assert not new.count[[slot for slot in chosen if slot != into]].any()
        differences.append(beyond(new, corpus, into, float(state.weight[chosen].sum())))
        assert abs(new.weight.sum() - 1.0) < 1e-9
    expect_zero(differences)


@pytest.mark.second
def test_parts_of_a_topic_share_its_weight_by_their_tokens(state, corpus):
    """The part that moves adds its share to the weight of the empty slot where it goes."""
    staying, moving = [], []
    for new, event in edited(state, corpus, "split", 1):
        old, free = (slot_of(new, topic) for topic in shared_out(event))
        share = new.count[free] / state.count[old]
        assert new.count[old] + new.count[free] == state.count[old]
        assert 0.0 < share <= 0.5
        weight = float(state.weight[old])
        staying.append(beyond(new, corpus, old, (1.0 - share) * weight))
        moving.append(beyond(new, corpus, free, float(state.weight[free]) + share * weight))
    expect_zero(staying)
    expect_zero(moving)


def shared_out(event: Event) -> tuple[int, int]:
    """The two parts of a split: the one that keeps the identity, and the new one."""
    kept, part = event.children
    assert event.parents == (kept,)
    return kept, part


@pytest.mark.parametrize("kind", ["merge", "split", "delete"])
def test_a_change_by_hand_ends_a_start_that_is_under_way(dozen, kind):
    """Weights are drawn from then on, and states are kept after another burn-in."""
    method, rng = replace(METHOD, start_passes=9, burn_in=2, thin=1), np.random.default_rng(0)
    state, blocks = method.init(dozen, rng), blocks_of(dozen, [[*range(12)]])
    for _ in range(3):
        state, _ = one_pass(method, state, blocks, rng)
    topics = method.topics(state)
    chosen = tuple(topics.topic_ids[topics.by_size][: 2 if kind == "merge" else 1].tolist())
    new, _ = method.edit(state, kind, chosen, StateContext(dozen, {}, np.arange(12), 12, 0, 1), rng)
    assert state.starting, "what was given stays as it was"
    weights, n_kept = [new.weight], []
    for _ in range(4):
        assert not new.starting
        new, _ = one_pass(method, new, blocks, rng)
        weights.append(new.weight)
        n_kept.append(len(method.kept(new)))
    assert len({weight.tobytes() for weight in weights}) == 5
    assert n_kept == [0, 0, 1, 2]


def test_a_split_finds_room_where_every_slot_has_a_topic(corpus):
    """Two topics and one empty slot: the second split and all after it make a slot of their own."""
    method = HdpParallelGibbs(HDP(1.0, 4.0, 0.1), n_start=2, spare=1, start_passes=1)
    rng, ground = np.random.default_rng(3), StateContext(corpus, {}, np.arange(120), 120, 0, 1)
    state, _ = one_pass(method, method.init(corpus, rng), in_turn(corpus, 120), rng)
    n_slots = len(state.weight)
    for _ in range(n_slots + 1):
        largest = int(state.slot_ids[np.argmax(state.count)])
        state, event = method.edit(state, "split", (largest,), ground, rng)
        assert event.children == (largest, state.n_ids - 1)
        assert state.mismatch(ground) == ""
    assert len(state.weight) > n_slots
    assert len(method.topics(state)) == len(state.weight)
