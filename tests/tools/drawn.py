"""Tokens of words in topics, and topics that were drawn, as matrices."""

import numpy as np

from bnpexplorer.kernels.tuples import Cells, Phi


def cells_of(counts) -> Cells:
    """`Cells` of int (V, K) tokens."""
    start = np.concatenate(([0], np.cumsum((counts > 0).sum(axis=1))))
    slots = np.nonzero(counts)[1].astype(np.int32)
    return Cells(start, slots, counts[counts > 0].astype(np.int32))


def dense(phi: Phi, n_slots: int) -> np.ndarray:
    """(V, K), exactly what was drawn."""
    matrix = np.zeros((len(phi.start) - 1, n_slots))
    matrix[np.repeat(np.arange(len(matrix)), np.diff(phi.start)), phi.slot] = phi.chance
    return matrix
