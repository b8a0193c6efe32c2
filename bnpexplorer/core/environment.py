"""Resources of this machine: cores, memory and priority, and numbers in environment variables.

Limits of a container or of a scheduler's job count.
"""

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from math import ceil
from pathlib import Path

THREADS = "BNPEXPLORER_THREADS"
"""The environment variable that says how many threads runs may use together."""
SHARED = "BNPEXPLORER_SHARED"
"""The environment variable that says that many people open one server."""
CLUSTER = "BNPEXPLORER_CLUSTER"
"""The environment variable that names the cluster of the app."""
MEMORY, DISK = "BNPEXPLORER_MEMORY_MB", "BNPEXPLORER_DISK_MB"
"""The environment variables with the megabytes of memory that a run, the reading of a file, and the
texts of all tabs may each take, and with those of disk for saved runs."""
OLD_NAMES = {"BNPEXPLORER_READ_MB": MEMORY, "BNPEXPLORER_TEXTS_MB": MEMORY}
"""Variable of an earlier version -> the one that has its place."""


def is_shared() -> bool:
    """Whether many people open one server, as in a class."""
    return os.environ.get(SHARED, "").strip() not in ("", "0")


def whole_number(name: str, what: str) -> int | None:
    """Return the value of an environment variable, or None if it is not set.

    Raises ValueError if that is no whole number: a limit that was mistyped must not be taken for
    none.
    """
    asked = os.environ.get(name, "").strip()
    if asked and not asked.isdecimal():
        raise ValueError(f"{name} must be a whole number of {what}; got {asked!r}.")
    return int(asked) if asked else None


def bytes_allowed(name: str) -> int | None:
    """Bytes that an environment variable allows in MB; None if it is not set.

    Raises what `whole_number` and `refuse_old_names` raise.
    """
    refuse_old_names()
    asked = whole_number(name, "megabytes")
    return None if asked is None else asked * 2**20


def refuse_old_names() -> None:
    """Raise ValueError, which names the new one, where a variable of an earlier version is set: a
    limit that nobody reads must not be taken for none."""
    for old, new in OLD_NAMES.items():
        if os.environ.get(old, "").strip():
            raise ValueError(f"{old} is called {new} now; set {new} instead.")


def usual_threads() -> int:
    """Threads that the runs of this process use together: what BNPEXPLORER_THREADS says, or else
    one for every core.

    Raises ValueError if it says no whole number, or less than 1.
    """
    asked = whole_number(THREADS, "threads")
    if asked == 0:
        raise ValueError(f"{THREADS} must be 1 or more; got 0. Leave it out for all cores.")
    return usable_cores() if asked is None else asked


def usable_cores(root: Path = Path("/")) -> int:
    """Cores that this process may keep busy: those of the machine, less what its affinity or its
    container (cgroup) leaves out; 1 at least.

    `root`: where the system's folders `proc` and `sys` lie.
    """
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        cores = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):  # Linux
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    # Half a core is one: a thread that is held back now and then is better than a core left idle.
    return max(min([cores, *map(ceil, _quotas(root))]), 1)


def _quotas(root: Path) -> Iterator[float]:
    """Cores that the process's control group, and each above it, may use; none without a limit."""
    for folder, second in limits(root, "cpu"):
        names = ["cpu.max"] if second else ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        yield from _quota(" ".join(text(folder / name) for name in names))


def _quota(limit: str) -> list[float]:
    """`150000 100000` (microseconds in each period) -> 1.5 cores; `max` and -1 are no limit."""
    with contextlib.suppress(ValueError):  # "max"
        quota, period = map(int, limit.split())
        if quota > 0 and period > 0:
            return [quota / period]
    return []


GROUPS = "sys/fs/cgroup"


def limits(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """The folders with the limits of this process's control group and of each above it, and whether
    they are of version 2; none without a control group.

    `root`: where the system's folders `proc` and `sys` lie; `controller`: such as "cpu".
    """
    for line in text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for folder in _upwards(root / GROUPS, path):
                yield folder, True
        elif controller in controllers.split(","):
            for folder in _upwards(root / GROUPS / controllers, path):
                yield folder, False


def _upwards(groups: Path, path: str) -> list[Path]:
    """A group's folder and all above it. In a container `path` may not be there: then its top is
    the container's own."""
    inside = groups / path.strip("/")
    return [folder for folder in (inside, *inside.parents) if folder.is_relative_to(groups)]


def text(path: Path) -> str:
    """The text of a file of the system; empty where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


UNKNOWN = 8 * 2**30
"""Bytes of a machine whose system does not tell."""
TAKEN = 720 * 2**20
"""Bytes of the app, with its reader of files, that compiles its first kernels and learns a sample:
722 MB at most, counted by a control group of Linux; 597 MB where kernels are compiled already."""
LEAST = 2**30
"""Bytes with which the app opens and learns the samples: in a control group of so many it was never
held back."""


def usable_memory(root: Path = Path("/")) -> int:
    """Bytes that this process and those it starts may take together: all of the machine's, or less
    where its control group (a container, a scheduler's job) or one above it has a limit.

    `root`: where the system's folders `proc` and `sys` lie.
    """
    return min([_installed(), *_limits(root)])


def shortage(found: int) -> str:
    """A sentence with the remedy if so many bytes are too few for the app; empty if not."""
    if found >= LEAST:
        return ""
    return (
        f"There are {megabytes(found)} of memory here, and the app takes {megabytes(TAKEN)} to "
        "learn a sample, so that the system may end it amid a run: give its container or machine "
        f"{megabytes(LEAST)} or more, or learn with `bnpexplorer fit`, which takes less."
    )


def megabytes(n_bytes: int) -> str:
    """As a person reads it."""
    return f"{n_bytes / 2**20:,.0f} MB"


def _installed() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system tells in this way
        return _windows() or UNKNOWN


def _limits(root: Path) -> Iterator[int]:
    """Version 1 says that there is none by a number beyond all machines."""
    for folder, second in limits(root, "memory"):
        said = text(folder / ("memory.max" if second else "memory.limit_in_bytes"))
        with contextlib.suppress(ValueError):  # "max", or no such file
            yield int(said)


class _Status(ctypes.Structure):
    """MEMORYSTATUSEX of sysinfoapi.h."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        *((name, ctypes.c_uint64) for name in ("free", "pages", "free_pages", "room", "free_room")),
        ("free_extended", ctypes.c_uint64),
    ]


def _windows() -> int:
    """What Windows has; 0 elsewhere."""
    libraries = getattr(ctypes, "windll", None)
    status = _Status(length=ctypes.sizeof(_Status))
    if libraries is None or not libraries.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 0
    return int(status.total)


BEHIND = 5
"""Steps of niceness: a thread so far behind gets a third of the time of one that it competes with.
40 ms of a page's own work took 456 ms on two busy cores with nothing learning; 662 ms beside two
runs that learned on both cores, and 470 ms beside the same so far behind."""


def niceness() -> int:
    """How far the calling thread stands back; 0 where the system tells of no single thread. A
    thread that it begins stands back as far from then on: none may ever come forward again."""
    if sys.platform != "linux":
        return 0
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def stand_back() -> None:
    """From now on the calling thread, and each that it begins, comes after the others: Linux alone
    knows the priority of a thread; elsewhere nothing is changed."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # a system that forbids it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness() + BEHIND)
