"""Do the tests bite? Plants known mistakes into the package, one at a time.

    python -m tests.planted [--only METHOD ...] [--files FILE ...] [--check | --table]

Every mistake, listed in a file a method beside this one, names the statements that it replaces,
the function around them (see `planting.py`) and the test that must fail. Ends with an error if a
mistake survives or cannot be tried. `--check` only looks whether each fits today's sources, and
`--table` prints them all.
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from .importing import VARIABLE
from .mistakes import PYTEST, ROOT, Mistake, mistakes, table


def is_caught(mistake: Mistake) -> bool:
    """Whether the mistake's test fails with it.

    Raises ValueError if its statements are not in the function once, RuntimeError if the test could
    not run.
    """
    mistake.planted((ROOT / mistake.file).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as empty:
        # numba does not notice a change in a helper of another file: a mistake in a kernel gets a
        # cache of its own.
        cache = {"NUMBA_CACHE_DIR": empty} if mistake.in_kernel else {}
        done = subprocess.run(
            [*PYTEST, "-o", "addopts=", "-p", "tests.planted.importing", mistake.test],
            cwd=ROOT,
            env={**os.environ, **cache, VARIABLE: mistake.name},
            capture_output=True,
            text=True,
            check=False,
        )
    # A mistake in a kernel may write where it must not: then the process dies.
    if done.returncode not in (0, 1) and done.returncode >= 0:
        raise RuntimeError(f"pytest could not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode != 0


def misfit(mistake: Mistake) -> str:
    """Why a mistake cannot be planted into today's sources, or caught; empty if it can."""
    source = (ROOT / mistake.file).read_text(encoding="utf-8")
    try:
        wrong = mistake.planted(source)
        compile(wrong, mistake.file, "exec")
    except (SyntaxError, ValueError) as problem:
        return f"{mistake.name}: {problem}"
    if wrong == ast.unparse(ast.parse(source)):
        return f"{mistake.name}: it changes nothing"
    path, _, test = mistake.test.partition("::")
    if f"def {test.partition('[')[0]}(" not in (ROOT / path).read_text(encoding="utf-8"):
        return f"{mistake.name}: there is no {mistake.test}"
    return ""


def outcome(mistake: Mistake) -> tuple[bool, str]:
    """Whether a mistake is caught, and by what; or why not."""
    try:
        caught = is_caught(mistake)
    except (OSError, RuntimeError, SyntaxError, ValueError) as problem:
        lines = str(problem).strip().splitlines()
        errors = [line for line in lines if line.startswith("ERROR")]
        return False, f"COULD NOT RUN: {(errors or lines)[-1]}"
    return caught, mistake.test if caught else "SURVIVES"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="METHOD", help="only these methods' mistakes")
    parser.add_argument("--files", nargs="+", metavar="FILE", help="only mistakes in these sources")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true", help="only look whether all can be planted")
    only.add_argument("--table", action="store_true", help="print all mistakes and their tests")
    options = parser.parse_args(arguments)
    if options.table:
        print(table())
        return 0
    if options.check:
        faults = [fault for mistake in mistakes() if (fault := misfit(mistake))]
        print("\n".join(faults) or "All mistakes can be planted.")
        return 1 if faults else 0
    everything = mistakes()
    there = sorted({mistake.method for mistake in everything})
    for name in options.only or ():
        if name not in there:
            parser.error(f"There are no mistakes of {name!r}; choose from {', '.join(there)}.")
    all_caught, n_tried = True, 0
    for mistake in everything:
        of_method = not options.only or mistake.method in options.only
        if of_method and (not options.files or mistake.file in options.files):
            caught, why = outcome(mistake)
            all_caught &= caught
            print(f"{mistake.name}: {why}", flush=True)
            n_tried += 1
    if not n_tried:
        print("No mistake is planted there; a file is given by its path from the repository's top.")
    return 0 if all_caught else 1


if __name__ == "__main__":
    sys.exit(main())
