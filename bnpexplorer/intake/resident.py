"""How much memory another process holds, on the three systems."""

import ctypes
import os
import platform
import subprocess
from pathlib import Path

SYSTEM = platform.system()
PAUSE = 0.25 if SYSTEM == "Darwin" else 0.02
"""Seconds between two looks. A reader fills at most 3 GB a second; macOS starts `ps` for a look."""


def resident_bytes(pid: int) -> int:
    """Bytes of memory that a process holds; 0 if it has ended, or if the system does not tell."""
    try:
        if SYSTEM == "Windows":
            return _windows(pid)
        if SYSTEM == "Linux":
            pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        said = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True)
        return 1024 * int(said.stdout or 0)
    except (OSError, ValueError, IndexError):
        return 0


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


def _windows(pid: int) -> int:
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (only there on Windows)
    kernel.OpenProcess.restype = ctypes.c_void_p
    query = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
    handle = ctypes.c_void_p(kernel.OpenProcess(query, False, pid))
    if not handle:
        return 0
    counters = _Counters(size=ctypes.sizeof(_Counters))
    kernel.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), counters.size)
    kernel.CloseHandle(handle)
    return int(counters.pagefile)  # all that it asked for, as RLIMIT_DATA counts
