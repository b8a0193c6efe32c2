"""A run of any method opens from wherever it was saved, and goes on as if it had stayed open."""

from functools import partial
from pathlib import Path

import numpy as np

from bnpexplorer.checks.reopening import try_reopening
from bnpexplorer.methods import METHODS


def reopening(name: str, rng: np.random.Generator, folder: Path) -> None:
    """Drawn texts, settings and start; the file is written and read in memory."""
    try_reopening(name, int(rng.integers(2**32)))


TRIALS = {f"reopening-{name}": partial(reopening, name) for name in METHODS}
IN_GATE = 1
"""The check of every method tries more."""
