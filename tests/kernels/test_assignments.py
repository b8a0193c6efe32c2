"""Counts of tokens in topics, against loops; long documents too, whose products leave a double."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln

from bnpexplorer.inference.assignments import Assignments
from bnpexplorer.kernels.assignments import (
    count_by_document,
    documents_by_tokens,
    log_seating,
    put_runs,
    rename_slots,
    repeated,
    smoothed_topics,
    take_runs,
)
from tests.tools.methods import corpus_of_counts

LENGTHS = [4, 1, 700, 0, 30, 2]
START = np.concatenate(([0], np.cumsum(LENGTHS)))
N_SLOTS = 7


def topics_of_tokens(seed=0, unseated=True):
    rng = np.random.default_rng(seed)
    topic = rng.choice(N_SLOTS - 1, START[-1], p=[0.5, 0.2, 0.1, 0.1, 0.06, 0.04]).astype(np.int32)
    if unseated:
        topic[rng.random(START[-1]) < 0.1] = -1
    return topic


def by_document(topic):
    return [Counter(topic[a:b].tolist()) for a, b in pairwise(START)]


def test_topics_are_counted_document_by_document():
    topic = topics_of_tokens()
    counts, slots = count_by_document(START, topic, N_SLOTS)
    assert len(counts) == len(slots)
    expected = [pair for held in by_document(topic) for pair in held.items() if pair[0] >= 0]
    assert list(zip(slots.tolist(), counts.tolist(), strict=True)) == expected


@pytest.mark.parametrize("most", [1, 3, 32])
def test_documents_are_counted_by_the_tokens_that_they_hold_of_a_topic(most):
    topic = topics_of_tokens(unseated=False)
    exactly = np.zeros((N_SLOTS, most + 1), np.int64)
    exactly[2, 1] = 5  # counted before, by another part
    longer = np.full((START[-1] // (most + 1), 2), -1)
    n_longer = documents_by_tokens(START, topic, exactly, longer)
    expected, long = np.zeros((N_SLOTS, most + 1), int), []
    expected[2, 1] = 5
    for held in by_document(topic):
        for slot, n in held.items():
            expected[slot, min(n, most)] += 1
            long += [(slot, n)] if n > most else []
    np.testing.assert_array_equal(exactly, expected)
    assert longer[:n_longer].tolist() == [list(pair) for pair in long]


def test_runs_are_put_back_where_they_were_taken():
    values = np.arange(50, dtype=np.int32) + 100
    first, ends = np.array([7, 30, 0]), np.array([0, 3, 3, 8])
    part = take_runs(values, first, ends)
    assert part.tolist() == [107, 108, 109, 100, 101, 102, 103, 104]
    put_runs(values, first, ends, part + 1000)
    changed = [*range(5), 7, 8, 9]
    assert np.flatnonzero(values >= 1000).tolist() == changed
    assert values[changed].tolist() == [1100 + i for i in changed]


def test_values_are_repeated_as_often_as_their_counts_say():
    counts = np.array([2, 1, 0, 3], np.int32)
    assert repeated(np.array([5, 0, 7, 2], np.int32), counts, 6).tolist() == [5, 5, 0, 2, 2, 2]


def test_slots_in_lists_get_their_new_numbers_and_cells_that_are_not_used_none():
    cells = np.array([3, 2, 0, 1, 3, 0, 1, 4], np.int32)
    rename_slots(cells, np.array([1, 0, -1, 2, -1], np.int32))
    assert cells.tolist() == [2, 2, 1, 1, 0, 0, 0, 4]


@pytest.mark.parametrize("scale", [1e-4, 0.3, 900.0])
def test_the_probability_of_seats_is_that_of_rising_factorials(scale):
    """Products of 700 factors, as small as 10^-4 or as large as 1,600, leave the range of a double
    again and again."""
    topic = topics_of_tokens(3)
    prior = scale * np.linspace(0.5, 1.5, N_SLOTS + 1)
    expected = sum(
        gammaln(prior[slot] + n) - gammaln(prior[slot])
        for held in by_document(topic)
        for slot, n in held.items()
        if slot >= 0
    )
    assert log_seating(START, topic, prior) == pytest.approx(expected, rel=1e-11)
    assert abs(expected) > 500


def test_topics_are_smoothed_counts_of_the_slots_that_are_asked_for():
    counts = np.array([[3, 0, 2, 1], [1, 4, 0, 1], [2, 2, 2, 0]])
    corpus = corpus_of_counts(counts)
    tokens = Assignments.unseated(corpus, 8, 0.3)
    words = np.repeat(corpus.word_ids, corpus.counts)
    tokens.topic[:] = np.random.default_rng(0).choice([0, 2, 3, 5], len(words))
    tokens.count = np.bincount(tokens.topic, minlength=8)
    tokens.renew(0.3)
    tokens.count_words(words)
    slots = np.array([5, 1, 0])  # one is empty; slots 2 and 3 are not asked for
    held = np.array([[((tokens.topic == k) & (words == w)).sum() for w in range(4)] for k in slots])
    found = smoothed_topics(tokens.word_topics(), slots, tokens.total)
    expected = (held + 0.3) / (held.sum(axis=1, keepdims=True) + 4 * 0.3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)
