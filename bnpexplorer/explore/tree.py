"""A tree of topics by their words, which proposes groups. K topics."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import dendrogram, fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from ..core.arrays import F64

FAR = 0.9
"""Beyond this mean distance topics have hardly a word in common, and are not proposed as one. In
topics of messages, glosses, newsgroups and addresses all joints lie below 0.88, a quarter of them
below 0.52 to 0.71; in texts on four subjects without common words they lie at 0.99."""


@dataclass(frozen=True, eq=False)
class Tree:
    """K topics as leaves, joined pair by pair."""

    ids: tuple[int, ...]
    """The leaves from top to bottom, near ones side by side."""
    joints: tuple["Joint", ...]
    """K - 1 of them, the nearest pair first."""
    merges: F64
    """float64 (K - 1, 4): SciPy's linkage, of the topics in the order in which they were given."""
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
    """Distances there."""


def tree(ids: Sequence[int], distances: F64) -> Tree:
    """The tree of topics `ids` whose distances are (K, K), by average linkage (UPGMA).

    The height of a joint is the mean distance between the topics of its two parts. Average linkage:
    single makes chains of all topics, complete parts near ones (Sokal & Michener 1958).
    """
    given = tuple(ids)
    if len(given) < 2:
        return Tree(given, (), np.zeros((0, 4)), given)
    merges = linkage(squareform(distances, checks=False), "average")
    drawn = dendrogram(merges, no_plot=True)
    joints = [
        Joint(tuple((x - 5.0) / 10.0 for x in places), tuple(heights))  # SciPy's 5, 15, 25, ...
        for places, heights in zip(drawn["icoord"], drawn["dcoord"], strict=True)
    ]
    joints.sort(key=lambda joint: joint.heights[1])
    return Tree(tuple(given[k] for k in leaves_list(merges)), tuple(joints), merges, given)
