"""The tree of topics, against losses summed and pairs joined one by one."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import entropy

from bnpexplorer.explore.kinship import loss, losses, tree

COUNTS = np.array([[5, 0, 2, 1], [0, 7, 1, 0], [3, 1, 0, 4], [0, 0, 0, 6]], np.int64)


def drawn(n, seed=0, n_words=12):
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.4, 8.0, (n, n_words))).astype(np.int64) + np.eye(
        n, n_words, dtype=np.int64
    )


def slow_loss(one, other):
    n, m, found = sum(one), sum(other), 0.0
    for a, b in zip(one, other, strict=True):
        for held, total in ((a, n), (b, m)):
            found += held * math.log(held / total) if held else 0.0
        found -= (a + b) * math.log((a + b) / (n + m)) if a + b else 0.0
    return found


def information(counts):
    """Mutual information of topic and word, in nats."""
    joint = counts / counts.sum()
    return entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1)) - entropy(joint.ravel())


def by_hand(counts):
    """Join the pair that loses least: the parts in their order, and what each joint loses."""
    parts, found = [(k,) for k in range(len(counts))], []

    def lost(pair):
        return slow_loss(*(counts[list(part)].sum(axis=0).tolist() for part in pair))

    while len(parts) > 1:
        pair = min(itertools.combinations(parts, 2), key=lost)
        found.append((pair[0] + pair[1], lost(pair)))
        parts = [part for part in parts if part not in pair] + [pair[0] + pair[1]]
    return found


def test_what_joining_loses_is_that_of_a_slow_twin():
    lost, n_words = losses(COUNTS)
    for i, j in itertools.permutations(range(4), 2):
        expected = slow_loss(COUNTS[i].tolist(), COUNTS[j].tolist())
        assert lost[i, j] == pytest.approx(expected, abs=1e-12)
        assert float(loss(COUNTS[i], COUNTS[j])) == pytest.approx(expected, abs=1e-12)
        assert n_words[i, j] == np.count_nonzero(COUNTS[i] + COUNTS[j])


@pytest.mark.parametrize("n", [2, 5, 9])
def test_the_tree_joins_what_loses_least_and_draws_it_at_what_its_topics_tell_of_a_word(n):
    counts, ids = drawn(n, n), [10 + 3 * k for k in range(n)]
    found = tree(ids, counts)
    assert sorted(found.ids) == ids
    heights = {}
    for part, _ in by_hand(counts):
        within = [height for known, height in heights.items() if known < {*part}]
        heights[frozenset(part)] = max([information(counts[list(part)]) / math.log(2.0), *within])
    assert [joint.heights[1] for joint in found.joints] == pytest.approx(sorted(heights.values()))
    for cut in (0.0, *(height + 1e-9 for height in heights.values())):
        inside = [part for part, height in heights.items() if height <= cut]
        expected = {
            frozenset(ids[k] for k in part) for part in inside if not any(part < p for p in inside)
        }
        assert {frozenset(group) for group in found.groups(cut)} == expected


@pytest.mark.parametrize("n", [3, 8])
def test_all_that_a_tree_loses_is_what_its_topics_tell_of_words(n):
    """The number of words times the mutual information of topic and word."""
    counts = drawn(n, 20 + n)
    lost = sum(lost for _, lost in by_hand(counts))
    assert lost == pytest.approx(counts.sum() * information(counts))
    top = tree(range(n), counts).joints[-1].heights[1]
    assert top == pytest.approx(lost / counts.sum() / math.log(2.0))


def test_equal_topics_lie_at_nothing_and_two_without_a_common_word_at_one():
    counts = np.array([[8, 4, 0, 0], [2, 1, 0, 0], [0, 0, 9, 6]], np.int64)
    near, far = tree([4, 7, 9], counts).joints
    assert near.heights[1] == pytest.approx(0.0, abs=1e-12)
    assert far.heights[1] == pytest.approx(1.0)


def test_joints_stand_over_their_leaves():
    counts = np.array([[30, 5, 1], [25, 9, 2], [1, 8, 30]], np.int64)
    found = tree([4, 7, 9], counts)
    first, last = found.joints
    place = {topic: k for k, topic in enumerate(found.ids)}
    assert {first.places[0], first.places[3]} == {place[4], place[7]}
    height = float(loss(counts[0], counts[1])) / counts[:2].sum() / math.log(2.0)
    assert first.heights == pytest.approx((0.0, height, height, 0.0))
    assert sorted(last.heights)[:2] == pytest.approx([0.0, height])
    assert sorted(last.places)[0] in (place[9], 0.5, 1.5)


def test_a_part_that_tells_less_of_a_word_than_one_in_it_is_drawn_no_nearer():
    """Two small topics and a large one, none of which has a word of another."""
    counts = np.array([[9, 0, 0], [0, 9, 0], [0, 0, 300]], np.int64)
    assert information(counts) < information(counts[:2])
    near, far = tree([1, 2, 3], counts).joints
    assert near.heights[1] == far.heights[1] == pytest.approx(1.0)


@pytest.mark.parametrize("ids", [[], [3]])
def test_few_topics_are_no_tree(ids):
    found = tree(ids, COUNTS[: len(ids)])
    assert found.ids == tuple(ids)
    assert found.joints == ()
    assert found.groups(1.0) == []


def test_a_quarter_of_the_joints_is_proposed_but_nothing_that_is_far_apart():
    near = tree([4, 7, 9], np.array([[30, 5, 1], [25, 9, 2], [1, 8, 30]]))
    low, high = (joint.heights[1] for joint in near.joints)
    assert near.proposed == pytest.approx(low + 0.25 * (high - low))
    assert near.groups(near.proposed) == [(4, 7)]
    far = tree([4, 7, 9], 20 * np.eye(3, dtype=np.int64))
    assert far.groups(far.proposed) == []
