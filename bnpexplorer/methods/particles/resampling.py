"""The optimal resampling of Fearnhead & Clifford (2003): exactly N survivors, unbiased weights."""

import numpy as np

from ...core.arrays import F64, I64


def threshold(ordered: F64, n: int) -> tuple[int, float]:
    """(A, ln c) for log weights `ordered` (M,), heaviest first, and 1 <= n < M survivors.

    c solves sum_j min(w_j / c, 1) = n: the heaviest A stay as they are, and the others share n - A
    places, c = (sum of the others) / (n - A). A is the first number for which c is not below the
    next weight. In logarithms throughout, so that no weight is too small.
    """
    log_tail = np.logaddexp.accumulate(ordered[::-1])[::-1][:n]
    log_c = log_tail - np.log(np.arange(n, 0, -1))
    n_stay = int(np.argmax(log_c >= ordered[:n]))  # at A = n - 1 the tail is never below its head
    return n_stay, float(log_c[n_stay])


def select(share: F64, n: int, u: float) -> I64:
    """Stratified resampling: `n` places of `share` (R,), place r with the chance share[r].

    `share` sums to `n` and no entry exceeds 1, up to rounding; `u` is uniform on [0, 1). Always n
    different places, int64 (n,) ascending.
    """
    turn = np.arange(n)
    drawn = np.searchsorted(np.cumsum(share), u + turn, side="right")
    drawn = np.maximum.accumulate(drawn - turn) + turn  # rounding gives no place twice,
    return np.minimum(drawn, len(share) - n + turn)  # and none beyond the last


def survivors(log_weight: F64, n: int, u: float) -> tuple[I64, F64]:
    """Which `n` of M weighted children survive, int64 (n,) ascending, and their log weights.

    The heaviest keep their weight; among the others stratified resampling, in the order of the
    children with one uniform `u` on [0, 1), leaves weights of c. Every child's expected weight is
    the one it had. Who counts as heavy is decided by rank: ties and rounding change no number of
    survivors.
    """
    if len(log_weight) <= n:
        return np.arange(len(log_weight)), log_weight
    order = np.argsort(-log_weight, kind="stable")
    n_stay, log_c = threshold(log_weight[order], n)
    rest = np.sort(order[n_stay:])
    new = log_weight.copy()
    new[rest] = log_c
    lucky = rest[select(np.exp(log_weight[rest] - log_c), n - n_stay, u)]
    chosen = np.sort(np.concatenate((order[:n_stay], lucky)))
    return chosen, new[chosen]
