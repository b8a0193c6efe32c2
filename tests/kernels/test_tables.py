"""The number of tables: its law by Stirling numbers, its mean by opening probabilities."""

import numpy as np
import pytest

from bnpexplorer.kernels.tables import draw_table_count, draw_total_tables, mean_table_count


def law_of_tables(n: int, concentration: float) -> np.ndarray:
    """P(1, ..., n tables): unsigned Stirling numbers of the first kind times c^tables."""
    stirling = np.zeros(n + 1)
    stirling[0] = 1.0
    for j in range(n):
        stirling = np.append(0.0, stirling[:-1]) + j * stirling
    p = stirling * float(concentration) ** np.arange(n + 1)
    return p[1:] / p.sum()


def opening_probabilities(n: int, concentration: float) -> np.ndarray:
    """The first customer opens a table even if the concentration is zero."""
    return np.append(1.0, concentration / (concentration + np.arange(1, n)))[:n]


def test_the_law_has_the_known_numbers():
    known = [0.26106934, 0.43511557, 0.24366472, 0.05569479, 0.00445558]
    assert law_of_tables(5, 0.8) == pytest.approx(known, abs=1e-8)


@pytest.mark.second
@pytest.mark.parametrize(("n", "concentration"), [(1, 0.3), (2, 1.7), (5, 0.8), (12, 4.0)])
def test_table_counts_have_antoniak_s_law(n, concentration):
    """20,000 draws: every frequency within 4.5 standard errors."""
    rng = np.random.default_rng(n)
    draws = [draw_table_count(n, concentration, rng) for _ in range(20_000)]
    law = law_of_tables(n, concentration)
    observed = np.bincount(draws, minlength=n + 1) / 20_000
    assert observed[0] == 0.0
    assert np.all(np.abs(observed[1:] - law) <= 4.5 * np.sqrt(law * (1 - law) / 20_000) + 1e-12)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 3000])
@pytest.mark.parametrize("concentration", [0.0, 1e-300, 1e-9, 1e-3, 1.1e-3, 0.7, 30.0, 1e4])
def test_mean_tables_are_the_sum_of_the_opening_probabilities(n, concentration):
    expected = opening_probabilities(n, concentration).sum()
    assert mean_table_count(n, concentration) == pytest.approx(expected, rel=1e-9)


def test_tables_of_many_restaurants():
    counts, c = np.array([3, 0, 1, 40, 7, 0]), 1.3
    expected = sum(opening_probabilities(int(n), c).sum() for n in counts)
    variance = sum((p * (1 - p)).sum() for n in counts for p in [opening_probabilities(int(n), c)])
    rng = np.random.default_rng(0)
    draws = np.array([draw_total_tables(counts, c, rng) for _ in range(20_000)])
    assert draws.mean() == pytest.approx(expected, abs=4.5 * np.sqrt(variance / 20_000))
    assert draws.var() == pytest.approx(variance, rel=0.06)


def test_no_restaurant_has_no_tables():
    assert draw_total_tables(np.zeros(0, np.int64), 1.0, np.random.default_rng(0)) == 0
