"""Where compiled kernels are kept between starts.

numba's cache notices a change only in the file that defines a kernel, not in a helper that it calls
(numba#1833), so the folder's name carries a hash of all sources that hold kernels: a changed source
means a fresh folder. Imported before numba.
"""

import hashlib
import os
import sys
from pathlib import Path

from ..core.folders import cache_folder


def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def set_cache_folder() -> Path:
    """Point numba at the cache folder and return it; an existing `NUMBA_CACHE_DIR` is respected."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folder = cache_folder(f"kernels-{_source_hash()}") if chosen is None else Path(chosen)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if "numba" in sys.modules:  # imported by someone else before us: the variable was already read
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    return folder


CACHE_FOLDER = set_cache_folder()
