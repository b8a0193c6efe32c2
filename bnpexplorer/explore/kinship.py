"""Measure the loss of joining topics; build the tree that joins the two that lose least.

Joining topics i and j loses so much of the likelihood of their words,

    Delta = sum_v [n_iv ln(n_iv / n_i) + n_jv ln(n_jv / n_j) - (n_iv + n_jv) ln(...)],

in nats (agglomerative information bottleneck, Slonim & Tishby 1999). Over a whole tree these losses
add up to what topics tell of words: the number of words times their mutual information.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import dendrogram, fcluster, leaves_list
from scipy.special import xlogy

from ..core.arrays import F64, I64

FAR = 0.8
"""Bits a word, above which topics have few words in common and are not proposed as one. Of
newsgroups, openings of posts, sentences and addresses a quarter of the joints lie below 0.67 to
0.96; two topics of the same size without a common word lie at 1."""


def losses(counts: I64) -> tuple[F64, I64]:
    """Return Delta of all pairs, float64 (K, K), and the number of words of a pair, int64 (K, K).

    Words of one topic alone add only to the totals.
    """
    total = counts.sum(axis=1)
    there = (counts > 0).astype(np.int64)
    shared = np.zeros((len(counts), len(counts)))
    for word in counts.T[there.sum(axis=0) > 1]:
        topics = np.flatnonzero(word)
        n = word[topics]
        both = n[:, None] + n
        shared[np.ix_(topics, topics)] += xlogy(both, both) - xlogy(n, n)[:, None] - xlogy(n, n)
    totals = total[:, None] + total
    lost = xlogy(totals, totals) - xlogy(total, total)[:, None] - xlogy(total, total) - shared
    held = there.sum(axis=1)
    return lost, held[:, None] + held - there @ there.T


def loss(one: I64, other: I64) -> F64:
    """Delta of topics (..., V), in nats: float64 (...)."""
    return _ordered(one) + _ordered(other) - _ordered(one + other)


def _ordered(tokens: I64) -> F64:
    """sum_v n_v ln n_v - n ln n."""
    total = tokens.sum(axis=-1)
    return np.asarray(xlogy(tokens, tokens).sum(axis=-1) - xlogy(total, total))


@dataclass(frozen=True, eq=False)
class Tree:
    """K topics as leaves, joined pair by pair."""

    ids: tuple[int, ...]
    """The leaves from top to bottom, near ones side by side."""
    joints: tuple["Joint", ...]
    """K - 1 of them, the lowest first."""
    merges: F64
    """float64 (K - 1, 4): SciPy's form, of the topics in the order in which they were given."""
    given: tuple[int, ...]

    @property
    def proposed(self) -> float:
        """A height below which a quarter of the joints lie, `FAR` at most: groups of topics that
        are much alike, while most topics stay alone."""
        heights = [joint.heights[1] for joint in self.joints]
        return min(float(np.quantile(heights, 0.25)), FAR) if heights else 0.0

    def groups(self, height: float) -> list[tuple[int, ...]]:
        """Topics that hang together below `height`, in groups of two and more."""
        if len(self.given) < 2:
            return []
        labels = fcluster(self.merges, height, "distance")
        found: dict[int, list[int]] = {}
        for topic, label in zip(self.given, labels.tolist(), strict=True):
            found.setdefault(label, []).append(topic)
        return [tuple(group) for group in found.values() if len(group) > 1]


@dataclass(frozen=True)
class Joint:
    """Where two parts of the tree meet, as a figure draws it; a leaf stands at its place."""

    places: tuple[float, ...]
    """Four along the leaves: the first part, its corner, the other's corner, the other part."""
    heights: tuple[float, ...]
    """Heights there."""


def tree(ids: Sequence[int], counts: I64) -> Tree:
    """Return the tree of K topics, the two that lose least by it joined first.

    `counts` int64 (K, V): what each topic of `ids` holds of every word, none of them nothing.
    """
    given = tuple(ids)
    if len(given) < 2:
        return Tree(given, (), np.zeros((0, 4)), given)
    merges = _joined(counts)
    drawn = dendrogram(merges, no_plot=True)
    joints = [
        Joint(tuple((x - 5.0) / 10.0 for x in places), tuple(heights))  # SciPy's 5, 15, 25, ...
        for places, heights in zip(drawn["icoord"], drawn["dcoord"], strict=True)
    ]
    joints.sort(key=lambda joint: joint.heights[1])
    return Tree(tuple(given[k] for k in leaves_list(merges)), tuple(joints), merges, given)


def _joined(counts: I64) -> F64:
    """Join K topics two by two: float64 (K - 1, 4), as SciPy's `linkage` returns it.

    The height of a part is what joining all its topics loses, in bits for each of its words: of a
    pair Delta / (n_i + n_j). What its last joint alone loses a word mostly falls as parts grow (16
    of 29 joints of newsgroups' 30 topics, 99 of 154 of all), since large parts differ less; of all
    its joints together it seldom falls (1 and 14), and then the part is drawn at that of its parts.
    """
    n_topics, words = len(counts), counts.copy()
    total, lost = counts.sum(axis=1), losses(counts)[0]
    part, n_within = np.arange(n_topics), np.ones(n_topics, np.int64)
    within, height = np.zeros(n_topics), np.zeros(n_topics)
    np.fill_diagonal(lost, math.inf)
    merges = np.zeros((n_topics - 1, 4))
    for step in range(n_topics - 1):
        i, j = divmod(int(lost.argmin()), n_topics)
        within[i] += within[j] + lost[i, j]
        for sums in (words, total, n_within):
            sums[i] += sums[j]
        height[i] = max(height[i], height[j], within[i] / total[i] / math.log(2.0))
        merges[step] = *sorted((part[i], part[j])), height[i], n_within[i]
        part[i], part[j] = n_topics + step, -1
        lost[j] = lost[:, j] = math.inf
        others = np.flatnonzero(part >= 0)
        others = others[others != i]
        lost[i, others] = lost[others, i] = _losses_of(words[i], words[others])
    return merges


def _losses_of(one: I64, others: I64) -> F64:
    """Return Delta of a topic (V,) with each of others (K, V): float64 (K,). The words that `one`
    has not count as one word, since they add only to the totals."""
    there = one > 0
    shared = others[:, there]
    rest = others.sum(axis=1) - shared.sum(axis=1)
    return loss(np.append(one[there], 0), np.column_stack([shared, rest]))
