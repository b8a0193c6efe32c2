"""Python processes of our own: how one is started, talked to, limited and ended.

Open this file to start a process that calls a function of this package (`ChildProcess`), or to
write such a function: its first argument is a `Channel` to the process that started it.
"""

import contextlib
import ctypes
import importlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import IO, Any, TypeVar

from .installation import PACKAGE

BEGIN = """
import json, sys
sys.path[:], *told = json.loads(sys.stdin.buffer.readline())
from bnpexplorer.core.child import begin
begin(sys.argv[1], *told)
"""
ONE_THREAD = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others reserve memory ahead
}
"""Environment variables that keep libraries at one thread, for children that work side by side."""
KILLED = 5.0
"""Seconds in which children that were killed must be gone."""
KEPT = 4000
"""Bytes that are kept of the end of what a child prints."""
MOMENT = 1.0
"""Seconds from the end of a child to the last of what it printed."""
PAUSE = 0.5
"""Seconds between two looks for the parent, where the system does not wake who waits for that."""
SMALL_STACK = 2**18
"""Bytes of the stack of a thread that only waits. The usual 8 MB count as memory of the child."""


class Channel:
    """The pipes between two processes: messages of one line of JSON, or bytes of any other form."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self.incoming, self.outgoing = incoming, outgoing

    def send(self, value: Any) -> None:
        """Send what JSON can carry. Raises OSError if the other process has ended."""
        self.outgoing.write(json.dumps(value).encode() + b"\n")
        self.outgoing.flush()

    def receive(self) -> Any:
        """Return the next message. Raises EOFError if the other process has ended."""
        line = self.incoming.readline()
        if not line.endswith(b"\n"):  # it may have ended within a line
            raise EOFError
        return json.loads(line)

    def __iter__(self) -> Iterator[Any]:
        """Yield all messages until the other process has ended or hung up."""
        with contextlib.suppress(EOFError):  # no more will come
            while True:
                yield self.receive()


class ChildProcess(subprocess.Popen[bytes]):
    """A Python process that calls one function, and ends when this process does.

    Its interpreter is isolated (-I): neither the folder where it starts nor variables of Python
    decide what it imports. It looks where this one does, and last beside this package.
    """

    def __init__(
        self,
        work: str,
        *told: object,
        grace: float = 0.0,
        interrupted: bool = False,
        behind: bool = False,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start a process that calls `work`, as `package.module:function`, with a `Channel` and
        with `told`, values that JSON can carry.

        When this process hangs up or ends, the child ends `grace` seconds later by itself. With
        `interrupted`, KeyboardInterrupt is raised in its main thread first. `behind`: it may stand
        back for this process, in whose session it stays: Linux shares the processor out among
        sessions first, and priority counts only within one. Raises OSError if the system starts
        no process.
        """
        super().__init__(
            [sys.executable or "python3", "-I", "-c", BEGIN, work],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=not behind,
            process_group=0 if behind else None,  # in either, Ctrl-C is for its parent alone
        )
        assert self.stdin is not None
        assert self.stdout is not None
        assert self.stderr is not None
        self.channel = Channel(self.stdout, self.stdin)
        self._errors, self.stderr = self.stderr, None  # its thread alone closes it
        self._printed = bytearray()
        self._listener = threading.Thread(
            target=_listen, args=(self._errors, self._printed), daemon=True, name="a child's errors"
        )
        self._listener.start()
        paths = [os.path.abspath(path) for path in sys.path if path]
        with contextlib.suppress(OSError):  # it has ended, as whoever waits for an answer finds
            self.channel.send([[*paths, str(PACKAGE.parent)], grace, interrupted, told])

    def printed(self) -> str:
        """Return the end of what it printed; all of it has come once the child has ended."""
        self._listener.join(MOMENT)
        said = bytes(self._printed).decode("utf-8", "replace").strip()
        return "".join(c if c.isprintable() or c == "\n" else "?" for c in said)

    def hang_up(self) -> None:
        """Send no more: the child ends in good order, and may answer until then."""
        with contextlib.suppress(OSError):  # what was not written yet has no reader
            self.channel.outgoing.close()

    def kill(self) -> None:
        """Kill it with all processes of its group, which are those that it has started."""
        if os.name != "posix":
            super().kill()
        elif self.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended
                os.killpg(self.pid, signal.SIGKILL)

    def end(self, seconds: float = 0.0) -> bool:
        """End it as `end_all` does; return whether it is gone."""
        return not end_all([self], seconds)

    def let_go(self) -> None:
        """Forget it, in a fork of this process: it works for this process and not for the fork."""
        for pipe in (self.channel.outgoing, self.channel.incoming, self._errors):
            # Without what this process was about to write when it was forked.
            typing.cast(io.BufferedWriter, pipe).raw.close()


