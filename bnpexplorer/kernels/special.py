"""Special functions for kernels: digamma, rising factorials, categorical draws."""

import math

import numpy as np

from ..core.arrays import F64, I32, I64
from .elementary import ln
from .jit import kernel, within


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
