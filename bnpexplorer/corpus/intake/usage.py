"""What another process uses: memory, processor time, and what it reads and writes.

When a child is ended: what it may use, and how long it may stand still.

The time of a busy machine is no measure: a file that takes 18 seconds of processor time took 30 of
the clock, and was refused. A child moves while it uses the processor, or reads or writes anything.

How much memory and time one file may take while it is read.
"""

import contextlib
import ctypes
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ...core.environment import MEMORY, bytes_allowed, is_shared, usable_memory, whole_number

SYSTEM = platform.system()
PAUSE = 0.25 if SYSTEM == "Darwin" else 0.02
"""Seconds between two looks. A reader fills at most 3 GB a second; macOS starts `ps` for a look."""
PS = re.compile(r"(\d+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)")
"""`ps -o rss=,time=`: kB, and [[days-]hours:]minutes:seconds."""


@dataclass(frozen=True)
class Usage:
    """What a process has used since its start, and holds."""

    n_bytes: int = 0
    """Bytes of memory that it holds."""
    seconds: float = 0.0
    """Of the processor."""
    moved: int = 0
    """Bytes read and written, from and to whatever; 0 where the system does not tell."""


def usage_of(pid: int) -> Usage:
    """What a process uses; nothing if it has ended, or if the system does not tell."""
    try:
        if SYSTEM == "Windows":
            return _windows(pid)
        if SYSTEM == "Linux":
            return _linux(Path(f"/proc/{pid}"))
        asked = ["ps", "-o", "rss=,time=", "-p", str(pid)]
        return _by_ps(subprocess.run(asked, capture_output=True, text=True).stdout)
    except (OSError, ValueError, IndexError):
        return Usage()


def resident_bytes(pid: int) -> int:
    """Bytes of memory that a process holds; 0 if it has ended, or if the system does not tell."""
    return usage_of(pid).n_bytes


def _linux(about: Path) -> Usage:
    """From proc(5): in `stat`, after the name in brackets, which may hold anything, come the state
    and, at places 11, 12 and 21, ticks for the program, ticks of the system for it, and pages."""
    fields = (about / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    ticks, pages = int(fields[11]) + int(fields[12]), int(fields[21])
    moved = 0
    with contextlib.suppress(OSError):  # some containers keep it to themselves
        lines = (about / "io").read_text("ascii").splitlines()[:2]
        moved = sum(int(line.split()[1]) for line in lines)
    n_bytes, seconds = pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK")
    return Usage(n_bytes, seconds, moved)


def _by_ps(said: str) -> Usage:
    found = PS.search(said)
    if found is None:
        return Usage()
    kilobytes, days, hours, minutes = (int(part or 0) for part in found.groups()[:4])
    seconds = float(found[5].replace(",", "."))
    return Usage(1024 * kilobytes, 60 * (60 * (24 * days + hours) + minutes) + seconds)


class _Counters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of psapi.h."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t),
        ("quota_peak_paged", ctypes.c_size_t),
        ("quota_paged", ctypes.c_size_t),
        ("quota_peak_nonpaged", ctypes.c_size_t),
        ("quota_nonpaged", ctypes.c_size_t),
        ("pagefile", ctypes.c_size_t),
        ("peak_pagefile", ctypes.c_size_t),
    ]


def _windows(pid: int) -> Usage:
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (only there on Windows)
    kernel.OpenProcess.restype = ctypes.c_void_p
    query = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
    handle = ctypes.c_void_p(kernel.OpenProcess(query, False, pid))
    if not handle:
        return Usage()
    counters = _Counters(size=ctypes.sizeof(_Counters))
    kernel.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), counters.size)
    times = [ctypes.c_uint64() for _ in range(4)]  # of its start and end, in the system, its own
    kernel.GetProcessTimes(handle, *map(ctypes.byref, times))
    kernel.CloseHandle(handle)
    seconds = (times[2].value + times[3].value) / 1e7  # of 100 ns each
    return Usage(int(counters.pagefile), seconds)  # all that it asked for, as RLIMIT_DATA counts


STILL = 60.0
"""Seconds of the clock after which a child that does not move is taken to hang."""


class UsageWatch:
    """The watch over one piece of work. It knows neither processes nor the clock: it is told."""

    def __init__(self, seconds: float, n_bytes: int, usage: Usage, now: float) -> None:
        """`seconds`: of the processor, from `usage` on; `n_bytes`: that the child may hold; `now`:
        seconds of any clock that only rises."""
        self._seconds, self._n_bytes, self._begun = seconds, n_bytes, usage
        self._last, self._moved = usage, now

    def verdict(self, now: float, usage: Usage) -> str:
        """Why the child is to be ended, "time", "memory" or "still"; empty as long as it is not."""
        if usage.n_bytes > self._n_bytes:
            return "memory"
        if usage.seconds - self._begun.seconds > self._seconds:
            return "time"
        if (usage.seconds, usage.moved) != (self._last.seconds, self._last.moved):
            self._last, self._moved = usage, now
        return "still" if now - self._moved > STILL else ""

    def used(self, usage: Usage) -> Usage:
        """What this piece of work has used by now, with the memory that is held."""
        return Usage(
            usage.n_bytes,
            max(usage.seconds - self._begun.seconds, 0.0),
            max(usage.moved - self._begun.moved, 0),
        )


MEGABYTES, SHARED_SECONDS = 1500, 30
"""99 MB of newsgroup messages as CSV, about the largest upload, take 0.6 GB and 24 s of the
processor in all; each piece of work has as much."""
ALONE = 3600
"""Seconds on one's own machine, where whoever waits may cancel: the end of what never ends, such as
a token pattern, when nobody looks."""
SERVER, FEWEST = 500, 300
"""Megabytes of the server without its reader, and those with which a reader still reads."""


@dataclass(frozen=True)
class ReadingLimits:
    """What reading one file may take. The clock is no limit: `usage.py` says why."""

    megabytes: int = MEGABYTES
    """In all: four fifths for the child at work, a fifth for what it hands over."""
    seconds: int = SHARED_SECONDS
    """Of the processor, for one piece of work: reading a file, or counting its words."""

    @property
    def at_work(self) -> int:
        """Bytes that the child may hold."""
        return self.megabytes * 2**20 * 4 // 5

    @property
    def handed_over(self) -> int:
        """Bytes that the server may hold of what the child found."""
        return self.megabytes * 2**20 // 5


def reading_limits() -> ReadingLimits:
    """1,500 MB, or less of a small memory, and an hour of processor time, or 30 seconds where many
    people share a server; or what BNPEXPLORER_MEMORY_MB, of which a reader has 300 at least, and
    BNPEXPLORER_READ_SECONDS say.

    Raises ValueError where these are no whole numbers.
    """
    asked, seconds = bytes_allowed(MEMORY), whole_number("BNPEXPLORER_READ_SECONDS", "seconds")
    usual = min(MEGABYTES, usable_memory() // 2**20 - SERVER)
    megabytes = usual if asked is None else asked // 2**20
    if seconds is None:
        seconds = SHARED_SECONDS if is_shared() else ALONE
    return ReadingLimits(max(megabytes, FEWEST), seconds)
