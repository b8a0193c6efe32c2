"""Special functions for kernels: digamma, rising factorials, categorical draws.

Sums and probabilities of a document's topics and sticks, in loops that vectorise.

exp and ln whose loops compile to vector instructions; calls of the C library do not.

Both split a double into mantissa and exponent, as the C library does: five times as fast in a loop.
"""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..core.arrays import F64, I32, I64
from .jit import fused, kernel, summing, within


@kernel
def digamma_less_log(x: float) -> float:
    """psi(x) - ln(x + 8): eight recurrences and the asymptotic series at x + 8.

    1/(x+j) and 1/(x+7-j) have the common denominator t + j (7-j) with t = x (x+7), so that the
    eight terms are (2x + 7) D'(t) / D(t) with D(t) = t (t+6) (t+10) (t+12): no subtraction loses
    digits, and without branches a loop compiles to vector instructions.
    """
    t = x * (x + 7.0)
    steps = (
        (2.0 * x + 7.0)
        * (720.0 + t * (504.0 + t * (84.0 + t * 4.0)))
        / (t * (720.0 + t * (252.0 + t * (28.0 + t))))
    )
    inverse = 1.0 / (x + 8.0)
    f = inverse * inverse
    series = f * (
        1 / 12
        - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f * (1 / 132 - f * (691 / 32760 - f / 12)))))
    )
    return -0.5 * inverse - series - steps


@kernel
def digamma(x: float) -> float:
    """psi(x) for 0 < x < 1e30; absolute error below 1e-13 for x >= 0.01 (relative 1e-14 below)."""
    return math.log(x + 8.0) + digamma_less_log(x)


@kernel
def trigamma(x: float) -> float:
    """psi'(x) for x > 0, relative error below 1e-13: recurrences up to 8, then the asymptotic
    series."""
    steps = 0.0
    while x < 8.0:
        steps += 1.0 / (x * x)
        x += 1.0
    inverse = 1.0 / x
    f = inverse * inverse
    series = 1 / 30 - f * (1 / 42 - f * (1 / 30 - f * (5 / 66 - f * (691 / 2730 - f * 7 / 6))))
    return steps + inverse + 0.5 * f + inverse * f * (1 / 6 - f * series)


@kernel
def digamma_many(x: F64, out: F64) -> None:
    """psi of every entry of `x` float64 (n,) into `out` float64 (n,)."""
    for k in range(x.size):
        out[k] = digamma_less_log(x[k]) + ln(x[k] + 8.0)


@kernel
def log_gamma_ratio(x: float, amount: float) -> float:
    """ln [Gamma(x + amount) / Gamma(x)] for x > 0 and any `amount` >= 0."""
    if x < 1e4:
        return math.lgamma(x + amount) - math.lgamma(x)
    end = x + amount  # Stirling's series for both, subtracted before anything large is rounded
    series = (1.0 / end - 1.0 / x) / 12.0
    return (x - 0.5) * math.log1p(amount / x) + amount * (math.log(end) - 1.0) + series


@kernel
def log_rising(x: float, count: int | np.int64) -> float:
    """ln [Gamma(x + count) / Gamma(x)] for x > 0 and a whole number `count` >= 0.

    Up to 16 factors the product is both faster than two lgammas and more accurate (near x = 1e7
    their difference has lost eight digits).
    """
    if count > 16:
        return log_gamma_ratio(x, float(count))
    if x < 1e-15 or x > 1e15:  # the running product of 16 factors would leave the range of a double
        total = 0.0
        for j in range(count):
            total += math.log(x + j)
        return total
    product = 1.0
    for j in range(count):
        product *= x + j
    return math.log(product)


@kernel
def draw_index(cumulative: F64, n: int, u: float) -> int:
    """First index whose cumulative weight exceeds `u * total`; `u` uniform on [0, 1).

    `cumulative` float64 (n or more,): running sums of the weights.
    """
    threshold = u * cumulative[n - 1]
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > threshold:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_from_logs(logs: F64, n: int, u: float) -> int:
    """Draw an index by unnormalised log weights, the first n of `logs` float64 (n or more,).

    They are overwritten; `u` is uniform on [0, 1).
    """
    largest = logs[0]
    for k in range(1, n):
        largest = max(largest, logs[k])
    total = 0.0
    for k in range(n):
        total += math.exp(logs[k] - largest)
        logs[k] = total
    return draw_index(logs, n, u)


