"""Folders and files for one account of the machine alone: what holds people's texts and secrets.

By POSIX permissions; on other systems the user's folders are private by themselves. Files that a
person asks for (`--out`) are not made here and have the permissions of all their files.
"""

import contextlib
import os
import stat
from pathlib import Path

from . import ours


def private_folder(folder: Path) -> Path:
    """The folder, made if it is missing, as are those above it. Raises OSError."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    return folder


def private_file(path: Path) -> Path:
    """The file, empty if it is missing, before other code opens it by name. Raises OSError."""
    path.touch(mode=0o600, exist_ok=True)
    return path


def owner_only(path: str, flags: int) -> int:
    """What `open` takes as its `opener` to make a private file."""
    return os.open(path, flags, 0o600)


def tighten(home: Path) -> None:
    """Close what an earlier version left open to all, as far as it is this account's to close."""
    if os.name != "posix":
        return
    files = list(ours.files_in(home))
    folders = {path.parent for path in files} | {home / name for name in ours.FOLDERS}
    for path in (home.resolve(), *folders, *files):
        _close(path)


def _close(path: Path) -> None:
    # It may be gone meanwhile, another account's, or on a disk that is read-only.
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & 0o700)
