"""Colours of topics: no two of the fourteen largest alike, and each keeps its own."""

from dataclasses import replace

import numpy as np

from bnpexplorer.state.looks import COLOURS, handed_on, owners_after
from bnpexplorer.state.moment import Earlier
from bnpexplorer.state.snapshot import Frame
from tests.tools.moments import made


def walk(n_frames=60, n_topics=40, seed=5):
    """Frames of topics whose shares drift; some are born late, some end."""
    rng = np.random.default_rng(seed)
    level = rng.normal(size=n_topics)
    frames = []
    for t in range(n_frames):
        level += 0.15 * rng.normal(size=n_topics)
        alive = np.array([k % 7 * 5 <= t and (k % 5 or t < 40) for k in range(n_topics)])
        weight = np.exp(level) * alive
        ids = np.flatnonzero(alive)
        none = np.zeros((len(ids), 1), np.int64)
        frames.append(Frame(t, t, ids, (weight / weight.sum())[ids], none, none.astype("f4")))
    return tuple(frames)


def largest(frame):
    return frame.topic_ids[np.argsort(-frame.weight, kind="stable")[:COLOURS]].tolist()


def test_the_largest_have_colours_of_their_own_and_keep_them():
    frames, owners, changed = walk(), {}, 0
    for frame in frames:
        before, top = owners, largest(frame)
        owners = handed_on(owners, top, set(frame.topic_ids.tolist()))
        assert len({owners[topic] for topic in top}) == len(top)
        steady = [i for i in top if i in before and before[i] != owners[i]]
        for topic in steady:  # somebody larger had taken its colour
            assert before[topic] in {owners[i] for i in top if i != topic}
        changed += len(steady)
    assert owners == owners_after(frames)
    assert changed <= 20, "of 840"


def test_topics_that_hold_nothing_take_no_colour_from_those_that_do():
    """Three topics hold words at first; later twelve more do, and one of the first no more."""
    ids, none = np.arange(20), np.zeros((20, 1), np.int64)
    early, later = np.zeros(20), np.zeros(20)
    early[[17, 4, 9]] = 0.5, 0.3, 0.2
    later[3:17] = np.arange(14, 0, -1) / 105.0
    first, last = (
        Frame(t, t, ids, weight, none, none.astype("f4")) for t, weight in enumerate((early, later))
    )
    assert owners_after([first]) == {17: 0, 4: 1, 9: 2}
    others = [topic for topic in range(3, 17) if topic not in (4, 9)]
    new = dict(zip(others, [*range(3, COLOURS), 0], strict=True))
    assert owners_after([first, last]) == {17: 0, 4: 1, 9: 2} | new


def test_a_new_topic_takes_a_colour_that_nobody_alive_has_before_that_of_a_small_one():
    known = {topic: topic for topic in range(COLOURS - 1)}
    alive = {*known, 50} - {3}
    assert handed_on(known, [50, 0], alive)[50] == 3, "of a topic that has ended"
    assert handed_on(known, [50, 0], {*known, 50})[50] == COLOURS - 1, "that nobody ever had"
    full = known | {COLOURS - 1: COLOURS - 1}
    found = handed_on(full, [0, 50, 2, 51], {*full, 50, 51})
    assert (found[50], found[51]) == (1, 3), "of the first that are not among the largest"
    assert {topic: found[topic] for topic in full} == full


def test_a_moment_gives_small_topics_a_pattern():
    moment = made({i: 100.0 - i for i in range(40)})
    plain = [moment.look(i) for i in range(14)]
    assert sorted(plain) == list(range(14))
    assert all(moment.look(i) >= COLOURS for i in range(14, 40))
    shown = replace(moment, labels=replace(moment.labels.hide(3), folded=frozenset({5})))
    first = [shown.look(i) for i in shown.ordered()[:14]]
    assert sorted(first) == list(range(14)), "those hidden leave their colours to others"
    later = replace(moment, before=moment.earlier)
    assert [later.look(i) for i in range(40)] == [moment.look(i) for i in range(40)]


def test_of_a_run_that_learns_colours_go_on_from_the_moment_before():
    first = made({i: 100.0 - i for i in range(20)})
    assert first.colours
    turned = made({i: 100.0 + i for i in range(20)})
    later = replace(turned, before=first.earlier)
    assert all(later.colours[i] == first.colours[i] for i in range(6, 14))
    assert len({later.look(i) for i in range(6, 20)}) == 14


def test_grouping_leaves_the_others_their_names_and_colours():
    """Sizes that cross in the run's past, so that grouped frames would give other colours."""
    rng = np.random.default_rng(2)
    frames = tuple(walk())
    ids = frames[-1].topic_ids.tolist()
    vocab = [f"{chr(97 + w // 26)}{chr(97 + w % 26)}" for w in range(200)]
    sizes = {topic: 1.0 + 99.0 * w for topic, w in zip(ids, frames[-1].weight, strict=True)}
    alone = made(sizes)
    words = rng.dirichlet(np.full(200, 0.05), len(ids)).astype(np.float32)
    topics = replace(alone.snapshot.topics, topic_word=words)
    snapshot = replace(alone.snapshot, topics=topics, frames=frames)
    alone = replace(alone, snapshot=snapshot, corpus=replace(alone.corpus, vocab=tuple(vocab)))
    largest_ids = alone.ordered()
    first, other = largest_ids[3], largest_ids[5]
    both = replace(alone, labels=alone.labels.group([first, other]))
    stay = [i for i in largest_ids[:12] if i not in (first, other)]
    assert [both.name(i) for i in stay] == [alone.name(i) for i in stay]
    assert [both.colours[i] for i in stay] == [alone.colours[i] for i in stay]
    assert both.colours[first] == alone.colours[first]


def test_once_a_run_has_ended_nothing_hangs_on_what_a_tab_has_seen_before():
    fresh = made({i: 100.0 - i for i in range(20)})
    seen = Earlier({0: (2, 1)}, {i: 13 - i for i in range(14)})
    learning = replace(fresh, before=seen)
    assert learning.own_words[0] != fresh.own_words[0]
    assert learning.colours != fresh.colours
    ended = learning.settled()
    assert (ended.own_words, ended.colours) == (fresh.own_words, fresh.colours)
    assert ended.settled() is ended
