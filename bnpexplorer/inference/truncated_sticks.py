"""Corpus weights of an HDP truncated at K topics, given its tables: sticks, and their order.

Psi_k = v_k prod_{i before k} (1 - v_i), v ~ Beta(1, gamma), the last stick 1 (Ishwaran & James
2001). Topics stand at places of the sticks; every order of them is as likely beforehand, and it is
drawn too, since a large topic that stands late keeps all others small (Papaspiliopoulos & Roberts
2008). With tables L at places 1 to K and S_k = L_k + ... + L_K,

    p(L | order, gamma) = gamma^(K-1) prod_{k<K} L_k! / (gamma + S_k)
                          Gamma(gamma + L_K) / Gamma(gamma + S_1),

Psi integrated out: gamma and order are drawn from it, and Psi then.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from ..core.arrays import F64, I32, I64
from ..kernels.assignments import documents_by_tokens
from .concentrations import CONCENTRATION_PRIOR, Prior, within_reach
from .pool import Pool, here

SMALLEST_WEIGHT = 1e-100
"""Of a topic: the product of a thousand sticks may underflow."""
LONGEST = 32
"""Tokens of a topic in a document whose tables are drawn by sums over documents; those beyond, few,
are drawn one by one."""
PARTS = 8
"""Into which documents are divided for several threads."""


def documents_holding(
    pool: Pool | None, doc_start: I64, topic: I32, n_slots: int
) -> tuple[I64, I64]:
    """How many documents hold a topic at least j times, int64 (K, 32) for j = 1 to 32; and the
    pairs of slot and tokens where these are more than 32, int64 (any number, 2).

    `doc_start` int64 (D+1,): where each document's tokens begin. `topic` int32 (N,): the slot of
    every token.
    """
    n_docs = len(doc_start) - 1
    edges = np.linspace(0, n_docs, min(PARTS, n_docs) + 1).astype(int)
    exactly = np.zeros((len(edges) - 1, n_slots, LONGEST + 1), np.int64)
    longer = [np.zeros((0, 2), np.int64)] * len(exactly)

    def work(first: int, last: int) -> None:
        for part in range(first, last):
            bounds = doc_start[edges[part] : edges[part + 1] + 1]
            tokens = topic[bounds[0] : bounds[-1]]
            found = np.empty((len(tokens) // (LONGEST + 1), 2), np.int64)
            n = documents_by_tokens(bounds - bounds[0], tokens, exactly[part], found)
            longer[part] = found[:n]

    here(pool, work, len(exactly))
    at_least = np.cumsum(exactly.sum(axis=0)[:, ::-1], axis=1)[:, ::-1]
    return np.ascontiguousarray(at_least[:, 1:]), np.concatenate(longer)


def draw_tables(at_least: I64, longer: I64, base: F64, rng: np.random.Generator) -> I64:
    """Tables of every slot over all documents, int64 (K,), given the topics of tokens.

    The j-th token of a topic in a document opens a table with c / (c + j - 1), c = alpha Psi_k, so
    that documents count only by how many have a j-th one: `at_least` int64 (K, 32) and `longer`
    int64 (any number, 2) are those of `documents_holding`. `base` float64 (K,): c.
    """
    c = np.maximum(base, SMALLEST_WEIGHT)[:, None]
    opens = c / (c + np.arange(at_least.shape[1]))
    some = at_least > 0
    drawn = np.zeros_like(at_least)
    drawn[some] = rng.binomial(at_least[some], opens[some])
    tables = drawn.sum(axis=1)
    more = longer[:, 1] - LONGEST
    k = np.repeat(longer[:, 0], more)
    j = LONGEST + np.arange(len(k)) - np.repeat(np.cumsum(more) - more, more)
    opened = rng.random(len(k)) * (c[k, 0] + j) < c[k, 0]
    np.add.at(tables, k[opened], 1)
    return np.asarray(tables, np.int64)


def log_topics(at_least: I64, longer: I64, base: F64, doc_lengths: I64) -> float:
    """ln p(z | Psi), proportions integrated out; base sums to alpha.

    `at_least` int64 (K, 32), `longer` int64 (any number, 2): those of `documents_holding`. `base`
    float64 (K,): alpha Psi. `doc_lengths` int64 (D,): tokens of the documents.
    """
    with np.errstate(divide="ignore"):
        steps = np.log(base[:, None] + np.arange(at_least.shape[1]))
    # summed, not `@`: for 1,000 topics the threads of BLAS took ten times as long
    log_p = float((steps[at_least > 0] * at_least[at_least > 0]).sum())
    c, n = base[longer[:, 0]], longer[:, 1]
    log_p += float((gammaln(c + n) - gammaln(c + LONGEST)).sum())
    alpha, n_docs = float(base.sum()), np.bincount(doc_lengths)  # by length: there are few lengths
    return log_p - float(n_docs @ (gammaln(alpha + np.arange(len(n_docs))) - gammaln(alpha)))


def draw_order(tables: I64, place: I64, gamma: float, rng: np.random.Generator) -> I64:
    """Places of the topics, int64 (K,), after one Metropolis swap of every two neighbours in turn.

    `tables` int64 (K,): of every slot. `place` int64 (K,): a permutation; it is not changed.
    """
    at = np.argsort(place)
    held = tables[at].tolist()
    order, log_u = at.tolist(), np.log(rng.random(max(len(at) - 1, 1))).tolist()
    left = float(sum(held))
    last = len(held) - 2
    for i in range(len(held) - 1):
        a, b = held[i], held[i + 1]
        if i < last:
            log_ratio = math.log(gamma + left - a) - math.log(gamma + left - b)
        else:  # the last stick is closed: it has no factor of its own
            log_ratio = math.lgamma(b + 1.0) - math.lgamma(a + 1.0)
            log_ratio += math.lgamma(gamma + a) - math.lgamma(gamma + b)
        if log_u[i] < log_ratio:
            held[i], held[i + 1] = b, a
            order[i], order[i + 1] = order[i + 1], order[i]
        left -= held[i]
    return np.argsort(np.array(order))


def draw_sticks(tables: I64, place: I64, gamma: float, rng: np.random.Generator) -> F64:
    """Psi given the tables, float64 (K,): v_k ~ Beta(1 + L_k, gamma + sum of L after k).

    `tables` int64 (K,): of every slot. `place` int64 (K,): where each stands.
    """
    at = np.argsort(place)
    held = tables[at]
    later = held[::-1].cumsum()[::-1] - held
    sticks = rng.beta(1.0 + held, gamma + later)
    sticks[-1] = 1.0
    weight = np.empty(len(at))
    weight[at] = sticks * np.concatenate(([1.0], np.cumprod(1.0 - sticks[:-1])))
    weight = np.maximum(weight, SMALLEST_WEIGHT)
    return np.asarray(weight / weight.sum())


def log_tables(tables: I64, place: I64) -> Callable[[float], float]:
    """ln p(tables | order, gamma) as a function of gamma, but for a constant.

    `tables` int64 (K,): of every slot. `place` int64 (K,): where each stands.
    """
    held = tables[np.argsort(place)]
    left = held[::-1].cumsum()[::-1]

    def log_p(gamma: float) -> float:
        ends = math.lgamma(gamma + held[-1]) - math.lgamma(gamma + left[0])
        return (len(held) - 1) * math.log(gamma) - float(np.log(gamma + left[:-1]).sum()) + ends

    return log_p


def draw_gamma_of_sticks(
    gamma: float,
    tables: I64,
    place: I64,
    rng: np.random.Generator,
    prior: Prior = CONCENTRATION_PRIOR,
) -> float:
    """gamma given tables and order, Psi integrated out: a slice of its logarithm (Neal 2003).

    `tables` int64 (K,): of every slot. `place` int64 (K,): where each stands.
    """
    shape, rate = prior
    log_p = log_tables(tables, place)

    def log_density(x: float) -> float:
        return log_p(math.exp(x)) + shape * x - rate * math.exp(x)

    return within_reach(math.exp(slice_draw(log_density, math.log(gamma), 1.0, rng)))


def slice_draw(
    log_density: Callable[[float], float], x: float, width: float, rng: np.random.Generator
) -> float:
    """A draw that leaves the density as it is: stepping out and shrinkage (Neal 2003, figures 3
    and 5)."""
    level = log_density(x) + math.log(rng.random())
    low = x - width * rng.random()
    high = low + width
    while log_density(low) > level:
        low -= width
    while log_density(high) > level:
        high += width
    while True:
        new = low + rng.random() * (high - low)
        if log_density(new) >= level:
            return new
        low, high = (new, high) if new < x else (low, new)
