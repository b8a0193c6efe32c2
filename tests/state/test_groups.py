"""Groups of topics: they count as one, and every sum is exact."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.state import groups
from bnpexplorer.state.groups import gathered, grouped, grouped_frames
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.snapshot import Frame
from tests.state.test_names import random_topics
from tests.tools.moments import made

GROUPS = {12: (15, 11), 20: (13, 14, 99), 97: (30, 31), 98: (96,)}
"""Of topics 10 to 69: one whose first member is gone, one that is gone altogether."""


def members(topic):
    return [i for i in (topic, *GROUPS.get(topic, ())) if 10 <= i < 70]


def test_a_group_has_the_sums_of_its_members():
    topics = random_topics()
    found = grouped(topics, GROUPS)
    gone = {15, 11, 13, 14, 30, 31}
    assert set(found.topic_ids.tolist()) == set(range(10, 70)) - gone | {97}
    for k, topic in enumerate(found.topic_ids.tolist()):
        rows = [i - 10 for i in members(topic)]
        for name in ("size", "weight", "total"):
            assert getattr(found, name)[k] == pytest.approx(getattr(topics, name)[rows].sum())
        mixed = np.average(topics.topic_word[rows], axis=0, weights=topics.size[rows])
        assert np.allclose(found.topic_word[k], mixed, atol=1e-7)
    assert found.topic_word.dtype == np.float32
    assert grouped(topics, {}) is topics


@pytest.mark.parametrize("block", [groups.BLOCK, 50, 49, 7])
def test_proportions_of_members_are_added_up(block, monkeypatch):
    """In blocks of documents, of which the last may have fewer."""
    monkeypatch.setattr(groups, "BLOCK", block)
    topics = random_topics()
    rng = np.random.default_rng(1)
    theta = rng.dirichlet(np.ones(60), 50).astype(np.float32)
    found = gathered(theta, topics, GROUPS)
    for k, topic in enumerate(grouped(topics, GROUPS).topic_ids.tolist()):
        rows = [i - 10 for i in members(topic)]
        expected = theta[:, rows].astype(np.float64).sum(axis=1).astype(np.float32)
        assert np.array_equal(found[:, k], expected)
    assert gathered(theta, topics, {}) is theta


def test_frames_have_groups_too():
    ids, weight = np.array([11, 12, 30]), np.array([0.1, 0.3, 0.6])
    words, probs = np.array([[0, 1], [1, 2], [3, 4]]), np.array([[0.6, 0.4], [0.8, 0.2], [1, 0]])
    frame = Frame(1, 10, ids, weight, words, probs.astype(np.float32))
    (found,) = grouped_frames((frame,), GROUPS)
    assert dict(zip(found.topic_ids.tolist(), found.weight, strict=True)) == pytest.approx(
        {12: 0.4, 97: 0.6}
    )
    row = found.topic_ids.tolist().index(12)
    assert found.word_ids[row].tolist() == [1, 0], "0.7 of word 1, 0.15 of words 0 and 2"
    assert np.allclose(found.word_probs[row], [0.7, 0.15])
    assert grouped_frames((frame,), GROUPS)[0] is found, "made once"
    (other,) = grouped_frames((frame,), {12: (30,)})
    assert set(other.topic_ids.tolist()) == {11, 12}


def test_a_moment_counts_a_group_as_one():
    moment = made({4: 9.0, 7: 5.0, 8: 1.0, 2: 0.0})
    both = replace(moment, labels=moment.labels.group([7, 4]).rename(7, "both"))
    assert both.in_use == (7, 8)
    assert both.share(7) == pytest.approx(14 / 15)
    assert both.head(7) == "7 · both"
    assert both.at != moment.at
    assert both.ungrouped.in_use == moment.in_use
    assert both.ungrouped.labels.names == both.labels.names
    apart = replace(both, labels=both.labels.ungroup(7))
    assert apart.in_use == moment.in_use


def test_groups_of_groups_are_flat_and_come_apart():
    labels = Labels().group([3, 1]).group([5, 3])
    assert labels.groups == {5: (1, 3)}
    assert labels.group_of == {1: 5, 3: 5}
    assert labels.group([1]).groups == labels.group([5]).groups == labels.groups, "one is no group"
    assert labels.ungroup(5) == Labels()


def test_what_is_said_of_topics_comes_back_from_json():
    labels = Labels({3: "taxes"}).hide(4).pin(5).group([6, 9, 7])
    labels = replace(labels, folded=frozenset({1, 2}))
    assert Labels.from_json(labels.to_json()) == labels
    earlier = {"names": {"3": "taxes"}, "hidden": [4], "pinned": [5]}
    assert Labels.from_json(earlier).to_json() == earlier, "as it was written before groups"
    with pytest.raises(ValueError, match="share a topic"):
        Labels.from_json({"groups": {"1": [2], "3": [2]}})


def test_topics_folded_away_leave_lists_and_come_back_one_by_one_or_all():
    moment = made({4: 9.0, 7: 5.0, 8: 1.0})
    folded = replace(moment, labels=replace(moment.labels, folded=frozenset({4, 7})))
    assert folded.ordered() == [8]
    assert folded.ordered(hidden=True) == [4, 7, 8]
    assert folded.labels.hide(4, False).unseen == {7}


def test_words_of_a_group_are_averaged_by_size_and_not_by_weight():
    """Three quarters of the tokens are in topic 11, three quarters of the weight in topic 10."""
    topics = random_topics()
    size, weight = topics.size.copy(), topics.weight.copy()
    size[:2], weight[:2] = (1.0, 3.0), (0.3, 0.1)
    found = grouped(replace(topics, size=size, weight=weight), {10: (11,)})
    words = topics.topic_word.astype(np.float64)
    place = found.topic_ids.tolist().index(10)
    np.testing.assert_allclose(
        found.topic_word[place], 0.25 * words[0] + 0.75 * words[1], rtol=1e-5
    )