@within
def first_at_least(values: I32 | I64, low: int, high: int, value: int) -> int:
    """Return the first place from `low` to `high` whose value is `value` or more; `high` if there
    is none.

    `values` int32 or int64 (n,): ascending from `low` to `high`. `np.searchsorted` takes 0.3 s to
    compile.
    """
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


def distinct_words(word_ids: I32, n_words: int) -> tuple[I32, I32]:
    """Return the distinct words of a batch, ascending, and the place of every entry among them.

    `word_ids` int32 (U,): the words of all entries, below `n_words`. Returns `(words, local)`,
    int32 (W,) and int32 (U,), with `words[local] == word_ids`. Not compiled: that takes 0.3 s, and
    saves 0.06 ms of a batch of 40,000 entries.
    """
    used = np.zeros(n_words, np.bool_)
    used[word_ids] = True
    words = np.flatnonzero(used).astype(np.int32)
    place = np.empty(n_words, np.int32)
    place[words] = np.arange(words.size, dtype=np.int32)
    return words, place[word_ids]


@kernel
def largest(values: F64) -> float:
    """The maximum of `values` float64 (n,), with four running maxima that a processor can take at
    once."""
    m0, m1, m2, m3 = values[0], values[0], values[0], values[0]
    for k in range(0, values.size - 3, 4):
        m0, m1 = max(m0, values[k]), max(m1, values[k + 1])
        m2, m3 = max(m2, values[k + 2]), max(m3, values[k + 3])
    for k in range(values.size - values.size % 4, values.size):
        m0 = max(m0, values[k])
    top: float = max(max(m0, m1), max(m2, m3))
    return top


@summing
def total(values: F64) -> float:
    """The sum of `values` float64 (n,)."""
    s = 0.0
    for k in range(values.size):
        s += values[k]
    return s


@summing
def dot(a: F64, b: F64) -> float:
    """Inner product of `a` float64 (n,) and `b` float64 (n or more,)."""
    s = 0.0
    for k in range(a.size):
        s += a[k] * b[k]
    return s


@summing
def add_rows(weights: F64, rows: F64, out: F64, places: I64, amounts: F64) -> None:
    """`out` += sum_q weights[q] rows[q, :out.size] over the positive weights.

    `weights` float64 (Q,), `rows` float64 (Q or more, n or more), `out` float64 (n,). Scratch:
    `places` int64 (more than Q,), `amounts` float64 (more than Q,). Four rows at a time, since the
    loop is bound by reading and writing `out`.
    """
    n, n_rows = out.size, 0
    for q in range(weights.size):
        places[n_rows], amounts[n_rows] = q, weights[q]
        n_rows += weights[q] > 0.0
    in_fours = n_rows - n_rows % 4
    for s in range(0, in_fours, 4):
        w0, w1, w2, w3 = amounts[s], amounts[s + 1], amounts[s + 2], amounts[s + 3]
        r0, r1 = rows[places[s]], rows[places[s + 1]]
        r2, r3 = rows[places[s + 2]], rows[places[s + 3]]
        for i in range(n):
            out[i] += (w0 * r0[i] + w1 * r1[i]) + (w2 * r2[i] + w3 * r3[i])
    for s in range(in_fours, n_rows):
        w0, r0 = amounts[s], rows[places[s]]
        for i in range(n):
            out[i] += w0 * r0[i]


@kernel
def add_part(start: int, stop: int, words: I32, part: F64, out: F64) -> None:
    """`out[words] += part` at words from `start` to `stop`.

    `words` int32 (n,), ascending: rows of `out` float64 (W, K). `part` float64 (n, K).
    """
    for i in range(first_at_least(words, 0, words.size, start), words.size):
        row = words[i]
        if row >= stop:
            break
        for k in range(out.shape[1]):
            out[row, k] += part[i, k]


@fused
def exp_above(x: float, cut: float) -> float:
    """exp(x) for x <= 0, but 0 below exp(-cut) and below exp(-700)."""
    return exp(x) if x >= -min(cut, RANGE) else 0.0


@kernel
def softmax(logs: F64, cut: float, out: F64) -> float:
    """Probabilities proportional to exp(`logs`), what lies `cut` below the largest at 0.

    `logs` float64 (n,). `out` float64 (n,): the probabilities. Returns the logarithm of the sum of
    the exponentials that were kept.
    """
    top = largest(logs)
    for k in range(out.size):
        out[k] = exp_above(logs[k] - top, cut)
    mass = total(out)
    inverse = 1.0 / mass
    for k in range(out.size):
        out[k] *= inverse
    return top + math.log(mass)


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
    """ln(x) for normal x > 0, error below one unit in the last place.

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
