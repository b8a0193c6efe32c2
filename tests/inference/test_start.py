"""The k-means start: Bregman divergences by hand, true clusters found, odd corpora survived."""

import numpy as np
import pytest
from scipy import sparse

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference import start as module
from bnpexplorer.inference.dirichlet import random_excess
from bnpexplorer.inference.start import (
    STARTS,
    begin_alone,
    cluster_tokens,
    first_topics,
    start_excess,
)
from tests.tools.gibbs import binomial_gap


def corpus_of(counts):
    return Corpus.from_csr(sparse.csr_matrix(np.asarray(counts)))


def separated(rng, n_clusters=6, n_docs=120, n_words=60, length=40):
    """Documents of clusters with words of their own, but for one word in ten."""
    label = rng.integers(n_clusters, size=n_docs)
    per = n_words // n_clusters
    counts = np.zeros((n_docs, n_words), int)
    for d, k in enumerate(label):
        p = np.full(n_words, 0.1 / n_words)
        p[k * per : (k + 1) * per] += 0.9 / per
        counts[d] = rng.multinomial(length, p)
    return corpus_of(counts)


def slow_clusters(counts, seeds, iterations, smoothing):
    """k-means with KL(p_d || centre) written out with loops over dense vectors."""
    background = smoothing * counts.sum(axis=0) / len(seeds)
    sums = counts[seeds].astype(float)
    for _ in range(iterations):
        centres = [(s + background) / (s + background).sum() for s in sums]
        fresh = np.zeros_like(sums)
        for row in counts:
            p = row / row.sum()
            used = p > 0
            divergence = [np.sum(p[used] * np.log(p[used] / c[used])) for c in centres]
            fresh[int(np.argmin(divergence))] += row
        sums = fresh
    return np.array([s + background if s.sum() else s for s in sums])


def test_clusters_equal_a_slow_twin(monkeypatch):
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.8, (40, 12))
    counts[:, 0] += 1
    seeds = {}
    original = module._seed_documents

    def remember(*args):
        seeds["rows"] = original(*args)
        return seeds["rows"]

    monkeypatch.setattr(module, "_seed_documents", remember)
    matrix = sparse.csr_matrix(counts.astype(float))
    tokens = cluster_tokens(matrix, 5, np.random.default_rng(0))
    expected = slow_clusters(counts, seeds["rows"], module.ITERATIONS, module.SMOOTHING)
    assert len(set(seeds["rows"])) == 5
    np.testing.assert_allclose(tokens, expected, rtol=1e-12)


@pytest.mark.second
def test_seeds_are_drawn_by_their_divergence_from_the_nearest_seed():
    """With three documents the second seed's law is known: 4 standard errors of 4,000 draws."""
    counts = np.array([[8, 1, 0], [6, 3, 0], [0, 1, 9]])
    lengths = counts.sum(axis=1).astype(float)
    background = 0.05 * counts.sum(axis=0)
    matrix = sparse.csr_matrix(counts.astype(float))
    pairs = np.zeros((3, 3))
    rng = np.random.default_rng(1)
    n = 4000
    for _ in range(n):
        first, second = module._seed_documents(matrix, lengths, background, 2, rng)
        pairs[first, second] += 1 / n
    expected = np.zeros((3, 3))
    for i in range(3):
        centre = (counts[i] + background) / (counts[i] + background).sum()
        far = np.zeros(3)
        for j in range(3):
            if j != i:
                p = counts[j] / lengths[j]
                used = p > 0
                far[j] = lengths[j] * np.sum(p[used] * np.log(p[used] / centre[used]))
        expected[i] = lengths[i] / lengths.sum() * far / far.sum()
    assert binomial_gap(pairs, expected, n) < 4.0


def test_finds_separated_clusters():
    corpus = separated(np.random.default_rng(0))
    found = 0
    for seed in range(5):
        excess = start_excess("k-means", corpus, 6, np.random.default_rng(seed), 40.0)
        blocks = excess.reshape(6, 6, 10).sum(axis=2)
        blocks /= blocks.sum(axis=1, keepdims=True)
        found += len(set(blocks.argmax(axis=1)[blocks.max(axis=1) > 0.7]))
    assert found >= 25  # of 30: five starts, six clusters


@pytest.mark.parametrize("start", STARTS)
def test_mass_stands_for_the_whole_corpus_and_seeds_repeat(start):
    corpus = separated(np.random.default_rng(1))
    first, again = (
        start_excess(start, corpus, 8, np.random.default_rng(5), 100.0) for _ in range(2)
    )
    assert first.dtype == np.float64
    assert first.shape == (8, corpus.n_words)
    assert np.all(first >= 0.0)
    np.testing.assert_array_equal(first, again)
    assert first.sum() == pytest.approx(100.0 * corpus.n_docs, rel=0.15)


def test_large_corpora_are_sampled(monkeypatch):
    corpus = separated(np.random.default_rng(2), n_docs=300)
    monkeypatch.setattr(module, "SAMPLE_DOCS", 50)
    seen = {}
    original = module.cluster_tokens

    def remember(counts, n_clusters, rng):
        seen["rows"] = counts.shape[0]
        return original(counts, n_clusters, rng)

    monkeypatch.setattr(module, "cluster_tokens", remember)
    excess = start_excess("k-means", corpus, 6, np.random.default_rng(0), 40.0)
    assert seen["rows"] == 50
    assert excess.sum() == pytest.approx(300 * 40.0, rel=0.1)


