"""Where compiled kernels are kept between starts.

numba's cache notices a change only in the file that defines a kernel, not in a helper that it calls
(numba#1833), so the folder's name carries a hash of all sources that hold kernels: a changed source
means a fresh folder. Imported before numba.
"""

import contextlib
import hashlib
import os
import sys
from pathlib import Path

from ..core.installation import cache_folder, writable


def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def set_cache_folder() -> Path:
    """Point numba at the cache folder and return it. An existing `NUMBA_CACHE_DIR` is respected; of
    one where nothing can be written, what it holds: numba writes into the folder that it reads."""
    chosen, own = os.environ.get("NUMBA_CACHE_DIR"), f"kernels-{_source_hash()}"
    if chosen is not None and writable(Path(chosen)):
        folder = Path(chosen)
    else:
        folder = cache_folder(own)
        if chosen is not None:
            _link(Path(chosen), folder)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    if "numba" in sys.modules:  # imported by someone else before us: the variable was already read
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    return folder


def _link(source: Path, folder: Path) -> None:
    """All files below `source`, in `folder`: as links, since it may lie in memory. numba puts a new
    file in the place of one that it changes, never into it."""
    for path in source.glob("*/*.nb*"):
        place = folder / path.parent.name / path.name
        place.parent.mkdir(exist_ok=True)
        # Another process has made it, or the system makes no links: then it is compiled anew.
        with contextlib.suppress(OSError):
            place.symlink_to(path)


CACHE_FOLDER = set_cache_folder()
