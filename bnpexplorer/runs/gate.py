"""Places to compute: who has one, and who gets the next.

Alone at a machine runs wait in the order they came. In a class places are shared out by link
(`Shares`): otherwise four people who press a button twice put everybody else in line for as long
as theirs go on.
"""

import threading
import time
from collections.abc import Callable
from typing import Protocol

TURN_SECONDS = 10.0
"""How long a run computes in a class before it lets one go before it that waits: as often as it is
written to the disk anyway."""
REMEMBERED = 1000
"""Links of which it is known when they had a place last."""


class Waiting(Protocol):
    """Who asks for a place: a run, or a study that looks like one."""

    @property
    def link(self) -> str:
        """Whose it is, in a class; else empty."""
        ...

    @property
    def is_brief(self) -> bool:
        """Whether it asks for a place for single steps only."""
        ...


class Gate:
    """Lets at most `limit` runs compute at once; the others wait in the order they came."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._changed = threading.Condition()
        self._inside: list[Waiting] = []
        self._line: list[Waiting] = []
        """In the order they came."""

    def enter(self, who: Waiting, cancelled: Callable[[], bool]) -> bool:
        """Wait for a place; False if `cancelled` became true first (then the place is given up)."""
        with self._changed:
            self._line.append(who)
            while self._next() is not who:
                if cancelled():
                    self._line.remove(who)
                    self._changed.notify_all()
                    return False
                self._changed.wait(0.2)
            self._admit(who)
            self._changed.notify_all()
            return True

    def must_wait(self, who: Waiting) -> bool:
        """Whether `who` would not get a place now."""
        with self._changed:
            self._line.append(who)
            waits = self._next() is not who
            self._line.pop()
            return waits

    def leave(self, who: Waiting) -> None:
        with self._changed:
            for places in (self._inside, self._line):
                if who in places:
                    places.remove(who)
            self._changed.notify_all()

    def place(self, who: Waiting) -> int:
        """0: computing or not in line; 1: next; 2: after that ..."""
        with self._changed:
            return self._in_turn().index(who) + 1 if who in self._line else 0

    def turn_is_over(self, who: Waiting) -> bool:
        """Whether `who` has computed long enough, and another would come before it."""
        return False

    def _in_turn(self) -> list[Waiting]:
        """The line, who comes first at the front."""
        return self._line

    def _next(self) -> Waiting | None:
        """Who may enter now; None if nobody may."""
        return self._in_turn()[0] if self._line and len(self._inside) < self.limit else None

    def _admit(self, who: Waiting) -> None:
        self._line.remove(who)
        self._inside.append(who)


class Shares(Gate):
    """Places in equal shares by link, taken in turns of `TURN_SECONDS`, and one more for `first`.

    A link with fewer places goes before one with more; among those a single step before long work,
    every other time, so that neither waits for the other's end; then the link whose last turn is
    longest ago. The place of `first`, the link that started the class, is nobody else's; what
    `first` wants beyond it, it gets as everybody does.
    """

    def __init__(self, limit: int, first: str, turn_seconds: float = TURN_SECONDS) -> None:
        super().__init__(limit)
        self.first, self.turn_seconds = first, turn_seconds
        self._kept_for_first: Waiting | None = None
        """Who has the place that is kept."""
        self._since: dict[Waiting, float] = {}
        self._turns: dict[str, int] = {}
        """Link -> the number of its last turn, the latest last."""
        self._brief_next = True

    def turn_is_over(self, who: Waiting) -> bool:
        with self._changed:
            since = self._since.get(who)
            if not self._line or since is None or time.monotonic() < since + self.turn_seconds:
                return False
            kept, inside = self._kept_for_first, list(self._inside)
            self._give_up(who)
            self._line.append(who)
            another = self._next() is not who
            self._line.pop()
            self._kept_for_first, self._inside = kept, inside
            return another

    def leave(self, who: Waiting) -> None:
        with self._changed:
            self._since.pop(who, None)
            self._give_up(who)
            super().leave(who)

    def _give_up(self, who: Waiting) -> None:
        if self._kept_for_first is who:
            self._kept_for_first = None
        if who in self._inside:
            self._inside.remove(who)

    def _in_turn(self) -> list[Waiting]:
        return sorted(self._line, key=self._rank)

    def _rank(self, who: Waiting) -> tuple[int, bool, int]:
        holders = [*self._inside, *filter(None, [self._kept_for_first])]
        n_places = sum(one.link == who.link for one in holders)
        return n_places, who.is_brief is not self._brief_next, self._turns.get(who.link, 0)

    def _next(self) -> Waiting | None:
        own = [who for who in self._in_turn() if self._is_first(who)]
        return own[0] if own and self._kept_for_first is None else super()._next()

    def _is_first(self, who: Waiting) -> bool:
        return bool(self.first) and who.link == self.first

    def _admit(self, who: Waiting) -> None:
        if self._is_first(who) and self._kept_for_first is None:
            self._line.remove(who)
            self._kept_for_first = who
        else:
            super()._admit(who)
            self._brief_next = not who.is_brief
        self._since[who] = time.monotonic()
        latest = max(self._turns.values(), default=0) + 1
        self._turns.pop(who.link, None)
        self._turns[who.link] = latest
        if len(self._turns) > REMEMBERED:
            del self._turns[next(iter(self._turns))]
