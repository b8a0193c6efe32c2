"""Packages that are not there at a first start, and what to say where one is missing."""

import importlib
from typing import Any

from ..corpus import CorpusError

EXTRAS = {"fugashi": "japanese", "rjieba": "chinese", "simplemma": "lemmas"}
"""Package -> the extra of `bnpexplorer` that installs it."""


def is_there(package: str) -> bool:
    """Whether a package can be imported, with what it needs of others."""
    try:
        imported(package, "")
    except CorpusError:
        return False
    return True


def imported(package: str, why: str) -> Any:
    """A package. Raises CorpusError, which begins with `why`, if it is not installed."""
    try:
        if package == "fugashi":
            importlib.import_module("unidic_lite")  # its dictionary
        return importlib.import_module(package)
    except ImportError as problem:
        raise CorpusError(
            f"{why} by the package {package}, which is not installed; install it with: "
            f"pip install 'bnpexplorer[{EXTRAS[package]}]'."
        ) from problem
