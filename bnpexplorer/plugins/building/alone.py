"""One build in a folder at a time."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ...corpus.corpus import CorpusError
from ...corpus.readers.source import shown

LOCK = "lock"


@contextlib.contextmanager
def alone(home: Path) -> Iterator[None]:
    """Nobody else builds in the same folder meanwhile. Raises CorpusError if somebody does, and
    OSError.

    The folder is made, and removed if nothing is left in it. The lock is removed at the end; one
    that stands there afterwards, since its holder was killed, keeps nobody out.
    """
    while True:
        try:
            home.mkdir(parents=True, exist_ok=True)
            file = open(home / LOCK, "ab")  # noqa: SIM115
        except (FileExistsError, FileNotFoundError):
            if home.exists() and not home.is_dir():
                raise
            continue  # whoever was there removed the folder in this moment
        with file:
            if not _locked(file):
                raise CorpusError(
                    f"{shown(home)} is being built by another process; wait for it, or end that "
                    "one."
                )
            if not _is_at(file, home / LOCK):  # its last holder removed it: it keeps nobody out
                continue
            try:
                yield
            finally:
                removed = _removed(home)
        if not removed:
            _removed(home)  # Windows: not while it is open
        return


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _removed(home: Path) -> bool:
    """Remove the lock, and the folder where nothing else is in it; False if the lock must be closed
    first."""
    try:
        (home / LOCK).unlink(missing_ok=True)
    except OSError:
        return False
    with contextlib.suppress(OSError):  # work, something of somebody's, or a build that has begun
        home.rmdir()
    return True


def _locked(file: IO[bytes]) -> bool:
    """Whether the lock is ours; the system opens it when this process ends, however it does."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return problem.errno not in (errno.EACCES, errno.EAGAIN)  # some network disks know none
    return True
