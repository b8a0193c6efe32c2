"""Documents under a fit, against sums written out and against known truth."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.corpus.corpus import DocTable
from bnpexplorer.explore import doc_topic
from bnpexplorer.explore.documents import (
    counts_of,
    hellinger,
    nearest,
    one_document,
    others,
    rank_by_share,
    rank_by_words,
    search,
    typicality,
    usual_minimum,
    word_support,
    word_topics,
)
from bnpexplorer.models import LDA, DPMixture
from bnpexplorer.state.snapshot import Topics


def make_topics(topic_word, weight, unseen):
    topic_word = np.asarray(topic_word, np.float32)
    n = len(topic_word)
    return Topics(
        topic_word,
        np.full(n, 100.0),
        np.full(n, 10.0),
        np.asarray(weight, float),
        unseen,
        np.arange(5, 5 + n),
        2.0,
        float("nan"),
        0.1,
    )


@pytest.fixture
def drawn():
    rng = np.random.default_rng(3)
    topics = make_topics(rng.dirichlet(np.full(7, 0.4), 4), [0.4, 0.3, 0.2, 0.0], 0.1)
    corpus = Corpus.from_csr(rng.poisson(1.3, (30, 7)))
    share = rng.dirichlet(np.full(5, 0.4), corpus.n_docs)[:, :4].astype(np.float32)
    return topics, corpus, share


def test_the_topic_of_a_word_is_the_argmax_of_its_posterior(drawn):
    topics, _, share = drawn
    for theta in share.astype(float):
        found = word_topics(topics, theta, np.arange(7))
        for w in range(7):
            joint = [theta[k] * float(topics.topic_word[k, w]) for k in range(4)]
            joint.append((1.0 - sum(theta)) / 7)
            best = max(range(5), key=lambda k: joint[k])
            assert found.topic[w] == (best if best < 4 else -1)
            assert found.certainty[w] == pytest.approx(joint[best] / sum(joint), rel=1e-5)


def test_a_word_without_any_probability_has_no_topic():
    topics = make_topics([[1.0, 0.0], [1.0, 0.0]], [0.5, 0.5], 0.0)
    found = word_topics(topics, np.array([0.5, 0.5]), np.array([0, 1]))
    assert found.topic.tolist() == [0, -1]
    assert found.certainty.tolist() == [0.5, 0.0]


def test_a_mixture_s_words_belong_to_its_cluster_and_speak_for_it_or_not():
    topics = make_topics([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]], [0.5, 0.5], 0.0)
    found = word_support(topics, np.array([0.99, 0.01]), np.arange(3))
    assert found.topic.tolist() == [0, 0, 0]
    np.testing.assert_allclose(found.certainty, [8 / 9, 1 / 9, 0.5], rtol=1e-6)
    for theta, cluster in (
        ([0.2, 0.1], -1),
        ([0.3, 0.25], -1),
        ([0.375, 0.25], 0),
        ([0.2, 0.41], 1),
    ):
        found = word_support(topics, np.array(theta), np.arange(3))
        assert found.topic.tolist() == [cluster] * 3, "a cluster not yet seen has the rest"
        certainty = ([8 / 9, 1 / 9, 0.5], [1 / 9, 8 / 9, 0.5], [0.0] * 3)[cluster]
        np.testing.assert_allclose(found.certainty, certainty, rtol=1e-6)


def test_what_all_other_topics_say(drawn):
    topics, corpus, _ = drawn
    expected = [
        (0.4 * topics.topic_word[0, w] + 0.2 * topics.topic_word[2, w] + 0.1 / 7) / 0.7
        for w in range(7)
    ]
    np.testing.assert_allclose(others(topics, 1), expected, rtol=1e-6)
    for d in range(corpus.n_docs):
        counts = counts_of(corpus, d)
        logs = sum(n * np.log(topics.topic_word[1, w] / expected[w]) for w, n in counts.items())
        mean = logs / sum(counts.values())
        assert typicality(topics, corpus, 1)[d] == pytest.approx(mean, rel=1e-5, abs=1e-6)
    alone = make_topics([[0.5, 0.5]], [1.0], 0.0)
    assert others(alone, 0).tolist() == [0.5, 0.5]
    rounded = make_topics([[0.5, 0.5], [0.9, 0.1]], [1.0, 1e-10], -1e-9)
    np.testing.assert_allclose(others(rounded, 0), [0.9, 0.1], rtol=1e-6)


def test_short_documents_do_not_win_and_ties_go_to_typical_words():
    counts = [[1, 0, 0], [9, 0, 1], [5, 5, 0], [8, 1, 1], [9, 1, 0]]
    corpus = Corpus.from_csr(np.array(counts))
    topics = make_topics([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]], [0.5, 0.5], 0.0)
    share = np.array([[1.0, 0.0], [0.9, 0.1], [1.0, 0.0], [0.9002, 0.1], [0.5, 0.5]], np.float32)
    assert usual_minimum(corpus.doc_lengths) == 5
    assert rank_by_share(topics, corpus, share, 0, 5).tolist() == [2, 1, 3, 4]
    assert rank_by_share(topics, corpus, share, 0).tolist() == [0, 2, 1, 3, 4]
    assert rank_by_words(corpus, share, 0).tolist() == [2, 3, 1, 4, 0]


def test_neighbours_by_distances_written_out(drawn):
    _, corpus, share = drawn
    theta = share[4].astype(float)
    whole = np.column_stack([share, 1.0 - share.sum(axis=1, dtype=float)])
    expected = [np.sqrt(max(1.0 - np.sqrt(row * whole[4]).sum(), 0.0)) for row in whole]
    np.testing.assert_allclose(hellinger(share, theta), expected, atol=1e-3)
    found = nearest(corpus, share, theta, counts_of(corpus, 4), corpus.n_docs)
    assert found[0] == 4
    assert sorted(found.tolist()) == list(range(corpus.n_docs))
    assert np.all(np.diff(np.asarray(expected)[found]) > -2e-3)


def test_neighbours_in_one_cluster_are_told_apart_by_their_words():
    corpus = Corpus.from_csr(np.array([[2, 2, 0], [0, 1, 5], [4, 4, 0], [3, 1, 0]]))
    share = np.array([[1.0], [1.0], [1.0], [0.5]], np.float32)
    found = nearest(corpus, share, np.array([1.0]), counts_of(corpus, 0), 4)
    assert found.tolist() == [0, 2, 1, 3]


def test_search_finds_titles_first_and_then_documents_with_all_words():
    docs = DocTable(
        title=np.array(["Roses", "On bread", "third", "fourth"], object),
        label=np.array(["garden", "kitchen", "garden", ""], object),
    )
    corpus = Corpus.from_csr(np.array([[1, 0, 1], [1, 3, 0], [1, 1, 0], [2, 5, 1]]), "abc", docs)
    assert search(corpus, [], "BREAD").tolist() == [1]
    assert search(corpus, [0, 1], "nothing").tolist() == [1, 2, 3]
    assert search(corpus, [1], "garden").tolist() == [2, 0, 1, 3]
    assert search(corpus, [], "").tolist() == []


def test_one_document_is_folded_in_like_its_copy_in_the_corpus(drawn):
    topics, corpus, _ = drawn
    for model in (LDA(n_topics=4), DPMixture()):
        share = doc_topic(model, topics, corpus)
        alone = one_document(counts_of(corpus, 3), corpus)
        assert alone.vocab == corpus.vocab
        np.testing.assert_allclose(model.fold_in(topics, alone)[0], share[3], atol=1e-6)
    with pytest.raises(ValueError, match="no word of the vocabulary"):
        one_document({}, corpus)
