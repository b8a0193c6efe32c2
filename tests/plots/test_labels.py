"""Topics by label as figures."""

import math

import numpy as np
import pytest

from bnpexplorer.plots.labels import label_dots


@pytest.mark.parametrize("high", [0.004, 0.012, 0.02, 0.027, 0.029, 0.031, 0.05, 0.3, 0.9])
def test_two_marks_of_a_share_never_read_the_same(high):
    """Plotly's steps: 1, 2 or 5 times a power of ten, the least with at most `nticks` in all."""
    one = np.array([high])
    axis = label_dots(["a"], [9], one / 2, one / 3, one, "share", "#000000", False).layout.xaxis
    least = axis.range[1] / axis.nticks
    power = 10.0 ** math.floor(math.log10(least))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))
    marks = np.arange(0.0, axis.range[1], step)
    said = [format(mark, axis.tickformat.lstrip("~")) for mark in marks]
    assert len(set(said)) == len(said) > 1
