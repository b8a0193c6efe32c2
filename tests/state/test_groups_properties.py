"""Groups of topics by their laws: nothing is lost, counted twice, or named by two."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.state.edits import Edit
from bnpexplorer.state.groups import gathered, grouped, places
from bnpexplorer.state.labels import Labels
from tests.tools import drawn_topics as drawn


def members_of(topics, groups):
    """Identity -> its rows, by loops: all of a group that are there, or a topic alone."""
    of = {topic: first for first, rest in groups.items() for topic in (first, *rest)}
    found = {}
    for row, topic in enumerate(topics.topic_ids.tolist()):
        found.setdefault(of.get(topic, topic), []).append(row)
    return found


@given(drawn.topics(), drawn.groups())
def test_groups_part_the_topics(topics, groups):
    kept, target = places(topics.topic_ids, groups)
    assert sorted(kept) == sorted(set(kept.tolist()))
    parts = [np.flatnonzero(target == place).tolist() for place in range(len(kept))]
    assert sorted(row for part in parts for row in part) == list(range(len(topics)))
    assert sorted(parts) == sorted(members_of(topics, groups).values())


@given(drawn.topics(), drawn.groups())
def test_a_group_is_the_sum_of_its_members_and_their_words_by_size(topics, groups):
    found = grouped(topics, groups)
    rows = members_of(topics, groups)
    assert sorted(found.topic_ids.tolist()) == sorted(rows)
    for k, topic in enumerate(found.topic_ids.tolist()):
        mine = rows[topic]
        for name in ("size", "weight", "total"):
            expected = sum(float(getattr(topics, name)[row]) for row in mine)
            assert getattr(found, name)[k] == pytest.approx(expected, rel=1e-12)
        size = topics.size[mine] if topics.size[mine].any() else np.ones(len(mine))
        words = np.average(topics.topic_word[mine].astype(float), axis=0, weights=size)
        np.testing.assert_allclose(found.topic_word[k], words, rtol=1e-6, atol=1e-7)
    assert found.weight.sum() + found.unseen == pytest.approx(1.0)
    np.testing.assert_allclose(found.topic_word.sum(axis=1), 1.0, rtol=1e-5)


@given(drawn.topics(), drawn.groups(), drawn.SEEDS)
def test_proportions_of_a_group_are_those_of_its_members(topics, groups, seed):
    shares = np.random.default_rng(seed).dirichlet(np.full(len(topics), 0.3), 9).astype(np.float32)
    found, rows = gathered(shares, topics, groups), members_of(topics, groups)
    for k, topic in enumerate(grouped(topics, groups).topic_ids.tolist()):
        expected = sum(shares[:, row].astype(float) for row in rows[topic])
        np.testing.assert_array_equal(found[:, k], np.asarray(expected).astype(np.float32))


@pytest.mark.second
@given(drawn.topics(), drawn.groups(), st.randoms(use_true_random=False))
def test_the_order_of_topics_changes_no_group(topics, groups, random):
    order = random.sample(range(len(topics)), len(topics))
    turned = type(topics)(
        topics.topic_word[order],
        topics.total[order],
        topics.size[order],
        topics.weight[order],
        topics.unseen,
        topics.topic_ids[order],
        topics.concentration,
        topics.gamma,
        topics.eta,
    )
    one, other = (grouped(some, groups) for some in (topics, turned))
    row = {topic: k for k, topic in enumerate(other.topic_ids.tolist())}
    same = [row[topic] for topic in one.topic_ids.tolist()]
    for name in ("size", "weight", "total", "topic_word"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name)[same], rtol=1e-5)


# ---- what a person says --------------------------------------------------------------------------

TOPIC = st.integers(0, 12)
STEPS = st.one_of(
    st.tuples(st.just("group"), st.lists(TOPIC, min_size=1, max_size=4)),
    st.tuples(st.just("ungroup"), TOPIC),
)


def is_partition(groups):
    every = [topic for first, rest in groups.items() for topic in (first, *rest)]
    return len(every) == len(set(every)) and all(
        rest == tuple(sorted(rest)) and rest for rest in groups.values()
    )


@given(st.lists(STEPS, max_size=8))
def test_groups_are_joined_and_taken_apart_as_sets_are(steps):
    """A person points at what is shown: a topic alone, or a group by the one that it goes by."""
    labels, sets = Labels(), {topic: {topic} for topic in range(13)}
    for what, of in steps:
        goes_by = {topic: first for first, mine in sets.items() for topic in mine}
        if what == "group":
            first, *others = dict.fromkeys(goes_by[topic] for topic in of)
            labels = labels.group([first, *others])
            sets[first] = sets[first].union(*(sets.pop(other) for other in others))
        else:
            labels = labels.ungroup(goes_by[of])
            sets |= {topic: {topic} for topic in sets[goes_by[of]]}
        assert is_partition(labels.groups)
        assert {first: {*labels.members(first)} for first in sets} == sets


@pytest.mark.second
@given(drawn.labels())
def test_what_a_person_said_is_kept_in_json(labels):
    assert Labels.from_json(json.loads(json.dumps(labels.to_json()))) == labels


@given(drawn.labels(), st.lists(st.integers(0, 34), min_size=2, max_size=4, unique=True))
def test_after_a_merge_only_one_of_the_topics_is_spoken_of(labels, topics):
    largest = topics[-1]
    after = labels.after(Edit("merge", tuple(topics), children=(largest,)))
    gone = set(topics) - {largest}
    assert is_partition(after.groups)
    spoken = {*after.names, *after.hidden, *after.pinned, *after.folded, *after.group_of}
    assert not gone & (spoken | set(after.groups))
    for topic in set(range(35)) - set(topics):
        assert after.names.get(topic) == labels.names.get(topic)
        assert (topic in after.unseen) == (topic in labels.unseen)
