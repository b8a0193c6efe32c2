"""Which topics all chains have found, and which only one: the former are those to trust."""

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.optimize import linear_sum_assignment

from ..compare.alignment import NEAR, Side, side_of_topics
from ..explore.likeness import jensen_shannon
from ..state.snapshot import Topics


@dataclass(frozen=True)
class Found:
    """A topic of one chain, and the chains that have found it."""

    chain: int
    """Place of the first chain that has it."""
    topic: int
    """Its identity there."""
    share: float
    """Of all words (mixtures: documents) of that chain."""
    chains: tuple[int, ...]
    """Places of the chains that have it, the first one's own included."""


def found_topics(chains: Sequence[Topics], near: float = NEAR) -> list[Found]:
    """The topics of several chains, each once: those that most chains have first, then by share.

    The largest topics of a chain that together hold 99 % are matched one to one with those of every
    other, so that the sum of Jensen-Shannon distances is smallest. A pair nearer than `near` is one
    topic: at 0.7 about half of the words' mass is common, as on the Compare page. A topic with a
    counterpart in an earlier chain is not listed again.
    """
    sides = [side_of_topics(topics) for topics in chains]
    found = []
    for c, (topics, side) in enumerate(zip(chains, sides, strict=True)):
        holders: list[list[int]] = [[] for _ in side.topic_ids]
        for other, another in enumerate(sides):
            rows = range(len(holders)) if other == c else _met(side, another, near)
            for row in rows:
                holders[row].append(other)
        shares = side.size / (float(topics.size.sum()) or 1.0)
        found += [
            Found(c, int(side.topic_ids[row]), float(shares[row]), tuple(held))
            for row, held in enumerate(holders)
            if held[0] == c
        ]
    return sorted(found, key=lambda one: (-len(one.chains), -one.share))


def _met(side: Side, other: Side, near: float) -> list[int]:
    """Rows of `side` that have a counterpart on the other."""
    if not len(side.topic_ids) or not len(other.topic_ids):
        return []
    distances = jensen_shannon(side.topic_word, other.topic_word)
    pairs = zip(*linear_sum_assignment(distances), strict=True)
    return [int(row) for row, column in pairs if distances[row, column] < near]
