"""Which tests a change reaches: the selection behind `python -m pytest --reached [BASE]`."""

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from .graph import METHODS, ROOT, files, modules, reaches, table
from .naming import Part, named_by, reads_sources, words

EVERYTHING = {"pyproject.toml", "requirements.txt", "requirements-dev.txt"}
"""A change of one of these reaches every test."""
FILE_OF_TESTS = re.compile(r"tests/(.+/)?test_[^/]*\.py")


@cache
def changed_since(base: str) -> frozenset[str]:
    """Return the paths of the files that differ from a commit, new ones among them.

    Raises pytest.UsageError if git knows no such commit.
    """
    asked = ["git", "diff", "--name-only", base, "--"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise pytest.UsageError(f"--reached {base}: {done.stderr.strip().splitlines()[-1]}")
    asked = ["git", "ls-files", "--others", "--exclude-standard"]
    new = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    return frozenset(done.stdout.splitlines()) | frozenset(new.stdout.splitlines())


@cache
def files_of_tests() -> tuple[str, ...]:
    """Return the paths of all files that hold tests."""
    return tuple(sorted(p for p in files() if FILE_OF_TESTS.fullmatch(p)))


@dataclass(frozen=True)
class Reach:
    """What a change reaches."""

    changed: frozenset[str]

    def file(self, path: str) -> bool:
        """Whether all tests of a file are reached."""
        return bool(EVERYTHING & self.changed) or not self.changed.isdisjoint(reaches(path))

    @cached_property
    def methods(self) -> frozenset[str]:
        """Names of the methods whose own files, or what these lead to, have changed."""
        places = table(METHODS).items()
        return frozenset(n for n, p in places if not self.changed.isdisjoint(reaches(p)))

    def case(self, item: pytest.Item) -> bool:
        """Whether a test is a case of a changed file or method, or names such a method, or goes
        through the sources of which one has changed."""
        parameters = getattr(item, "callspec", None)
        values = list(parameters.params.values()) if parameters else []
        if not self.changed.isdisjoint(file for value in values for file in _files(value)):
            return True
        said = [_methods(value) for value in values]
        known = frozenset().union(*(names for names in said if names is not None))
        path = item.path.relative_to(ROOT).as_posix()
        test = Part(path, getattr(item, "originalname", None) or item.name, cases=None in said)
        if any(p.startswith("bnpexplorer/") for p in self.changed) and reads_sources(test):
            return True
        return not self.methods.isdisjoint(known | named_by(test))


def _files(value: object) -> Iterable[str]:
    """The files for which a parameter stands: a path, a module and all that it imports, or the file
    of a mistake that is planted."""
    if isinstance(value, Path) and value.is_relative_to(ROOT):
        return [value.relative_to(ROOT).as_posix()]
    if isinstance(value, str) and value in modules():
        return reaches(modules()[value])
    return [file] if isinstance(file := getattr(value, "file", None), str) else []


PLAIN = (bool, int, float, bytes, Path, type(None))


def _methods(value: object) -> frozenset[str] | None:
    """The methods that a parameter names; None if it is of a kind that may hide a name."""
    if isinstance(value, str):
        return frozenset(words(value))
    if isinstance(value, dict):
        return _methods([*value.keys(), *value.values()])
    if isinstance(value, list | tuple | set | frozenset):
        inside = [_methods(one) for one in value]
        return None if None in inside else frozenset().union(*inside)
    if isinstance(name := getattr(value, "name", None), str):
        return frozenset(words(name))
    return frozenset() if isinstance(value, PLAIN) else None


def select(
    items: Sequence[pytest.Item], reach: Reach
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests that are reached and those that are left out, in their order."""
    whole: dict[str, bool] = {}
    chosen: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        path = item.path.relative_to(ROOT).as_posix()
        if path not in whole:
            whole[path] = path not in files() or reach.file(path)
        (chosen if whole[path] or reach.case(item) else left).append(item)
    return chosen, left


def sentence(chosen: Sequence[pytest.Item], left: Sequence[pytest.Item]) -> str:
    """Return what was left out, by room, in a line or two."""
    rooms: dict[str, int] = {}
    for item in left:
        room = item.path.relative_to(ROOT / "tests").parts[0].removesuffix(".py")
        rooms[room] = rooms.get(room, 0) + 1
    listed = ", ".join(f"{room} {n:,}" for room, n in sorted(rooms.items())) or "nothing"
    n_files = len({item.path for item in chosen})
    return f"reached: {len(chosen):,} tests of {n_files} files; left out: {listed}"