P = TypeVar("P", bound=subprocess.Popen[bytes])


def end_all(children: Collection[ChildProcess], seconds: float) -> list[ChildProcess]:
    """Hang up on all children, and kill those that have not ended after so many seconds together.

    Return those that do not even end then: they wait for a disk, and end when that answers.
    """
    for child in children:
        child.hang_up()
    hanging = not_ended(children, seconds)
    for child in hanging:
        child.kill()
    left = not_ended(hanging, KILLED)
    for child in children:
        if child not in left:  # closing waits for a thread that listens to a living child
            child.channel.incoming.close()
    return left


def not_ended(processes: Iterable[P], seconds: float) -> list[P]:
    """Wait for the end of processes, so many seconds in all; return those that have not ended."""
    deadline, left = time.monotonic() + seconds, []
    for process in processes:
        try:
            process.wait(max(deadline - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            left.append(process)
    return left


def _listen(errors: IO[bytes], printed: bytearray) -> None:
    """Keep the end of a child's output; reading never makes the child wait."""
    with errors:
        while piece := os.read(errors.fileno(), 2**16):
            printed += piece
            del printed[:-KEPT]


# ---- in the child --------------------------------------------------------------------------------


def begin(work: str, grace: float, interrupted: bool, told: list[Any]) -> None:
    """Call `work` in this process, which `ChildProcess` has started with these arguments."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    if interrupted:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # off in a background process
    usual = threading.stack_size(SMALL_STACK)
    threading.Thread(target=_end_with_parent, args=(grace, interrupted), daemon=True).start()
    threading.stack_size(usual)
    module, _, name = work.partition(":")
    getattr(importlib.import_module(module), name)(Channel(sys.stdin.buffer, answers), *told)


def _end_with_parent(grace: float, interrupted: bool) -> None:
    """Wait until the parent hangs up or is gone, and end this process."""
    _until_hung_up()
    if interrupted and (main := threading.main_thread().ident) is not None:
        if not hasattr(signal, "pthread_kill"):  # nothing ends a waiting thread on Windows
            os._exit(1)
        signal.pthread_kill(main, signal.SIGINT)
    time.sleep(grace)
    if hasattr(os, "killpg"):  # with what it has started
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _until_hung_up() -> None:
    """Wait for the end of the standard input, without reading what may lie in it."""
    if sys.platform == "win32":
        import msvcrt

        pipe = ctypes.c_void_p(msvcrt.get_osfhandle(0))
        while ctypes.windll.kernel32.PeekNamedPipe(pipe, None, 0, None, None, None):
            time.sleep(PAUSE)
        return
    watch = select.poll()
    watch.register(0, select.POLLHUP)
    while not watch.poll():  # macOS returns nothing when a message comes
        time.sleep(PAUSE)


def restrict(n_bytes: int) -> None:
    """Let this process hold so many bytes of memory, and write no file.

    POSIX only; elsewhere, and where the system ignores it (macOS), its parent must watch it.
    """
    try:
        import resource
    except ImportError:
        return
    for kind, value in (
        (resource.RLIMIT_DATA, n_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some
            resource.setrlimit(kind, (value, value))


def limit_time(seconds: float) -> None:
    """Let this process use so many more seconds of the processor; POSIX only."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    last = int(used.ru_utime + used.ru_stime + seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (last, hard))
