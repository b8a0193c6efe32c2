"""Per-document mean field for the HDP with two levels of sticks (Wang, Paisley & Blei 2011, 3.1).

S documents, U entries (document, word), W distinct words of the batch, K topics, T document sticks.
Letters as in Hoffman et al. 2013, figure 9: `zeta` = q(c), the topic of a document's stick; `phi` =
q(z), the stick of a token (one row per word type).

A document touches few topics, so q is kept narrow: only M likely topics of a document may be on its
sticks, whatever lies `cut` nats below the largest probability is exactly 0, and a stick that has
lost its tokens is closed. That is a choice of q, not an approximation of its bound, and makes an
iteration cost what the sticks and topics in use cost instead of 2 n K T.

The greedy start of a document's local step: which topics it expects, and a stick for each.

S documents, U entries (document, word), W distinct words of the batch, K topics, T document sticks,
M likely topics of a document.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import F64, I32, I64
from .jit import kernel, within
from .special import add_rows, digamma, dot, exp_above, first_at_least, ln, softmax
from .tuples import Docs, Expected, HdpFit, Narrow, Until


class _Given(NamedTuple):
    """One document of n words among M likely topics."""

    counts: F64
    """float64 (n,): of its words."""
    by_word: F64
    """float64 (n or more, M): E ln beta of its words."""
    by_topic: F64
    """float64 (M, n or more): the same, topics first."""
    log_weight: F64
    """float64 (M,): E ln pi."""


class _Q(NamedTuple):
    """q of one document with T sticks."""

    phi: F64
    """float64 (T, n or more): q(z), sticks first."""
    zeta: F64
    """float64 (T, M): q(c)."""
    sticks: F64
    """float64 (T, 2): Beta parameters."""
    mass: F64
    """float64 (T,): tokens on each stick; 0 on one that is closed."""


class _Scratch(NamedTuple):
    """Buffers for intermediate results; their values mean nothing between calls."""

    by_word: F64
    """float64 (2, n or more)"""
    by_topic: F64
    """float64 (M,)"""
    places: I64
    """int64 (more than n, T and M,)"""
    amounts: F64
    """float64 (as many,)"""


@kernel
def update_tokens(counts: F64, sticks: I64, phi: F64, cut: float, scratch: F64) -> float:
    """Equation 18 for n words: some rows of `phi`, in place, from their logarithms up to a constant
    per word.

    `counts` float64 (n,): of the words. `sticks` int64 (any number,): the rows. `phi` float64 (T, n
    or more): the logarithms, then q(z). `scratch` float64 (2, n or more). What lies `cut` nats
    below a word's largest becomes 0. Returns the sum over tokens of ln sum_i exp(logarithm): their
    part of the bound. Sticks come first in memory, so that every loop runs along the words.
    """
    n = counts.size
    largest, total = scratch[0, :n], scratch[1, :n]
    largest[:] = -np.inf
    total[:] = 0.0
    for i in sticks:
        for j in range(n):
            largest[j] = max(largest[j], phi[i, j])
    for i in sticks:
        row = phi[i, :n]
        for j in range(n):
            row[j] = exp_above(row[j] - largest[j], cut)
            total[j] += row[j]
    for j in range(n):
        largest[j] += ln(total[j])
        total[j] = 1.0 / total[j]
    bound = dot(counts, largest)
    for i in sticks:
        for j in range(n):
            phi[i, j] *= total[j]
    return bound


@within
def _update_sticks(mass: F64, alpha: float, sticks: F64, log_weight: F64) -> float:
    """Equations 15 and 16: the sticks from the tokens on each of them.

    `mass` float64 (T,): tokens. `sticks` float64 (T, 2): out, Beta parameters. `log_weight` float64
    (T,): out, E ln sigma_i. Returns E ln p(sticks) - E ln q(sticks). The last
    stick is 1 (its row of `sticks` stays 0).
    """
    n_sticks = mass.size
    above = 0.0
    for i in range(n_sticks - 1, -1, -1):
        sticks[i, 0], sticks[i, 1] = 1.0 + mass[i], alpha + above
        above += mass[i]
    sticks[n_sticks - 1] = 0.0
    bound, left = 0.0, 0.0
    for i in range(n_sticks - 1):
        a, b = sticks[i, 0], sticks[i, 1]
        psi_both = digamma(a + b)
        log_broken, log_left = digamma(a) - psi_both, digamma(b) - psi_both
        log_weight[i] = left + log_broken
        left += log_left
        bound += math.log(alpha) + math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        bound += (1.0 - a) * log_broken + (alpha - b) * log_left
    log_weight[n_sticks - 1] = left
    return bound


@within
def _close(counts: F64, phi: F64, empty: float, mass: F64, still_open: I64, n_open: int) -> int:
    """Count the tokens on every open stick; close those with fewer than `empty`.

    `counts` float64 (n,): of the words. `phi` float64 (T, n or more): q(z). `mass` float64 (T,):
    out, the tokens. `still_open` int64 (T,): numbers of open sticks in the first `n_open` places.
    Returns how many stay so. The fullest
    stick is never closed, and none is if `empty` is 0.
    """
    n, fullest = counts.size, 0.0
    for s in range(n_open):
        mass[still_open[s]] = dot(counts, phi[still_open[s], :n])
        fullest = max(fullest, mass[still_open[s]])
    kept = 0
    for s in range(n_open):
        i = still_open[s]
        if mass[i] < min(empty, fullest):
            mass[i] = 0.0
            phi[i, :n] = 0.0
        else:
            still_open[kept] = i
            kept += 1
    return kept


@within
def _update_topics(
    doc: _Given, opened: I64, phi: F64, zeta: F64, cut: float, scratch: _Scratch
) -> float:
    """Equation 17 for some rows of `zeta`; returns their E ln p(c) - E ln q(c).

    `opened` int64 (any number,): the rows. `phi` float64 (T, n or more): q(z). `zeta` float64
    (T, M): out, q(c); what lies `cut` nats below the largest is 0.
    """
    counts, by_word, log_weight = doc.counts, doc.by_word, doc.log_weight
    weights, logs = scratch.by_word[0, : counts.size], scratch.by_topic
    places, amounts = scratch.places, scratch.amounts
    bound = 0.0
    for i in opened:
        for j in range(counts.size):
            weights[j] = counts[j] * phi[i, j]
        for k in range(logs.size):  # assigning the array takes two seconds to compile
            logs[k] = log_weight[k]
        add_rows(weights, by_word, logs, places, amounts)
        log_sum = softmax(logs, cut, zeta[i])
        # sum_k zeta_k (E ln pi_k - ln zeta_k) with ln zeta_k = logs_k - log_sum
        for k in range(logs.size):
            logs[k] = log_weight[k] - logs[k]
        bound += log_sum + dot(zeta[i], logs)
    return bound


@within
def _fit_document(
    doc: _Given,
    alpha: float,
    prior_bound: float,
    q: _Q,
    until: Until,
    narrow: Narrow,
    scratch: _Scratch,
) -> tuple[float, int]:
    """Fit a document of n words among M topics; returns its bound and the iterations used.

    q begins at its phi and is overwritten. The `zeta` of a closed stick is left alone: it stands
    for the corpus weights, whose part of the bound is `prior_bound`.
    """
    counts, by_topic = doc.counts, doc.by_topic
    phi, zeta, sticks, mass = q
    max_iterations, tolerance = until
    cut, empty = narrow
    places, amounts = scratch.places, scratch.amounts
    n, n_sticks = counts.size, mass.size
    elog_sticks = np.empty(n_sticks)
    still_open, n_open = np.empty(n_sticks, np.int64), n_sticks
    for i in range(n_sticks):
        still_open[i] = i
    bound = -np.inf
    for iteration in range(max_iterations):
        n_open = _close(counts, phi, empty, mass, still_open, n_open)
        opened = still_open[:n_open]
        value = (n_sticks - n_open) * prior_bound
        value += _update_topics(doc, opened, phi, zeta, cut, scratch)
        value += _update_sticks(mass, alpha, sticks, elog_sticks)
        for i in opened:
            row = phi[i, :n]
            for j in range(n):
                row[j] = elog_sticks[i]
            add_rows(zeta[i], by_topic, row, places, amounts)
        value += update_tokens(counts, opened, phi, cut, scratch.by_word)
        change = value - bound
        bound = value
        if abs(change) < tolerance * abs(value):
            return bound, iteration + 1
    return bound, max_iterations


@kernel
def fit_documents(
    start: int,
    stop: int,
    docs: Docs,
    expected: Expected,
    likely: I64,
    fit: HdpFit,
    until: Until,
    narrow: Narrow,
) -> None:
    """Fit q(c_d), q(z_d) and q(sticks_d) of documents `start` to `stop`.

    `likely` int64 (S, M): the topics that a document's sticks may hold. An iteration is equations
    15 to 17 from phi, then 18, so that the bound needs no pass of its own. Stops when the relative
    change of the bound falls below the tolerance. A stick that is left with fewer than `empty`
    expected tokens is closed: it gives them up and keeps the corpus weights as its q(c), once for
    all in `fit.closed`.
    """
    indptr, local, counts = docs
    elog, log_weight, alpha = expected
    phi, zeta = fit.phi, fit.zeta
    cut = narrow.cut
    n_topics, n_sticks, n_likely = log_weight.size, phi.shape[1], likely.shape[1]
    longest = 0
    for d in range(start, stop):
        longest = max(longest, indptr[d + 1] - indptr[d])
    prior_bound = softmax(log_weight, cut, fit.closed)
    by_word, by_topic = np.empty((longest, n_likely)), np.empty((n_likely, longest))
    weight_doc, zeta_doc = np.empty(n_likely), np.empty((n_sticks, n_likely))
    phi_doc, mass = np.empty((n_sticks, longest)), np.empty(n_sticks)
    tallies, most = np.empty(longest), longest + n_topics
    scratch = _Scratch(
        np.empty((2, longest)), np.empty(n_likely), np.empty(most, np.int64), np.empty(most)
    )
    for d in range(start, stop):
        first, last = indptr[d], indptr[d + 1]
        for m in range(n_likely):
            weight_doc[m] = log_weight[likely[d, m]]
        for j in range(last - first):
            row, tallies[j] = elog[local[first + j]], counts[first + j]
            for m in range(n_likely):
                by_word[j, m] = by_topic[m, j] = row[likely[d, m]]
            for i in range(n_sticks):
                phi_doc[i, j] = phi[first + j, i]
        doc = _Given(tallies[: last - first], by_word, by_topic, weight_doc)
        q = _Q(phi_doc, zeta_doc, fit.sticks[d], mass)
        found = _fit_document(doc, alpha, prior_bound, q, until, narrow, scratch)
        fit.bound[d], fit.iterations[d] = found
        for j in range(last - first):
            for i in range(n_sticks):
                phi[first + j, i] = phi_doc[i, j]
        for i in range(n_sticks):
            for m in range(n_likely):
                zeta[d, i, m] = zeta_doc[i, m] if mass[i] > 0.0 else 0.0


@kernel
def add_stats(
    start: int, stop: int, words: I32, docs: Docs, phi: F64, zeta: F64, likely: I64, out: F64
) -> None:
    """`out` += sum_d c_dw sum_i phi_dwi zeta_dik at words from `start` to `stop`.

    `words` int32 (W_s,), ascending: the rows of `out` float64 (W, K) that the words of `docs` have.
    `phi` float64 (U, T), `zeta` float64 (S, T, M): their fit. `likely` int64 (S, M): the topics on
    a document's sticks. A document after the other, so that sums do not depend on ranges.
    """
    indptr, local, counts = docs
    n_docs, n_sticks, n_likely = zeta.shape
    of_stick, topics = np.empty((n_sticks, n_likely)), np.empty(n_likely)
    used, weights = np.empty(n_likely, np.int64), np.empty(n_sticks)
    places, amounts = np.empty(n_sticks + 1, np.int64), np.empty(n_sticks + 1)
    begin = first_at_least(words, 0, words.size, start)
    end = first_at_least(words, begin, words.size, stop)
    for d in range(n_docs):
        first, last = indptr[d], indptr[d + 1]
        first = first_at_least(local, first, last, begin)
        if first == last or local[first] >= end:
            continue
        n_used = 0  # topics that any stick holds
        for m in range(n_likely):
            most, used[n_used] = 0.0, likely[d, m]
            for i in range(n_sticks):
                of_stick[i, n_used] = zeta[d, i, m]
                most = max(most, zeta[d, i, m])
            n_used += most > 0.0
        tokens = topics[:n_used]
        for j in range(first, last):
            if local[j] >= end:
                break
            for i in range(n_sticks):
                weights[i] = counts[j] * phi[j, i]
            tokens[:] = 0.0
            add_rows(weights, of_stick, tokens, places, amounts)
            row = out[words[local[j]]]
            for m in range(n_used):
                row[used[m]] += tokens[m]


@kernel
def count_tables(fit: HdpFit, likely: I64) -> F64:
    """sum_d sum_i zeta_dik, float64 (K,): the sticks that hold each topic.

    `likely` int64 (S, M): the topics on a document's sticks.
    """
    n_docs, n_sticks, n_likely = fit.zeta.shape
    tables, n_closed = np.zeros(fit.closed.size), 0
    for d in range(n_docs):
        for i in range(n_sticks):
            row, is_open = fit.zeta[d, i], False
            for m in range(n_likely):
                is_open |= row[m] > 0.0
                tables[likely[d, m]] += row[m]
            n_closed += not is_open
    for k in range(tables.size):
        tables[k] += n_closed * fit.closed[k]
    return tables


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
