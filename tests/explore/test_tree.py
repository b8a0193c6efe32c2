"""The tree of topics, against average linkage done by hand."""

import itertools

import numpy as np
import pytest

from bnpexplorer.explore.likeness import tree


def random_distances(n, seed=0):
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def by_hand(ids, distances, height):
    """Join the two parts whose topics lie nearest on average, while they are below `height`."""
    parts, heights = [[k] for k in range(len(ids))], []

    def mean(pair):
        return float(np.mean([distances[i, j] for i in pair[0] for j in pair[1]]))

    while len(parts) > 1:
        pair = min(itertools.combinations(parts, 2), key=mean)
        heights.append(mean(pair))
        if heights[-1] > height:
            break
        parts = [part for part in parts if part not in pair] + [pair[0] + pair[1]]
    return {frozenset(ids[k] for k in part) for part in parts if len(part) > 1}, heights


@pytest.mark.parametrize("n", [2, 5, 9])
def test_the_tree_joins_what_is_nearest_on_average(n):
    distances, ids = random_distances(n, n), [10 + 3 * k for k in range(n)]
    found = tree(ids, distances)
    _, heights = by_hand(ids, distances, np.inf)
    assert sorted(found.ids) == ids
    assert [joint.heights[1] for joint in found.joints] == pytest.approx(heights)
    for cut in [0.0, *(np.array(heights[:-1]) + np.array(heights[1:])) / 2, 99.0]:
        groups, _ = by_hand(ids, distances, cut)
        assert {frozenset(group) for group in found.groups(cut)} == groups


def test_joints_stand_over_their_leaves():
    distances = np.array([[0.0, 0.2, 0.9], [0.2, 0.0, 0.7], [0.9, 0.7, 0.0]])
    found = tree([4, 7, 9], distances)
    first, last = found.joints
    place = {topic: k for k, topic in enumerate(found.ids)}
    assert {first.places[0], first.places[3]} == {place[4], place[7]}
    assert first.heights == (0.0, 0.2, 0.2, 0.0)
    assert sorted(last.heights)[:2] == [0.0, 0.2]
    assert last.heights[1] == pytest.approx(0.8)
    assert sorted(last.places)[0] in (place[9], 0.5, 1.5)


@pytest.mark.parametrize("ids", [[], [3]])
def test_few_topics_are_no_tree(ids):
    found = tree(ids, np.zeros((len(ids), len(ids))))
    assert found.ids == tuple(ids)
    assert found.joints == ()
    assert found.groups(1.0) == []


def test_a_quarter_of_the_joints_is_proposed_but_nothing_that_is_far_apart():
    near = np.array([[0.0, 0.2, 0.9], [0.2, 0.0, 0.7], [0.9, 0.7, 0.0]])
    assert tree([4, 7, 9], near).proposed == pytest.approx(0.2 + 0.25 * (0.8 - 0.2))
    assert tree([4, 7, 9], near).groups(0.35) == [(4, 7)]
    far = tree([4, 7, 9], np.array([[0.0, 0.95, 1.0], [0.95, 0.0, 1.0], [1.0, 1.0, 0.0]]))
    assert far.groups(far.proposed) == []
