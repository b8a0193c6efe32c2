"""Topics that could be one, divided at random: what joining them loses, and what chance makes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from bnpexplorer.explore import duplicates as tested
from bnpexplorer.explore.duplicates import could_be_one, duplicates
from bnpexplorer.explore.kinship import loss, losses

COUNTS = np.array([[5, 0, 2, 1], [0, 7, 1, 0], [3, 1, 0, 4], [0, 0, 0, 6]], np.int64)


def test_it_is_the_divergence_of_the_two_by_their_sizes():
    p, q = COUNTS[0] / COUNTS[0].sum(), COUNTS[2] / COUNTS[2].sum()
    even = np.array([5, 0, 2, 1]), np.array([3, 1, 0, 4])
    assert float(loss(*even)) == pytest.approx(16 * jensenshannon(p, q) ** 2)


def test_chance_divides_as_all_ways_to_divide_do():
    """Of three kinds of words, 6, 4 and 2, six are taken: every way with its probability."""
    both = np.array([6, 4, 2])
    ways = [
        (a, b, 6 - a - b) for a in range(7) for b in range(5) if 0 <= 6 - a - b <= 2 and a + b <= 6
    ]

    def probability(way):
        chosen = math.prod(math.comb(int(n), k) for n, k in zip(both, way, strict=True))
        return Fraction(chosen, math.comb(12, 6))

    lost = {way: float(loss(np.array(way), both - way)) for way in ways}
    assert sum(map(probability, ways)) == 1
    for way in ways:
        as_much = sum(probability(w) for w in ways if lost[w] >= lost[way] - 1e-9)
        if abs(as_much - Fraction(1, 20)) > Fraction(3, 100):  # what 200 draws can tell
            assert could_be_one(np.array(way), both - way) == (as_much > Fraction(1, 20)), way


def test_a_topic_divided_at_random_is_one_and_another_is_not():
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.full(3000, 0.03), 2)
    other = 0.56 * p + 0.44 * q
    assert jensenshannon(p, other, 2) == pytest.approx(0.5, abs=0.01)

    def drawn(words):
        return rng.multinomial(tested.FEWEST, words)

    assert sum(could_be_one(drawn(p), drawn(p)) for _ in range(100)) >= 90
    assert sum(could_be_one(drawn(p), drawn(other)) for _ in range(100)) <= 12


def test_pairs_are_told_with_their_distance_nearest_first_and_small_ones_are_not_tried():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.full(40, 0.3), 3)
    sizes = (900, 700, 300, 250, 199)
    counts = np.array(
        [rng.multinomial(n, p[k]) for n, k in zip(sizes, (0, 1, 0, 1, 0), strict=True)]
    )
    distances = np.arange(25.0).reshape(5, 5)
    distances[0, 2], distances[1, 3] = 0.4, 0.3
    top = [range(10), range(10), range(4, 14), range(7, 17), range(10)]
    found = duplicates(counts, distances, top)
    assert [(f.first, f.second, f.distance, f.shared) for f in found] == [
        (1, 3, 0.3, 3),
        (0, 2, 0.4, 6),
    ]
    counts[4, 0] += 1
    assert (0, 4) in [(f.first, f.second) for f in duplicates(counts, distances, top)]


def test_no_pair_that_chance_could_make_is_left_out():
    """What is tried is bounded; a topic divided at random stays below."""
    rng = np.random.default_rng(8)
    for concentration in (0.002, 0.05, 1.0):
        p = rng.dirichlet(np.full(2000, concentration))
        for share in (0.5, 0.9):
            both = rng.multinomial(3000, p)
            one = rng.multivariate_hypergeometric(both, int(3000 * share))
            lost, n_words = losses(np.stack([one, both - one]))
            assert 2.0 * lost[0, 1] <= tested.A_WORD * n_words[0, 1]
