"""The HDP's posterior with concentrations integrated out: all seatings of a tiny corpus.

Given the number of tables M and of dishes K, the prior of a seating factorises (Teh et al. 2006):
alpha^M prod_d Gamma(alpha) / Gamma(alpha + n_d), times gamma^K Gamma(gamma) / Gamma(gamma + M),
times prod (customers - 1)! over tables and prod (tables - 1)! over dishes. So gamma, alpha and eta
each need one integral over a grid. Nothing is shared with the package.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np
from scipy.special import gammaln

GRID = np.exp(np.linspace(np.log(1e-4), np.log(1e4), 4001))
"""Values of a concentration, even in the logarithm."""


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """All partitions; blocks in the order of their first members."""
    if not items:
        yield []
        return
    for blocks in partitions(items[:-1]):
        for i in range(len(blocks)):
            yield [[*b, items[-1]] if j == i else b for j, b in enumerate(blocks)]
        yield [*blocks, [items[-1]]]


def seatings(docs: list[list[int]]) -> dict[tuple[tuple[int, ...], int], float]:
    """(topics of all tokens, number of tables) -> the sum of the factorials' products."""
    ends = np.cumsum([0, *map(len, docs)])
    rooms = [list(partitions(list(range(a, b)))) for a, b in pairwise(ends)]
    found: dict = defaultdict(float)
    tables: list[list[list[int]]] = [[]]
    for room in rooms:
        tables = [[*before, *here] for before in tables for here in room]
    for seated in tables:
        weight = math.prod(math.factorial(len(t) - 1) for t in seated)
        for dishes in partitions(list(range(len(seated)))):
            z = np.empty(ends[-1], int)
            for k, served in enumerate(dishes):
                z[list(chain(*(seated[t] for t in served)))] = k
            names: dict[int, int] = {}
            topics = tuple(names.setdefault(int(k), len(names)) for k in z)
            shared = math.prod(math.factorial(len(d) - 1) for d in dishes)
            found[topics, len(seated)] += weight * shared
    return found


def log_words(docs: list[list[int]], topics: tuple[int, ...], n_words: int) -> np.ndarray:
    """ln p(words | topics, eta) for every eta of the grid."""
    out = np.zeros(len(GRID))
    counts = Counter(zip(topics, chain(*docs), strict=True))
    for k, n in Counter(topics).items():
        out += gammaln(n_words * GRID) - gammaln(n_words * GRID + n)
        for (topic, _), m in counts.items():
            if topic == k:
                out += gammaln(GRID + m) - gammaln(GRID)
    return out


class LearnedPosterior:
    """p(topics, tables | words) and the means of ln gamma, ln alpha and ln eta.

    `priors` are (shape, rate) of gamma, alpha and eta.
    """

    def __init__(self, docs: list[list[int]], n_words: int, priors) -> None:
        logs = np.log(GRID)  # an even grid in ln x: the density of ln x is x p(x)
        gamma, alpha, eta = (shape * logs - rate * GRID for shape, rate in priors)
        for doc in docs:
            alpha = alpha + gammaln(GRID) - gammaln(GRID + len(doc))
        weights, means = {}, {}
        for (topics, m), factorials in seatings(docs).items():
            k = max(topics) + 1
            parts = (
                gamma + k * logs + gammaln(GRID) - gammaln(GRID + m),
                alpha + m * logs,
                eta + log_words(docs, topics, n_words),
            )
            mass = [np.exp(part - part.max()) for part in parts]
            total = sum(np.log(p.sum()) + part.max() for p, part in zip(mass, parts, strict=True))
            weights[topics, m] = factorials * math.exp(total)
            means[topics, m] = np.array([(p @ logs) / p.sum() for p in mass])
        norm = sum(weights.values())
        self.law = {key: w / norm for key, w in weights.items()}
        self.mean_logs = sum(p * means[key] for key, p in self.law.items())
        self.mean_log_times = {
            name: sum(p * means[key] * f(*key) for key, p in self.law.items())
            for name, f in (("topics", lambda z, m: max(z) + 1), ("tables", lambda z, m: m))
        }
