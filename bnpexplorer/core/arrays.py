"""The array types of the whole package: what stands behind F64, F32, I64, I32, U64 and Bools;
and what numpy does too slowly for small arrays."""

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
