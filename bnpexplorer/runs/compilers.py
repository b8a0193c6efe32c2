"""Processes that compile kernels into the cache from which this process loads them.

numba compiles under one lock for a whole process, which slows down all other threads. If such a
process fails or is killed, the thread that needs the kernels compiles them.
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
"""Processes at a time, since the first page starts two methods."""
HOLDS = 350 * 2**20
"""Bytes that one process may take; the methods of the first page take 330 MB at most."""


class Compilers:
    """Processes that compile kernels, each for one method; thread-safe."""

    def __init__(self) -> None:
        self._processes: set[ChildProcess] = set()
        self.use(0)

    def use(self, most: int) -> None:
        """Let at most `most` processes work at a time; with 0 this process compiles itself."""
        self._most, self._places = most, threading.BoundedSemaphore(max(most, 1))

    def compile(self, method: Method) -> None:
        """Have a process compile the kernels of `method`; return when it has ended or failed."""
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
        """Kill all processes; the cache stays whole, since numba renames files when complete."""
        for process in tuple(self._processes):
            process.kill()


COMPILERS = Compilers()
"""The compilers of this process."""
atexit.register(COMPILERS.end)


def suitable() -> int:
    """Return how many processes may compile here, by cores, threads and memory; 0 on one core,
    which they would only share with the server."""
    if usable_cores() < 2:
        return 0
    return max(min(MOST, usual_threads(), (usable_memory() - TAKEN) // HOLDS), 0)


def values_of(method: Method) -> dict[str, Any] | None:
    """Return the settings with which `make_method` makes `method` again; None if the method is not
    registered."""
    if METHODS.get(method.name) is not type(method):
        return None
    parts = (method.model, method)
    return {name: getattr(part, name) for part in parts for name, _, _ in knobs_of(part)}
