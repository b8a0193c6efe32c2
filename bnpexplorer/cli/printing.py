"""How commands print and write results: lines for people, or with --json one object for programs.

Results go to standard output; progress and refusals go to standard error.
"""

import argparse
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
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


def may_write(out: str | Path, force: bool, *inputs: str | Path) -> Path:
    """`out` as a path, if a command that reads `inputs` (files, or folders of files) may write it.

    Raises ValueError where there is no folder for it, where a folder or a device stands, where an
    input stands (under whatever name, and always), and without `force` where any file stands.
    """
    path = Path(out)
    if not str(out).strip():
        raise ValueError("the file to write has no name; give one.")
    if not path.parent.resolve().is_dir():
        raise ValueError(f"there is no folder {path.parent.resolve()} to write {path.name} into.")
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device"
        raise ValueError(f"{path} is {kind}, not a file; give another name.")
    if path.exists() and any(path.samefile(file) for given in inputs for file in _files(given)):
        raise ValueError(f"{path} is what this command reads; write to another file.")
    if os.path.lexists(path) and not force:
        raise ValueError(f"{path} exists; give another name, or --force to write over it.")
    return path


def _files(given: str | Path) -> Iterator[Path]:
    """A file itself, or all files below a folder; nothing for what is not there."""
    path = Path(given)
    for file in path.rglob("*") if path.is_dir() else [path]:
        if file.is_file():
            yield file


def kind_said(path: Path, suffix: str, kind: str) -> str:
    """What was written, where the name of the file does not tell."""
    if path.suffix.lower() == suffix:
        return ""
    return f" (this is {kind}, though the name does not end in {suffix})"
