"""Messages: values whose arrays are sent without copies and arrive unchanged."""

import pickle
from typing import Any

import numpy as np

ALIGNED = 16
"""Bytes: a kernel is compiled anew for an array that begins elsewhere, and numpy begins none
there; a frame begins wherever the one before it ends."""


class Message:
    """A value of tuples, arrays and plain numbers on its way.

    Arrays that are read-only arrive so, which is part of the type that kernels are compiled for.
    Dask hands the buffers to the socket as they are.
    """

    def __init__(self, value: Any) -> None:
        self.buffers: list[Any] = []
        self.opened: Any = None
        """What a worker has made of it."""
        self.pickled = pickle.dumps(value, protocol=5, buffer_callback=self.buffers.append)

    @property
    def n_bytes(self) -> int:
        """That are sent."""
        return len(self.pickled) + sum(_bytes_of(buffer).nbytes for buffer in self.buffers)

    def value(self) -> Any:
        """Return what was sent; it shares its memory with the message."""
        self.buffers = [_aligned(buffer) for buffer in self.buffers]
        return pickle.loads(self.pickled, buffers=self.buffers)


def _bytes_of(buffer: Any) -> memoryview:
    return pickle.PickleBuffer(buffer).raw()


def _aligned(buffer: Any) -> memoryview:
    """The bytes of a buffer, elsewhere if they do not begin where an array does."""
    view = _bytes_of(buffer)
    found = np.frombuffer(view, np.uint8)
    if found.ctypes.data % ALIGNED == 0:
        return view
    placed = memoryview(found.copy().data)
    return placed.toreadonly() if view.readonly else placed
