"""Does a change reach every test that would notice it? Tries this with past commits.

    python -m tests.reached.held [--minutes 3] COMMIT ...

For each commit, in a worktree of its own: it selects the tests that the changed sources reach. It
undoes these changes alone and runs the tests of the rooms concerned for some minutes at most, first
those that the commit touched. Tests in a browser are left out. Every test that fails must be among
those selected. A failure that is not selected is tried again without the change and with it, so
that a test which fails by chance counts as no miss. Ends with an error if there is a miss.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .graph import ROOT
from .noting import CHANGED, NOTES

PYTEST = ("-m", "pytest", "-q", "--tb=no", "-o", "addopts=", "--import-mode=importlib")
PLUGINS = ("-p", "no:cacheprovider", "-p", "tests.reached.noting")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def run_for(seconds: float, command: Sequence[str], **options: Any) -> None:
    """Run a command for some seconds at most, then end it and the processes that it has begun."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet, **options)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """The repository at a commit, with today's selection, for a while."""
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "there"
        git(ROOT, "worktree", "add", "--quiet", "--detach", str(folder), commit)
        try:
            shutil.copytree(ROOT / "tests/reached", folder / "tests/reached", dirs_exist_ok=True)
            yield folder
        finally:
            git(ROOT, "worktree", "remove", "--force", str(folder))


@dataclass(frozen=True)
class Past:
    """A past commit, checked out in a folder."""

    folder: Path
    sources: tuple[str, ...]
    """Files of the package that it changed."""
    paths: tuple[str, ...]
    """Files of tests that it touched, and then the others of the rooms of its sources."""

    def noted(self, paths: Sequence[str], minutes: float, *options: str) -> dict[str, set[str]]:
        """Run pytest for some minutes at most. Return what it has noted, by kind."""
        with tempfile.TemporaryDirectory() as empty:
            notes = Path(empty) / "notes"
            notes.touch()
            environment = {**os.environ, NOTES: str(notes), CHANGED: " ".join(self.sources)}
            asked = [sys.executable, *PYTEST, *PLUGINS, *options, *paths]
            run_for(60 * minutes, asked, cwd=self.folder, env=environment)
            found: dict[str, set[str]] = {"reached": set(), "left": set(), "failed": set()}
            for line in notes.read_text(encoding="utf-8").splitlines():
                kind, test = json.loads(line)
                found[kind].add(test)
            return found

    def restore(self, commit: str) -> None:
        """Put the changed sources into their state at a commit."""
        git(self.folder, "restore", f"--source={commit}", "--staged", "--worktree", *self.sources)


def past(folder: Path, commit: str) -> Past:
    """Return what a commit has changed, and the tests of these rooms."""
    changed = git(ROOT, "diff", "--name-only", f"{commit}~1", commit).splitlines()
    sources = [path for path in changed if path.startswith("bnpexplorer/")]
    rooms = sorted({path.split("/")[1] for path in sources})
    beside = [path for room in rooms for path in folder.glob(f"tests/{room}/**/test_*.py")]
    files = [path for path in changed if Path(path).match("tests/**/test_*.py")]
    files += sorted(path.relative_to(folder).as_posix() for path in beside)
    there = [path for path in files if (folder / path).exists() and "/browser/" not in path]
    return Past(folder, tuple(sources), tuple(dict.fromkeys(there)))


def held(commit: str, minutes: float) -> tuple[int, set[str]]:
    """Return how many tests fail without a commit's change, and those of them that are missed."""
    with worktree(commit) as folder:
        one = past(folder, commit)
        selected = one.noted(one.paths, 10, "--collect-only")
        left_files = {test.partition("::")[0] for test in selected["left"]}
        one.restore(f"{commit}~1")
        failed = one.noted(one.paths, minutes)["failed"]
        # A file that cannot be imported fails as a whole.
        missed = {test for test in failed if test in selected["left"] | left_files}
        if missed:
            missed &= one.noted(sorted(missed), 10)["failed"]
            one.restore(commit)
            missed -= one.noted(sorted(missed), 10)["failed"] if missed else set()
        return len(failed), missed


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reached.held", description=__doc__)
    parser.add_argument("commits", nargs="+", metavar="COMMIT")
    parser.add_argument("--minutes", type=float, default=3, help="for the tests of one commit")
    options = parser.parse_args(arguments)
    n_missed = 0
    for commit in options.commits:
        n_failed, missed = held(commit, options.minutes)
        n_missed += len(missed)
        print(f"{commit}: {n_failed} fail, {len(missed)} of them missed", flush=True)
        for test in sorted(missed):
            print(f"  {test}")
    return 1 if n_missed else 0


if __name__ == "__main__":
    sys.exit(main())
