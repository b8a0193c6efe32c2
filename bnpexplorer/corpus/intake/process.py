"""One child process, and the watch over it while it works."""

import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ...core import store
from ...core.child import ONE_THREAD, ChildProcess
from ...core.faults import is_own, trace_of
from ...core.packing import hints_of
from . import wire
from .child import READY, UNDER_WAY, Answer, Request
from .following import Follower, follower_here
from .usage import PAUSE, STILL, ReadingLimits, UsageWatch, resident_bytes, usage_of

LOG, clock = logging.getLogger(__name__), time.monotonic
TIRED_BYTES, TIRED_FILES = 400 * 2**20, 100
"""A child that holds so much between two pieces of work, or has done so many, is replaced: what a
library kept is let go. A fresh one holds 190 MB."""
CHILD = "bnpexplorer.corpus.intake.child:main"
BEGINNING = 60.0
"""Seconds of the processor in which a child must be ready; it takes 1.5."""
ENDING = 1.0
"""Seconds from the end of its pipes to that of the child, whose status is known only then."""
SAID = 100
"""Letters of what a child says of how far it is."""
KILLED = -9
"""Status of a child that was killed: by a system out of memory, if not by us (POSIX only)."""
NEEDED = ("SYSTEMROOT", "PATH", "LD_LIBRARY_PATH", "TZ", "LANG")
"""What an interpreter may need of the environment; secrets of the server stay there."""


class ReadingFailed(Exception):
    """A child could not do its work: `why` is "memory", "time", "still", "cancelled", "start"
    (`sentence` says what stood in its way), "own" (a mistake of ours, with its traceback in
    `trace`), or what went wrong."""

    def __init__(self, why: str, sentence: str = "", trace: str = "") -> None:
        super().__init__(why)
        self.why, self.sentence, self.trace = why, sentence, trace


class Child:
    """A process that does one piece of work at a time. Not safe for several threads at once."""

    def __init__(self, limits: ReadingLimits) -> None:
        """Raises ReadingFailed where the system starts none."""
        self.limits, self._n_done, self._busy, self._ready = limits, 0, False, False
        self._ended_by_us = False
        self._folder = _own_folder()
        self._tidying = weakref.finalize(self, _tidy, self._folder)
        try:
            self._process = self._started()
        except OSError as problem:
            LOG.warning("A reader could not be started: %s", problem)
            self._tidying()
            raise ReadingFailed("start", problem.strerror or type(problem).__name__) from problem

    def _started(self) -> ChildProcess:
        needed = {name: os.environ[name] for name in NEEDED if name in os.environ}
        return ChildProcess(
            CHILD,
            self.limits.at_work,
            folder=self._folder or os.path.abspath(os.sep),
            environment=needed | ONE_THREAD,
        )

    @property
    def usable(self) -> bool:
        """Whether it waits for work and is not tired."""
        return (
            not self._busy
            and self._process.poll() is None
            and self._n_done < TIRED_FILES
            and resident_bytes(self._process.pid) < TIRED_BYTES
        )

    def wait(self) -> None:
        """Until it has imported what it reads with. Raises ReadingFailed."""
        if self._ready:
            return
        follower_here().tell("starting the reader")
        self._busy = True  # of no use to the next one if this is interrupted half-way
        try:
            with self._watched(BEGINNING, follower_here()):
                tree, _ = wire.receive(self._process.channel.incoming, wire.TREE)
                if tree["value"] != READY:
                    raise ValueError("no child of ours")
        except ReadingFailed as problem:
            if problem.why in ("memory", "cancelled"):
                raise
            late = {
                "time": f"it took more than {BEGINNING:g} seconds of processor time",
                "still": f"it stood still for {STILL:g} seconds",
            }
            raise ReadingFailed("start", late.get(problem.why, "it ended at once")) from problem
        self._busy, self._ready = False, True

    def do(self, work: Callable[..., Any], seconds: float, **arguments: Any) -> Any:
        """The result of a function of `work.WORK`, within so many seconds of the processor. Raises
        ReadingFailed; unless a reader refused its file, the child is of no use after it."""
        kind, follower = hints_of(work)["return"], follower_here()
        request = Request(work.__name__, seconds, self.limits.handed_over)
        channel = self._process.channel
        self.wait()
        self._busy = True
        with self._watched(seconds, follower):
            wire.send(channel.outgoing, [request, arguments])
            found, answer = None, Answer(UNDER_WAY)
            while answer.ended == UNDER_WAY:
                follower.tell(answer.sentence[:SAID])
                most = self.limits.handed_over + wire.TREE
                tree, arrays = wire.receive(channel.incoming, most)
                answer = store.unpack(Answer, tree["value"][0], arrays)
            if answer.ended == "well":
                found = store.unpack(kind, tree["value"][1], arrays)
        self._busy, self._n_done = False, self._n_done + 1
        if answer.ended != "well":
            if answer.ended == "failed":
                LOG.warning("A reader failed:\n%s", answer.trace)
            raise ReadingFailed(answer.ended, answer.sentence, answer.trace)
        return found

    @contextlib.contextmanager
    def _watched(self, seconds: float, follower: Follower) -> Iterator[None]:
        """End the child if it takes too much, stands still, or is cancelled. Raises ReadingFailed
        if it has ended, or says what is no answer."""
        over, why = threading.Event(), ["died"]
        watch = threading.Thread(
            target=self._watch,
            args=(over, why, seconds, follower),
            daemon=True,
            name="watch over a reader",
        )
        watch.start()
        try:
            yield
        except (EOFError, OSError, LookupError, ValueError, TypeError) as problem:
            over.set()
            watch.join()
            if isinstance(problem, (EOFError, OSError)):
                with contextlib.suppress(subprocess.TimeoutExpired):  # then it is ended below
                    self._process.wait(ENDING)
            self.end()
            if why[0] == "died":
                status = self._process.returncode
                printed = self._process.printed()
                LOG.warning("A reader ended (status %s): %r\n%s", status, problem, printed)
                if status == KILLED and not self._ended_by_us:
                    why[0] = "memory"
            if why[0] == "died" and is_own(problem):
                raise ReadingFailed("own", store.short(problem), trace_of(problem)) from problem
            raise ReadingFailed(why[0]) from problem
        finally:
            over.set()
            if self._busy and sys.exc_info()[0] not in (None, ReadingFailed):
                self.end()  # Ctrl-C

    def _watch(
        self, over: threading.Event, why: list[str], seconds: float, follower: Follower
    ) -> None:
        pid = self._process.pid
        watch = UsageWatch(seconds, self.limits.at_work, usage_of(pid), clock())
        while not over.wait(PAUSE):
            usage = usage_of(pid)
            follower.look(watch.used(usage))
            verdict = "cancelled" if follower.cancelled else watch.verdict(clock(), usage)
            if verdict:
                why[0] = verdict
                self._kill()
                return

    def end(self) -> None:
        """End the process, whatever it does, and what it has started."""
        self._kill()
        self._process.end()
        self._tidying()

    def let_go(self) -> None:
        """In a fork of its server: forget it, as it works for the server and not for the fork."""
        self._process.let_go()
        self._tidying.detach()

    def _kill(self) -> None:
        if self._process.poll() is None:
            self._ended_by_us = True
            self._process.kill()


def _own_folder() -> str:
    """A new temporary folder to work in; empty where none can be made: a child writes nothing."""
    try:
        return tempfile.mkdtemp()
    except OSError as problem:
        LOG.warning("A reader has no folder of its own: %s", problem)
        return ""


def _tidy(folder: str) -> None:
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
