"""Splitting and merging the components of a mixture whose weights and components are collapsed.

D documents over V words. Jain & Neal 2004 choose two documents and divide or join the components
that hold them; the division here is Dahl's (2005), one document after the other, which a corpus
accepts far more often than their random launch.
"""

import math

import numpy as np

from ..core.arrays import F64, I64, Bools
from .jit import kernel, within
from .mixture import BLOCK
from .special import exp, ln, log_rising
from .tuples import Docs

STAY, SPLIT, MERGE = 0, 1, 2
"""What became of a proposal."""


@within
def add_document(docs: Docs, d: int, held: F64, side: int) -> int:
    """Add the counts of document `d` to column `side` of `held` float64 (V, 2); its length."""
    length = 0
    for n in range(docs.indptr[d], docs.indptr[d + 1]):
        held[docs.local[n], side] += docs.counts[n]
        length += docs.counts[n]
    return length


@kernel
def document_values(
    docs: Docs, d: int, held: F64, tokens: I64, eta: float
) -> tuple[float, float, float]:
    """ln DM of document `d` given the first part, the second, and both together.

    `held` float64 (V, 2): the words of the two parts. `tokens` int64 (2,): how many those are. Of
    BLOCK factors one logarithm is taken, as in `mixture.py`.
    """
    one = other = both = 0.0
    up = up_other = up_both = 1.0
    length, factors = 0, 0
    for n in range(docs.indptr[d], docs.indptr[d + 1]):
        first, second = held[docs.local[n], 0] + eta, held[docs.local[n], 1]
        count = docs.counts[n]
        length += count
        if count > BLOCK:
            one += log_rising(first, np.int64(count))
            other += log_rising(second + eta, np.int64(count))
            both += log_rising(first + second, np.int64(count))
            continue
        for above in range(count):
            up *= first + above
            up_other *= second + (eta + above)
            up_both *= first + second + above
            factors += 1
            if factors == BLOCK:
                one, other, both = one + ln(up), other + ln(up_other), both + ln(up_both)
                up = up_other = up_both = 1.0
                factors = 0
    prior = eta * held.shape[0]
    first, second = prior + tokens[0], prior + tokens[1]
    one, other, both = one + ln(up), other + ln(up_other), both + ln(up_both)
    if length > BLOCK:
        one -= log_rising(first, length)
        other -= log_rising(second, length)
        return one, other, both - log_rising(first + tokens[1], length)
    down = down_other = down_both = 1.0
    for above in range(length):
        down *= first + above
        down_other *= second + above
        down_both *= first + tokens[1] + above
    return one - ln(down), other - ln(down_other), both - ln(down_both)


@within
def log_one_plus_exp(x: float) -> float:
    """ln (1 + e^x), also where e^x is no double."""
    return max(x, 0.0) + ln(1.0 + exp(-abs(x)))


@within
def divide(
    docs: Docs, members: I64, second: Bools, drawn: bool, held: F64, eta: float, u: F64
) -> tuple[float, float]:
    """Divide the documents `members` int64 (M,) into two parts, one document after the other.

    The first two are the seeds of the parts; each further one joins a part with the probability
    n_s DM(x | eta + counts of s), normalised. `second` bool (M,): which are in the second part;
    drawn by the uniforms `u` float64 (M,) if `drawn`, else a division whose probability is asked
    for. `held` float64 (V, 2): zeros; out, the words of the two parts.

    Returns the logarithm of that probability, and ln of m(x_a) m(x_b) / m(x_a and x_b), where m is
    the marginal likelihood of the documents of a component.
    """
    tokens, sizes = np.empty(2, np.int64), np.empty(2, np.int64)
    for side in range(2):
        tokens[side] = sizes[side] = 0
    log_q, log_ratio = 0.0, 0.0
    second[0], second[1] = False, True
    for m in range(members.size):
        d = members[m]
        one, other, both = document_values(docs, d, held, tokens, eta)
        if m > 1:
            odds = math.log(sizes[1] / sizes[0]) + other - one
            if drawn:
                second[m] = u[m] < 1.0 / (1.0 + math.exp(-odds))
            log_q -= log_one_plus_exp(-odds if second[m] else odds)
        side = 1 if second[m] else 0
        log_ratio += (other if side else one) - both
        tokens[side] += add_document(docs, d, held, side)
        sizes[side] += 1
    return log_q, log_ratio


