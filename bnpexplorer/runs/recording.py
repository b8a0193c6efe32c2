"""A recorded run of the bars, which the Start page plays.

`python -m bnpexplorer.runs.recording` learns the sample `bars` again and writes the file beside
this one. The file holds the data of the live figures (history, births and deaths of topics) and, at
about fifty moments, pictures of the topics that are largest at the end.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arrays import F64
from ..samples import load_sample
from ..state.moment import Moment
from ..state.snapshot import Event, Frame, Snapshot, Topics, TracePoint
from .plan import Plan

FILE = Path(__file__).with_name("recording.json")
PLAN = Plan.of(
    "hdp-gibbs",
    preset="from-nothing",
    values={"gamma": 0.1, "alpha": 10.0, "eta": 0.5, "moves": 1},
    batch_size=100,
    passes=40,
)
"""Starts from nothing and proposes one split or merge a pass, so topics appear one by one, and ends
with the ten bars. Without these moves and with gamma = 2 it ended with 19 topics, two of them
mixtures of bars. The pictures were drawn with alpha = 10."""
SAMPLE = "bars"
MOMENTS, PICTURES = 80, 10
LEVELS = 99
"""Shades of a pixel, written as two digits."""


@dataclass(frozen=True)
class Recording:
    """The recorded data of a run."""

    method: str
    seed: int
    docs_in_pass: int
    planned_docs: int
    trace: tuple[tuple[int, int, float, int, float | None], ...]
    """Step, documents seen, seconds, topics in use and held-out score of every history row."""
    events: tuple[tuple[str, int], ...]
    """Kind and documents seen."""
    topics: tuple[int, ...]
    """Identities of the topics with pictures, ordered by their first picture."""
    moments: tuple[int, ...]
    """Documents seen at each picture, ascending; at 0 no topic is born."""
    pictures: tuple[tuple[str, ...], ...]
    """For every moment and topic, two digits a pixel. Before the birth of a topic, the picture of
    the topic that it was split from, unless an earlier topic shows that one; else empty."""

    def shades(self, moment: int) -> F64:
        """Return float64 (topics, pixels) from 0 to 1, relative to each topic's brightest pixel;
        nan for topics not yet born."""
        found = self.pictures[moment]
        n_pixels = max(map(len, self.pictures[-1])) // 2
        rows = np.full((len(found), n_pixels), np.nan)
        for k, digits in enumerate(found):
            if digits:
                rows[k] = [int(digits[i : i + 2]) / LEVELS for i in range(0, 2 * n_pixels, 2)]
        return rows

    def moment(self) -> Moment:
        """Return the end of the recorded run for figures of its history, without topics."""
        rows = [
            TracePoint(step, docs, seconds, n_topics, math.nan, math.nan if h is None else h)
            for step, docs, seconds, n_topics, h in self.trace
        ]
        events = tuple(Event(kind, docs_seen=docs) for kind, docs in self.events)
        last, corpus = rows[-1], load_sample(SAMPLE).corpus
        none, nan = np.zeros(0), math.nan
        words = np.zeros((0, corpus.n_words), np.float32)
        topics = Topics(words, none, none, none, 1.0, none.astype(np.int64), nan, nan, 1.0)
        snapshot = Snapshot(last.step, last.docs_seen, last.seconds, topics, tuple(rows), events)
        n_docs, planned = self.docs_in_pass, self.planned_docs
        model = PLAN.method.model
        return Moment(snapshot, corpus, model, docs_in_pass=n_docs, planned_docs=planned)


def record(plan: Plan = PLAN) -> Recording:
    """Learn the bars with `plan` and return the recording."""
    run = plan.split_and_start(load_sample(SAMPLE).corpus)
    while not run.done:
        run.step()
    snapshot = run.snapshot()
    end = snapshot.frames[-1]
    largest = end.topic_ids[np.argsort(-end.weight, kind="stable")[:PICTURES]]
    lines = [_line(topic, snapshot.events) for topic in sorted(largest.tolist())]
    # Closer together at the start, where most happens.
    at = np.unique(np.geomspace(1, len(snapshot.frames), MOMENTS).round().astype(int)) - 1
    frames = [snapshot.frames[i] for i in at]
    pictures = [_pictures(frame, lines, run.corpus.n_words) for frame in frames]
    places = sorted(range(len(lines)), key=lambda k: [not p[k] for p in pictures])
    topics = tuple(lines[k][0] for k in places)
    shown = [tuple(found[k] for k in places) for found in pictures]
    return Recording(
        run.method.name,
        run.seed,
        run.corpus.n_docs,
        run.planned_docs,
        tuple(
            (p.step, p.docs_seen, round(p.seconds, 3), p.n_topics, _rounded(p.heldout))
            for p in snapshot.trace
        ),
        tuple((event.kind, event.docs_seen) for event in snapshot.events),
        topics,
        (0, *(frame.docs_seen for frame in frames)),
        (("",) * len(topics), *shown),
    )


def _rounded(score: float) -> float | None:
    return None if score != score else round(score, 4)


def _line(topic: int, events: Sequence[Event]) -> list[int]:
    """Return the topic and its ancestors by splits, the nearest first."""
    parents = {
        child: event.parents[0]
        for event in events
        if event.kind == "split"
        for child in event.children
        if child not in event.parents
    }
    line = [topic]
    while line[-1] in parents:
        line.append(parents[line[-1]])
    return line


def _pictures(frame: Frame, lines: Sequence[Sequence[int]], n_words: int) -> list[str]:
    """Return the picture of each line's member at `frame`; empty if an earlier line has it."""
    there, found = set(frame.topic_ids.tolist()), []
    for line in lines:
        member = next((topic for topic in line if topic in there), None)
        found.append("" if member is None else _digits(frame, member, n_words))
        there.discard(member)
    return found


def _digits(frame: Frame, topic: int, n_words: int) -> str:
    where = np.flatnonzero(frame.topic_ids == topic)
    if not len(where):
        return ""
    shades = np.zeros(n_words)
    shades[frame.word_ids[where[0]]] = frame.word_probs[where[0]]
    return "".join(f"{round(LEVELS * shade):02d}" for shade in shades / shades.max())


@cache
def recording() -> Recording:
    """Return the recording that comes with the package."""
    tree = json.loads(FILE.read_text("utf-8"))
    return Recording(**{name: _frozen(value) for name, value in tree.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def main() -> None:
    """Record the run and write the file."""
    FILE.write_text(json.dumps(asdict(record()), separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
