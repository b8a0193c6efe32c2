"""Which tests a change reaches: the selection behind `python -m pytest --reached [BASE]`."""

import ast
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from .graph import METHODS, ROOT, files, leads_to_all, reaches, table

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

    @property
    def methods(self) -> frozenset[str]:
        """Names of the methods whose own files, or what these lead to, have changed."""
        places = table(METHODS).items()
        return frozenset(n for n, p in places if not self.changed.isdisjoint(leads_to_all(p)))

    def case(self, item: pytest.Item) -> bool:
        """Whether a test is a changed method's case, or goes through all methods, or plants a
        mistake into a changed file."""
        parameters = getattr(item, "callspec", None)
        values = list(parameters.params.values()) if parameters else []
        if any(getattr(value, "file", None) in self.changed for value in values):
            return True
        if not self.methods:
            return False
        return not self.methods.isdisjoint(_words(values)) or _goes_through_all(item)


def _words(values: Iterable[object]) -> set[str]:
    """The strings among parameters, and those in their tuples; a method stands for its name."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, list | tuple | set | frozenset):
            found |= _words(value)
        elif isinstance(name := getattr(value, "name", None), str):
            found.add(name)
    return found


def _goes_through_all(item: pytest.Item) -> bool:
    """Whether the body of a test asks the table for more than one method by its name."""
    function = getattr(item, "function", None)
    return function is not None and _asks_for_all(function.__code__.co_filename, function.__name__)


@cache
def _asks_for_all(file: str, name: str) -> bool:
    with open(file, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            body = [inner for statement in node.body for inner in ast.walk(statement)]
            single = {id(n.value) for n in body if isinstance(n, ast.Subscript)}
            return any(
                isinstance(n, ast.Name) and n.id == "METHODS" and id(n) not in single for n in body
            )
    return False


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
