"""Judge whether two topics of an HDP are one that a start from many left in two.

A single division of one topic's tokens has a far smaller density than the topic itself, since it is
one of many alike. So the density of two topics is compared with that of their union after it is
multiplied by the number of such divisions: exp of the entropy of the law of a division. That
entropy is estimated from the division at hand as -sum_i ln p(z_i | all other z), after the
pseudo-likelihood of Besag 1975, "Statistical analysis of non-lattice data".

Joining by this rule is no step of a Markov chain with the right law, so it belongs to burn-in. A
Metropolis-Hastings merge (`topic_moves`) needs the chance of proposing this very division, which is
too small on texts: none was accepted (benchmarks/README.md).

M tokens in the two topics, in E documents; V words.
"""

import math

import numpy as np

from ..core.arrays import F64, I64
from .jit import kernel
from .topic_moves import count_words, expected_tables, log_beta_density, log_ratio
from .tuples import Parts, Tokens


@kernel
def gain_of_joining(
    parts: Parts, weight_0: float, weight_1: float, alpha: float, gamma: float, eta: float
) -> float:
    """Return ln p(one topic) - ln p(two topics) - ln (number of divisions alike).

    `parts`: the two topics, their words counted. `weight_0`, `weight_1`: their corpus weights pi.
    Where two topics are likelier by far than one, the last term, which is positive, is left out.
    """
    mass = alpha * (weight_0 + weight_1)
    u = weight_0 / (weight_0 + weight_1)
    gain = -math.log(gamma) + math.log(u) + math.log1p(-u) - log_ratio(parts, mass, u, eta)
    if gain <= 0.0:
        return gain
    tables_0, tables_1 = expected_tables(parts, mass, u)
    gain += log_beta_density(u, tables_0, tables_1)
    return gain - surprise(parts, mass, u, eta)


@kernel
def gather_two(tokens: Tokens, in_a: I64, in_b: I64, held: F64) -> Parts:
    """Return the tokens of two topics, those of the second marked.

    `in_a` int64 (any number,), `in_b` int64 (any number,): their places, ascending. `held` float64
    (V, 2): room to count their words in.
    """
    size = in_a.size + in_b.size
    word, second = np.empty(size, np.int32), np.empty(size, np.bool_)
    first = np.zeros(min(size, tokens.doc_start.size - 1) + 1, np.int64)
    i = j = n_docs = d = 0
    for m in range(size):
        second[m] = i == in_a.size or (j < in_b.size and in_b[j] < in_a[i])
        place = in_b[j] if second[m] else in_a[i]
        if second[m]:
            j += 1
        else:
            i += 1
        word[m] = tokens.word[place]
        if place >= tokens.doc_start[d + 1]:
            while place >= tokens.doc_start[d + 1]:
                d += 1
            if m > first[n_docs]:
                n_docs += 1
                first[n_docs] = m
    first[n_docs + 1] = size
    return Parts(first[: n_docs + 2], word, second, held)


@kernel
def surprise(parts: Parts, mass: float, u: float, eta: float) -> float:
    """Return -sum_i ln p(z_i | all other z), where each z_i is one of the two parts.

    `mass`: alpha pi of both together; the first part has the share `u` of it.
    """
    first, word, second, held = parts
    n_1 = second.sum()
    n_0, v_eta = second.size - n_1, eta * held.shape[0]
    total = 0.0
    for e in range(first.size - 1):
        in_1 = second[first[e] : first[e + 1]].sum()
        in_0 = first[e + 1] - first[e] - in_1
        for m in range(first[e], first[e + 1]):
            own = 1.0 if second[m] else 0.0
            p_0 = in_0 - (1.0 - own) + mass * u
            p_0 *= (held[word[m], 0] - (1.0 - own) + eta) / (n_0 - (1.0 - own) + v_eta)
            p_1 = in_1 - own + mass * (1.0 - u)
            p_1 *= (held[word[m], 1] - own + eta) / (n_1 - own + v_eta)
            total -= math.log((p_1 if second[m] else p_0) / (p_0 + p_1))
    return total


@kernel
def gains_of_joining(
    pairs: I64,
    tokens: Tokens,
    members: I64,
    starts: I64,
    weight: F64,
    alpha: float,
    gamma: float,
    eta: float,
    n_words: int,
) -> F64:
    """Return `gain_of_joining` of each of R pairs of slots, float64 (R,).

    `pairs` int64 (R, 2). `tokens`: of all documents. `members` int64 (N,): the places of all
    tokens; those of slot k stand at `starts[k]:starts[k+1]` in ascending order. `starts` int64
    (cap+1,). `weight` float64 (cap,): corpus weights pi. `n_words` is V.
    """
    held, gains = np.empty((n_words, 2)), np.empty(len(pairs))
    for r in range(len(pairs)):
        a, b = pairs[r, 0], pairs[r, 1]
        in_a, in_b = members[starts[a] : starts[a + 1]], members[starts[b] : starts[b + 1]]
        parts = gather_two(tokens, in_a, in_b, held)
        count_words(parts)
        gains[r] = gain_of_joining(parts, weight[a], weight[b], alpha, gamma, eta)
    return gains
