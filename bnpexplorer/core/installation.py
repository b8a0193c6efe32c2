"""The installation: its folders, version and requirements.

Open this to find a file that comes with the package, or to see which requirements are missing.
"""

import getpass
import importlib.metadata
import os
import platform
import re
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parents[1]
CARRIED = PACKAGE / "top"
"""In an installed package only: `pyproject.toml` says what of the repository's top it carries."""
TOP = CARRIED if CARRIED.is_dir() else PACKAGE.parent
"""The folder that holds `app.py`, `.streamlit/` and `sample_data/`."""


def cache_folder(name: str) -> Path:
    """A folder for what can be made anew, in the user's cache; made if it is not there."""
    folder = Path(platformdirs.user_cache_dir("bnpexplorer", appauthor=False)) / name
    if not writable(folder):  # read-only home, as in some containers
        folder = Path(tempfile.gettempdir()) / f"bnpexplorer-{_account()}" / name
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _account() -> str:
    """The name of the account, or its number where it has none, as in some containers."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # OSError since Python 3.13
        return str(os.getuid()) if hasattr(os, "getuid") else "nobody"


def writable(folder: Path) -> bool:
    """Whether a file can be made in the folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def app_folder() -> Path:
    """The folder from whose `app.py` Streamlit runs the app, with settings and files to serve.

    Streamlit wants all three in one folder. That is the repository, or, since nothing is written
    into an installed package, a folder in the user's cache, for each version its own.
    """
    return cache_folder(f"app-{version()}") if TOP == CARRIED else TOP


def version() -> str:
    """The package's version, also when it runs from a clone without being installed."""
    try:
        return importlib.metadata.version("bnpexplorer")
    except importlib.metadata.PackageNotFoundError:
        return "from source"


@cache
def versions() -> Mapping[str, str]:
    """Return the versions that may change a number: this package, Python and the computing
    libraries.

    Looked up once: it takes 4 ms, a third of what saving a small run does.
    """
    found = {"bnpexplorer": version(), "python": platform.python_version()}
    return found | {
        p: importlib.metadata.version(p) for p in ("numpy", "numba", "scipy", "scikit-learn")
    }


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
