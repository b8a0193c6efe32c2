"""What processors do in one instruction and numba has no name for.

Random numbers that depend on where they are used, not on who uses them or in which order.

Philox 4x64-10 (Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"),
the generator of `numpy.random.Philox`: four numbers of 64 bits are a scrambled counter, so that
every document of every sweep has a stream of its own for the price of setting the counter. numpy's
own cannot be set inside a kernel.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..core.arrays import F64
from .jit import kernel

FOR_READING, CLOSE, DATA = 0, 3, 1
"""How memory is fetched: to be read, into the nearest cache, what is no code."""


def _upper_half(_: Any, a: Any, b: Any) -> Any:
    def made(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        x, y = (builder.zext(argument, wide) for argument in arguments)
        upper = builder.lshr(builder.mul(x, y), ir.Constant(wide, 64))
        return builder.trunc(upper, ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), made


def _bits_set(_: Any, a: Any) -> Any:
    def made(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), made


def _fetch(_: Any, array: Any, i: Any) -> Any:
    def made(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        insert = cast(Any, cgutils.get_or_insert_function)
        prefetch = insert(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(prefetch, [place, *map(number, (FOR_READING, CLOSE, DATA))])
        return context.get_dummy_value()

    return types.void(array, types.uint64), made


upper_half = cast(Callable[[int, int], int], intrinsic(_upper_half))
"""The upper 64 of the 128 bits of the product of two uint64."""
bits_set = cast(Callable[[int], int], intrinsic(_bits_set))
"""How many bits of a uint64 are 1."""
fetch = cast(Callable[[npt.NDArray[np.generic], int], None], intrinsic(_fetch))
"""Begin to bring into the cache what stands at a place of an array, a uint64, counted over all its
axes; nobody waits for it."""


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
