"""The threads of this process, shared out between all that compute in it.

One object serves app, command line and scripts: runs under way each get their share, which changes
as others begin and end.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from math import inf
from typing import Any, TypeVar

from ..core.environment import usable_cores, usual_threads
from .pool import Helpers, Pieces, Pool

R = TypeVar("R")

LINGERS = 1.0
"""Seconds after a step for which a run counts as under way. Between two steps it publishes what it
has learned, within 50 ms; without this the others would take its cores and give them back each
time."""


class Cores:
    """A pool of `n` threads, from which whoever computes gets a share.

    Who computes is a thread: runs that one thread steps in turn (chains, races, sweeps) each have
    its whole share. Two threads on 4 cores get 2 each, three 2, 1 and 1, and nobody less than 1.
    """

    def __init__(self, n: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.use(n)
        self.begin_anew()

    def begin_anew(self) -> None:
        """In a fork of this process: without the threads of the other, and whatever they hold."""
        self._helpers = Helpers()
        self._lock = threading.Lock()
        self._under_way: dict[int, float] = {}
        """Thread -> until when it counts; in the order in which they began."""

    def use(self, n: int) -> None:
        """From now on `n` threads. Raises ValueError for less than 1."""
        if n < 1:
            raise ValueError(f"The number of threads must be at least 1; got {n}.")
        self.n = n

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The calling thread computes; it has a share, also where one thread is all it uses."""
        me = threading.get_ident()
        with self._lock:
            before = self._under_way.get(me, 0.0)
            if before < self._clock():
                self._under_way.pop(me, None)  # it begins anew, as the last
            self._under_way[me] = inf
        try:
            yield
        finally:
            with self._lock:
                self._under_way[me] = inf if before == inf else self._clock() + LINGERS

    @property
    def n_workers(self) -> int:
        """The share of the calling thread."""
        me = threading.get_ident()
        with self._lock:
            now = self._clock()
            counted = [t for t, until in self._under_way.items() if until >= now]
            self._under_way = {t: self._under_way[t] for t in counted}
        if me not in counted:
            counted.append(me)
        share, left = divmod(self.n, len(counted))
        return max(share + (counted.index(me) < left), 1)

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        with self.at_work():
            self._helpers.here(self.n_workers, work, n)

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        with self.at_work():
            return self._helpers.each(self.n_workers, work, [(*piece, given) for piece in pieces])


@cache
def cores() -> Cores:
    """Those of this process, as many as `usual_threads` says. Raises what that does."""
    made = Cores(usual_threads())
    if hasattr(os, "register_at_fork"):  # Windows has no forks
        os.register_at_fork(after_in_child=made.begin_anew)
    return made


_USUAL: list[Pool] = []


def usual_pool() -> Pool:
    """Return the pool of runs that are given none: this machine's cores, or that of
    `use_everywhere`."""
    return _USUAL[-1] if _USUAL else cores()


def use_everywhere(pool: Pool | None) -> None:
    """From now on the pool of runs that begin in this process and are given none; None: its cores
    again."""
    _USUAL[:] = [] if pool is None else [pool]


def at_work(pool: Pool | None) -> AbstractContextManager[None]:
    """While this lasts, the calling thread counts among those that share a pool's cores."""
    return pool.at_work() if isinstance(pool, Cores) else nullcontext()


def too_many(n: int) -> str:
    """In a sentence, what so many threads mean for this machine; empty if it has as many cores."""
    there = usable_cores()
    if n <= there:
        return ""
    has = "1 core" if there == 1 else f"{there:,} cores"
    return f"{n:,} threads take turns on {has}: they learn no faster than {there:,}."
