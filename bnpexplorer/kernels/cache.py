"""Where compiled kernels are kept between starts.

numba's cache notices a change only in the file that defines a kernel, not in a helper that it calls
(numba#1833), so the folder's name carries a hash of all sources that hold kernels: a changed source
means a fresh folder. Imported before numba.

The processor that kernels are compiled for: the last bits of a sum depend on it.

Which kernels are compiled: in this process, or on the disk by any process.

Open this to know how far compiling is. A kernel is called by its file and its name, as in
`special.digamma`.
"""

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding
import numba

from ..core.installation import cache_folder, writable
from .jit import KERNELS


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


def processor() -> str:
    """Its name and its features, these in eight letters; as numba was told where it was told
    (`NUMBA_CPU_NAME`, `NUMBA_CPU_FEATURES`)."""
    told_name, features = (getattr(numba.config, f"CPU_{x}") for x in ("NAME", "FEATURES"))
    name = told_name or llvmlite.binding.get_host_cpu_name()
    if features is None and not told_name:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    told = ",".join(sorted((features or "").split(",")))
    return f"{name} ({hashlib.sha256(told.encode()).hexdigest()[:8]})"


def name_of(kernel: Any) -> str:
    """Return the name of a kernel."""
    return f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"


def called() -> list[str]:
    """Return the names of the kernels that Python has called in this process, in alphabetical
    order; of a process that loaded all of them from the disk, not those that only kernels call."""
    kernels: list[Any] = list(KERNELS)
    return sorted(name_of(kernel) for kernel in kernels if kernel.signatures)


def with_inner(names: Iterable[str]) -> list[Any]:
    """Return the kernels of these `names` and all that they call, each once; numba compiles and
    keeps them one by one. A name that no imported file has is left out."""
    found: dict[str, Any] = {}
    waiting = [kernel for kernel in KERNELS if name_of(kernel) in set(names)]
    while waiting:
        kernel: Any = waiting.pop()
        if name_of(kernel) not in found:
            found[name_of(kernel)] = kernel
            waiting += _kernels_in(kernel.py_func)
    return list(found.values())


def _kernels_in(function: Any) -> Iterator[Any]:
    """The kernels that the code of a function names, also as `module.kernel`."""
    names = function.__code__.co_names
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    for value in [*(function.__globals__.get(name) for name in names), *cells]:
        inside = [getattr(value, n, None) for n in names] if isinstance(value, ModuleType) else []
        for one in (value, *inside):
            if any(one is kernel for kernel in KERNELS):
                yield one


def is_compiled(kernel: Any) -> bool:
    """Return whether a kernel is compiled here, or kept in the cache of this version of its file;
    numba has no public name for the second."""
    return bool(kernel.signatures or kernel._cache._cache_file._load_index())
