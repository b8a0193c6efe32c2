"""Random numbers that depend on where they are used, not on who uses them or in which order.

Philox 4x64-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"),
the generator of `numpy.random.Philox`: four numbers of 64 bits are a scrambled counter, so that
every document of every sweep has a stream of its own for the price of setting the counter. numpy's
own cannot be set inside a kernel.
"""

from collections.abc import Callable
from typing import cast

import numpy as np

from ..core.arrays import F64
from .instructions import upper_half
from .jit import kernel

U = cast(Callable[[int], int], np.uint64)
FACTOR_0, FACTOR_1 = U(0xD2E7470EE14C6C93), U(0xCA5A826395121157)
STEP_0, STEP_1 = U(0x9E3779B97F4A7C15), U(0xBB67AE8584CAA73B)
ROUNDS = 10
ONE, ELEVEN, UNIT = U(1), U(11), 1.0 / 9007199254740992.0
"""53 bits of 64 make a number below 1."""


@kernel
def fill_uniform(
    key: int, purpose: int, sweep: int, item: int, block: int, n: int, out: F64
) -> None:
    """Numbers of the stream of one `item` (a document) of one `sweep`, uniform on [0, 1).

    `key` and `purpose` are the key, `sweep` and `item` three quarters of the counter; of each four
    numbers, from the four numbered `block` on. `out` float64 (n or more,): out, the first n.
    """
    first, second, third, last = U(block), U(item), U(sweep), U(0)
    i = U(0)
    while i < U(n):
        first += ONE
        a, b, c, d = first, second, third, last
        key_0, key_1 = U(key), U(purpose)
        for _ in range(ROUNDS):
            upper_a, lower_a = upper_half(FACTOR_0, a), FACTOR_0 * a
            upper_c, lower_c = upper_half(FACTOR_1, c), FACTOR_1 * c
            a, b, c, d = upper_c ^ b ^ key_0, lower_c, upper_a ^ d ^ key_1, lower_a
            key_0 += STEP_0
            key_1 += STEP_1
        for bits in (a, b, c, d):
            if i < U(n):
                out[i] = (bits >> ELEVEN) * UNIT
                i += ONE
