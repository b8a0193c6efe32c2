"""What processors do in one instruction and numba has no name for."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

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
