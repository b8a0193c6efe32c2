"""The children of this server: at most two at work, and one or two kept warm."""

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from .following import Follower, follower_here
from .process import Child, ReadingFailed
from .usage import ReadingLimits, reading_limits

MOST = 2
"""Children at work at a time: two files of the largest kind fit into 3 GB."""
PATIENCE = 120.0
"""Seconds that others are waited for."""
SLICE = 0.05
"""Seconds between two looks whether whoever waits has given up."""


class Children:
    """Does pieces of work in child processes; safe for all threads of a server."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._places, self._lock = threading.BoundedSemaphore(self._most), threading.Lock()
        self._idle: list[Child] = []
        self._all: set[Child] = set()

    def do(
        self, work: Callable[..., Any], *, at_most: float | None = None, **arguments: Any
    ) -> Any:
        """The result of a function of `work.WORK` with these arguments.

        `at_most`: seconds of the processor, where it should take fewer than a file may. Whoever
        follows this thread (`following.py`) is told how far it is. Raises ReadingFailed.
        """
        limits = reading_limits()
        seconds = limits.seconds if at_most is None else min(at_most, limits.seconds)
        self._wait(follower_here())
        try:
            child = self._take(limits)
            try:
                return child.do(work, seconds, **arguments)
            finally:
                self._give_back(child)
        finally:
            self._places.release()

    def _wait(self, follower: Follower) -> None:
        """Until a place is free. Raises ReadingFailed."""
        if self._places.acquire(blocking=False):
            return
        follower.tell("waiting until other files are read")
        last = time.monotonic() + PATIENCE
        while not self._places.acquire(timeout=SLICE):
            if follower.cancelled:
                raise ReadingFailed("cancelled")
            if time.monotonic() > last:
                raise ReadingFailed("busy")

    def warm(self) -> None:
        """Start a child, unless one waits for work: it takes 1.5 s to import what it reads with."""
        with contextlib.suppress(ReadingFailed):  # whoever has a file to read is told
            child = self._take(reading_limits())
            try:
                child.wait()
            finally:
                self._give_back(child)

    def end(self) -> None:
        """End all children, also those at work."""
        with self._lock:
            there, self._idle = [*self._all], []
            self._all.clear()
        for child in there:
            child.end()

    def begin_anew(self) -> None:
        """In a fork of this process: without its children, and whatever its threads hold."""
        theirs = self._all
        self._begin()
        for child in theirs:
            child.let_go()

    def _take(self, limits: ReadingLimits) -> Child:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.usable and child.limits.megabytes == limits.megabytes:
                    return child
                self._all.discard(child)
                child.end()
            child = Child(limits)
            self._all.add(child)
            return child

    def _give_back(self, child: Child) -> None:
        with self._lock:
            if child in self._all and child.usable:
                self._idle.append(child)
                return
            self._all.discard(child)
        child.end()


CHILDREN = Children()
"""Those of this process."""


@atexit.register
def _end() -> None:
    with contextlib.suppress(OSError):  # the process ends anyway
        CHILDREN.end()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=CHILDREN.begin_anew)
