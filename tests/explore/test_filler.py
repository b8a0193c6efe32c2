"""Filler topics, planted: a background that every document has, beside topics that few have."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.explore import filler as module
from bnpexplorer.explore.filler import SAMPLE, DocumentSample, Spread, filler, sample, spread
from bnpexplorer.models.hdp import HDP
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


def moment_of(topics, corpus, groups=None):
    """A run that stands at these topics, some of them grouped: {first: others}."""
    return Moment(Snapshot(1, 1, 1.0, topics, (), ()), corpus, HDP(), Labels(groups=groups or {}))


@pytest.mark.parametrize("background", [0.1, 0.2, 0.4, 0.7])
def test_a_planted_background_is_filler_and_nothing_else(background):
    topics, corpus, theta, lengths = planted(background)
    assert np.flatnonzero(spread(topics, theta, lengths).filler).tolist() == [0]
    assert filler(moment_of(topics, corpus)) == {20}, "read by the model's fold-in"


def test_without_a_background_nothing_is_filler():
    topics, corpus, theta, lengths = planted(0.0)
    assert not spread(topics, theta, lengths).filler.any()
    assert not filler(moment_of(topics, corpus))
    assert not filler(moment_of(topics, corpus.take([]))), "no documents, no judgement"


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
    assert np.allclose(found.divergence, (inside * np.log2(inside / p_word)).sum(axis=1), atol=1e-4)
    words = theta.astype(float) * lengths[:, None]
    for k in range(N_TOPICS + 1):
        p = words[:, k][words[:, k] > 0] / words[:, k].sum()
        q = lengths / lengths.sum()
        expected = np.exp(-(p * np.log(p)).sum() + (q * np.log(q)).sum())
        assert found.even[k] == pytest.approx(expected)
        assert found.present[k] == (words[:, k] >= 1).mean()


def test_of_many_documents_some_are_read():
    topics, corpus, _, _ = planted(0.4)
    many = corpus.take(np.tile(np.arange(N_DOCS), 6))
    assert many.n_docs > SAMPLE
    assert filler(moment_of(topics, many)) == {20}
    moment = moment_of(topics, many.take(np.argsort(many.doc_lengths, kind="stable")))
    read, lengths = sample(moment), moment.corpus.doc_lengths
    assert len(read.lengths) == len(read.proportions) == SAMPLE
    assert (read.lengths[0], read.lengths[-1]) == (lengths[0], lengths[-1]), "the longest, too"
    assert abs(np.median(read.lengths) - np.median(lengths)) <= 1, "from everywhere"


def test_filler_that_has_come_to_its_end_is_not_named(monkeypatch):
    topics, corpus, theta, lengths = planted(0.4)
    topics = replace(topics, size=np.array([0.9, *topics.size[1:]]))
    found = Spread(np.arange(9.0), np.full(9, 0.9), np.full(9, 0.5))
    monkeypatch.setattr(module, "spread", lambda *_: found)
    assert found.filler.tolist() == [True] * 5 + [False] * 4
    assert filler(moment_of(topics, corpus), DocumentSample(theta, lengths)) == {21, 22, 23, 24}


def test_halves_of_a_background_are_one_filler_once_they_are_grouped():
    topics, corpus, theta, lengths = planted(0.4)
    rows, part = [0, *range(N_TOPICS + 1)], np.array([0.5, 0.5, *[1.0] * N_TOPICS])
    parts = {name: getattr(topics, name)[rows] * part for name in ("total", "size", "weight")}
    ids = np.array([19, *topics.topic_ids])
    halves = replace(topics, topic_word=topics.topic_word[rows], topic_ids=ids, **parts)
    read = DocumentSample((theta[:, rows] * part).astype(np.float32), lengths)
    assert filler(moment_of(halves, corpus), read) == {19, 20}
    assert filler(moment_of(halves, corpus, {19: (20,)}), read) == {19}


def test_filler_that_leads_a_group_does_not_make_the_group_filler():
    topics, corpus, theta, lengths = planted(0.1)
    read = DocumentSample(theta, lengths)
    assert filler(moment_of(topics, corpus), read) == {20}
    assert filler(moment_of(topics, corpus, {20: (21, 22)}), read) == set()


@pytest.mark.parametrize(("divergence", "is_filler"), [(0.2, True), (3.0, False)])
def test_an_even_topic_with_words_of_its_own_is_none(divergence, is_filler):
    """Nearer to word frequencies than half of the topics, or further away."""
    even, present = np.array([0.9, 0.2, 0.2, 0.2]), np.array([0.9, 0.1, 0.1, 0.1])
    found = Spread(np.array([divergence, 1.0, 1.2, 1.4]), even, present)
    assert found.filler.tolist() == [is_filler, False, False, False]


def test_one_whole_word_of_a_topic_is_enough_to_be_present():
    topics, _, theta, _ = planted(0.3)
    theta, lengths = np.zeros((4, theta.shape[1]), np.float32), np.array([4.0, 4.0, 4.0, 4.0])
    theta[0, :2] = 0.25, 0.75  # just one word of topic 0
    theta[1:, 1:3] = 0.5
    found = spread(topics, theta, lengths)
    assert found.present[:3].tolist() == [0.25, 1.0, 0.75]
