"""`python -m benchmarks.scale PART ...`: runs one part of this folder."""

import sys
from importlib import import_module
from pathlib import Path

PARTS = sorted(
    path.stem
    for path in Path(__file__).parent.glob("[a-z]*.py")
    if "\ndef main(" in path.read_text(encoding="utf-8")
)

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        sys.exit(f"python -m benchmarks.scale PART, where PART is one of: {', '.join(PARTS)}")
    sys.exit(import_module(f"{__package__}.{sys.argv[1]}").main(sys.argv[2:]))
