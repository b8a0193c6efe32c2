"""Progress of long work: the worker counts, and a follower is called or sees a bar."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar


class Bar:
    """A bar, drawn anew in one line five times a second, and only where somebody watches.

    `watched`: whether somebody does; else whether standard error is a terminal.
    """

    def __init__(self, watched: bool = False) -> None:
        self._watched = watched or sys.stderr.isatty()
        self._drawn = -1.0

    def draw(self, share: float, words: str, now: bool = False) -> None:
        """`share` from 0 to 1; `now`: even if it was drawn a moment ago."""
        self.tell(f"[{('#' * int(30 * share)).ljust(30, '.')}] {100 * share:3.0f} %  {words}", now)

    def tell(self, line: str, now: bool = False) -> None:
        """Words alone, where nobody knows the whole."""
        if self._watched and (now or time.monotonic() - self._drawn > 0.2):
            self._drawn = time.monotonic()
            print(f"\r{line[:78]:<78}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the bar as it stands and go to the next line, if anything was drawn."""
        if self._drawn >= 0:
            print(file=sys.stderr)


T = TypeVar("T")
OFTEN = 0.25
"""Seconds between two sentences."""
STRIDE = 64
"""Items between two looks at the clock."""
_followers: list[Callable[[str], None]] = []


def tell_to(follower: Callable[[str], None]) -> None:
    """From now on tell `follower` how far the work of this process is, in words such as
    "1,200 of 60,000 texts"."""
    _followers[:] = [follower]


def say(said: str) -> None:
    """Tell whoever follows what this process is at, where nothing can be counted."""
    for tell in _followers:
        tell(said)


def passing(items: Iterable[T], noun: str, total: int | None = None) -> Iterable[T]:
    """The items; as they pass, whoever follows is told how many have. `noun`: of several."""
    return _passing(items, noun, total) if _followers else items


def _passing(items: Iterable[T], noun: str, total: int | None) -> Iterator[T]:
    of, last = "" if total is None else f" of {total:,}", -math.inf
    for n, item in enumerate(items):
        if n and n % STRIDE == 0 and (now := time.monotonic()) - last > OFTEN:
            last = now
            for tell in _followers:
                tell(f"{n:,}{of} {noun}")
        yield item
