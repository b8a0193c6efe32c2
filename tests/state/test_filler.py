"""Filler topics, planted: a background that every document has, beside topics that few have."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.models.hdp import HDP
from bnpexplorer.state import filler as module
from bnpexplorer.state.filler import SAMPLE, Spread, filler, sample, spread
from bnpexplorer.state.labels import Labels
from bnpexplorer.state.moment import Moment
from bnpexplorer.state.snapshot import Snapshot, Topics

N_DOCS, N_WORDS, N_TOPICS = 400, 300, 8


def planted(background, seed=0):
    """Topics of 40 words each and, first, a background over frequent words; texts drawn of them.

    `background`: its share of every document's words. Each document has two other topics.
    """
    rng = np.random.default_rng(seed)
    usual = 1.0 / np.arange(1, N_WORDS + 1)
    words = np.full((N_TOPICS + 1, N_WORDS), 1e-6)
    words[0] = usual / usual.sum()
    for k in range(1, N_TOPICS + 1):
        own = rng.choice(N_WORDS, 40, replace=False)
        words[k, own] = rng.dirichlet(np.full(40, 0.5)) + 1e-6
    words /= words.sum(axis=1, keepdims=True)
    theta = np.zeros((N_DOCS, N_TOPICS + 1))
    theta[:, 0] = background
    for row in theta:
        row[rng.choice(N_TOPICS, 2, replace=False) + 1] += (1 - background) * rng.dirichlet([2, 2])
    lengths = rng.integers(30, 120, N_DOCS)
    counts = np.array(
        [rng.multinomial(n, row @ words) for n, row in zip(lengths, theta, strict=True)]
    )
    size = lengths @ theta + 1e-3
    ids = np.arange(N_TOPICS + 1) + 20
    topics = Topics(
        words.astype(np.float32), size * 50, size, size / size.sum(), 0.0, ids, 1.0, 1.0, 0.1
    )
    corpus = Corpus.from_csr(counts, tuple(f"w{w:03d}" for w in range(N_WORDS)))
    return topics, corpus, theta.astype(np.float32), lengths.astype(float)


def moment_of(topics, corpus, groups=None, labels=None):
    """A run that stands at these topics, some of them grouped: {first: others}."""
    labels = labels or Labels(groups=groups or {})
    return Moment(Snapshot(1, 1, 1.0, topics, (), ()), corpus, HDP(), labels)


@pytest.mark.parametrize("background", [0.1, 0.2, 0.4, 0.7])
def test_a_planted_background_is_filler_and_nothing_else(background):
    topics, corpus, theta, lengths = planted(background)
    assert np.flatnonzero(spread(topics, theta, lengths).filler).tolist() == [0]
    assert moment_of(topics, corpus).filler == {20}, "read by the model's fold-in"


def test_without_a_background_nothing_is_filler():
    topics, corpus, theta, lengths = planted(0.0)
    assert not spread(topics, theta, lengths).filler.any()
    assert not moment_of(topics, corpus).filler
    assert not moment_of(topics, corpus.take([])).filler, "no documents, no judgement"


def test_a_topic_of_half_the_documents_is_none():
    """Common, near word frequencies, but not spread evenly."""
    topics, _, theta, lengths = planted(0.0)
    theta[:, 0], theta[::2, 0] = 0.0, 0.9
    assert not spread(topics, theta, lengths).filler.any()


def test_the_measures_are_those_of_their_formulas():
    topics, _, theta, lengths = planted(0.3)
    found = spread(topics, theta, lengths)
    p_word = topics.shares @ topics.topic_word.astype(float)
    inside = topics.topic_word.astype(float)
    divergence = (inside * np.log2(inside / p_word)).sum(axis=1)
    assert np.allclose(found.divergence, divergence / (topics.shares @ divergence), atol=1e-4)
    words = theta.astype(float) * lengths[:, None]
    share, q = theta.astype(float), lengths / lengths.sum()
    mean = q @ share
    varies, most = q @ (share - mean) ** 2, mean * (1 - mean)
    for k in range(N_TOPICS + 1):
        p = words[:, k][words[:, k] > 0] / words[:, k].sum()
        expected = np.exp(-(p * np.log(p)).sum() + (q * np.log(q)).sum())
        assert found.even[k] == pytest.approx(expected)
        assert found.present[k] == (words[:, k] >= 1).mean()
        others = np.arange(N_TOPICS + 1) != k
        usual = varies[others].sum() / most[others].sum()
        assert found.steady[k] == pytest.approx(varies[k] / most[k] / usual, abs=1e-6)


def test_by_the_prior_a_large_topic_varies_like_a_small_one():
    """Drawn from Dir(alpha pi): a topic of half the words lies evenly, and is none."""
    rng = np.random.default_rng(3)
    theta = rng.dirichlet(5.0 * np.array([0.55, 0.25, 0.1, 0.06, 0.04]), 4000)
    topics, _, _, _ = planted(0.3)
    topics = replace(
        topics,
        topic_word=topics.topic_word[:5],
        size=1000.0 * theta.mean(axis=0),
        weight=theta.mean(axis=0),
        total=topics.total[:5],
        topic_ids=topics.topic_ids[:5],
    )
    found = spread(topics, theta.astype(np.float32), np.full(4000, 100.0))
    assert found.even[0] > module.EVEN
    assert found.steady == pytest.approx(np.ones(5), abs=0.12)
    assert not found.filler.any()


def test_of_many_documents_some_are_read():
    topics, corpus, _, _ = planted(0.4)
    many = corpus.take(np.tile(np.arange(N_DOCS), 6))
    assert many.n_docs > SAMPLE
    assert moment_of(topics, many).filler == {20}
    moment = moment_of(topics, many.take(np.argsort(many.doc_lengths, kind="stable")))
    read, lengths = sample(HDP(), moment.corpus, topics), moment.corpus.doc_lengths
    assert len(read.lengths) == len(read.proportions) == SAMPLE
    assert (read.lengths[0], read.lengths[-1]) == (lengths[0], lengths[-1]), "the longest, too"
    assert abs(np.median(read.lengths) - np.median(lengths)) <= 1, "from everywhere"


def test_filler_that_has_come_to_its_end_is_not_named(monkeypatch):
    topics, _, theta, lengths = planted(0.4)
    topics = replace(topics, size=np.array([0.9, *topics.size[1:]]))
    found = Spread(np.ones(9), np.array([0.9] * 5 + [0.1] * 4), np.full(9, 0.5), np.full(9, 0.5))
    monkeypatch.setattr(module, "spread", lambda *_: found)
    assert found.filler.tolist() == [True] * 5 + [False] * 4
    assert filler(topics, theta, lengths) == {21, 22, 23, 24}


def test_halves_of_a_background_are_one_filler_once_they_are_grouped():
    topics, corpus, _, _ = planted(0.4)
    rows, part = [0, *range(N_TOPICS + 1)], np.array([0.5, 0.5, *[1.0] * N_TOPICS])
    parts = {name: getattr(topics, name)[rows] * part for name in ("total", "size", "weight")}
    ids = np.array([19, *topics.topic_ids])
    halves = replace(topics, topic_word=topics.topic_word[rows], topic_ids=ids, **parts)
    assert moment_of(halves, corpus).filler == {19, 20}
    assert moment_of(halves, corpus, {19: (20,)}).filler == {19}


def test_filler_that_leads_a_group_does_not_make_the_group_filler():
    topics, corpus, _, _ = planted(0.1)
    assert moment_of(topics, corpus).filler == {20}
    assert moment_of(topics, corpus, {20: (21, 22)}).filler == set()


def test_filler_stands_last_and_tells_nothing_until_a_person_says_otherwise():
    topics, corpus, _, _ = planted(0.4)
    plain = moment_of(topics, corpus)
    assert plain.in_use[0] == 20, "the largest"
    assert plain.ordered()[-1] == 20
    assert plain.telling() == plain.ordered()[:-1]
    assert plain.filler_ones == "1 topic of filler (40\u00a0% of the words)"
    for labels in (Labels(names={20: "Courtesies"}), Labels(pinned=frozenset({20}))):
        said = moment_of(topics, corpus, labels=labels)
        assert said.filler == set()
        assert said.telling()[0] == 20
    hidden = Labels(hidden=frozenset(set(plain.in_use) - {20}))
    assert moment_of(topics, corpus, labels=hidden).telling() == [20], "nothing else is seen"


def test_words_of_filler_are_those_whose_uses_are_mostly_in_it():
    topics, corpus, _, _ = planted(0.4)
    moment = moment_of(topics, corpus)
    inside = topics.shares[0] * topics.topic_word[0].astype(float)
    everywhere = topics.shares @ topics.topic_word.astype(float)
    assert moment.filler_words.tolist() == (inside > 0.5 * everywhere).tolist()
    assert 0 < moment.filler_words.sum() < N_WORDS
    pinned = moment_of(topics, corpus, labels=Labels(pinned=frozenset({20})))
    assert not pinned.filler_words.any()


LEAST = (module.NEAR, module.EVEN, module.STEADY, module.PRESENT)


@pytest.mark.parametrize(
    ("measured", "is_filler"),
    [
        (LEAST, True),
        ((1.51, *LEAST[1:]), False),
        ((1.0, 0.59, 0.5, 0.5), False),
        ((1.0, 0.9, 0.61, 0.5), False),
        ((1.0, 0.9, 0.5, 0.24), False),
    ],
)
def test_filler_is_near_even_steady_and_present(measured, is_filler):
    found = Spread(
        *(np.array([value, 9.0 * (k in (0, 2)), 0.0]) for k, value in enumerate(measured))
    )
    assert found.filler.tolist() == [is_filler, False, False]


@pytest.mark.parametrize(("n", "is_filler"), [(2, False), (3, True)])
def test_of_fewer_than_three_topics_none_is_filler(n, is_filler):
    even = np.array([0.9, *[0.1] * (n - 1)])
    found = Spread(np.ones(n), even, np.full(n, 0.1), np.ones(n))
    assert found.filler[0] == is_filler


def test_not_all_topics_are_filler():
    assert not Spread(*[np.full(3, x) for x in (1.0, 1.0, 0.1, 1.0)]).filler.any()


def test_one_whole_word_of_a_topic_is_enough_to_be_present():
    topics, _, theta, _ = planted(0.3)
    theta, lengths = np.zeros((4, theta.shape[1]), np.float32), np.array([4.0, 4.0, 4.0, 4.0])
    theta[0, :2] = 0.25, 0.75  # just one word of topic 0
    theta[1:, 1:3] = 0.5
    found = spread(topics, theta, lengths)
    assert found.present[:3].tolist() == [0.25, 1.0, 0.75]