def test_topics_without_a_document_are_random():
    """Two different documents, five topics: two clusters and three noisy topics, all different."""
    corpus = corpus_of([[3, 0, 1, 0], [3, 0, 1, 0], [0, 2, 0, 2]])
    excess = start_excess("k-means", corpus, 5, np.random.default_rng(0), 4.0)
    assert np.all(excess.sum(axis=1) > 0.0)
    shares = excess / excess.sum(axis=1, keepdims=True)
    apart = np.abs(shares[:, None] - shares[None]).sum(axis=2) + np.eye(5)
    assert apart.min() > 1e-3


@pytest.mark.parametrize(
    "counts", [[[3, 1, 2]], [[5], [2], [9]], [[1, 1], [2, 2], [3, 3]], [[0, 4, 0], [0, 1, 0]]]
)
@pytest.mark.parametrize("n_topics", [1, 3])
def test_odd_corpora(counts, n_topics):
    """One document, one word, proportional documents, words that never occur."""
    excess = start_excess("k-means", corpus_of(counts), n_topics, np.random.default_rng(0), 10.0)
    assert excess.shape == (n_topics, len(counts[0]))
    assert np.all(np.isfinite(excess))
    assert np.all(excess.sum(axis=1) > 0.0)


def test_random_is_the_exponential_of_the_paper():
    corpus = separated(np.random.default_rng(0))
    excess = start_excess("random", corpus, 7, np.random.default_rng(9), 100.0)
    expected = random_excess(7, corpus.n_words, corpus.n_docs, 100.0, np.random.default_rng(9))
    np.testing.assert_array_equal(excess, expected)


def test_unknown_start_is_refused():
    with pytest.raises(ValueError, match="k-means, random"):
        start_excess("spectral", corpus_of([[1]]), 2, np.random.default_rng(0), 1.0)


@pytest.mark.parametrize(
    ("n_docs", "length", "most", "expected"),
    [
        (3000, 144, 200, 192),  # 16 sqrt(144)
        (3000, 400, 200, 200),
        (70_000, 9, 200, 48),
        (70_000, 9, 20, 20),
        (60, 25, 200, 50),  # 1,500 tokens, 30 for each
        (3, 4, 200, 10),  # few tokens
        (3, 4, 5, 5),
    ],
)
def test_short_texts_and_few_begin_with_fewer_topics(n_docs, length, most, expected):
    assert first_topics(most, np.arange(n_docs + 1, dtype=np.int64) * length) == expected


def test_more_topics_by_the_root_of_the_length():
    assert first_topics(200, np.arange(70_001, dtype=np.int64) * 9, 48) == 144
    assert first_topics(200, np.arange(61, dtype=np.int64) * 9, 48) == 18, "30 tokens for each"


def test_a_document_begins_alone_by_the_share_and_without_one_nothing_is_drawn():
    rng, untouched = np.random.default_rng(3), np.random.default_rng(3)
    assert begin_alone(5, 0.0, rng).tolist() == [False] * 5
    assert rng.random() == untouched.random()
    assert abs(begin_alone(10_000, 0.2, rng).mean() - 0.2) < 4 * 0.4 / 100


def test_spare_topics_share_what_given_ones_leave():
    """Two given topics of six: all that is not theirs is `SPARE`, however many share it."""
    rng = np.random.default_rng(4)
    corpus = corpus_of(rng.integers(0, 4, (50, 30)))
    given = module.GivenTopics(np.array([[3.0], [1.0]]) * rng.dirichlet(np.ones(30), 2))
    for n_topics in (3, 6, 40):
        excess = start_excess(given, corpus, n_topics, np.random.default_rng(1), 80.0)
        tokens = corpus.n_docs * 80.0
        assert excess[:2].sum() == pytest.approx((1 - module.SPARE) * tokens, rel=1e-6)
        spare = excess[2:].sum()
        # A sum of n exponentials of equal means: within five of its standard deviations.
        n = excess[2:].size
        assert abs(spare / (module.SPARE * tokens) - 1) < 5 / np.sqrt(n)


@pytest.mark.parametrize(("n_topics", "n_sample"), [(3, 20), (6, 30), (40, 50)])
def test_as_many_documents_are_clustered_as_topics_need(n_topics, n_sample, monkeypatch):
    """Five for each at least, of those that there are; none of them twice."""
    monkeypatch.setattr(module, "SAMPLE_DOCS", 20)
    clustered, real = [], module.cluster_tokens

    def noted(counts, n_clusters, rng):
        clustered.append((counts.toarray(), n_clusters))
        return real(counts, n_clusters, rng)

    monkeypatch.setattr(module, "cluster_tokens", noted)
    corpus = corpus_of(np.eye(50, dtype=int) + 1)
    start_excess("k-means", corpus, n_topics, np.random.default_rng(0), 9.0)
    ((counts, n_clusters),) = clustered
    assert (len(counts), n_clusters) == (n_sample, n_topics)
    assert len(np.unique(counts, axis=0)) == n_sample
    rows = counts.argmax(axis=1)
    assert (np.diff(rows) > 0).all(), "in order"
    assert rows[-1] >= 40, "from everywhere"
