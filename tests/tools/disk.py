"""A disk that fails: all that Python does to files is seen, and may be refused or be the last.

SQLite writes below Python, whole or not at all by its own promise; what it is asked is seen.
"""

import contextlib
import errno
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator

import pytest

CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

_watching: list[Callable[[str], None]] = []


class Killed(BaseException):
    """The process ends here; nothing of it runs any more."""


def _seen(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
    if writes or event in CHANGES:
        _watching[-1](f"{event} {arguments[0]}")


sys.addaudithook(_seen)


@contextlib.contextmanager
def watched(told: Callable[[str], None]) -> Iterator[None]:
    """`told` hears of every change of a file before it is made, and may raise instead."""

    class Index(sqlite3.Connection):
        """Says what it is about to do to the file."""

        def execute(self, statement, *values):
            if not statement.startswith(("SELECT", "PRAGMA user_version")) and _watching:
                told(f"sqlite {statement.split()[0]}")
            return super().execute(statement, *values)

        def __exit__(self, kind, *rest):
            if kind is None and _watching:
                try:
                    told("sqlite commit")
                except BaseException:
                    self.rollback()
                    raise
            return super().__exit__(kind, *rest)

    fsync, plain = os.fsync, sqlite3.connect

    def connect(path, **options):
        return plain(path, **({} if path == ":memory:" else {"factory": Index}), **options)

    def synced(file):
        told("fsync")
        fsync(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", synced)
        patch.setattr(sqlite3, "connect", connect)
        _watching.append(told)
        try:
            yield
        finally:
            _watching.pop()


class Dies:
    """Ends the process before its change number `after`, and makes no other ever after."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self, what: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed(what)


class Refuses:
    """Refuses changes with this error, each with this probability; of files, those `below`."""

    def __init__(self, error: OSError, chance: float, rng, below: str = "") -> None:
        self.error, self.chance, self.rng, self.refused = error, chance, rng, 0
        self.below = below

    def __call__(self, what: str) -> None:
        if self.below not in what and not what.startswith("sqlite"):
            return
        frees = what.startswith(("os.remove", "os.rmdir"))
        if (frees and self.error.errno == errno.ENOSPC) or self.rng.random() >= self.chance:
            return
        self.refused += 1
        if what.startswith("sqlite"):
            raise sqlite3.OperationalError("database or disk is full")
        raise OSError(self.error.errno, self.error.strerror)
