"""One command for each task: `python -m tests check | reached [BASE] | all | docs | house`.

Each prints the commands that it runs. It runs all of them and ends with an error if one fails.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from .reached.selecting import changed_since

ROOT = Path(__file__).resolve().parents[1]
PYTEST = [sys.executable, "-m", "pytest"]
BIOME = ["npx", "--yes", "@biomejs/biome@2.6.8", "ci", "--error-on-warnings"]
"""The linter of style sheets and scripts, set up by `biome.jsonc`."""
NOTHING_TO_RUN = 5
"""The exit code of pytest if it selects no test."""

Run = Callable[[Sequence[str]], int]


def run(command: Sequence[str]) -> int:
    """Run a command in the root of the repository and return its exit code."""
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def parser() -> argparse.ArgumentParser:
    """Return the parser of the commands."""
    made = argparse.ArgumentParser(prog="python -m tests", description=__doc__)
    tasks = made.add_subparsers(dest="task", required=True, metavar="TASK")
    tasks.add_parser("check", help="format, lint, imports, types, planted mistakes, style sheets")
    reached = tasks.add_parser("reached", help="the tests and planted mistakes of what you changed")
    reached.add_argument(
        "base",
        nargs="?",
        default="HEAD",
        metavar="BASE",
        help="the commit that you compare with; by default HEAD, so what is not committed",
    )
    tasks.add_parser("all", help="every test of both tiers")
    tasks.add_parser("docs", help="build the site; warnings and dead links are errors")
    tasks.add_parser("house", help="print figures of the package: sizes, names, imports, reach")
    return made


def commands(options: argparse.Namespace) -> list[list[str]]:
    """Return the commands of a task, in their order."""
    if options.task == "check":
        return _check()
    if options.task == "reached":
        return _reached(options.base)
    house = [sys.executable, "-m", "tests.house"]
    return {"all": [[*PYTEST, "--all"]], "docs": [[".ci/docs"]], "house": [house]}[options.task]


def _check() -> list[list[str]]:
    beside = Path(sys.executable).parent  # where the environment's own programs are
    steps = [
        [sys.executable, "-m", "ruff", "format", "--check", "."],
        [sys.executable, "-m", "ruff", "check", "."],
        [shutil.which("lint-imports", path=str(beside)) or "lint-imports"],
        [sys.executable, "-m", "mypy"],
        [sys.executable, "-m", "tests.planted", "--check"],
    ]
    return [*steps, BIOME] if shutil.which("npx") else steps


def _reached(base: str) -> list[list[str]]:
    changed = sorted(p for p in changed_since(base) if p.startswith("bnpexplorer/"))
    planted = [[sys.executable, "-m", "tests.planted", "--files", *changed]] if changed else []
    return [[*PYTEST, f"--reached={base}"], *planted]


def main(arguments: Sequence[str] | None = None, run: Run = run) -> int:
    """Run a task. Return 0 if all its commands succeed and 1 otherwise."""
    options = parser().parse_args(arguments)
    try:
        steps = commands(options)
    except pytest.UsageError as problem:
        parser().error(str(problem))
    failed = []
    for command in steps:
        said = shlex.join(["python" if word == sys.executable else word for word in command])
        print(f"== {said}", flush=True)
        code = run(command)
        if code and not (options.task == "reached" and code == NOTHING_TO_RUN):
            failed.append(said)
    if options.task == "check" and BIOME not in steps:
        print("Left out: biome, which checks style sheets and scripts. It needs npx.")
    for said in failed:
        print(f"FAILED: {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
