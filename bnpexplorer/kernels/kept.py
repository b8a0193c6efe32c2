"""Which kernels are compiled: in this process, or on the disk by any process.

Open this to know how far compiling is. A kernel is called by its file and its name, as in
`special.digamma`.
"""

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from .jit import KERNELS


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
    keeps them one by one, but for those that `within` puts into others. A name that no imported
    file has is left out."""
    asked, found = set(names), dict[str, Any]()
    waiting = [kernel for kernel in KERNELS if name_of(kernel) in asked]
    while waiting:
        kernel: Any = waiting.pop()
        if name_of(kernel) not in found:
            found[name_of(kernel)] = kernel
            waiting += _kernels_in(kernel.py_func)
    return [k for name, k in found.items() if name in asked or not _put_into_others(k)]


def _put_into_others(kernel: Any) -> bool:
    return bool(kernel.targetoptions["inline"] == "always")


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
