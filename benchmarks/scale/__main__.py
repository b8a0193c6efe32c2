"""`python -m benchmarks.scale PART ...`: one part of `benchmarks/scale.md`."""

import importlib
import sys
from pathlib import Path

PARTS = sorted(p.stem for p in Path(__file__).parent.glob("[!_]*.py"))


def main(arguments: list[str]) -> None:
    if not arguments or arguments[0] not in PARTS:
        raise SystemExit(f"Name a part: {', '.join(PARTS)}.")
    importlib.import_module(f"{__package__}.{arguments[0]}").main(arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
