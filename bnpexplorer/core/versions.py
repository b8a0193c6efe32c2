"""Which version computed a number."""

import importlib.metadata
import platform
from collections.abc import Mapping
from functools import cache


def version() -> str:
    """The package's version, also when it runs from a clone without being installed."""
    try:
        return importlib.metadata.version("bnpexplorer")
    except importlib.metadata.PackageNotFoundError:
        return "from source"


@cache
def versions() -> Mapping[str, str]:
    """What may change a number: this package, Python and the libraries that compute.

    Looked up once: it takes 4 ms, a third of what saving a small run does.
    """
    found = {"bnpexplorer": version(), "python": platform.python_version()}
    return found | {
        p: importlib.metadata.version(p) for p in ("numpy", "numba", "scipy", "scikit-learn")
    }
