"""Our streams are numpy's Philox, number by number, wherever one begins to read."""

import numpy as np
import pytest

from bnpexplorer.inference.drawn_topics import stream_of
from bnpexplorer.kernels.instructions import fill_uniform


@pytest.mark.parametrize("key", [0, 7, 10**15 - 1])
@pytest.mark.parametrize(("sweep", "item"), [(0, 0), (3, 11), (2**31, 2**40)])
def test_a_stream_is_numpy_s(key, sweep, item):
    ours, theirs = np.full(23, -1.0), stream_of(key, 5, sweep, item).random(22)
    fill_uniform(key, 5, sweep, item, 0, 22, ours)
    assert np.array_equal(ours[:22], theirs)
    assert ours[22] == -1.0, "more than was asked for"
    again = np.empty(9)
    fill_uniform(key, 5, sweep, item, 2, 9, again)
    assert np.array_equal(again, theirs[8:17])


def test_streams_of_other_items_sweeps_and_purposes_are_others():
    def first(*where: int) -> float:
        out = np.empty(1)
        fill_uniform(*where, 0, 1, out)
        return float(out[0])

    streams = [(1, 1, 0, 0), (2, 1, 0, 0), (1, 2, 0, 0), (1, 1, 1, 0), (1, 1, 0, 1)]
    assert len({first(*where) for where in streams}) == len(streams)
