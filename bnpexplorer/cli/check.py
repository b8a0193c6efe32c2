"""`check`: the promises that every method keeps, tried on one; a line each."""

import argparse
import time
import traceback

from ..checks import CHECKS, Failed, checks_of
from ..methods import METHODS


def add_check(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_check)
    parser.add_argument("names", nargs="*", metavar="METHOD", help="ours, or of another package")
    parser.add_argument("--all", action="store_true", help="every method that is installed")


def _check(options: argparse.Namespace) -> int:
    names = list(METHODS) if options.all else options.names
    if not names:
        raise ValueError("Name a method to check, or ask for --all.")
    for name in names:
        if name not in METHODS:
            raise ValueError(f"There is no method {name!r}; choose from {', '.join(METHODS)}.")
    failed = 0
    for name in names:
        said: set[str] = set()
        failed += sum(not _passes(name, key, said) for key in checks_of(name))
    print(f"{failed} failed." if failed else "Nothing failed.")
    return 1 if failed else 0


def _passes(name: str, key: str, said: set[str]) -> bool:
    """Try one check and print its line, and where a method broke off, how it got there.

    `said` holds what was printed in full; it is not said again.
    """
    check, started = CHECKS[key], time.perf_counter()
    try:
        measured = check.run(name)
    except Exception as problem:  # whatever the method raises is a finding
        print(f"{name:<14} FAILED  {check.sentence}: {_why(problem, said)}", flush=True)
        return False
    seconds = time.perf_counter() - started
    found = f": {measured}" if measured else ""
    print(f"{name:<14} ok      {check.sentence}{found} ({seconds:.1f} s)", flush=True)
    return True


def _why(problem: Exception, said: set[str]) -> str:
    """What went wrong; where the method itself broke off, with the traceback of the first time."""
    finding = isinstance(problem, Failed)
    why = str(problem) if finding else f"{type(problem).__name__}: {problem}"
    known = why if finding else traceback.format_tb(problem.__traceback__)[-1]
    if known in said:
        return "as above" if finding else f"{why} (as above)"
    said.add(known)
    return why if finding else f"{why}\n{''.join(traceback.format_exception(problem))}"
