"""Where births and ends of topics stand beside a curve of the topics in use, in every figure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64, I64
from ..state.moment import Moment
from ..state.snapshot import Event, TracePoint

MOST = 41
"""Places along a curve, of which the last is its end."""
BESIDE = 0.035
"""How far above or below it they stand, as a share of its highest."""
KINDS = (("born", ("birth", "split")), ("gone", ("death", "prune", "merge")))


@dataclass(frozen=True)
class Marks:
    """All births or all ends of a run, gathered at P of the points of its curve."""

    word: str
    """`born` or `gone`."""
    places: I64
    """int64 (P,): which points; each stands for what happened since the place before."""
    heights: F64
    """float64 (P,): above the curve for births, below it for ends, never below 0."""
    counts: I64
    """int64 (P,): how many, at least 1."""
    newest: list[int]
    """P events by their places in the snapshot: of each gathered, the one to be told."""


def marks_along(moment: Moment, points: Sequence[TracePoint]) -> Iterator[Marks]:
    """Births and then ends of a run along the points of its curve, where there are any."""
    y = np.array([p.n_topics for p in points], float)
    places = np.unique(np.linspace(0, len(points) - 1, MOST).astype(int))
    edges = [points[i].docs_seen for i in places]
    events = moment.snapshot.events
    for word, names in KINDS:
        of_kind = [i for i, event in enumerate(events) if event.kind in names]
        if not of_kind:
            continue
        seen = [events[i].docs_seen for i in of_kind]
        where = np.minimum(np.searchsorted(edges, seen), len(places) - 1)
        counts = np.bincount(where, minlength=len(places))
        used = np.flatnonzero(counts)
        newest = [_told_best(events, np.array(of_kind)[where == place]) for place in used]
        beside = BESIDE * max(float(y.max()), 10.0) * (1.0 if word == "born" else -1.0)
        heights = np.maximum(y[places[used]] + beside, 0.0)
        yield Marks(word, places[used], heights, counts[used], newest)


def _told_best(events: Sequence[Event], places: I64) -> int:
    """The newest of the events at these places, of those that tell most of their moment."""
    return int(max(places, key=lambda i: (events[i].details is not None, i)))
