"""Words that are the pixels of a picture, so that a topic can be looked at."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import F64, I64

PIXEL = re.compile(r"r(\d{1,2})c(\d{1,2})")
"""A word of a picture: r1c3 is row 1, column 3."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the words of a vocabulary stand in a picture."""

    shape: tuple[int, int]
    """Rows and columns."""
    rows: I64
    """int64 (V,), from 0."""
    columns: I64

    def shades(self, topic: npt.NDArray[np.floating]) -> F64:
        """A topic (V,) as a picture, float64 of `shape`: each word over its most probable one; a
        pixel without a word is 0."""
        picture = np.zeros(self.shape)
        picture[self.rows, self.columns] = topic
        return picture / (float(picture.max()) or 1.0)


def grid_of(vocab: Sequence[str]) -> Grid | None:
    """The grid of a vocabulary whose words are all pixels of one picture; None of any other."""
    found = [PIXEL.fullmatch(word) for word in vocab]
    places = [(int(m[1]), int(m[2])) for m in found if m is not None]
    if len(places) < len(vocab) or len(set(places)) < len(places) or not places:
        return None
    rows, columns = np.array(places, np.int64).T - 1
    if min(rows.min(), columns.min()) < 0 or min(rows.max(), columns.max()) < 1:
        return None
    return Grid((int(rows.max()) + 1, int(columns.max()) + 1), rows, columns)
