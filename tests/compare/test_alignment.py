"""Topics of two sides aligned: what was planted is found."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.checks.expecting import finish
from bnpexplorer.compare import Side, align
from bnpexplorer.compare.alignment import Group, _without_conflicts, side_of_frame, side_of_topics
from bnpexplorer.methods import make_method
from bnpexplorer.runs.run import Run
from bnpexplorer.state.snapshot import Frame, Topics

WORDS = 400


def side(rows, size=None):
    rows = np.asarray(rows, np.float32)
    size = np.full(len(rows), 100.0) if size is None else np.asarray(size, float)
    return Side(np.arange(len(rows)), rows, size)


def planted(rng, n):
    """Topics that have few words in common."""
    return rng.dirichlet(np.full(WORDS, 0.03), n)


def noisy(rng, topics):
    """The topics as drawn again from 5,000 tokens each."""
    return np.array([rng.dirichlet(5000.0 * t + 1e-3) for t in topics])


@pytest.mark.parametrize("seed", range(5))
def test_a_permutation_is_found(seed):
    rng = np.random.default_rng(seed)
    topics = planted(rng, 12)
    order = rng.permutation(12)
    found = align(side(topics), side(noisy(rng, topics[order])))
    assert sorted(found.matched) == sorted((int(i), j) for j, i in enumerate(order))
    assert not (found.splits)
    assert not (found.merges)
    assert not (found.only_first)
    assert not (found.only_second)
    rows, columns = found.order()
    assert [(int(i), int(j)) for i, j in zip(rows, columns, strict=True)] == list(found.matched)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_parts", [2, 3])
def test_a_planted_split_and_merge_are_found(seed, n_parts):
    """A topic mixes parts; one side has the mixture, the other the parts; both have others."""
    rng = np.random.default_rng(seed)
    parts, others = planted(rng, n_parts), planted(rng, 8)
    lonely = planted(rng, 1)
    size = rng.uniform(50, 100, n_parts)
    whole = (size / size.sum()) @ parts
    first = side([whole, *others, *lonely])
    second = side([*noisy(rng, others)[::-1], *noisy(rng, parts)], [*np.full(8, 80.0), *size])
    found = align(first, second)
    (split,) = found.splits
    assert split.one == 0
    assert sorted(split.parts) == list(range(8, 8 + n_parts))
    assert split.distance < 0.2 < split.distance + split.gain
    assert sorted(found.matched) == [(1 + i, 7 - i) for i in range(8)]
    assert (found.merges, found.only_first, found.only_second) == ((), (9,), ())
    turned = align(second, first)
    (merge,) = turned.merges
    assert (merge.one, sorted(merge.parts)) == (0, sorted(split.parts))
    assert (turned.splits, turned.only_second) == ((), (9,))
    rows, columns = found.order()
    assert sorted(rows) == list(range(10))
    assert sorted(columns) == list(range(8 + n_parts))


def test_twins_are_a_split_and_strangers_are_not():
    rng = np.random.default_rng(3)
    topics = planted(rng, 4)
    twins = align(side(topics), side([*noisy(rng, topics), noisy(rng, topics[:1])[0]]))
    (split,) = twins.splits
    assert (split.one, sorted(split.parts)) == (0, [0, 4])
    strangers = align(side(topics), side([*noisy(rng, topics), *planted(rng, 2)]))
    assert strangers.splits == strangers.merges == ()
    assert strangers.only_second == (4, 5)


def test_a_small_topic_near_a_large_one_is_no_part_of_it():
    """Its mixture with the equal topic is no nearer; it has a name of its own: unmatched."""
    words = np.eye(4)
    large, small = words[0], 0.5 * words[0] + 0.5 * words[1]
    found = align(side([large]), side([large, small], size=[1000.0, 1.0]), near=0.3)
    assert found.splits == ()
    assert found.matched == ((0, 0),)
    assert found.only_second == (1,)


def test_topics_that_are_far_from_the_one_are_no_parts_of_it():
    """Beyond 0.8, though their mixture is nearer; and twins only within the distance of a pair."""
    even, words = np.full(10, 0.1), np.eye(10)
    found = align(side([even]), side(words[:2]))
    assert found.distances.min() == pytest.approx(0.871, abs=1e-3)
    assert (found.splits, found.matched) == ((), ())
    assert (found.only_first, found.only_second) == ((0,), (0, 1))
    one, twin = [0.8, 0.2, 0.0], [0.5, 0.2, 0.3]
    for near, parts in ((0.7, [(0, 1)]), (0.3, [])):
        found = align(side([one]), side([twin, twin]), near)
        assert [group.parts for group in found.splits] == parts
        assert found.distances[0, 0] == pytest.approx(0.4186, abs=1e-4)


def test_parts_are_mixed_by_their_sizes():
    parts = np.eye(2)
    found = align(side([[0.8, 0.2]]), side(parts, size=[80.0, 20.0]))
    (split,) = found.splits
    assert split.parts == (0, 1)
    assert split.distance < 0.01


def test_of_two_groups_that_want_one_topic_the_one_that_gains_more_has_it():
    split, merge = Group(0, (0, 1), 0.3, gain=0.1), Group(0, (0, 1), 0.3, gain=0.2)
    assert _without_conflicts([split], [merge]) == ([], [merge])
    better = replace(split, gain=0.3)
    assert _without_conflicts([better], [merge]) == ([better], [])


def test_no_topic_is_in_two_groups():
    rng = np.random.default_rng(4)
    for _ in range(30):
        a = rng.dirichlet(np.full(40, 0.3), 12)
        b = 0.6 * a[rng.integers(0, 12, 15)] + 0.4 * a[rng.integers(0, 12, 15)]
        found = align(side(a), side(b))
        first = [i for i, _ in found.matched] + [g.one for g in found.splits]
        first += [i for g in found.merges for i in g.parts] + list(found.only_first)
        second = [j for _, j in found.matched] + [g.one for g in found.merges]
        second += [j for g in found.splits for j in g.parts] + list(found.only_second)
        assert sorted(first) == list(range(12))
        assert sorted(second) == list(range(15))


def test_different_vocabularies_and_no_topics_are_refused():
    a = side(planted(np.random.default_rng(0), 3))
    with pytest.raises(ValueError, match="cannot be aligned"):
        align(a, side(np.full((2, 7), 1 / 7)))
    with pytest.raises(ValueError, match="no topics yet"):
        align(a, side(np.zeros((0, WORDS))))


def test_moments_of_a_run_line_up_by_identity(dozen):
    snapshot = finish(Run(make_method("hdp-tsvi"), dozen, passes=2)).snapshot()
    frame = snapshot.frames[-1]
    words = np.unique(frame.word_ids)
    one = side_of_frame(frame, words)
    np.testing.assert_allclose(one.topic_word.sum(axis=1), 1.0, atol=1e-5)
    k = int(np.flatnonzero(frame.topic_ids == one.topic_ids[0])[0])
    place = np.searchsorted(words, frame.word_ids[k, 0])
    assert one.topic_word[0, place] == pytest.approx(
        frame.word_probs[k, 0] / frame.word_probs[k].sum()
    )
    found = align(one, one)
    assert all(i == j for i, j in found.pairs)
    assert not (found.only_first)
    assert not (found.only_second)
    whole = side_of_topics(snapshot.topics)
    assert (np.diff(whole.size) <= 0).all()


def moment(docs_seen, ids, topics, weight):
    """A frame of topics (K, V): only the 30 heaviest words of each are kept."""
    heaviest = np.argsort(-topics, axis=1)[:, :30]
    probs = np.take_along_axis(topics, heaviest, 1).astype(np.float32)
    return Frame(0, docs_seen, np.array(ids), np.array(weight), heaviest, probs)


def test_a_topic_that_went_is_not_matched_with_the_one_that_came():
    """Between two moments topic 3 goes, 9 comes, and 5 falls apart; most words are not kept."""
    rng = np.random.default_rng(6)
    topics = rng.dirichlet(np.full(3000, 0.2), 7)
    assert np.sort(topics, axis=1)[:, :-30].sum(axis=1).min() > 0.6
    whole = 0.5 * (topics[4] + topics[5])
    early = moment(100, [1, 2, 3, 5], np.array([*topics[:3], whole]), [0.3, 0.2, 0.2, 0.3])
    late = moment(900, [1, 2, 5, 8, 9], topics[[0, 1, 4, 5, 6]], [0.3, 0.2, 0.15, 0.15, 0.2])
    words = np.union1d(early.word_ids, late.word_ids)
    one, other = side_of_frame(early, words), side_of_frame(late, words)
    found = align(one, other)

    def ids(pairs):
        return {(int(one.topic_ids[i]), int(other.topic_ids[j])) for i, j in pairs}

    assert ids(found.matched) == {(1, 1), (2, 2)}
    assert ids((g.one, j) for g in found.splits for j in g.parts) == {(5, 5), (5, 8)}
    assert found.merges == ()
    assert [int(one.topic_ids[i]) for i in found.only_first] == [3]
    assert [int(other.topic_ids[j]) for j in found.only_second] == [9]


def test_topics_are_compared_without_what_the_prior_gives_to_every_word():
    """Two topics that hold one word each, and others: alike with the prior, strangers without."""
    eta, n_words, total = 0.5, 100, 52.0
    rows = np.full((2, n_words), eta)
    rows[0, 3] += 2.0
    rows[1, 7] += 2.0
    words, half = (rows / total).astype(np.float32), np.full(2, 0.5)
    topics = Topics(words, np.full(2, total), 4 * half, half, 0.0, np.arange(2), 1.0, 1.0, eta)
    side = side_of_topics(topics)
    np.testing.assert_allclose(side.topic_word, np.eye(n_words)[[3, 7]], atol=1e-5)
    found = align(side, side)
    assert found.distances[0, 1] == pytest.approx(1.0, abs=1e-3)


def test_a_side_has_its_topics_by_size_each_with_its_own_words():
    """Counts of every topic over four words, in no order; topic 40 holds less than a hundredth."""
    eta, ids = 0.25, np.array([30, 40, 10, 20])
    counts = np.array([[6.0, 3, 1, 0], [0, 0.01, 0, 0], [0, 16, 0, 4], [0, 0, 5, 10]])
    total = counts.sum(axis=1) + 4 * eta
    rows = ((counts + eta) / total[:, None]).astype(np.float32)
    size = counts.sum(axis=1)
    found = side_of_topics(Topics(rows, total, size, size / 46, 0.0, ids, 1.0, 1.0, eta))
    assert found.topic_ids.tolist() == [10, 20, 30]
    assert found.size.tolist() == [20.0, 15.0, 10.0]
    expected = [[0, 0.8, 0, 0.2], [0, 0, 1 / 3, 2 / 3], [0.6, 0.3, 0.1, 0]]
    np.testing.assert_allclose(found.topic_word, expected, atol=1e-6)
