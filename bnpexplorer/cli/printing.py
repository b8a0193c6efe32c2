"""How commands print results: lines for people, or with --json one object for programs.

Results go to standard output; what is said on the way, and every refusal, to standard error.
"""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class Out:
    """Where one command prints its result: every line as it comes, or the facts at the end."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.as_json = getattr(options, "json", False)

    def say(self, *lines: str) -> None:
        """Print lines for people; nothing where a program reads."""
        if not self.as_json:
            for line in lines:
                print(line, flush=True)

    def give(self, facts: Mapping[str, Any]) -> None:
        """Print the facts for a program, once; nothing where a person reads."""
        if self.as_json:
            print(json.dumps(plain(facts), ensure_ascii=False), flush=True)


def plain(value: Any) -> Any:
    """A value as JSON knows it: null for what is no number, a list for an array, text for a path.

    Raises TypeError for what has no such form.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy's, which `doctor` does without
        return plain(value.tolist())
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def in_columns(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """Lines of columns as wide as their longest entry; `right`: which stand at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if at_right else text.ljust(width)
            for text, width, at_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
