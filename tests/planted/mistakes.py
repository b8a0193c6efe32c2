"""The planted mistakes: the statements that each replaces, and the test that must fail then."""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .planting import plant

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mistake:
    """Statements of a source, and the wrong ones that take their place."""

    method: str
    """The file in which it is listed: a method's, or what several methods share."""
    about: str
    file: str
    """Path of the source, from the root of the repository."""
    old: str
    new: str
    test: str
    """The test that fails, as pytest calls it."""
    where: str = ""
    """The function or class around `old`, such as `Run.step`; empty for the top of the module."""

    @property
    def name(self) -> str:
        return f"{self.method}: {self.about}"

    @property
    def in_kernel(self) -> bool:
        """Whether kernels must be compiled anew to see it."""
        return self.file.startswith("bnpexplorer/kernels/")

    @property
    def module(self) -> str:
        """The source as Python imports it."""
        return self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def planted(self, source: str) -> str:
        """Return `source` with the mistake in it. Raises ValueError that says what to change."""
        try:
            return plant(source, self.where, self.old, self.new)
        except ValueError as problem:
            raise ValueError(
                f"{problem}. If you changed {self.file}, write {self.name!r} anew in "
                f"tests/planted/{self.method}.toml."
            ) from None


def mistakes() -> list[Mistake]:
    """All that are listed in the files beside this one."""
    return [
        Mistake(path.stem, **entry)
        for path in sorted(Path(__file__).parent.glob("*.toml"))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mistake"]
    ]


def commit() -> str:
    """The commit that is checked out; empty outside a repository."""
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def table() -> str:
    """All mistakes and the tests that catch them, as Markdown."""
    rows = [f"| `{m.method}` | {m.about} | `{m.test.removeprefix('tests/')}` |" for m in mistakes()]
    return "\n".join(["| method | mistake | caught by |", "|---|---|---|", *rows])


def named(name: str) -> Mistake:
    """The mistake that is called `name`."""
    return next(mistake for mistake in mistakes() if mistake.name == name)


PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--assert=plain")
"""How a test is run with a mistake; the options of `pyproject.toml` do not count, so that it runs
in this process however the tests are spread over others. That two differ is enough: where long
numbers do, pytest took more than five minutes of a core to say where."""
