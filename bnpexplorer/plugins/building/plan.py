"""What a build is to make, and whether what stands in a folder was begun for the same."""

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ...core import store
from ...core.installation import version
from ...corpus.corpus import CorpusError
from ...corpus.readers.files import texts_in
from ...corpus.readers.source import ReadOptions, refusing, shown
from ...corpus.stored.layout import (
    FIELDS,
    JOURNAL,
    MANIFEST,
    TYPES,
    VOCABULARY,
    is_stored,
    read_manifest,
)
from ...corpus.text import Report
from . import facts
from .alone import LOCK

PLAN, FORMAT = "plan.json", "bnpexplorer-build"
SUFFIX = ".building"
"""Of the folder of what is begun, beside the one of the corpus."""
OWN_FOLDERS = (
    *("records", "dates", "keys", "shuffled", "joined", "passages"),
    *("tokens", "terms", "pairs", "often", "triples", "within"),
    *("words", "counted", "numbered"),
)
_OWN = re.compile(
    r"(plan|records|joining|settled|frequent|phrases|vocabulary|task-\w+)\.json|places\.npy"
    r"|unpacked-\d+|\d{6,}\.(arrow|npz|json)"
)
_UNFINISHED = r"(\.[0-9a-f]{8}\.part)?"
_STORED = re.compile(
    "|".join(map(re.escape, (MANIFEST, JOURNAL, VOCABULARY, *TYPES))) + r"|\d{5,}\.parquet"
)


@dataclass(frozen=True)
class Stamp:
    """A file as it was when the build began."""

    path: str
    size: int
    changed: int
    """Nanoseconds since 1970."""


@dataclass(frozen=True)
class BuildPlan:
    """What is built."""

    files: tuple[Stamp, ...]
    options: dict[str, str]
    """Fields of `ReadOptions`."""
    words: dict[str, Any]
    """Fields of `TextSettings` that are asked for."""
    version: str = ""
    format: str = ""
    """`FORMAT`: by it a plan of ours is known."""

    @property
    def n_bytes(self) -> int:
        return sum(file.size for file in self.files)


def plan_of(inputs: list[Path], options: ReadOptions, words: Mapping[str, Any]) -> BuildPlan:
    """The plan of these files and settings. Raises CorpusError for a file that is not there."""
    files = [stamp for path in inputs for stamp in _stamps(path)]
    chosen = {f.name: str(getattr(options, f.name)) for f in fields(ReadOptions)}
    return BuildPlan(tuple(files), chosen, dict(words), version(), FORMAT)


def _stamps(path: Path) -> Iterator[Stamp]:
    """Of a file, or of all that are read of a folder. Raises CorpusError."""
    for file in read_of(path):
        with refusing(file):
            found = file.stat()
        yield Stamp(str(file.absolute()), found.st_size, found.st_mtime_ns)


def read_of(path: Path) -> list[Path]:
    """The files that are read of an input: of a corpus of ours those with texts, of another folder
    the texts."""
    if is_stored(path):
        return [path / MANIFEST, *sorted((path / FIELDS).glob("*.parquet"))]
    return texts_in(path)[0] if path.is_dir() else [path]


def check_unchanged(path: Path, inputs: list[Path], plan: BuildPlan) -> None:
    """Raise BegunOtherwise, which names the file, if one of the inputs is another than when the
    build began."""
    before = {stamp.path: stamp for stamp in plan.files}
    now = {stamp.path: stamp for stamp in _stamps(path)}
    changed = [name for name, stamp in now.items() if stamp != before.get(name)]
    others = {str(other.absolute()) for other in inputs}
    below = os.path.join(path.absolute(), "")
    gone = [n for n in before if n.startswith(below) and n not in others and n not in now]
    for name in (*changed, *gone):
        raise facts.BegunOtherwise(
            f"{shown(name)} was changed while it was read; see that nothing writes there any "
            "more, and build the corpus again with --force."
        )


def place_of(out: Path) -> Path:
    """The folder `out` by its one name, whatever links lead there, so that two builds of it meet.

    Raises CorpusError where no folder can be.
    """
    try:
        found = out.resolve()
        if found.is_symlink():  # a circle, which Python 3.13 no longer refuses
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    except (OSError, RuntimeError, ValueError) as problem:  # links in a circle, a zero byte
        raise CorpusError(
            f"{shown(out)} names no folder ({store.short(problem)}); give the corpus another name."
        ) from problem
    if not found.name:
        raise CorpusError(
            f"{shown(found)} is the top of all folders, and a corpus needs one of its own; give "
            "it a name."
        )
    return found


def work_folder(out: Path) -> Path:
    """Where what is begun is kept until the corpus is complete."""
    return out.with_name(out.name + SUFFIX)


