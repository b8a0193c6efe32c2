"""The fold-in from several starts, against slow twins and the enumeration of all topics."""

import numpy as np
import pytest

from bnpexplorer.corpus import Corpus
from bnpexplorer.inference.fold_in import (
    STARTS,
    fold_in_proportions,
    mean_proportions,
    readings,
    with_rest_topic,
)
from bnpexplorer.inference.pool import Threads
from bnpexplorer.kernels.fold_in import log_bounds
from bnpexplorer.state.snapshot import Topics
from tests.inference.test_fold_in import drawn
from tests.tools.weights import corpus_of
from tests.twins import readings as slow

N_TOPICS, N_WORDS = 4, 9


def sparse_topics(seed: int, unseen: float = 0.0, concentration: float = 0.4) -> Topics:
    """Topics of a few words each, of unequal weights."""
    rng = np.random.default_rng(seed)
    beta = (rng.dirichlet(np.full(N_WORDS, 0.3), N_TOPICS) + 0.002).astype(np.float32)
    beta /= beta.sum(axis=1, keepdims=True)
    ones, weight = np.ones(N_TOPICS), (1.0 - unseen) * rng.dirichlet(np.full(N_TOPICS, 5.0))
    ids = np.arange(N_TOPICS)
    return Topics(beta, 50.0 * ones, ones, weight, unseen, ids, concentration, 1.0, 0.1)


def as_slow(topics: Topics) -> tuple[np.ndarray, np.ndarray]:
    """Topics over words (K, V) and prior (K,), with the rest topic if there is one."""
    beta, prior = topics.topic_word.astype(float), topics.concentration * topics.weight
    if topics.unseen > 0.0:
        beta = np.vstack([beta, np.full(N_WORDS, 1.0 / N_WORDS)])
        prior = np.append(prior, topics.concentration * topics.unseen)
    return beta, prior


def short_texts(seed: int, n: int = 8) -> list[list[int]]:
    """Words of documents of two to six tokens."""
    rng = np.random.default_rng(seed)
    return [sorted(rng.integers(0, N_WORDS, rng.integers(2, 7)).tolist()) for _ in range(n)]


def counted(texts: list[list[int]]) -> Corpus:
    return corpus_of(
        np.stack([np.bincount(np.array(words, int), minlength=N_WORDS) for words in texts])
    )


def words_predicted(topics: Topics, theta: np.ndarray) -> np.ndarray:
    """p of every word by proportions (..., K), of which the rest is spread evenly."""
    unseen = 1.0 - theta.sum(axis=-1, keepdims=True)
    return np.asarray(theta @ topics.topic_word + unseen / N_WORDS)


@pytest.mark.parametrize("unseen", [0.0, 0.1])
def test_each_start_and_its_weight_are_those_of_the_slow_twin(unseen):
    topics, texts = sparse_topics(1, unseen), short_texts(2)
    found = readings(topics, counted(texts))
    beta, prior = as_slow(topics)
    for d, words in enumerate(texts):
        each, weight = slow.predictive(words, beta, prior)
        np.testing.assert_allclose(words_predicted(topics, found.theta[:, d]), each, atol=2e-4)
        np.testing.assert_allclose(found.weight[d], weight, atol=1e-3)
    assert np.ptp(found.theta, axis=0).max() > 0.5, "some document has several optima"
    assert found.weight.min() < 0.1 < found.weight.max()


def test_bounds_lie_below_the_evidence_of_all_topics_enumerated():
    topics, texts = sparse_topics(3, 0.1), short_texts(4)
    docs, (beta, prior) = counted(texts), as_slow(topics)
    factor, fast_prior, entries = with_rest_topic(topics, docs)
    evidence = [slow.enumerated(words, beta, prior)[0] for words in texts]
    for gamma_of in range(STARTS):
        gamma = np.stack([[*slow.starts(words, beta, prior)][gamma_of] for words in texts])
        found = np.empty(len(texts))
        log_bounds(0, len(texts), entries, factor, fast_prior, gamma, found)
        wanted = [slow.bound(w, beta, prior, g) for w, g in zip(texts, gamma, strict=True)]
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
        assert (found < evidence).all()


def test_where_every_word_has_one_topic_bound_and_prediction_are_exact():
    beta = np.zeros((3, N_WORDS), np.float32)
    for k in range(3):
        beta[k, 3 * k : 3 * k + 3] = (0.5, 0.3, 0.2)
    ones = np.ones(3)
    topics = Topics(beta, ones, ones, np.array([0.5, 0.3, 0.2]), 0.0, np.arange(3), 0.6, 1.0, 0.1)
    texts = [[0, 0, 4], [1, 5, 8, 8], [3], [2, 2, 2, 2, 7, 7]]
    docs, theta = counted(texts), mean_proportions(topics, counted(texts))
    factor, prior, entries = with_rest_topic(topics, docs)
    gamma, found = theta * (docs.doc_lengths[:, None] + prior.sum()), np.empty(4)
    log_bounds(0, 4, entries, factor, prior, gamma, found)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = [slow.enumerated(words, beta.astype(float), prior) for words in texts]
    np.testing.assert_allclose(found, [evidence for evidence, _ in exact], rtol=1e-6)
    np.testing.assert_allclose(words_predicted(topics, theta), [p for _, p in exact], atol=1e-6)


def test_several_starts_predict_nearer_to_the_enumeration_than_one():
    """In Kullback-Leibler divergence from the exact predictive distribution, over 24 documents."""
    one, several = 0.0, 0.0
    for seed in (5, 6, 7):
        topics, texts = sparse_topics(seed), short_texts(seed)
        docs, (beta, prior) = counted(texts), as_slow(topics)
        exact = np.stack([slow.enumerated(words, beta, prior)[1] for words in texts])
        alone = words_predicted(topics, fold_in_proportions(topics, docs))
        together = words_predicted(topics, mean_proportions(topics, docs))
        one += float((exact * np.log(exact / alone)).sum())
        several += float((exact * np.log(exact / together)).sum())
    assert several < 0.7 * one


def test_the_first_start_is_the_fold_in_of_pages():
    topics, docs = drawn(0.1)
    np.testing.assert_array_equal(
        readings(topics, docs).theta[0], fold_in_proportions(topics, docs)
    )


def test_readings_depend_on_no_other_document_and_on_no_thread():
    topics, docs = drawn(0.1)
    whole = readings(topics, docs)
    assert whole.theta.shape == (STARTS, docs.n_docs, len(topics))
    for row in (0, 57, 199):
        alone = readings(topics, docs.take(np.array([row])))
        np.testing.assert_array_equal(alone.theta[:, 0], whole.theta[:, row])
        np.testing.assert_array_equal(alone.weight[0], whole.weight[row])
    with Threads(2) as pool:
        shared = readings(topics, docs, pool)
    np.testing.assert_array_equal(shared.theta, whole.theta)
    np.testing.assert_array_equal(shared.weight, whole.weight)


def test_mean_proportions_are_readings_by_weight():
    topics, docs = drawn(0.1)
    found = readings(topics, docs)
    wanted = np.einsum("ds,sdk->dk", found.weight, found.theta)
    np.testing.assert_allclose(mean_proportions(topics, docs), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.weight.sum(axis=1), 1.0)
