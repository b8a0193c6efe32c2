"""exp and ln whose loops compile to vector instructions; calls of the C library do not.

Both split a double into mantissa and exponent, as the C library does: five times as fast in a loop.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .jit import fused

RANGE = 700.0
"""exp takes whatever lies further below zero for -700."""
INVERSE_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""ln 2 in two parts: a whole number times the first is exact."""
WHOLE, WHOLE_BITS = 6755399441055744.0, 0x4338000000000000
"""1.5 * 2^52: added, it rounds to a whole number, which then stands in the last bits."""
MANTISSA = 52
ROOT_HALF = 0x3FE6A09E667F3BCD
"""The bits of sqrt(1/2): mantissas are taken between it and sqrt(2)."""


def _reinterpreted(signature: Any, to: Any) -> Callable[[Any], Any]:
    """A function of a kernel that takes the bits of its argument for another type, `to`."""

    def typed(context: Any, x: Any) -> Any:
        return signature, lambda _, builder, __, arguments: builder.bitcast(arguments[0], to)

    return cast(Callable[[Any], Any], intrinsic(typed))


_bits = _reinterpreted(types.int64(types.float64), ir.IntType(64))
_from_bits = _reinterpreted(types.float64(types.int64), ir.DoubleType())


@fused
def exp(x: float) -> float:
    """exp(x) for x <= 700, relative error below 1e-15; exp(-700) below that.

    x = n ln 2 + r, and a Taylor series for exp(r), |r| <= ln(2) / 2.
    """
    x = max(x, -RANGE)
    shifted = x * INVERSE_LN2 + WHOLE
    n = shifted - WHOLE
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    p = 1 / 39916800 + r * (1 / 479001600)
    p = 1 / 362880 + r * (1 / 3628800 + r * p)
    p = 1 / 5040 + r * (1 / 40320 + r * p)
    p = 1 / 120 + r * (1 / 720 + r * p)
    p = 1 / 6 + r * (1 / 24 + r * p)
    p = 1.0 + (r + r * r * (0.5 + r * p))
    power: float = _from_bits(_bits(p) + (_bits(shifted) << MANTISSA))
    return power


@fused
def ln(x: float) -> float:
    """ln(x) for normal x >= 1, error below one unit in the last place.

    x = 2^e (1 + f), and ln(1 + f) by a series in f / (2 + f), with the coefficients of fdlibm.
    """
    bits = _bits(x)
    e = (bits - ROOT_HALF) >> MANTISSA
    f = _from_bits(bits - (e << MANTISSA)) - 1.0
    exponent = _from_bits(e + WHOLE_BITS) - WHOLE
    s = f / (2.0 + f)
    z = s * s
    r = 1.818357216161805012e-01 + z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01)
    r = 2.857142874366239149e-01 + z * (2.222219843214978396e-01 + z * r)
    r = z * (6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * r))
    half = 0.5 * f * f
    logarithm: float = exponent * LN2_HIGH - ((half - (s * (half + r) + exponent * LN2_LOW)) - f)
    return logarithm
