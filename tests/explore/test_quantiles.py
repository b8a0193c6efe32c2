"""Quantiles without `scipy.stats`: bit for bit the same, and pages do without its import."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import norm, t

from bnpexplorer.explore.means import normal_above, student_above, student_below


def test_they_are_those_of_scipy_stats_to_the_last_bit():
    rng = np.random.default_rng(0)
    freedom = np.concatenate(([1.0, 1.5, 2.0], rng.exponential(300.0, 40) + 1.0))
    for tail in [0.025, 0.5, 1e-12, 0.97, *rng.uniform(0.0, 0.2, 20)]:
        assert np.array_equal(student_above(tail, freedom), t.isf(tail, freedom))
        assert np.array_equal(student_below(1.0 - tail, freedom), t.ppf(1.0 - tail, freedom))
        assert normal_above(tail) == norm.isf(tail)


@pytest.mark.second
def test_the_app_begins_without_what_takes_long_to_import():
    code = "import sys, bnpexplorer.ui.app; print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code], check=True, text=True, capture_output=True
    ).stdout.split()
    assert "bnpexplorer.explore.means" in answer
    late = {"scipy.stats", "pandas.io.formats.style", "sklearn", "py3langid", "jinja2"}
    assert not late & {*answer}
