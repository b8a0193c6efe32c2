"""A recorded run of the bars, which the Start page plays: `python -m bnpexplorer.runs.recording`.

That command learns the sample `bars` once more and writes the file beside this one. It holds what
the live figures draw (the history and the births and deaths of topics) and, at some fifty moments,
the pictures of those topics that are the largest in the end.
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
"""Starts from nothing and proposes one split or merge a pass, so that topics come one by one, and
ends in the ten bars. Without such moves and with gamma = 2 it ended in 19 topics, two of them
mixtures of bars; of the pictures' law alpha is 10."""
SAMPLE = "bars"
MOMENTS, PICTURES = 80, 10
LEVELS = 99
"""Shades of a pixel, as two digits of the file."""


@dataclass(frozen=True)
class Recording:
    """What is kept of the run."""

    method: str
    seed: int
    docs_in_pass: int
    planned_docs: int
    trace: tuple[tuple[int, int, float, int, float | None], ...]
    """Step, documents seen, seconds, topics in use, held-out score of every row of its history."""
    events: tuple[tuple[str, int], ...]
    """Kind and documents seen."""
    topics: tuple[int, ...]
    """Identities of the topics whose pictures are kept, in the order in which they have one."""
    moments: tuple[int, ...]
    """Documents seen, rising, at which there are pictures; at 0 no topic is born."""
    pictures: tuple[tuple[str, ...], ...]
    """At every moment, of every topic, two digits a pixel. Before its birth that of the topic which
    it was split off, if no topic before it has that already; else empty."""

    def shades(self, moment: int) -> F64:
        """float64 (topics, pixels) from 0 to 1, relative to each topic's brightest; nan: unborn."""
        found = self.pictures[moment]
        n_pixels = max(map(len, self.pictures[-1])) // 2
        rows = np.full((len(found), n_pixels), np.nan)
        for k, digits in enumerate(found):
            if digits:
                rows[k] = [int(digits[i : i + 2]) / LEVELS for i in range(0, 2 * n_pixels, 2)]
        return rows

    def moment(self) -> Moment:
        """The end of the recorded run, as figures of its history draw it: without its topics."""
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
    """Learn the bars by the plan and keep what is shown."""
    run = plan.split_and_start(load_sample(SAMPLE).corpus)
    while not run.done:
        run.step()
    snapshot = run.snapshot()
    end = snapshot.frames[-1]
    largest = end.topic_ids[np.argsort(-end.weight, kind="stable")[:PICTURES]]
    lines = [_line(topic, snapshot.events) for topic in sorted(largest.tolist())]
    # As moments of a person's attention go: closer together at the start, where most happens.
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
    """The topic, the one that it was split off, the one that this was split off, and so on."""
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
    """Of every line the picture of its member at this moment; empty where another line has it."""
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
    """The recording that comes with the package."""
    tree = json.loads(FILE.read_text("utf-8"))
    return Recording(**{name: _frozen(value) for name, value in tree.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def main() -> None:
    """Record the run and write the file."""
    FILE.write_text(json.dumps(asdict(record()), separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
