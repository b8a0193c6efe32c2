"""Processes that work on chunks side by side. What they write does not depend on how many they are,
nor on who does which chunk."""

import errno
import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from ...core.child import ONE_THREAD, ChildProcess, end_all
from ...corpus.corpus import CorpusError
from .facts import BegunOtherwise
from .worker import ANEW, DISK, DONE, FAILED, REFUSED

LOG = logging.getLogger(__name__)
WORKER = "bnpexplorer.plugins.building.worker:main"
PATIENCE = 10.0
"""Seconds that processes have to end the chunk that they are at, all together: several may wait for
one disk."""


class Crew:
    """Processes that are started when there is work, and end with the `with` block."""

    def __init__(self, home: Path, most: int) -> None:
        self._home, self._most = home, most
        self._processes: list[ChildProcess] = []

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the processes, once there is no more work; one that does not end is killed."""
        processes, self._processes = self._processes, []
        end_all(processes, PATIENCE)

    def work_on(self, step: str, chunks: Iterable[int], done: Callable[[], None]) -> None:
        """Have the processes do a step, whose task is in their folder, for these chunks; `done` is
        called after each, by one thread at a time.

        Raises what a process met first: CorpusError, or OSError where it could not write.
        """
        waiting = SimpleQueue[int]()
        for chunk in chunks:
            waiting.put(chunk)
        n = min(self._most, waiting.qsize())
        while len(self._processes) < n:
            self._processes.append(_started(self._home))
        problems: list[Exception] = []
        lock = threading.Lock()

        def serve(process: ChildProcess) -> None:
            try:
                while not problems:
                    _asked(process, step, waiting.get_nowait())
                    with lock:
                        done()
            except Empty:
                return
            except Exception as problem:  # raised again by who waits for all
                problems.append(problem)

        threads = [
            threading.Thread(target=serve, args=(process,), daemon=True)
            for process in self._processes[:n]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise problems[0]


def _started(home: Path) -> ChildProcess:
    environment = os.environ | ONE_THREAD
    return ChildProcess(WORKER, str(home.absolute()), grace=PATIENCE, environment=environment)


def _asked(process: ChildProcess, step: str, chunk: int) -> None:
    """Have one chunk done. Raises CorpusError, also `BegunOtherwise`, and OSError."""
    match _answer(process, step, chunk):
        case [kind] if kind == DONE:
            return
        case [kind, sentence] if kind == REFUSED:
            raise CorpusError(sentence)
        case [kind, sentence] if kind == ANEW:
            raise BegunOtherwise(sentence)
        case [kind, number, place] if kind == DISK:
            raise OSError(number or errno.EIO, os.strerror(number or errno.EIO), place)
        case [_, why]:
            raise CorpusError(
                f"A process that counts words failed ({why}); start the same build again, which "
                "goes on, with fewer processes (--threads 1) if memory was short."
            )


def _answer(process: ChildProcess, step: str, chunk: int) -> list[Any]:
    """Ask for a chunk; return what the process answers, or how it has ended."""
    try:
        process.channel.send([step, chunk])
        answer: list[Any] = process.channel.receive()
        return answer
    except (EOFError, OSError):
        status = process.wait()
        LOG.warning("A process that counts words ended:\n%s", process.printed())
        return [FAILED, f"it ended with status {status}, perhaps out of memory"]
