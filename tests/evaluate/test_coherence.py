"""Coherence against a plain double loop; matching against all permutations."""

from itertools import combinations, permutations
from math import log, sqrt

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.evaluate import heaviest, match_topics, npmi, topic_distances, umass


@pytest.mark.parametrize(("n_rows", "n"), [(6, 1), (6, 5), (6, 12), (6, 13), (0, 3)])
def test_the_heaviest_are_those_of_a_stable_sort(n_rows, n):
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 4, (n_rows, 12)).astype(np.float32)  # many are equal
    expected = [sorted(range(12), key=lambda w, row=row: -row[w])[:n] for row in rows]
    found = heaviest(rows, n)
    assert found.shape == (n_rows, min(n, 12))
    assert found.tolist() == expected


def document_sets(corpus: Corpus) -> list[set[int]]:
    return [
        set(corpus.word_ids[corpus.indptr[d] : corpus.indptr[d + 1]].tolist())
        for d in range(corpus.n_docs)
    ]


def naive_umass(topic: np.ndarray, corpus: Corpus, n_words: int) -> float:
    documents = document_sets(corpus)
    top = sorted(range(len(topic)), key=lambda w: -topic[w])[:n_words]
    total = 0.0
    for m in range(1, len(top)):
        for l in range(m):  # noqa: E741 - the letter of the formula
            alone = sum(top[l] in document for document in documents)
            both = sum(top[l] in document and top[m] in document for document in documents)
            if alone:
                total += log((both + 1) / alone)
    return total


def naive_npmi(topic: np.ndarray, corpus: Corpus, n_words: int) -> float:
    documents = document_sets(corpus)
    top = sorted(range(len(topic)), key=lambda w: -topic[w])[:n_words]
    values = []
    for i, j in combinations(top, 2):
        p_i = sum(i in document for document in documents) / len(documents)
        p_j = sum(j in document for document in documents) / len(documents)
        p_ij = sum(i in document and j in document for document in documents) / len(documents)
        if p_ij in (0.0, 1.0):
            values.append(2 * p_ij - 1)
        else:
            values.append(log(p_ij / (p_i * p_j)) / -log(p_ij))
    return sum(values) / len(values)


def random_corpus(n_docs: int, n_words: int, rng: np.random.Generator) -> Corpus:
    """Word 0 is in every document, word 1 too, and the last word in none."""
    counts = rng.poisson(rng.gamma(0.4, 1.0, n_words), (n_docs, n_words))
    counts[:, :2] += 1
    counts[:, -1] = 0
    return Corpus.from_csr(counts)


@pytest.mark.parametrize("n_words", [2, 5, 10, 50])
def test_against_double_loops(n_words):
    rng = np.random.default_rng(0)
    corpus = random_corpus(60, 20, rng)
    topics = rng.dirichlet(np.full(20, 0.5), 6).astype(np.float32)
    topics[0, [0, 1, 19]] = [0.9, 0.8, 0.85]  # includes the extreme words
    topics[1, 19] = 2.0
    expected = [naive_umass(t, corpus, n_words) for t in topics]
    np.testing.assert_allclose(umass(topics, corpus, n_words), expected, rtol=1e-12)
    expected = [naive_npmi(t, corpus, n_words) for t in topics]
    np.testing.assert_allclose(npmi(topics, corpus, n_words), expected, rtol=1e-12)


def test_extremes_of_npmi():
    corpus = Corpus.from_csr([[1, 1, 1, 0], [1, 1, 0, 2], [1, 5, 0, 1]])
    always, never, neutral = [0.5, 0.4, 0, 0], [0, 0, 0.5, 0.4], [0.5, 0, 0.4, 0]
    values = npmi(np.array([always, never, neutral]), corpus, n_words=2)
    np.testing.assert_allclose(values, [1.0, -1.0, 0.0], atol=1e-12)


