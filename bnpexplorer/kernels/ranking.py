"""The largest entries of rows, in order."""

import numpy as np

from ..core.arrays import F64, I64
from .jit import kernel


@kernel
def largest_places(rows: F64, found: I64) -> None:
    """The places of the n largest entries of each row, largest first, of equal ones the first.

    `rows` float64 (K, V). `found` int64 (K, n), 1 <= n <= V: out. Few entries of a row come among
    the largest of those before them, so that it is read once and little is moved.
    """
    n = found.shape[1]
    values = np.empty(n)
    for k in range(rows.shape[0]):
        held = 0
        for w in range(rows.shape[1]):
            value = rows[k, w]
            if held == n and not value > values[n - 1]:
                continue
            place = held if held < n else n - 1
            while place > 0 and value > values[place - 1]:
                values[place], found[k, place] = values[place - 1], found[k, place - 1]
                place -= 1
            values[place], found[k, place] = value, w
            held = min(held + 1, n)
