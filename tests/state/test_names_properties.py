"""Names of topics by their laws, for topics of any sizes over words that are much alike."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnpexplorer.corpus import Corpus
from bnpexplorer.models import MODELS
from bnpexplorer.state.moment import Moment
from bnpexplorer.state.names import N_WORDS, alike, marginal, own_words, suggested
from bnpexplorer.state.snapshot import Snapshot
from bnpexplorer.state.words import heaviest, least_shown
from tests.tools import drawn_topics as drawn

WORD = st.text("abcs", min_size=1, max_size=6)
VOCABULARY = st.lists(WORD, min_size=7, max_size=7, unique=True)
LONG = st.lists(WORD, min_size=40, max_size=40, unique=True)
UNLIKE = [letter * 4 for letter in "abcdefghijklmnopqrstuvwxyz"]


def in_order(topics, order):
    parts = ("topic_word", "total", "size", "weight", "topic_ids")
    return replace(topics, **{name: getattr(topics, name)[order] for name in parts})


@given(drawn.topics(), VOCABULARY)
def test_a_name_has_words_that_the_topic_shows_and_no_two_forms_of_one(topics, vocab):
    found = suggested(topics, vocab)
    assert set(found) == set(topics.topic_ids.tolist())
    least = least_shown(topics)
    for k, topic in enumerate(topics.topic_ids.tolist()):
        words = found[topic]
        assert len(set(words)) == len(words) <= N_WORDS + 1
        assert (topics.topic_word[k, [*words]] >= least[k]).all()
        assert bool(words) == bool((topics.topic_word[k] >= least[k]).any())
        assert not any(
            alike(vocab[a], vocab[b]) for i, a in enumerate(words) for b in words[i + 1 :]
        )


@given(drawn.topics(n_words=26, sizes=st.floats(200.0, 1e6)))
def test_names_are_distinct_where_there_are_words_enough(topics):
    found = suggested(topics, UNLIKE)
    assert len({frozenset(words) for words in found.values()}) == len(topics)
    assert suggested(topics, UNLIKE, found) == found, "what it has, it keeps"


@pytest.mark.second
@given(drawn.topics(), VOCABULARY, st.randoms(use_true_random=False))
def test_names_do_not_depend_on_the_order_of_topics(topics, vocab, random):
    size = topics.size + np.arange(len(topics)) / 7.0  # equal ones choose in their order
    if len(set(size.tolist())) == len(topics):
        topics = replace(topics, size=size)
        order = random.sample(range(len(topics)), len(topics))
        assert suggested(in_order(topics, order), vocab) == suggested(topics, vocab)


@given(drawn.topics())
def test_own_words_are_those_of_the_equation_by_loops(topics):
    """Sievert & Shirley 2014, equation 1, at one half."""
    shares = topics.size / (topics.size.sum() or 1.0)
    probs = topics.topic_word.astype(float)
    p = (shares.astype(np.float32) @ topics.topic_word).astype(float)
    np.testing.assert_allclose(marginal(topics), p, rtol=1e-6)
    tiny = np.finfo(np.float32).tiny
    for k, words in enumerate(own_words(topics, p)):
        shown = [w for w in range(7) if probs[k, w] >= least_shown(topics)[k]]
        assert sorted(words) == shown
        by = [
            0.5 * np.log(probs[k, w] + tiny) + 0.5 * np.log((probs[k, w] + tiny) / (p[w] + tiny))
            for w in words
        ]
        assert by == pytest.approx(sorted(by, reverse=True))


@given(WORD, WORD)
def test_likeness_of_words_does_not_depend_on_which_comes_first(one, other):
    assert alike(one, other) == alike(other, one)
    assert alike(one + "abc", one + "abc")


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=60), min_size=1, max_size=4),
    st.integers(1, 8),
)
def test_the_heaviest_are_those_of_a_stable_sort(rows, n):
    width = min(map(len, rows))
    values = np.array([row[:width] for row in rows], np.float32)
    expected = np.argsort(-values, axis=1, kind="stable")[:, :n]
    np.testing.assert_array_equal(heaviest(values, n), expected)


@pytest.mark.second
@given(drawn.topics(), VOCABULARY, drawn.labels())
def test_what_nobody_named_has_a_name_of_its_own(topics, vocab, labels):
    corpus = Corpus.from_csr(np.eye(7, dtype=int), vocab)
    snapshot = Snapshot(2, 20, 1.0, topics, (), ())
    moment = Moment(snapshot, corpus, MODELS["hdp"](), labels, "made")
    names = {topic: moment.name(topic) for topic in moment.in_use}
    own = [name for topic, name in names.items() if topic not in labels.names]
    assert len(set(own)) == len(own)
    for topic in set(names) & set(labels.names):
        assert names[topic] == labels.names[topic]
    heads = [moment.head(topic) for topic in moment.in_use]
    assert len(set(heads)) == len(heads)
