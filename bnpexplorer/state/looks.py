"""Which colour each topic has: its own through a run, and no two of the largest the same.

A look is a number: the colour's place in the palette plus `COLOURS` times the pattern, 0 for the
plain colour. K topics.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import islice

import numpy as np

from .snapshot import Frame, Topics

COLOURS = 14
"""Colours of the palette, and the largest topics that each have a plain one."""
PATTERNS = 4
"""The plain colour, and three patterns for topics beyond the largest."""

Owners = Mapping[int, int]
"""Topic -> the place of its colour, of those that were ever among the largest."""


def largest(topics: Topics, unseen: Set[int]) -> list[int]:
    """The topics that have a plain colour, by identity, largest first, without those unseen."""
    seen = (i for i in topics.topic_ids[topics.by_size].tolist() if i not in unseen)
    return list(islice(seen, COLOURS))


def owners_after(frames: Sequence[Frame]) -> dict[int, int]:
    """Who has which colour at the end of a run's frames, followed from the first one."""
    owners: dict[int, int] = {}
    for frame in frames:
        top = np.argsort(-frame.weight, kind="stable")[:COLOURS]
        top = top[frame.weight[top] > 0.0]
        owners = handed_on(owners, frame.topic_ids[top].tolist(), set(frame.topic_ids.tolist()))
    return owners


def handed_on(owners: Owners, top: Sequence[int], alive: set[int]) -> dict[int, int]:
    """The colours of a moment ago, and one for each of `top`, the largest first, that has none.

    Whoever has a colour keeps it, unless a larger one of `top` has the same since it grew back.
    New ones take colours in the palette's order: those that nobody alive has, then those of topics
    that are not among `top`.
    """
    found = {topic: colour for topic, colour in owners.items() if topic in alive}
    taken: dict[int, int] = {}
    for topic in top:
        if topic in found:
            taken.setdefault(found[topic], topic)
    free = [colour for colour in range(COLOURS) if colour not in taken]
    elsewhere = {colour for topic, colour in found.items() if topic not in top}
    free.sort(key=lambda colour: colour in elsewhere)
    for topic in top:
        if topic not in found or taken[found[topic]] != topic:
            found[topic] = free.pop(0)
            taken[found[topic]] = topic
    return found


def look(topic: int, owners: Owners, top: Set[int]) -> int:
    """The look of a topic: its plain colour among the largest, else with a pattern."""
    colour = owners.get(topic, topic % COLOURS)
    if topic in top and topic in owners:
        return colour
    return colour + COLOURS * (1 + topic // COLOURS % (PATTERNS - 1))
