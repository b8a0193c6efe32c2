"""Where a command may write a file: one rule for all of them."""

import os
from collections.abc import Iterator
from pathlib import Path


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
