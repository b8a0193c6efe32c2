"""Who computes a step: this thread alone, threads of this machine, or processes elsewhere.

Numbers never depend on it: work is cut by what it works on, and sums are added in a fixed order.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from ..core.display import plural
from ..core.environment import niceness
from ..core.faults import NotNow
from ..corpus.corpus import Batch

R = TypeVar("R")
T = TypeVar("T")
Pieces = Sequence[tuple[Any, ...]]

RANGES_EACH = 4
"""Ranges of `here` for every thread: what one finishes early, another takes over."""
MOST_HELPERS = 1024
"""Threads that help at once; there are never more than are wanted at one moment."""


class PoolLost(NotNow):
    """Nobody is there to compute the next step."""


class Pool(Protocol):
    """Computes the parts of a step, several at once. A method that gets none computes them itself,
    in turn, by `here` and `each` of this module."""

    @property
    def n_workers(self) -> int:
        """Parts that are computed at once."""
        ...

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        """`work(start, stop)` over ranges that cover 0 to `n`, on this machine.

        It writes into arrays that all ranges share, each place by one range alone, so that it makes
        no difference where a range begins. Mostly a kernel, which holds no lock of Python's.
        """
        ...

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        """`work(*piece, given)` of every piece, in their order; perhaps in other processes.

        `work` is a function of a module and changes nothing that it is given. Pieces, what all
        share (`given`) and results are tuples of arrays and plain numbers, which can be sent.
        """
        ...


class Driver(Protocol):
    """Lets the processes of a remote pool drive the runs or trials of a job, each as a whole."""

    def prepare(self) -> None:
        """Let them make the states that are missing."""
        ...

    def step(self) -> None:
        """Let all learn for some seconds. Raises NotNow."""
        ...

    def begin_anew(self) -> None:
        """Forget what was under way: the job has gone on without it."""
        ...


class RemotePool(Pool):
    """A pool whose processes have memory of their own, such as the workers of a cluster: what
    `each` needs is cut up and sent."""

    notes: Mapping[str, Sequence[str]] = MappingProxyType({})
    """What to know of its processes, in sentences that name no machine -> those it holds for."""

    @property
    def where(self) -> str:
        """As "at HOST", for whoever runs the cluster."""
        return "elsewhere"

    @property
    def in_words(self) -> str:
        """As "4 workers"."""
        return plural(self.n_workers, "worker")

    @property
    def n_alike(self) -> int:
        """Trials measured in seconds that it drives at once."""
        return self.n_workers

    def ready(self) -> None:
        """Before a step, while nothing is half done. Raises PoolLost if nobody can compute it."""

    def reads(self, batch: Batch, again: bool) -> None:
        """After `ready`, by the thread that takes the step: what the step works on. `again`: in
        every pass the same documents make up a batch. Processes may have them, or read them, and
        need not be sent what they have."""

    def driver_of(self, job: Any) -> Driver | None:
        """Return what drives the runs of a race or of chains, or the trials of a study; None where
        all processes are to compute each step."""
        return None


class Helpers:
    """Threads that take pieces off whoever computes; begun when they are first wanted.

    They stand back as far as whoever they help: a thread has the priority of the one that began it,
    and may not come forward again, so that runs of the app and its pages have helpers apart.
    """

    def __init__(self) -> None:
        self._threads: dict[int, ThreadPoolExecutor] = {}
        """How far they stand back -> the threads that do."""
        self._beginning = threading.Lock()

    def here(self, n_workers: int, work: Callable[[int, int], object], n: int) -> None:
        """As `Pool.here`, by the calling thread and `n_workers` - 1 helpers."""
        n_ranges = min(RANGES_EACH * n_workers, n)
        edges = [i * n // n_ranges for i in range(n_ranges + 1)] if n_ranges else []
        self.each(n_workers, work, list(pairwise(edges)))

    def each(self, n_workers: int, work: Callable[..., R], pieces: Pieces) -> list[R]:
        """`work(*piece)` of every piece, in their order, by the calling thread and `n_workers` - 1
        helpers.

        The caller computes too, so that so many cores are busy and not one more, and so that it
        ends however busy the helpers are, and also when the process ends and there are none left.
        """
        left, found = deque(enumerate(pieces)), dict[int, R]()

        def take() -> None:
            try:
                while (turn := _first(left)) is not None:
                    found[turn[0]] = work(*turn[1])
            except BaseException:
                left.clear()  # nobody needs the rest
                raise

        helpers = self._ask(min(n_workers, len(pieces)) - 1, take)
        try:
            take()
        finally:  # they write into arrays that the caller goes on with
            under_way = [helper for helper in helpers if not helper.cancel()]
            wait(under_way)
        for helper in under_way:
            helper.result()
        return [found[place] for place in range(len(pieces))]

    def _ask(self, n: int, take: Callable[[], None]) -> list[Future[None]]:
        helpers: list[Future[None]] = []
        if n < 1:
            return helpers
        threads = self._threads_of(niceness())
        with suppress(RuntimeError):  # closed, or the process ends
            for _ in range(n):
                helpers.append(threads.submit(take))
        return helpers

    def _threads_of(self, back: int) -> ThreadPoolExecutor:
        with self._beginning:
            if back not in self._threads:
                self._threads[back] = ThreadPoolExecutor(MOST_HELPERS, "bnpexplorer-step")
            return self._threads[back]

    def close(self) -> None:
        """Let the threads end; waits for what is under way."""
        for threads in list(self._threads.values()):
            threads.shutdown()


def _first(left: deque[T]) -> T | None:
    """The first of what is left, which is nobody else's from now on; None if nothing is."""
    try:
        return left.popleft()
    except IndexError:
        return None


