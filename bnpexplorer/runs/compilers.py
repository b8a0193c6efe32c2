"""Kernels compiled by processes of their own, into the cache from which this process loads them.

numba compiles under one lock for a whole process, and slows down all threads beside it. What a
process does for nothing here, since it fails or is killed, is compiled by whoever needs it.
"""

import atexit
import contextlib
import threading
from typing import Any

from ..core.child import ChildProcess
from ..core.environment import TAKEN, usable_cores, usable_memory, usual_threads
from ..core.knob import knobs_of
from ..methods import METHODS
from ..methods.base import Method

COMPILER = "bnpexplorer.runs.compiler:main"
MOST = 2
"""Processes at a time: the first page starts two methods."""
HOLDS = 350 * 2**20
"""Bytes that one may take: 330 MB at most for what the first page starts."""


class Compilers:
    """Processes that compile kernels, each for one method; safe for all threads of a server."""

    def __init__(self) -> None:
        self._processes: set[ChildProcess] = set()
        self.use(0)

    def use(self, most: int) -> None:
        """Let at most so many work at a time; with 0 this process compiles all by itself."""
        self._most, self._places = most, threading.BoundedSemaphore(max(most, 1))

    def compile(self, method: Method) -> None:
        """Have a process compile the kernels of `method`; return when it has ended, well or not."""
        values = values_of(method)
        if self._most and values is not None:
            with self._places, contextlib.suppress(OSError):  # the system starts no process
                self._run(method.name, values)

    def _run(self, name: str, values: dict[str, Any]) -> None:
        with ChildProcess(COMPILER, name, values, behind=True) as process:
            self._processes.add(process)
            process.wait()
            self._processes.discard(process)

    def end(self) -> None:
        """End all processes, amid what they do: numba writes a file under another name first."""
        for process in tuple(self._processes):
            process.kill()


COMPILERS = Compilers()
"""Those of this process."""
atexit.register(COMPILERS.end)


def suitable() -> int:
    """Return how many processes may compile here: none on one core, where they would only take
    turns with the server, and as many as there are threads and memory for."""
    if usable_cores() < 2:
        return 0
    return max(min(MOST, usual_threads(), (usable_memory() - TAKEN) // HOLDS), 0)


def values_of(method: Method) -> dict[str, Any] | None:
    """Return the settings with which `make_method` makes `method` again; None for a method that
    is in no registry."""
    if METHODS.get(method.name) is not type(method):
        return None
    parts = (method.model, method)
    return {name: getattr(part, name) for part in parts for name, _, _ in knobs_of(part)}
