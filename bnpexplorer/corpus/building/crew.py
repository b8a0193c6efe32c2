"""Processes that work on chunks side by side. What they write does not depend on how many they are,
nor on who does which chunk."""

import contextlib
import errno
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO

from ...core.installation import isolated
from ..corpus import CorpusError
from .facts import BegunOtherwise
from .worker import ANEW, DONE, FAILED, REFUSED

BEGIN = """
from bnpexplorer.corpus.building.worker import main
main(*told)
"""
ALONE = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others reserve memory ahead
    "PYTHONIOENCODING": "utf-8",
}


PATIENCE = 10.0
"""Seconds that processes have to end the chunk that they are at."""
KILLED = 5.0
"""Seconds that one has to be gone that was killed."""


class Crew:
    """Processes that are started when there is work, and end with the `with` block."""

    def __init__(self, home: Path, most: int) -> None:
        self._home, self._most = home, most
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the processes, once there is no more work; one that does not end is killed."""
        processes, self._processes = self._processes, []
        for process in processes:
            _close(process.stdin)
        deadline = time.monotonic() + PATIENCE  # for all: several may wait for one disk
        for process in processes:
            if _ended(process, max(deadline - time.monotonic(), 0.0)):
                _close(process.stdout)  # before that whoever listens there would hold it up

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

        def serve(process: "subprocess.Popen[str]") -> None:
            try:
                while not problems:
                    _asked(process, f"{step} {waiting.get_nowait()}")
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


def _started(home: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        isolated(BEGIN, str(home.absolute())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ALONE},
        text=True,
        encoding="utf-8",
        start_new_session=True,  # Ctrl-C is for who started it
    )


def _asked(process: "subprocess.Popen[str]", what: str) -> None:
    """Have one chunk done. Raises CorpusError, also `BegunOtherwise`, and OSError."""
    assert process.stdin is not None
    assert process.stdout is not None
    answer = ""
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(f"{what}\n")
        process.stdin.flush()
        answer = process.stdout.readline().strip()
    kind, _, rest = answer.partition(" ")
    if kind == DONE:
        return
    if kind in (REFUSED, ANEW):
        raise CorpusError(rest) if kind == REFUSED else BegunOtherwise(rest)
    if kind.isdecimal():
        raise OSError(int(kind) or errno.EIO, os.strerror(int(kind) or errno.EIO), rest)
    why = (
        rest if kind == FAILED else f"it ended with status {process.wait()}, perhaps out of memory"
    )
    raise CorpusError(
        f"A process that counts words failed ({why}); start the same build again, which goes on, "
        "with fewer processes (--threads 1) if memory was short."
    )


def _close(pipe: IO[str] | None) -> None:
    assert pipe is not None
    with contextlib.suppress(BrokenPipeError):
        pipe.close()


def _ended(process: "subprocess.Popen[str]", seconds: float) -> bool:
    """Wait so long for the end of a process, then kill it; whether it is gone."""
    for patience in (seconds, KILLED):
        try:
            process.wait(patience)
            return True
        except subprocess.TimeoutExpired:
            process.kill()
    return False  # it waits for a disk that does not answer, and ends when that does
