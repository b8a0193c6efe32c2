"""Do the tests bite? Plants known mistakes into the package, one at a time.

    python -m tests.planted [--only METHOD ...] [--table]

Every mistake, listed in a file a method beside this one, names the lines that it replaces and the
test that must fail. Ends with an error if a mistake survives; `--table` only prints them all.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from .importing import VARIABLE
from .mistakes import PYTEST, ROOT, Mistake, mistakes, table


def is_caught(mistake: Mistake) -> bool:
    """Whether the mistake's test fails with it. Raises RuntimeError if the test could not run."""
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="METHOD", help="only these methods' mistakes")
    parser.add_argument("--table", action="store_true", help="print all mistakes and their tests")
    options = parser.parse_args()
    if options.table:
        print(table())
        return 0
    survivors = 0
    for mistake in mistakes():
        if not options.only or mistake.method in options.only:
            caught = is_caught(mistake)
            survivors += not caught
            print(f"{mistake.name}: {mistake.test if caught else 'SURVIVES'}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
