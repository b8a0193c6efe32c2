"""The history of a run: rows, scores, events and frames at moments that follow counts of documents.

Never the clock: a repeated run has the same history. Moments lie closer together at the start,
where most happens: about 200 rows and 60 scores a run.
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
"""Of events that have details, the newest of which they are kept; beside them those of topics that
are still there, most of which were born early."""
SPREAD = 150
"""And, of topics that are gone, every second, fourth, eighth, ...: so many at most. Else a click on
a mark in the middle of a long run finds no numbers, whichever of its births it tells of."""


@dataclass
class History:
    """What is kept of a run's past, and when the next row, score and frame are due."""

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
    """As of `Snapshot`."""

    def __post_init__(self) -> None:
        """What follows from the events, so that no file need hold it."""
        self._detailed: list[int] = []  # places of events with details
        self._there: set[int] = set()  # topics of these that have not come to their end
        self._n_topics = 0
        for place, event in enumerate(self.events):
            self._follow(place, event)

    def copy(self) -> "History":
        """Its lists are others, so that the one does not grow with the other."""
        return replace(
            self,
            trace=list(self.trace),
            events=list(self.events),
            frames=list(self.frames),
            edits=list(self.edits),
            draws=replace(self.draws, taken=list(self.draws.taken)),
        )

    def change(self, edit: Edit, events: tuple[Event, ...] = ()) -> None:
        """Note what was done by hand. A row, score and frame are due, and draws begin anew: those
        of before are of another start."""
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
        """Stamp the events of a step and keep them; older ones of topics that are gone lose their
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
        """Whether an older event keeps its details: by its topics alone, so that a run that was
        opened again keeps the same."""
        every = 1
        while every * SPREAD < self._n_topics:
            every *= 2
        is_one_of_some = any(topic % every == 0 for topic in event.children[:1])
        return is_one_of_some or not self._there.isdisjoint(event.children)

    def _follow(self, place: int, event: Event) -> None:
        """Note who came with details and who went at the event of this place."""
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
        """Add a row, and a frame when its turn has come or the run is at its end (`last`)."""
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
    """Every second point without a score is left out once the limit is reached."""
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
