"""`check`: the promises that every method keeps, tried on one; a line each."""

import argparse
import time
import traceback
from typing import Any

from ..checks import CHECKS, Failed, checks_of
from ..methods import METHODS
from .printing import Out


def check_methods(options: argparse.Namespace) -> int:
    names = list(METHODS) if options.all else options.names
    if not names:
        raise ValueError("Name a method to check, or ask for --all.")
    for name in names:
        if name not in METHODS:
            raise ValueError(f"There is no method {name!r}; choose from {', '.join(METHODS)}.")
    out, found = Out(options), []
    for name in names:
        said: set[str] = set()
        found += [_tried(name, key, said, out) for key in checks_of(name)]
    failed = sum(not one["passed"] for one in found)
    out.say(f"{failed} failed." if failed else "Nothing failed.")
    out.give({"failed": failed, "checks": found})
    return 1 if failed else 0


def _tried(name: str, key: str, said: set[str], out: Out) -> dict[str, Any]:
    """Try one check and print its line, and where a method broke off, how it got there; its facts.

    `said` holds what was printed in full; it is not said again.
    """
    check, started = CHECKS[key], time.perf_counter()
    try:
        measured = check.run(name)
    except Exception as problem:  # whatever the method raises is a finding
        why = _why(problem, said)
        out.say(f"{name:<14} FAILED  {check.sentence}: {why}")
        return {
            "method": name,
            "check": key,
            "sentence": check.sentence,
            "passed": False,
            "why": why,
        }
    seconds = time.perf_counter() - started
    found = f": {measured}" if measured else ""
    out.say(f"{name:<14} ok      {check.sentence}{found} ({seconds:.1f} s)")
    return {
        "method": name,
        "check": key,
        "sentence": check.sentence,
        "passed": True,
        "measured": measured or None,
        "seconds": seconds,
    }


def _why(problem: Exception, said: set[str]) -> str:
    """What went wrong; where the method itself broke off, with the traceback of the first time."""
    finding = isinstance(problem, Failed)
    why = str(problem) if finding else f"{type(problem).__name__}: {problem}"
    known = why if finding else traceback.format_tb(problem.__traceback__)[-1]
    if known in said:
        return "as above" if finding else f"{why} (as above)"
    said.add(known)
    return why if finding else f"{why}\n{''.join(traceback.format_exception(problem))}"
