"""Attacks with new seeds, for as long as one likes.

    python -m tests.faults [--hours 1] [--only TRIAL ...] [--seed N]

Every failure is printed with the command that repeats it; ends with an error if there was one.
`--only` takes the beginning of names; `--seed` tries that one seed alone.
"""

import argparse
import os
import secrets
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .trials import attack, trials


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--hours", type=float, default=1 / 60)
    parser.add_argument("--only", nargs="+", metavar="TRIAL", default=[""])
    parser.add_argument("--seed", type=int)
    options = parser.parse_args(arguments)
    chosen = {n: t for n, (t, _) in trials().items() if n.startswith(tuple(options.only))}
    if not chosen:
        parser.error(f"There is no such trial; choose from {', '.join(trials())}.")
    tried, failed = Counter[str](), Counter[str]()
    end = time.monotonic() + 3600 * options.hours
    while not tried or (options.seed is None and time.monotonic() < end):
        for name, trial in chosen.items():
            seed = secrets.randbits(32) if options.seed is None else options.seed
            tried[name] += 1
            with tempfile.TemporaryDirectory() as folder:
                os.environ["BNPEXPLORER_HOME"] = str(Path(folder) / "home")
                try:
                    attack(trial, seed, Path(folder))
                except Exception:  # a failure is what is looked for: named, and on with the next
                    failed[name] += 1
                    print(traceback.format_exc(limit=-3))
                    print(f"Again: python -m tests.faults --only {name} --seed {seed}", flush=True)
    for name, times in tried.items():
        print(f"{name}: {times:,} tried, {failed[name]:,} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
