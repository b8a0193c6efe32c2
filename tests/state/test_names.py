"""Names of topics: their own words, distinct, steady while a run learns; a person's name wins."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.state import names
from bnpexplorer.state.moment import Earlier
from bnpexplorer.state.names import alike, last_held, own_words, suggested
from bnpexplorer.state.snapshot import Frame, Topics
from tests.tools.moments import made


def topics_of(words, size=None):
    words = np.asarray(words, np.float32)
    words = words / words.sum(axis=1, keepdims=True)
    size = np.arange(len(words), 0, -1.0) if size is None else np.asarray(size, float)
    weight = size / size.sum()
    ids = np.arange(len(words)) + 10
    return Topics(words, size, size, weight, 0.0, ids, 1.0, 1.0, 0.1)


def random_topics(n_topics=60, n_words=400, seed=3):
    rng = np.random.default_rng(seed)
    return topics_of(rng.dirichlet(np.full(n_words, 0.05), n_topics), rng.random(n_topics) + 0.1)


def test_own_words_are_the_most_relevant_of_the_most_probable():
    topics = random_topics()
    p_word = topics.shares @ topics.topic_word.astype(float)
    found = own_words(topics, p_word)
    for k in range(0, 60, 7):
        inside = topics.topic_word[k].astype(float)
        leading = np.argsort(-inside, kind="stable")[: names.LEADING]
        relevance = {
            w: 0.5 * np.log(inside[w]) + 0.5 * np.log(inside[w] / p_word[w]) for w in leading
        }
        assert found[k] == sorted(leading, key=lambda w: -relevance[w])


@pytest.mark.parametrize("n_words", [12, 60, 400])
def test_no_two_topics_have_the_same_words_for_a_name(n_words):
    topics = random_topics(n_words=n_words)
    found = suggested(topics, [f"{w:03d}" for w in range(n_words)])
    assert len({frozenset(words) for words in found.values()}) == len(topics)
    assert {len(words) for words in found.values()} <= {3, 4}


def test_a_word_that_all_topics_share_names_none_of_them():
    words = np.full((4, 13), 0.001)
    for k in range(4):
        words[k, 3 * k : 3 * k + 3] = 0.23
    words[:, 12] = 0.3  # the most probable of all of them
    found = suggested(topics_of(words, [4, 3, 3, 3]), [chr(97 + w) * 3 for w in range(13)])
    assert [sorted(found[10 + k]) for k in range(4)] == [
        [3 * k, 3 * k + 1, 3 * k + 2] for k in range(4)
    ]


def test_forms_of_a_word_stand_in_a_name_once():
    pairs = [("car", "cars"), ("team", "teams"), ("armenia", "armenian"), ("change", "changing")]
    assert all(alike(*pair) and alike(*pair[::-1]) for pair in pairs)
    apart = [("war", "wave"), ("court", "country"), ("state", "stable"), ("in", "inn"), ("a", "b")]
    assert not any(alike(*pair) for pair in apart)
    vocab = ("teams", "team", "season", "game")
    (name,) = suggested(topics_of([[5, 4, 3, 2]], [14]), vocab).values()
    assert {vocab[w] for w in name} == {"teams", "season", "game"}


def test_a_name_stays_while_its_words_still_lead_the_topic():
    vocab = [f"{w:03d}" for w in range(400)]
    topics = random_topics()
    before = suggested(topics, vocab)
    rng = np.random.default_rng(0)
    shaken = topics.topic_word * rng.uniform(0.9, 1.1, topics.topic_word.shape).astype(np.float32)
    later = replace(topics, topic_word=shaken / shaken.sum(axis=1, keepdims=True))
    assert suggested(later, vocab) != before, "near ties change places"
    assert suggested(later, vocab, before) == before
    other = replace(topics, topic_word=topics.topic_word[::-1])
    assert suggested(other, vocab, before) == suggested(other, vocab), "its words lead no longer"


def test_a_moment_knows_the_one_before():
    sizes = {4: 9.0, 7: 5.0}
    first = made(sizes)
    assert first.earlier == Earlier({}, {}), "nobody looked, so nothing is worked out"
    assert first.own_words
    later = replace(first, before=Earlier({4: (2, 1), 7: first.own_words[7]}, {}))
    assert later.own_words[4] == (2, 1)
    assert later.earlier.own_words == later.own_words
    known = Earlier({4: (2, 1)}, {4: 9})
    assert replace(first, before=known).earlier == known, "nobody looked: what was known goes on"


def test_a_persons_name_wins_and_every_head_is_another():
    moment = made({4: 9.0, 7: 5.0, 8: 1.0}, {7: "taxes", 8: "taxes"})
    assert [moment.name(topic) for topic in (4, 7, 8)] == ["a b< c", "taxes", "taxes"]
    assert [moment.head(i) for i in (4, 7, 8)] == ["4 · a b< c", "7 · taxes", "8 · taxes"]


def test_a_topic_that_is_gone_is_named_by_its_last_words():
    frame = Frame(
        1, 10, np.array([5]), np.array([1.0]), np.array([[2, 0]]), np.array([[0.6, 0.4]], "f4")
    )
    moment = made({4: 9.0})
    moment = replace(moment, snapshot=replace(moment.snapshot, frames=(frame,)))
    assert moment.head(5) == "5 · c a"
    assert moment.name(6) == "topic 6", "nobody ever saw its words"


def frame(docs: int, topics: dict[int, tuple[float, list[int]]]) -> Frame:
    """Topic -> its share and its words."""
    shares, words = zip(*topics.values(), strict=True)
    probs = np.full((len(topics), 2), 0.5, np.float32)
    return Frame(docs, docs, np.array([*topics]), np.array(shares), np.array(words), probs)


def test_a_topic_that_died_has_the_words_of_when_it_last_held_something():
    """Topic 7 is still there and has 10^-6 of a word: the first words of the vocabulary, as all
    that hold nothing; 8 never held a whole one."""
    frames = (
        frame(10, {4: (0.7, [0, 1]), 7: (0.3, [1, 2]), 8: (0.005, [0, 2])}),
        frame(20, {4: (0.88, [0, 1]), 7: (0.12, [2, 1]), 8: (0.002, [0, 1])}),
        frame(30, {4: (1.0, [0, 1]), 7: (0.05, [0, 1]), 8: (0.001, [0, 1])}),
    )
    moment = made({4: 9.0, 7: 1e-6, 8: 1e-6})
    moment = replace(moment, snapshot=replace(moment.snapshot, frames=frames))
    assert moment.name(7) == "c b<"
    assert moment.name(8) == "a c", "of a topic that never held one, when it had most"
    assert moment.name(4) == "a b< c", "what is there has its own words"
    named = replace(moment, labels=replace(moment.labels, names={7: "taxes"}))
    assert named.name(7) == "taxes"


def test_topics_that_are_gone_and_had_the_same_words_are_told_apart():
    shares = {5: (0.2, [2, 0]), 6: (0.2, [0, 2]), 7: (0.3, [1, 0]), 8: (0.3, [1, 2])}
    moment = made({4: 9.0})
    moment = replace(moment, snapshot=replace(moment.snapshot, frames=(frame(10, shares),)))
    assert [moment.name(i) for i in (5, 6)] == ["c a (topic 5)", "a c (topic 6)"]
    assert [moment.head(i) for i in (5, 6)] == ["5 · c a", "6 · a c"]
    there = replace(moment, before=Earlier({4: (1, 0)}, {}))
    assert (moment.name(7), moment.name(8)) == ("b< a", "b< c"), "nobody else has these"
    assert (there.name(7), there.name(8)) == ("b< a (topic 7)", "b< c")
    assert there.name(4) == "b< a", "what is there keeps its name"
    renamed = replace(moment, labels=replace(moment.labels, names={5: "taxes"}))
    assert renamed.name(5) == "taxes"


def test_of_two_moments_at_which_a_topic_held_the_same_the_later_counts():
    frames = (frame(10, {7: (0.1, [0, 1])}), frame(20, {7: (0.1, [2, 1])}))
    assert last_held(frames, 0.5) == {7: (2, 1)}
