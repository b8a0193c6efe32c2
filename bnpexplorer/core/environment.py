"""Numbers that environment variables set, and cores that the system gives."""

import contextlib
import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path

from . import control_group

THREADS = "BNPEXPLORER_THREADS"
"""The environment variable that says how many threads runs may use together."""
SHARED = "BNPEXPLORER_SHARED"
"""The environment variable that says that many people open one server."""


def is_shared() -> bool:
    """Whether many people open one server, as in a class: what it has is shared out among them."""
    return os.environ.get(SHARED, "").strip() not in ("", "0")


def whole_number(name: str, what: str) -> int | None:
    """What an environment variable says; None if it is not set.

    Raises ValueError if that is no whole number: a limit that was mistyped must not be taken for
    none.
    """
    asked = os.environ.get(name, "").strip()
    if asked and not asked.isdecimal():
        raise ValueError(f"{name} must be a whole number of {what}; got {asked!r}.")
    return int(asked) if asked else None


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
    for folder, second in control_group.limits(root, "cpu"):
        names = ["cpu.max"] if second else ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        yield from _quota(" ".join(control_group.text(folder / name) for name in names))


def _quota(limit: str) -> list[float]:
    """`150000 100000` (microseconds in each period) -> 1.5 cores; `max` and -1 are no limit."""
    with contextlib.suppress(ValueError):
        quota, period = map(int, limit.split())
        if quota > 0 and period > 0:
            return [quota / period]
    return []
