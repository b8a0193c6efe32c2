"""Files that bnpexplorer owns: known by exact names, and readable for one account only.

A person may give us a folder with other files, such as a project with its own `runs/`. Only files
of exactly our names are removed or closed.

Permissions are POSIX; on other systems the user's folders are private. Files that a person asks for
(`--out`) get the permissions of all their files.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("runs", "corpora", "claims", "sweeps", "jobs")
HIDDEN = ".bnpexplorer-gone-"
"""How the name of a run's folder begins while it is being removed; its own name follows."""

_INDEX = r"library(\.(fresh|damaged|before))?\.sqlite3(-wal|-shm|-journal)?"
"""Of earlier versions."""
_NAMES = {
    "*": rf"deleted\.json|library\.lock(-journal)?|{_INDEX}",
    "runs/*/*": r"(texts|origin|standing|fewer)\.zip|row\.json",
    "corpora/*": r"[0-9a-f]{16}-[0-9a-f]{8}\.zip",
    "jobs/*": r"\w{1,40}\.json",
    "claims/*": r".+\.json",
    "sweeps/*": r".+\.json",
}
_UNFINISHED = r"(\.[0-9a-f]{8}\.part)?"
"""As `store.replacing` calls a file that is not complete."""
_OF_A_SYSTEM = r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini"
"""Written by whatever shows a folder; nobody's, and in nobody's way."""
_RUN_ID = re.compile(r"[0-9a-f]{10}")


def files_in(home: Path, place: str = "") -> Iterator[Path]:
    """Our files, complete or not, as far as they can be looked at; `place`: those of one of
    `FOLDERS` only."""
    for where, names in _NAMES.items():
        if where.startswith(place):
            for path in home.glob(where):
                if re.fullmatch(f"({names}){_UNFINISHED}", path.name) and os.path.isfile(path):
                    yield path


def may_go(path: Path) -> bool:
    """Whether what lies in a run's folder is ours or nobody's, and goes with the run."""
    nobodys = re.fullmatch(_OF_A_SYSTEM, path.name) is not None
    return (nobodys or _is_part_of_run(path)) and (path.is_symlink() or not path.is_dir())


def is_left_of_run(folder: Path) -> bool:
    """Whether a folder in `runs` without a row holds what is ours, and nothing else; one without
    anything of ours may be anybody's unless it has such a name as runs get."""
    try:
        inside = list(folder.iterdir())
        named = _RUN_ID.fullmatch(folder.name) is not None
        return all(map(may_go, inside)) and (named or any(map(_is_part_of_run, inside)))
    except OSError:  # gone meanwhile, or closed to us: it is not ours to list or to remove
        return False


def _is_part_of_run(path: Path) -> bool:
    return re.fullmatch(f"({_NAMES['runs/*/*']}){_UNFINISHED}", path.name) is not None


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
    """Open a private file, as the `opener` of `open`."""
    return os.open(path, flags, 0o600)


def tighten(home: Path) -> None:
    """Close what an earlier version left open to all, as far as it is this account's to close."""
    if os.name != "posix":
        return
    files = list(files_in(home))
    folders = {path.parent for path in files} | {home / name for name in FOLDERS}
    for path in (home.resolve(), *folders, *files):
        _close(path)


def _close(path: Path) -> None:
    # It may be gone meanwhile, another account's, or on a disk that is read-only.
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & 0o700)
