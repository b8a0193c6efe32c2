"""Arrays that grow."""

import numpy as np
import pytest

from bnpexplorer.core.arrays import widened


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_an_array_grows_at_the_end_of_its_last_axis_by_the_value_asked_for(dtype):
    given = np.array([[3, 5], [8, 13], [21, 34]], dtype)
    wider = widened(given, 3, 7)
    assert wider.tolist() == [[3, 5, 7, 7, 7], [8, 13, 7, 7, 7], [21, 34, 7, 7, 7]]
    assert wider.dtype == dtype
    assert widened(given[0], 1).tolist() == [3, 5, 0]
    wider[0, 0] = 99
    assert given[0, 0] == 3, "it is a copy"
