"""Functions for child processes of tests: each does one thing that a child may do."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bnpexplorer.core.child import Channel, limit_time, restrict

PLACE = "tests.tools.in_child:"
NOTE = "NOTE_OF_NUMBER"


def tells(parent: Channel, *told: object) -> None:
    """Tell what it was given, and under which circumstances."""
    seen = {"folder": os.getcwd(), "names": sorted(os.environ), "isolated": sys.flags.isolated}
    parent.send([told, seen])


def echoes(parent: Channel) -> None:
    """Send back whatever comes, and print it too."""
    for message in parent:
        sys.stdout.write("printed, and no answer\n")
        sys.stdout.flush()
        parent.send(message)


def prints(parent: Channel, n_lines: int) -> None:
    """Print more than a pipe holds, and answer then."""
    for i in range(n_lines):
        sys.stderr.write(f"line {i}\n")
    sys.stderr.write("\x1b[31mthe last\n")
    parent.send("printed")


def fails(parent: Channel, *_: object) -> None:
    """End by a mistake, within a message."""
    os.write(parent.outgoing.fileno(), b'"half a mess')
    raise LookupError("what the child says of it")


def dies(*_: object) -> None:
    """End at once, as one that the system kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def notes_its_number(*_: object) -> None:
    """Write the number of the process where a variable says, and hang."""
    Path(os.environ[NOTE]).write_text(f"{os.getpid()}\n")
    time.sleep(3600)


def sleeps(parent: Channel) -> None:
    """Hear nothing any more, as in a call that takes long."""
    parent.send("asleep")
    time.sleep(3600)


def ignores(parent: Channel) -> None:
    """Go on as long as it is let, though it is interrupted."""
    with contextlib.suppress(KeyboardInterrupt):
        sleeps(parent)
    time.sleep(3600)


def tidies(parent: Channel) -> None:
    """End in good order when it is interrupted."""
    try:
        sleeps(parent)
    except KeyboardInterrupt:
        parent.send("tidied up")


def has_its_own(parent: Channel) -> None:
    """Start a process itself, and hang."""
    own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    parent.send(own.pid)
    time.sleep(3600)


def is_greedy(parent: Channel, n_bytes: int, place: str) -> None:
    """Hold more than it may, and write to a file."""
    restrict(n_bytes)
    try:
        Path(place).write_text("more than nothing")
    except OSError:
        parent.send("no file")
    held = bytearray(n_bytes)
    parent.send(len(held))


def takes_long(parent: Channel) -> None:
    """Use the processor for longer than it may."""
    limit_time(1.0)
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(0))
    signal.alarm(100)
    while True:
        sum(range(100_000))
