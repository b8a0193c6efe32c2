"""What the package asks for, and what of that is there."""

import importlib.metadata
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .folders import CARRIED, TOP

LINE = re.compile(
    r"(?P<name>[\w.-]+)\s*(?P<bounds>[^;#]*)(?:;\s*extra\s*==\s*['\"](?P<extra>\w+))?"
)


@dataclass(frozen=True)
class Requirement:
    """One package: `numpy>=2.2`."""

    name: str
    bounds: str
    """Such as ">=1.67,<1.68"."""
    extra: str = ""
    """The extra that brings it; empty if the app needs it."""

    @property
    def found(self) -> str:
        """Its version here; empty if it is missing."""
        try:
            return importlib.metadata.version(self.name)
        except importlib.metadata.PackageNotFoundError:
            return ""

    @property
    def is_old(self) -> bool:
        """Whether the version here is older than the oldest that the tests have passed with."""
        return bool(self.found) and _numbers(self.found) < self._bound(">=")

    @property
    def is_new(self) -> bool:
        """Whether it is beyond the newest that the tests have passed with."""
        beyond = self._bound("<")
        return bool(self.found and beyond) and _numbers(self.found) >= beyond

    def _bound(self, sign: str) -> tuple[int, ...]:
        found = re.search(rf"(?<![<>=]){sign}\s*([\d.]+)", self.bounds)
        return _numbers(found[1]) if found else ()

    def __str__(self) -> str:
        return self.name + self.bounds


def requirements() -> tuple[Requirement, ...]:
    """All of them, those of extras last: as the installed package says, or as the repository's own
    files do, whatever another copy says that is installed beside them."""
    if TOP == CARRIED:
        return _read(importlib.metadata.requires("bnpexplorer") or ())
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: Mapping[str, list[str]] = project["optional-dependencies"]
    lines = (TOP / "requirements.txt").read_text(encoding="utf-8").splitlines()
    marked = [f"{line}; extra == '{extra}'" for extra in extras for line in extras[extra]]
    return _read([line for line in lines if not line.startswith("#")] + marked)


def _read(lines: Iterable[str]) -> tuple[Requirement, ...]:
    found = [LINE.match(line) for line in lines]
    all_of_them = [
        Requirement(m["name"], m["bounds"].strip(), m["extra"] or "") for m in found if m
    ]
    return tuple(sorted(all_of_them, key=lambda requirement: bool(requirement.extra)))


def _numbers(version: str) -> tuple[int, ...]:
    """`2.3.1rc1` -> (2, 3, 1), without zeros at the end, which say nothing."""
    whole = re.match(r"[\d.]*", version)
    numbers = [int(part) for part in whole[0].split(".") if part] if whole else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
