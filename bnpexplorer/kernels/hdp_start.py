"""The greedy start of a document's local step: which topics it expects, and a stick for each.

S documents, U entries (document, word), W distinct words of the batch, K topics, T document sticks,
M likely topics of a document.
"""

import numpy as np

from ..core.arrays import F64, I64
from .hdp_local import update_tokens
from .jit import kernel
from .tuples import Docs
from .vectors import softmax


@kernel
def shares(start: int, stop: int, elog: F64, log_weight: F64, cut: float, out: F64) -> None:
    """The topics' responsibilities for words `start` to `stop`, proportional to exp(E ln pi + E ln
    beta).

    `elog` float64 (W, K): E ln beta. `log_weight` float64 (K,): E ln pi. `out` float64 (W, K): the
    responsibilities; what lies `cut` nats below the largest is 0.
    """
    logs = np.empty(log_weight.size)
    for w in range(start, stop):
        for k in range(log_weight.size):
            logs[k] = elog[w, k] + log_weight[k]
        softmax(logs, cut, out[w])


@kernel
def likely_topics(start: int, stop: int, docs: Docs, share: F64, topics: I64, tokens: F64) -> None:
    """The topics of which a document expects the most tokens, most first, ties by number.

    `share` float64 (W, K): the responsibilities of `shares`. `topics` int64 (S, M): out, the
    topics. `tokens` float64 (S, M): out, how many the document expects of each.
    """
    indptr, local, counts = docs
    n_topics, n_likely = share.shape[1], topics.shape[1]
    expected = np.empty(n_topics)
    for d in range(start, stop):
        expected[:] = 0.0
        for j in range(indptr[d], indptr[d + 1]):
            row, count = share[local[j]], float(counts[j])
            for k in range(n_topics):
                expected[k] += count * row[k]
        n_found = 0
        for k in range(n_topics):
            if n_found == n_likely and expected[k] <= tokens[d, n_likely - 1]:
                continue
            n_found = min(n_found + 1, n_likely)
            m = n_found - 1
            while m > 0 and tokens[d, m - 1] < expected[k]:
                topics[d, m], tokens[d, m] = topics[d, m - 1], tokens[d, m - 1]
                m -= 1
            topics[d, m], tokens[d, m] = k, expected[k]


@kernel
def greedy_phi(
    start: int, stop: int, docs: Docs, elog: F64, topics: I64, tokens: F64, phi: F64, cut: float
) -> None:
    """Asymmetric start of q(z): stick i holds the document's i-th most expected topic.

    A topic that expects less than one token gets no stick, unless it is the first. `elog` float64
    (W, K): E ln beta. `topics` int64 (S, M), `tokens` float64 (S, M): those of `likely_topics`.
    `phi` float64 (U, T): out; what lies `cut` nats below the largest is 0.
    """
    indptr, local, counts = docs
    n_sticks = phi.shape[1]
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    every, rows = np.empty(n_sticks, np.int64), np.empty((n_sticks, longest))
    for i in range(n_sticks):
        every[i] = i
    tallies, scratch = np.empty(longest), np.empty((2, longest))
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        n_chosen = 1
        while n_chosen < min(n_sticks, topics.shape[1]) and tokens[d, n_chosen] >= 1.0:
            n_chosen += 1
        for j in range(last - first):
            tallies[j] = counts[first + j]
            for i in range(n_chosen):
                rows[i, j] = elog[local[first + j], topics[d, i]]
        update_tokens(tallies[: last - first], every[:n_chosen], rows, cut, scratch)
        for j in range(last - first):
            for i in range(n_sticks):
                phi[first + j, i] = rows[i, j] if i < n_chosen else 0.0
