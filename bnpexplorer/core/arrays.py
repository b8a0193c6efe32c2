"""The array types of the whole package: what stands behind F64, F32, I64, I32, U64 and Bools;
and what numpy does too slowly for small arrays.

Arrays with a row for every document, which are made and read some rows at a time.
"""

import errno
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
U64 = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]


def widened(array: npt.NDArray[Any], n_more: int, value: float = 0) -> npt.NDArray[Any]:
    """A copy with `n_more` entries of `value` at the end of the last axis: `np.pad`, which takes
    ten times as long for the few topics of one pass."""
    n_old = array.shape[-1]
    wider = np.full((*array.shape[:-1], n_old + n_more), value, array.dtype)
    wider[..., :n_old] = array
    return wider


HELD = 2**26
"""Bytes up to which such an array lies in memory: 80,000 documents with 200 topics."""


def filled(
    n_rows: int, n_columns: int, blocks: Iterable[npt.NDArray[Any]], dtype: Any = np.float32
) -> npt.NDArray[Any]:
    """An array (N, M) of the rows that come in `blocks`, (n, M) each, from the first to the last;
    read-only.

    One of more than `HELD` bytes is mapped from a file without a name in the folder for temporary
    files: the system takes its pages out of memory where that is short, and nobody can cut a file
    that has no name. Raises OSError, which says what to do, if there is no room for it.
    """
    kind, first = np.dtype(dtype), 0
    if n_rows * n_columns * kind.itemsize <= HELD:
        found = np.empty((n_rows, n_columns), kind)
        for block in blocks:
            found[first : first + len(block)] = block
            first += len(block)
        found.flags.writeable = False
        return found
    try:
        with tempfile.TemporaryFile(prefix="bnpexplorer-") as file:
            for block in blocks:
                file.write(np.ascontiguousarray(block, kind).data.cast("B"))
            file.flush()
            return np.asarray(np.memmap(file, kind, "r", shape=(n_rows, n_columns)))
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise  # of whoever reads the blocks
        needed = n_rows * n_columns * kind.itemsize / 2**20
        raise OSError(
            f"There is no room for {needed:,.0f} MB in the folder for temporary files "
            f"({problem.strerror}): {tempfile.gettempdir()}. Make room there, or name another "
            "folder in TMPDIR and start again."
        ) from problem
