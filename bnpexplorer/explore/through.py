"""Topics through a run: their shares frame by frame, births and deaths, how their words change."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64
from ..state.snapshot import Event, Frame


def largest_at_some_time(frames: Sequence[Frame], n: int) -> list[int]:
    """The `n` topics with the largest share at any moment, in the order of their identities."""
    peak: dict[int, float] = {}
    for frame in frames:
        for topic, share in zip(frame.topic_ids.tolist(), frame.weight.tolist(), strict=True):
            peak[topic] = max(share, peak.get(topic, 0.0))
    return sorted(sorted(peak, key=lambda topic: (-peak[topic], topic))[:n])


def shares_through(frames: Sequence[Frame], topics: Sequence[int]) -> F64:
    """The share of each topic in every frame: float64 (F, K); 0 where there is none."""
    column = {topic: k for k, topic in enumerate(topics)}
    shares = np.zeros((len(frames), len(topics)))
    for row, frame in zip(shares, frames, strict=True):
        for topic, share in zip(frame.topic_ids.tolist(), frame.weight.tolist(), strict=True):
            if topic in column:
                row[column[topic]] = share
    return shares


@dataclass(frozen=True)
class TopicMark:
    """A topic came or went."""

    docs_seen: int
    topic: int
    born: bool
    """False: it is gone."""
    event: int = -1
    """The place of the event among those of the run."""


def marks(
    events: Sequence[Event], from_docs: int = -1, to_docs: int | None = None
) -> list[TopicMark]:
    """Who came and who went after `from_docs` documents and up to `to_docs`, in order of time.

    A split or a merge ends its parents and begins its children; where it was made by hand, one
    of them is both, and stays.
    """
    found = []
    for place, event in enumerate(events):
        if event.docs_seen <= from_docs or (to_docs is not None and event.docs_seen > to_docs):
            continue
        gone = [topic for topic in event.parents if topic not in event.children]
        come = [topic for topic in event.children if topic not in event.parents]
        found += [TopicMark(event.docs_seen, topic, False, place) for topic in gone]
        found += [TopicMark(event.docs_seen, topic, True, place) for topic in come]
    return found


@dataclass(frozen=True, eq=False)
class River:
    """The K topics of a run that were largest at some time, over its F frames."""

    docs_seen: Sequence[int]
    """(F,)"""
    topics: Sequence[int]
    """In the order of their identities."""
    share: F64
    """float64 (F, K); 0 where there is no such topic."""
    marks: Sequence[TopicMark]
    """Who came and who went, of all topics."""


def river(frames: Sequence[Frame], events: Sequence[Event], hidden: Set[int], n: int) -> River:
    """Of at most `n` topics, without the hidden ones."""
    visible = [topic for topic in largest_at_some_time(frames, 4 * n) if topic not in hidden]
    peak = shares_through(frames, visible).max(axis=0)
    largest = sorted(sorted(range(len(visible)), key=lambda k: -peak[k])[:n])
    topics = [visible[k] for k in largest]
    share = shares_through(frames, topics)
    return River([frame.docs_seen for frame in frames], topics, share, marks(events))


@dataclass(frozen=True)
class Past:
    """What one topic was at a moment of the run's past."""

    docs_seen: int
    share: float
    words: tuple[int, ...]
    """Most probable first."""
    probs: tuple[float, ...]


def life(frames: Sequence[Frame], topic: int, n_moments: int = 6, n_words: int = 10) -> list[Past]:
    """The topic's top words at up to `n_moments` moments of its life, first and last among them.

    Evenly over the frames in which it exists and holds something (Wang, Paisley & Blei 2011, table
    1, shows five).
    """
    alive = []
    for frame in frames:
        where = np.flatnonzero(frame.topic_ids == topic)
        if len(where) and frame.weight[where[0]] > 0.0:
            alive.append((frame, int(where[0])))
    if not alive:
        return []
    chosen = np.unique(np.linspace(0, len(alive) - 1, n_moments).round().astype(int))
    return [
        Past(
            frame.docs_seen,
            float(frame.weight[k]),
            tuple(frame.words(k, n_words)),
            tuple(frame.word_probs[k, : len(frame.words(k, n_words))].tolist()),
        )
        for frame, k in (alive[i] for i in chosen)
    ]
