"""Documents of a batch, cut into slices for the threads of a pool."""

from collections.abc import Callable
from concurrent.futures import Executor
from itertools import pairwise

import numpy as np

N_SLICES = 8
"""Documents of a batch are cut into this many slices whatever the number of threads, and every
document writes only its own rows, so that results never depend on the threads."""


def map_slices(pool: Executor | None, work: Callable[[int, int], object], n_docs: int) -> None:
    """Call `work(start, stop)` over a fixed number of slices of `n_docs` documents."""
    edges = np.linspace(0, n_docs, min(N_SLICES, n_docs) + 1).astype(int).tolist()
    pieces = list(pairwise(edges))
    if pool is None:
        for start, stop in pieces:
            work(start, stop)
    else:
        list(pool.map(lambda piece: work(*piece), pieces))