@within
def _bring(members: I64, d: int, place: int) -> None:
    """Exchange what stands at `place` of `members` int64 (any number,) and document `d`, which
    stands there or later."""
    at = place
    while members[at] != d:
        at += 1
    members[at], members[place] = members[place], d


@within
def _members(z: I64, seated: I64, n_seated: int, rng: np.random.Generator, members: I64) -> int:
    """Draw two of the first `n_seated` documents of `seated` int64 (D,), and put the documents of
    their clusters into `members` int64 (D,): the two first, the others in random order.

    `z` int64 (D,): the cluster of each. Returns how many these documents are.
    """
    first = int(rng.random() * n_seated)
    other = int(rng.random() * (n_seated - 1))
    i, j = seated[first], seated[other if other < first else other + 1]
    n = 0
    for s in range(n_seated):
        d = seated[s]
        if z[d] == z[i] or z[d] == z[j]:
            members[n] = d
            n += 1
    _bring(members, i, 0)
    _bring(members, j, 1)
    for m in range(n - 1, 2, -1):
        place = 2 + int(rng.random() * (m - 1))
        members[m], members[place] = members[place], members[m]
    return n


@kernel
def split_or_merge(
    docs: Docs,
    z: I64,
    gamma: float,
    eta: float,
    n_words: int,
    n_moves: int,
    rng: np.random.Generator,
) -> tuple[int, int, I64, Bools, F64, float]:
    """Propose to divide or to join the components of two documents; accept by Metropolis-Hastings.

    Up to `n_moves` proposals, until one is accepted. Two seated documents are drawn uniformly. If
    one component holds both, it is divided from them; if not, their two components are joined, and
    the reverse probability is that of dividing the union into them. The order in which documents
    are placed is drawn anew for every proposal and is the same in both directions. For a split of c
    into a and b the ratio is gamma Gamma(n_a) Gamma(n_b) / Gamma(n_c) m(x_a) m(x_b) / m(x_c) / q
    (Jain & Neal 2004, section 3; Dahl 2005).

    `docs`: all documents, by words of the vocabulary. `z` int64 (D,): the component of each, -1
    before it is seated. `n_words` is V. Returns how many proposals were made; STAY, SPLIT or MERGE,
    what became of the last one; the documents concerned, int64 (M,); which of them are (SPLIT) or
    were (MERGE) in the second part, bool (M,); the words of the two parts, float64 (V, 2); and ln
    of the ratio by which it was accepted.
    """
    seated, n_seated = np.empty(z.size, np.int64), 0
    for d in range(z.size):
        if z[d] >= 0:
            seated[n_seated] = d
            n_seated += 1
    room, sides = np.empty(n_seated, np.int64), np.empty(n_seated, np.bool_)
    uniforms, held = np.empty(n_seated), np.empty((n_words, 2))
    for w in range(n_words):
        held[w, 0] = held[w, 1] = 0.0
    for made in range(1, n_moves + 1 if n_seated > 1 else 1):
        n = _members(z, seated, n_seated, rng, room)
        members, second, u = room[:n], sides[:n], uniforms[:n]
        mine, its = z[members[0]], z[members[1]]
        for m in range(n):
            second[m], u[m] = z[members[m]] == its, rng.random()
        log_q, log_ratio = divide(docs, members, second, mine == its, held, eta, u)
        n_second = 0
        for m in range(n):
            n_second += second[m]
        log_a = math.log(gamma) + math.lgamma(n_second) + math.lgamma(n - n_second) - math.lgamma(n)
        log_a += log_ratio - log_q
        if mine != its:
            log_a = -log_a
        if math.log(1.0 - rng.random()) < log_a:
            return made, SPLIT if mine == its else MERGE, members, second, held, log_a
        for m in range(n):
            for j in range(docs.indptr[members[m]], docs.indptr[members[m] + 1]):
                held[docs.local[j], 0] = held[docs.local[j], 1] = 0.0
    return n_moves, STAY, room[:0], sides[:0], held[:0], 0.0
