"""A pool for tests that sends all it is given, as a cluster does; texts to try it with, and the
bits of what was learned."""

import pickle
from collections import Counter
from dataclasses import fields, is_dataclass

import numpy as np

from bnpexplorer.inference.pool import RemotePool
from bnpexplorer.kernels.jit import KERNELS

WAYS = ("in band", "buffers", "read-only")
"""How arrays are sent: in one message, which makes all of them writeable, or beside it. What comes
from a network may be read-only, and begin anywhere in memory."""


class Sent(RemotePool):
    """`each` in this process, but work, pieces, what all share and results are pickled between."""

    n_workers = 3

    def __init__(self, way="in band"):
        self.way, self.n_pieces = way, []

    def here(self, work, n):
        for i in reversed(range(n)):  # ranges in any order, and as small as can be
            work(i, i + 1)

    def each(self, work, pieces, given):
        self.n_pieces.append(len(pieces))
        given, work = sent(given, self.way), sent(work, self.way)
        return [sent(work(*sent(piece, self.way), given), self.way) for piece in pieces]


def sent(value, way):
    """As it arrives."""
    if way == "in band":
        return pickle.loads(pickle.dumps(value))
    buffers = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    if way == "buffers":
        return pickle.loads(data, buffers=[bytearray(buffer.raw()) for buffer in buffers])
    astray = [memoryview(b"x" + bytes(buffer.raw()))[1:] for buffer in buffers]
    return pickle.loads(data, buffers=astray)


def texts_of_lengths(rng, n_docs, n_words=60, longest=0):
    """Counts, int (n_docs, n_words), of Zipf's words, none empty; one document may be far longer
    than all others."""
    share = 1.0 / np.arange(1, n_words + 1)
    counts = rng.multinomial(12, share / share.sum(), n_docs)
    if longest:
        counts[n_docs // 2] = rng.multinomial(longest, np.full(n_words, 1.0 / n_words))
    return counts


def leaves(value):
    """Every array and number of a state, in order, as bytes."""
    if is_dataclass(value):
        return [leaf for field in fields(value) for leaf in leaves(getattr(value, field.name))]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, np.ndarray):
        return [(value.shape, value.tobytes())]
    return [repr(value)]


def compiled():
    """How many signatures kernels were compiled for, by name. Kernels that were compiled a moment
    ago have one more for every constant with which another calls them."""
    found = Counter()
    for kernel in KERNELS:
        found[kernel.__name__] += len(kernel.signatures)
    return found
