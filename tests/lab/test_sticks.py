"""Sticks at their limits: two draws of one seed are two, and next to no precision is one draw."""

import numpy as np
import pytest

from bnpexplorer.lab import ordered, sticks


def test_who_appears_first_does_not_depend_on_where_the_sticks_break():
    """The first stick has 0.4 of the weight on average at 1.5, and comes first as often."""
    n = 600
    weights = [sticks.break_sticks(40, 1.5, seed).weights for seed in range(n)]
    first = [sticks.order_of_appearance(w, seed)[0] for seed, w in enumerate(weights)]
    assert first.count(0) / n == pytest.approx(0.4, abs=4 * (0.4 * 0.6 / n) ** 0.5)


def test_next_to_no_precision_leaves_all_or_nothing():
    left = ordered.draw_left_over(30, 0.9, 0.05, 4000, 0)
    assert np.isin(left[:, 20:], (0.0, 1.0)).all()
    stays = ordered.draw_left_over(1, 0.6, 1e-150, 4000, 0)
    assert set(stays.ravel().tolist()) == {0.0, 1.0}
    assert stays.mean() == pytest.approx(0.4, abs=4 * (0.4 * 0.6 / 4000) ** 0.5)
