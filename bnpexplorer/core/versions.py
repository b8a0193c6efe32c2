"""Which version computed a number."""

import importlib.metadata
import platform


def version() -> str:
    """The package's version, also when it runs from a clone without being installed."""
    try:
        return importlib.metadata.version("bnpexplorer")
    except importlib.metadata.PackageNotFoundError:
        return "from source"


def versions() -> dict[str, str]:
    """What may change a number: this package, Python and the libraries that compute."""
    found = {"bnpexplorer": version(), "python": platform.python_version()}
    return found | {
        p: importlib.metadata.version(p) for p in ("numpy", "numba", "scipy", "scikit-learn")
    }
