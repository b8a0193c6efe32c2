"""The queue for places to compute: which runs have one, and which is next."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Protocol

TURN_SECONDS = 10.0
"""Time that a run computes in a class before it gives way to a waiting one: the interval at which
runs are saved anyway."""


class Waiting(Protocol):
    """A run, or a study with the same interface, that asks for a place."""

    @property
    def is_lecturers(self) -> bool:
        """Whether it is the lecturer's."""
        ...

    @property
    def is_brief(self) -> bool:
        """Whether it asks for a place for single steps only."""
        ...


class Gate:
    """A gate that lets at most `limit` runs compute at once; the others wait in order of arrival.

    In a class, a run that has computed for `turn_seconds` goes to the end of the queue if another
    waits, and single steps and longer work take turns. The lecturer's runs have one extra place,
    which no other run takes.
    """

    def __init__(self, limit: int, turn_seconds: float = math.inf) -> None:
        self.limit, self.turn_seconds = limit, turn_seconds
        self._changed = threading.Condition()
        self._inside: dict[Waiting, float] = {}
        """Run -> the time at which its turn began."""
        self._line: list[Waiting] = []
        """The queue, in order of arrival."""
        self._brief_next = True

    def enter(self, who: Waiting, cancelled: Callable[[], bool]) -> bool:
        """Wait for a place; return False, and leave the queue, if `cancelled()` is true first."""
        with self._changed:
            self._line.append(who)
            while self._next(self._line, [*self._inside]) is not who:
                if cancelled():
                    self._line.remove(who)
                    self._changed.notify_all()
                    return False
                self._changed.wait(0.2)
            self._line.remove(who)
            self._inside[who] = time.monotonic()
            self._brief_next = not who.is_brief
            self._changed.notify_all()
            return True

    def must_wait(self, who: Waiting) -> bool:
        """Whether `who` would not get a place now."""
        with self._changed:
            return self._next([*self._line, who], [*self._inside]) is not who

    def leave(self, who: Waiting) -> None:
        with self._changed:
            self._inside.pop(who, None)
            if who in self._line:
                self._line.remove(who)
            self._changed.notify_all()

    def place(self, who: Waiting) -> int:
        """Return the place in the queue: 1 is next, 0 is computing or not in the queue."""
        with self._changed:
            return self._in_turn(self._line).index(who) + 1 if who in self._line else 0

    def turn_is_over(self, who: Waiting) -> bool:
        """Whether `who` has computed for its turn, and another run is next."""
        with self._changed:
            if time.monotonic() < self._inside.get(who, math.inf) + self.turn_seconds:
                return False
            others = [one for one in self._inside if one is not who]
            return self._next([*self._line, who], others) is not who

    def _in_turn(self, line: Sequence[Waiting]) -> list[Waiting]:
        """Return `line` in the order in which its runs get places.

        In a class single steps and longer work take turns.
        """
        if math.isinf(self.turn_seconds):
            return [*line]
        next_kind, other_kind = (
            [who for who in line if who.is_brief is kind]
            for kind in (self._brief_next, not self._brief_next)
        )
        pairs = zip_longest(next_kind, other_kind)
        return [who for pair in pairs for who in pair if who is not None]

    def _next(self, line: Sequence[Waiting], inside: Sequence[Waiting]) -> Waiting | None:
        """Return the run in `line` that may enter now, or None."""
        has_own = any(who.is_lecturers for who in inside)
        is_full = len(inside) - has_own >= self.limit
        in_turn = self._in_turn(line)
        return next((who for who in in_turn if not is_full or who.is_lecturers > has_own), None)