class Threads:
    """So many threads of this machine, the one that asks among them; to be closed, or used by
    `with`."""

    def __init__(self, n_workers: int) -> None:
        if n_workers < 1:
            raise ValueError(f"The number of threads must be at least 1; got {n_workers}.")
        self._n_workers, self._helpers = n_workers, Helpers()

    @property
    def n_workers(self) -> int:
        return self._n_workers

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        self._helpers.here(self._n_workers, work, n)

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        return self._helpers.each(self._n_workers, work, [(*piece, given) for piece in pieces])

    def close(self) -> None:
        """Let the threads end; waits for what is under way."""
        self._helpers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_place(pool: Pool | None) -> bool:
    """Whether all that is computed may read and write the arrays of this process."""
    return not isinstance(pool, RemotePool)


def here(pool: Pool | None, work: Callable[[int, int], object], n: int) -> None:
    """`Pool.here`; without a pool all at once."""
    if pool is None or pool.n_workers == 1:
        work(0, n)
    else:
        pool.here(work, n)


def mapped(pool: Pool | None, work: Callable[..., R], *items: Sequence[Any]) -> list[R]:
    """As the built-in `map`, over sequences of one length, by `here`: what is worked out may be of
    any kind and is not sent, and work may write into arrays, as there."""
    pieces, found = list(zip(*items, strict=True)), dict[int, R]()

    def some(start: int, stop: int) -> None:
        for i in range(start, stop):
            found[i] = work(*pieces[i])

    here(pool, some, len(pieces))
    return [found[i] for i in range(len(pieces))]


def each(pool: Pool | None, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
    """`Pool.each`; without a pool one after another."""
    if pool is None:
        return [work(*piece, given) for piece in pieces]
    return pool.each(work, pieces, given)


def joined(
    pool: Pool | None, work: Callable[..., tuple[Any, ...]], pieces: Pieces, given: Any
) -> list[npt.NDArray[Any]]:
    """The results of `each`, which are tuples of arrays: each array joined with those in its place
    in the others, such as float64 (S, K) of all documents from float64 (S_i, K) of slices."""
    found = each(pool, work, pieces, given)
    return [np.concatenate(those) for those in zip(*found, strict=True)]
