"""The history of a run: rows, scores, events and frames.

Their times depend on documents read, never on the clock, so a repeated run has the same history. A
run has about 200 rows and 60 scores, closer together at the start, where most happens.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from ..evaluate import Score, topics_in_use
from ..state.edits import Edit
from ..state.snapshot import Event, Frame, Info, Topics, TracePoint
from ..state.words import heaviest, least_shown
from .draws import RunDraws

RECORDS = 200
"""Rows of history that a whole run aims at."""
SCORES = 60
"""Held-out scores that a whole run aims at."""
MAX_TRACE, MAX_FRAMES, FRAME_WORDS = 2000, 200, 30
DETAILED = 300
"""Number of newest events that keep their details. Events of topics that still exist keep them too;
most of these were born early."""
SPREAD = 150
"""Most topics that are gone and keep details: every second, fourth, eighth, ... of them. Without
these, a click on a mark in the middle of a long run would show no numbers."""


@dataclass
class History:
    """The past of a run, and when the next row, score and frame are due."""

    planned: int
    """Documents that the whole run will process."""
    trace: list[TracePoint] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    next_row: int = 0
    next_score: int = 0
    next_frame: int = 0
    frame_spacing: int = 0
    draws: RunDraws = field(default_factory=RunDraws)
    edits: list[Edit] = field(default_factory=list)
    edition: int = 0
    """As in `Snapshot`."""

    def __post_init__(self) -> None:
        """Derive from the events what files do not hold."""
        self._detailed: list[int] = []  # places of events with details
        self._there: set[int] = set()  # topics of these events that still exist
        self._n_topics = 0
        for place, event in enumerate(self.events):
            self._follow(place, event)

    def copy(self) -> "History":
        """Return a copy whose lists grow independently."""
        return replace(
            self,
            trace=list(self.trace),
            events=list(self.events),
            frames=list(self.frames),
            edits=list(self.edits),
            draws=replace(self.draws, taken=list(self.draws.taken)),
        )

    def change(self, edit: Edit, events: tuple[Event, ...] = ()) -> None:
        """Record a change by hand. A score and a frame are due then, and draws begin again."""
        self.note(events, edit.step, edit.docs_seen)
        self.edits.append(edit)
        self.edition += 1
        self.next_score = self.next_frame = edit.docs_seen
        self.draws = RunDraws(spacing=self.draws.spacing)

    def row_due(self, docs_seen: int) -> bool:
        return docs_seen >= self.next_row

    def score_due(self, docs_seen: int) -> bool:
        return docs_seen >= self.next_score

    def note(self, events: tuple[Event, ...], step: int, docs_seen: int) -> None:
        """Stamp and keep the events of a step; older events of topics that are gone may lose their
        details."""
        for event in events:
            self._follow(len(self.events), event)
            self.events.append(replace(event, step=step, docs_seen=docs_seen))
        if len(self._detailed) <= DETAILED or not events:
            return
        older, newest = self._detailed[:-DETAILED], self._detailed[-DETAILED:]
        kept = [i for i in older if self._lasts(self.events[i])]
        for i in set(older).difference(kept):
            self.events[i] = replace(self.events[i], details=None)
        self._detailed = kept + newest

    def _lasts(self, event: Event) -> bool:
        """Whether an older event keeps its details. Only its topics decide, so a reopened run keeps
        the same ones."""
        every = 1
        while every * SPREAD < self._n_topics:
            every *= 2
        is_one_of_some = any(topic % every == 0 for topic in event.children[:1])
        return is_one_of_some or not self._there.isdisjoint(event.children)

    def _follow(self, place: int, event: Event) -> None:
        """Update the topics with details by the event at `place`."""
        self._n_topics = max(self._n_topics, 1 + max(event.children, default=-1))
        self._there -= set(event.parents).difference(event.children)
        if event.details is not None:
            self._detailed.append(place)
            self._there.update(event.children)

    def add(
        self,
        step: int,
        docs_seen: int,
        seconds: float,
        topics: Topics,
        info: Info,
        heldout: float,
        last: bool,
    ) -> None:
        """Add a row, and a frame if one is due or the run ends (`last`)."""
        if np.isfinite(heldout):
            self.next_score = docs_seen + int(min(0.2 * docs_seen, self.planned / SCORES)) + 1
        self.trace = thinned(self.trace, MAX_TRACE)
        n_used = topics_in_use(topics)
        self.trace.append(
            TracePoint(
                step,
                docs_seen,
                seconds,
                n_used,
                info.bound,
                float(heldout),
                info.scalars,
                heldout.spread if isinstance(heldout, Score) else 0.0,
            )
        )
        self.next_row = docs_seen + int(min(0.1 * docs_seen, self.planned / RECORDS)) + 1
        if last or docs_seen >= self.next_frame:
            self.frames.append(make_frame(step, docs_seen, topics))
            if len(self.frames) > MAX_FRAMES:
                self.frames = self.frames[::2]
                self.frame_spacing = max(2 * self.frame_spacing, self.planned // MAX_FRAMES)
            self.next_frame = docs_seen + self.frame_spacing


def thinned(trace: list[TracePoint], limit: int) -> list[TracePoint]:
    """Return `trace` without every second point that has no score once it reaches `limit`."""
    if len(trace) < limit:
        return trace
    return [p for i, p in enumerate(trace) if i % 2 == 0 or np.isfinite(p.heldout)]


def make_frame(step: int, docs_seen: int, topics: Topics) -> Frame:
    """Return the heaviest words and the shares of all topics at one moment."""
    word_ids = heaviest(topics.topic_word, FRAME_WORDS)
    probs = np.take_along_axis(topics.topic_word, word_ids, 1)
    shown = probs >= least_shown(topics)[:, None]
    return Frame(
        step,
        docs_seen,
        topics.topic_ids,
        topics.shares,
        word_ids,
        np.where(shown, probs, np.float32(0.0)),
    )
