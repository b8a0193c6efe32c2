"""Where compiled kernels are kept between starts.

numba's cache notices a change only in the file that defines a kernel, not in a helper that it calls
(numba#1833), so the folder's name carries a hash of all sources that hold kernels: a changed source
means a fresh folder. Imported before numba.
"""

import getpass
import hashlib
import os
import sys
import tempfile
from pathlib import Path

import platformdirs


def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def set_cache_folder() -> Path:
    """Point numba at the cache folder and return it; an existing `NUMBA_CACHE_DIR` is respected."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen is None:
        name = f"kernels-{_source_hash()}"
        folder = Path(platformdirs.user_cache_dir("bnpexplorer", appauthor=False)) / name
        if not _writable(folder):  # read-only home, as in some containers
            folder = Path(tempfile.gettempdir()) / f"bnpexplorer-{getpass.getuser()}" / name
            folder.mkdir(parents=True, exist_ok=True)
    else:
        folder = Path(chosen)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if "numba" in sys.modules:  # imported by someone else before us: the variable was already read
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    return folder


CACHE_FOLDER = set_cache_folder()
