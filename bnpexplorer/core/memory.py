"""How much memory the app may take: the machine's, or less where a container has a limit."""

import contextlib
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

from . import control_group

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
    for folder, second in control_group.limits(root, "memory"):
        said = control_group.text(folder / ("memory.max" if second else "memory.limit_in_bytes"))
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