def test_words_of_one_theme_are_more_coherent_than_mixed_ones():
    rng = np.random.default_rng(1)
    theme = rng.integers(2, size=200)
    counts = rng.poisson(np.where(np.arange(20) // 10 == theme[:, None], 1.0, 0.05))
    corpus = Corpus.from_csr(counts)
    pure = np.repeat([1.0, 0.0], 10)
    mixed = np.tile([1.0, 0.0], 10)
    topics = np.array([pure, mixed])
    assert umass(topics, corpus)[0] > umass(topics, corpus)[1]
    assert npmi(topics, corpus)[0] > npmi(topics, corpus)[1] + 0.2


def test_edge_cases_of_coherence():
    corpus = Corpus.from_csr([[1, 2], [1, 0]])
    for measure in (umass, npmi):
        assert measure(np.zeros((0, 2)), corpus).shape == (0,)
        assert np.isnan(measure(np.ones((2, 1)), Corpus.from_csr([[1], [2]]))).all()
        with pytest.raises(ValueError, match="at least 2 words"):
            measure(np.ones((1, 2)), corpus, n_words=1)
        with pytest.raises(ValueError, match="3 words but the corpus has 2"):
            measure(np.ones((1, 3)), corpus)


# ---- matching ------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["total-variation", "jensen-shannon"])
def test_matching_finds_a_shuffle_under_noise(distance):
    rng = np.random.default_rng(0)
    true = rng.dirichlet(np.full(30, 0.1), 8)
    order = rng.permutation(8)
    found = 0.9 * true[order] + 0.1 * rng.dirichlet(np.ones(30), 8)
    pairs, distances = match_topics(true, found.astype(np.float32), distance)
    assert (order[pairs[:, 1]] == pairs[:, 0]).all()
    assert (pairs[:, 0] == np.arange(8)).all()
    assert distances.max() < 0.35


@pytest.mark.parametrize("distance", ["total-variation", "jensen-shannon"])
def test_matching_is_the_best_of_all_assignments(distance):
    rng = np.random.default_rng(3)
    a, b = rng.dirichlet(np.ones(6), 3), rng.dirichlet(np.ones(6), 5)
    between = topic_distances(a, b, distance)
    best = min(sum(between[i, j] for i, j in enumerate(p)) for p in permutations(range(5), 3))
    pairs, distances = match_topics(a, b, distance)
    assert pairs.shape == (3, 2)
    assert distances.sum() == pytest.approx(best)
    turned, distances = match_topics(b, a, distance)
    assert distances.sum() == pytest.approx(best)
    assert {tuple(p) for p in turned[:, ::-1]} == {tuple(p) for p in pairs}


def test_distances_by_hand():
    a, b = np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0], [0.5, 0.5, 0]])
    np.testing.assert_allclose(topic_distances(a, b), [[0.5, 1.0, 0.0]], atol=1e-12)
    # mean (1/2, 1/4, 1/4): both divergences are 1/2 log2(1) + 1/2 log2(2) = 1/2 bit
    expected = [[sqrt(0.5), 1.0, 0.0]]
    np.testing.assert_allclose(topic_distances(a, b, "jensen-shannon"), expected, atol=1e-7)


def test_equal_topics_have_distance_zero():
    topics = np.random.default_rng(0).dirichlet(np.full(500, 0.01), 40).astype(np.float32)
    for distance in ("total-variation", "jensen-shannon"):
        _, distances = match_topics(topics, topics, distance)
        np.testing.assert_allclose(distances, 0.0, atol=1e-6)


def test_matching_without_topics_and_with_errors():
    pairs, distances = match_topics(np.zeros((0, 4)), np.full((3, 4), 0.25))
    assert pairs.shape == (0, 2)
    assert distances.shape == (0,)
    with pytest.raises(ValueError, match="cannot match"):
        match_topics(np.ones((1, 3)), np.ones((1, 4)))
    with pytest.raises(ValueError, match="distance must be one of"):
        match_topics(np.ones((1, 3)), np.ones((1, 3)), "euclid")
