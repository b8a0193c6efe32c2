"""Why a topic was born, or came to its end: what an event tells of its moment.

A birth weighs the topics in play against a new one. What a document or a word says of a topic whose
words follow Dir(lam) is weighed by the locally collapsed update as E p(x | theta), by mean field as
exp E ln p(x | theta) (Wang & Blei 2012, equations 6 and 5): the same Dirichlets, two answers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64
from ..state.snapshot import Details, Event, Frame, Snapshot

NEW = -2
"""In place of the identity of a topic: one that is not there yet (-1: one that got none)."""
LISTED = 300
"""Events, the newest, that can be chosen; and older ones that still tell of their moment."""
WORDS_OF_KIND = {
    "birth": "born",
    "death": "died",
    "prune": "gone",
    "merge": "merged",
    "split": "split",
}
PLAIN = 1e6
"""Numbers from here on are written as powers of ten."""


@dataclass(frozen=True, eq=False)
class WeighedChoices:
    """R choices before a draw, by their identities, and what they are weighed by; natural logs."""

    topics: tuple[int, ...]
    log_prior: F64
    """float64 (R,)"""
    log_collapsed: F64
    """float64 (R,): ln E p(x | theta)."""
    log_meanfield: F64
    """float64 (R,): E ln p(x | theta); empty where nobody told it."""

    @classmethod
    def of(cls, told: Details) -> "WeighedChoices | None":
        """The topics in play and a new one, the last; None of an event that weighed none."""
        if not told.log_prior:
            return None
        sides = (told.log_prior, told.log_likelihood, told.log_meanfield)
        return cls((*told.topics, NEW), *(np.array(side, np.float64) for side in sides))

    def probability(self, mean_field: bool) -> F64:
        """float64 (R,): of each of these choices, the others left out."""
        logs = self.log_prior + (self.log_meanfield if mean_field else self.log_collapsed)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum(), np.float64)

    def ahead(self, mean_field: bool) -> float:
        """ln of how many times likelier the last choice is than the best of the others."""
        logs = self.log_prior + (self.log_meanfield if mean_field else self.log_collapsed)
        return float(logs[-1] - logs[:-1].max())

    @property
    def rival(self) -> int:
        """The likeliest choice but the last, by the collapsed update."""
        return self.topics[int(np.argmax((self.log_prior + self.log_collapsed)[:-1]))]


def power(log: float) -> str:
    """exp(log) in three figures; where that is very small or large, with a power of ten."""
    if -math.log(1e4) < log < math.log(999.5):  # from there on three figures are not all digits
        return f"{math.exp(log):.3g}"
    ten = log / math.log(10.0)
    whole = math.floor(ten)
    digits = f"{10.0 ** (ten - whole):.2g}"
    if digits == "10":
        digits, whole = "1", whole + 1
    signs = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"{digits} × 10{str(whole).translate(signs)}"


def times(log: float) -> str:
    """How many times likelier one thing is than another, by the logarithm of that."""
    if abs(log) < math.log(1.05):
        return "about as likely as"
    size = abs(log)
    number = f"{math.exp(size):,.3g}" if size < math.log(1e3) else f"{math.exp(size):,.0f}"
    number = number if size < math.log(PLAIN) else power(size)
    return f"{number} times {'as' if log > 0 else 'less'} likely {'as' if log > 0 else 'than'}"


def compared(collapsed: float, mean: float) -> str:
    """What mean field would have done, by how far ahead a new topic was by both updates."""
    if mean >= 0.0:
        return "it would have opened it, too"
    if collapsed >= 0.0:
        return "it would hardly have opened it"
    if abs(mean - collapsed) < math.log(2.0):
        return "as rare by both"
    return "rarer still" if mean < collapsed else "less rare"


def listed(events: Sequence[Event]) -> list[int]:
    """The places of the newest events and of all others that tell of their moment, newest first."""
    oldest = len(events) - LISTED
    return [i for i in reversed(range(len(events))) if i >= oldest or events[i].details]


def who(event: Event) -> tuple[int, ...]:
    """The topics that an event is about: those that came, else those that went."""
    return event.children if event.kind in ("birth", "split") else event.parents


def birth_of(events: Sequence[Event], topic: int, before: int) -> int | None:
    """The place of the event that made the topic, if it tells of its moment; the newest before a
    place."""
    for place in reversed(range(before)):
        event = events[place]
        if topic in event.children and topic not in event.parents:
            return None if event.details is None else place
    return None


def untold(snapshot: Snapshot, place: int, of_births: str, of_ends: str) -> str:
    """Why the event at this place tells nothing of its moment. `of_births` and `of_ends`: what its
    method says of them."""
    event, events = snapshot.events[place], snapshot.events
    by_hand = {(edit.step, edit.docs_seen, edit.topics) for edit in snapshot.edits}
    if event.parents and (event.step, event.docs_seen, event.parents) in by_hand:
        return "This was done by hand."
    ended = event.kind in ("death", "prune")
    of_method = {"birth": of_births, "death": of_ends, "prune": of_ends}.get(event.kind)
    if of_method:
        return of_method
    if sum(later.details is not None for later in events[place + 1 :]) >= LISTED:
        return (
            f"The numbers of its moment are gone: a run keeps those of its newest {LISTED} events "
            "that have any, of topics that are still there, and of some others, spread over its "
            "whole length."
        )
    if event.kind == "birth":
        return (
            "No single document or word opened it: it is of those that the run began with, or an "
            "earlier version of this program, which kept no numbers, has learned it."
        )
    if ended:
        return "Nobody noted what it ended with: an earlier version of this program has learned it."
    return "The method told no numbers of this."


@dataclass(frozen=True)
class Life:
    """What is known of a topic's past."""

    born: int | None
    """Documents seen when it was born; None: it was there from the start."""
    parents: tuple[int, ...]
    """The topics that it was split or merged from; none of one that was born by itself."""
    largest: float
    """Its largest share at any moment that was kept."""
    last: float
    """Its share at the last moment that was kept before some number of documents."""
    last_docs: int
    """Documents seen at that moment."""


def life_until(snapshot: Snapshot, frames: Sequence[Frame], topic: int, docs: int) -> Life | None:
    """The topic's life up to so many documents; None if no moment that was kept has it."""
    made = [
        (event.docs_seen, event.parents)
        for event in snapshot.events
        if topic in event.children and topic not in event.parents and event.docs_seen <= docs
    ]
    shares = []
    for frame in frames:
        where = np.flatnonzero(frame.topic_ids == topic)
        if frame.docs_seen < docs and len(where) and frame.weight[where[0]] > 0.0:
            shares.append((frame.docs_seen, float(frame.weight[where[0]])))
    if not shares:
        return None
    at, last = shares[-1]
    born, parents = made[-1] if made else (None, ())
    return Life(born, parents, max(share for _, share in shares), last, at)


def words_then(frames: Sequence[Frame], topic: int, docs: int, n: int) -> tuple[int, ...]:
    """The topic's heaviest words at the last moment that was kept before so many documents were
    seen, else at the first that has it; empty if none has."""
    there = [frame for frame in frames if topic in frame.topic_ids]
    if not there:
        return ()
    frame = next((f for f in reversed(there) if f.docs_seen < docs), there[0])
    row = int(np.flatnonzero(frame.topic_ids == topic)[0])
    return tuple(frame.words(row, n))
