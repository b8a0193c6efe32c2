"""Who computes a step: this thread alone, threads of this machine, or processes elsewhere.

Numbers never depend on it: work is cut by what it works on, and sums are added in a fixed order.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Protocol, Self, TypeVar

import numpy as np

R = TypeVar("R")
Pieces = Sequence[tuple[Any, ...]]

MOST_RANGES = 8
"""Ranges of `here`: what one thread finishes early, another takes over."""


class Pool(Protocol):
    """Computes the parts of a step, several at once. A method that gets none computes them itself,
    in turn, by `here` and `each` of this module."""

    @property
    def n_workers(self) -> int:
        """Parts that are computed at once."""
        ...

    @property
    def shares_memory(self) -> bool:
        """Whether `each` computes in this process, which then need not cut up what it reads."""
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


class Threads:
    """So many threads of this machine; to be closed, or used by `with`."""

    shares_memory = True

    def __init__(self, n_workers: int) -> None:
        if n_workers < 1:
            raise ValueError(f"The number of threads must be at least 1; got {n_workers}.")
        self._n_workers = n_workers
        self._threads = ThreadPoolExecutor(n_workers, "bnpexplorer-step")

    @property
    def n_workers(self) -> int:
        return self._n_workers

    def here(self, work: Callable[[int, int], object], n: int) -> None:
        edges = np.linspace(0, n, min(MOST_RANGES, n) + 1).astype(int).tolist()
        list(self._threads.map(lambda piece: work(*piece), pairwise(edges)))

    def each(self, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
        return list(self._threads.map(lambda piece: work(*piece, given), pieces))

    def close(self) -> None:
        """Let the threads end; waits for what is under way."""
        self._threads.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_place(pool: Pool | None) -> bool:
    """Whether all that is computed may read and write the arrays of this process."""
    return pool is None or pool.shares_memory


def here(pool: Pool | None, work: Callable[[int, int], object], n: int) -> None:
    """`Pool.here`; without a pool all at once."""
    if pool is None or pool.n_workers == 1:
        work(0, n)
    else:
        pool.here(work, n)


def each(pool: Pool | None, work: Callable[..., R], pieces: Pieces, given: Any) -> list[R]:
    """`Pool.each`; without a pool one after another."""
    if pool is None:
        return [work(*piece, given) for piece in pieces]
    return pool.each(work, pieces, given)
