"""Where things lie that are not Python: what comes with the package, and what can be made anew."""

import getpass
import os
import tempfile
from pathlib import Path

import platformdirs

from .versions import version

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