def is_work(home: Path) -> bool:
    """Whether a folder holds a build of ours that was begun."""
    try:
        found = json.loads((home / PLAN).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT


def check_work(home: Path) -> None:
    """Raise CorpusError where the folder of the work holds what is not ours."""
    if not home.exists() or is_work(home):
        return
    if not home.is_dir() or any(child.name != LOCK for child in home.iterdir()):
        raise CorpusError(
            f"{shown(home)} holds something else, and a build needs a folder of that name; "
            "move it, or give the corpus another name."
        )


def begun(home: Path, plan: BuildPlan, force: bool) -> None:
    """Make the folder of the work, or find there what was begun for the same plan.

    Raises BegunOtherwise where it was begun for another one, which `force` removes.
    """
    if is_work(home):
        why = _difference(facts.read(BuildPlan, home / PLAN), plan)
        if why and not force:
            raise facts.BegunOtherwise(
                f"{shown(home)} holds a build that was begun {why}; give --force to start it anew, "
                "or give the corpus another name."
            )
        if why or force:
            remove_work(home)
    home.mkdir(parents=True, exist_ok=True)
    for folder in OWN_FOLDERS:
        (home / folder).mkdir(exist_ok=True)
    facts.write(home / PLAN, plan)


def _difference(before: BuildPlan | None, now: BuildPlan) -> str:
    """How a plan differs from the one that was begun, in words; empty if it does not."""
    if before is None:
        return "by a plan that can no longer be read"
    if before.version != now.version:
        return f"by version {before.version} of the program"
    old, new = {f.path: f for f in before.files}, {f.path: f for f in now.files}
    for path in [*new, *old]:
        if path not in old or path not in new:
            return f"with other files (one of them is {shown(Path(path).name)})"
        if old[path] != new[path]:
            return f"before {shown(Path(path).name)} was changed"
    if before.files != now.files:
        return "with the same files in another order"
    for given, asked in ((before.options, now.options), (before.words, now.words)):
        for name in sorted({*given, *asked}):
            if given.get(name, "") != asked.get(name, ""):  # earlier versions know fewer
                return f"with another setting of {name}"
    return ""


def as_begun(out: Path, home: Path, as_of: str) -> str:
    """The day as of which the files are read: that of the build that stands in `home` or is
    complete in `out`, so that it goes on the day after; else `as_of`."""
    if is_work(home) and (before := facts.read(BuildPlan, home / PLAN)):
        return before.options.get("as_of", "")
    if (out / MANIFEST).is_file():
        made = read_manifest(out).made.get("plan")
        if isinstance(made, dict) and isinstance(made.get("options"), dict):
            return str(made["options"].get("as_of", ""))
    return as_of


def is_same(made: Any, now: dict[str, Any]) -> bool:
    """Whether a corpus was made of the plan that is now: earlier versions know fewer options."""
    if not isinstance(made, dict) or not isinstance(made.get("options"), dict):
        return bool(made == now)
    usual = dict.fromkeys(now["options"], "")
    return {**made, "options": usual | made["options"]} == now


def remove_work(home: Path) -> None:
    """Remove what a build left in its folder; nothing that is not called as ours is."""
    for folder in (*(home / name for name in OWN_FOLDERS), home):
        _remove(folder, _OWN)


def remove_stored(out: Path) -> None:
    """Remove a corpus of ours, complete or not; nothing that is not called as its files are."""
    _remove(out / FIELDS, _STORED)
    _remove(out, _STORED)


def _remove(folder: Path, own: re.Pattern[str]) -> None:
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in folder.iterdir():
        if re.fullmatch(f"({own.pattern}){_UNFINISHED}", path.name) and path.is_file():
            path.unlink()
    with contextlib.suppress(OSError):  # something of somebody's is there
        folder.rmdir()


@contextlib.contextmanager
def room_for(home: Path) -> Iterator[None]:
    """Raise CorpusError where the disk is full or refuses."""
    try:
        yield
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(home if home.is_dir() else home.parent).free
            raise CorpusError(
                f"There is no room left for {shown(home)} ({free / 1e6:,.0f} MB are free); make "
                "room and start the same build again, which goes on where it ended."
            ) from problem
        where = problem.filename or home
        why = problem.strerror or os.strerror(errno.EIO)
        raise CorpusError(
            f"{shown(where)} cannot be used ({why}); see to it and start the same build again, "
            "which goes on where it ended."
        ) from problem


# ---- what is noted of it in the corpus -----------------------------------------------------------


def made_of(plan: BuildPlan) -> dict[str, Any]:
    """Return the part of a plan that the corpus keeps: no folders of this machine."""
    files = [[shown(Path(file.path).name), file.size, file.changed] for file in plan.files]
    return {"files": files, "options": plan.options, "words": plan.words}


def noted(report: Report, notes: tuple[str, ...], warnings: tuple[str, ...]) -> dict[str, Any]:
    """A report for the manifest of the corpus, without what its arrays tell."""
    ranks, frequencies = report.zipf
    names = ("n_read", "dropped", "removed", "settings", "n_repeated", "reading")
    return {
        **{name: store.pack(getattr(report, name), {}) for name in names},
        "zipf": [ranks.tolist(), frequencies.tolist()],
        "notes": list(notes),
        "warnings": list(warnings),
    }
