"""Waiting for events and measuring effort, so that no test depends on how busy the machine is."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

NEVER = 120.0
"""Seconds after which a test gives up: long enough for a machine that is busy with other things."""


def until(holds: Callable[[], object], seconds: float = NEVER) -> None:
    """Wait until `holds()` is true."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def returned(work: Callable[[], T]) -> T:
    """Return or raise what `work` does; fail if it waits for what never comes."""
    found, failed = list[T](), list[BaseException]()

    def done() -> None:
        try:
            found.append(work())
        except BaseException as problem:
            failed.append(problem)

    thread = threading.Thread(target=done, daemon=True)
    thread.start()
    thread.join(NEVER)
    assert not thread.is_alive(), "it waits for what never comes"
    if failed:
        raise failed[0]
    return found[0]


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Within, the calling thread uses fewer seconds of the processor than this."""
    begun = time.thread_time()
    yield
    used = time.thread_time() - begun
    assert used < seconds, f"{used:.2f} s of the processor"


@contextmanager
def children_at_most(seconds: float) -> Iterator[None]:
    """Within, processes of ours that end use fewer seconds of the processor than this."""
    begun = _used_by_children()
    yield
    used = _used_by_children() - begun
    assert used < seconds, f"{used:.2f} s of the processor"


def _used_by_children() -> float:
    if sys.platform == "win32":
        return 0.0
    told = os.times()
    return told.children_user + told.children_system
