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
    failed = sum(not _passes(name, key) for name in names for key in checks_of(name))
    print(f"{failed} failed." if failed else "Nothing failed.")
    return 1 if failed else 0


def _passes(name: str, key: str) -> bool:
    """Try one check and print its line, and where a method broke off, how it got there."""
    check, started = CHECKS[key], time.perf_counter()
    try:
        check.run(name)
    except Failed as problem:
        print(f"{name:<14} FAILED  {check.sentence}: {problem}", flush=True)
        return False
    except Exception as problem:  # whatever the method raises is a finding
        why = f"{type(problem).__name__}: {problem}"
        print(f"{name:<14} FAILED  {check.sentence}: {why}", flush=True)
        print("".join(traceback.format_exception(problem)), flush=True)
        return False
    seconds = time.perf_counter() - started
    print(f"{name:<14} ok      {check.sentence} ({seconds:.1f} s)", flush=True)
    return True
