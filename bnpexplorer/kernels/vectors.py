"""Sums and probabilities of a document's topics and sticks, in loops that vectorise."""

import math

from ..core.arrays import F64, I32, I64
from .elementary import RANGE, exp
from .jit import fused, kernel, summing
from .special import first_at_least


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
