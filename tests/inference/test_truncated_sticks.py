"""Tables, the order of topics and their sticks given the topics of tokens: each conditional against
its formula."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.special import gammaln

from bnpexplorer.inference.pool import Threads
from bnpexplorer.inference.truncated_sticks import (
    documents_holding,
    draw_order,
    draw_sticks,
    draw_tables,
)
from tests.tools.gibbs import chi_square, total_variation


def test_documents_that_hold_a_topic_are_counted():
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 300, 50)
    doc_start = np.concatenate(([0], np.cumsum(lengths)))
    topic = rng.choice(4, lengths.sum(), p=[0.6, 0.3, 0.1, 0.0]).astype(np.int32)
    at_least, longer = documents_holding(None, doc_start, topic, 4)
    held = np.array([np.bincount(x, minlength=4) for x in np.split(topic, doc_start[1:-1])])
    for j in range(1, 33):
        assert np.array_equal(at_least[:, j - 1], (held >= j).sum(axis=0))
    pairs = [(k, n) for row in held for k, n in enumerate(row) if n > 32]
    assert sorted(map(tuple, longer.tolist())) == sorted(pairs)
    with Threads(3) as pool:
        same = documents_holding(pool, doc_start, topic, 4)
    assert np.array_equal(same[0], at_least)


def stirling_law(n: int, c: float) -> np.ndarray:
    """P(tables = 0..n) of n customers (Antoniak 1974), by the recursion of Stirling numbers."""
    p = np.zeros(n + 1)
    p[0] = 1.0
    for j in range(n):
        p = (p * j + np.concatenate(([0.0], p[:-1])) * c) / (j + c)
    return p


@pytest.mark.second
def test_tables_follow_antoniak_s_law():
    """Three documents with 5, 5 and 2 tokens of a topic: their tables' sum is a convolution."""
    c, rng = 0.8, np.random.default_rng(2)
    assert stirling_law(5, c)[1:] == pytest.approx(
        [0.26106934, 0.43511557, 0.24366472, 0.05569479, 0.00445558], abs=1e-8
    )
    doc_start, topic = np.array([0, 5, 10, 12]), np.zeros(12, np.int32)
    held = documents_holding(None, doc_start, topic, 1)
    law = np.convolve(np.convolve(stirling_law(5, c), stirling_law(5, c)), stirling_law(2, c))
    seen = np.bincount(
        [int(draw_tables(*held, np.array([c]), rng)[0]) for _ in range(8000)], minlength=len(law)
    )
    assert chi_square(seen, law) > 1e-4


def test_tables_of_long_documents_follow_the_same_law():
    c, rng, n = 2.5, np.random.default_rng(3), 150
    held = documents_holding(None, np.array([0, n]), np.zeros(n, np.int32), 1)
    seen = np.bincount(
        [int(draw_tables(*held, np.array([c]), rng)[0]) for _ in range(5000)], minlength=n + 1
    )
    assert chi_square(seen, stirling_law(n, c)) > 1e-4


@pytest.mark.second
def test_weights_are_sticks_in_their_order():
    """Means of Psi over 20,000 draws against products of the sticks' means; 4.5 errors."""
    tables, place, gamma = np.array([3, 0, 9, 1]), np.array([1, 3, 0, 2]), 1.5
    rng = np.random.default_rng(4)
    draws = np.array([draw_sticks(tables, place, gamma, rng) for _ in range(20_000)])
    assert draws.sum(axis=1) == pytest.approx(1.0)
    held = [9, 3, 1, 0]  # at places 0 to 3
    left, mean = 1.0, np.zeros(4)
    for i, slot in enumerate([2, 0, 3, 1]):
        stick = 1.0 if i == 3 else (1 + held[i]) / (1 + held[i] + gamma + sum(held[i + 1 :]))
        mean[slot], left = left * stick, left * (1 - stick)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 4.5 * error)


def test_orders_are_drawn_by_the_probability_of_the_tables():
    """All 24 orders of four topics: B(1 + L, gamma + later) of each stick; 6,000 draws."""
    tables, gamma, rng = np.array([4, 1, 0, 2]), 0.9, np.random.default_rng(5)

    def log_p(order: tuple[int, ...]) -> float:
        total = 0.0
        for i in range(3):
            a, b = 1 + tables[order[i]], gamma + sum(tables[k] for k in order[i + 1 :])
            total += gammaln(a) + gammaln(b) - gammaln(a + b)
        return total

    p = {order: np.exp(log_p(order)) for order in permutations(range(4))}
    law = {order: value / sum(p.values()) for order, value in p.items()}
    place, n = np.arange(4), 12_000
    seen = dict.fromkeys(law, 0.0)
    for _ in range(n):
        place = draw_order(tables, place, gamma, rng)
        seen[tuple(np.argsort(place).tolist())] += 1 / n
    assert total_variation(law, Counter(seen)) < 0.05
