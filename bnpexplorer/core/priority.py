"""Threads that stand back for others of the same process."""

import contextlib
import os
import sys
import threading

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
