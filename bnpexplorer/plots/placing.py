"""Names beside points, placed without overlap on a phone as on a wide screen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F64

SCREENS = 4
"""Sizes of the figure between the narrowest and the widest at which nothing may meet."""
BESIDE = 3.0
"""Pixels between a circle and its name."""


@dataclass(frozen=True)
class Box:
    """A name in rows beside its point, in pixels."""

    rows: tuple[str, ...]
    width: float
    height: float
    radius: float
    """Of the point's circle."""

    def spots(self) -> list[tuple[str, float, float]]:
        """Plotly's `textposition`, and the middle of the name right of and above the point."""
        up, right = self.radius + BESIDE + self.height / 2, self.radius + BESIDE + self.width / 2
        spots = [
            ("top center", 0.0, up),
            ("bottom center", 0.0, -up),
            ("middle right", right, 0.0),
            ("middle left", -right, 0.0),
        ]
        inside = np.hypot(self.width, self.height) <= 2.0 * self.radius
        return [("middle center", 0.0, 0.0), *spots] if inside else spots


def placed(
    wanted: Sequence[tuple[int, Box]], places: F64, scales: tuple[float, float], rim: F64
) -> dict[int, tuple[Box, str]]:
    """Point -> which of its names stands where, of those that find room, the first of `wanted`
    first: points, by their places in (n, 2), with a name of each, or several, the best one first.

    `scales` are pixels a unit on the narrowest and the widest screen; `rim` (2, 2)
    the lowest and the highest place that is shown.
    """
    pixels = np.linspace(*scales, SCREENS)[:, None]
    low, high = rim[0] * pixels, rim[1] * pixels
    found: dict[int, tuple[Box, str]] = {}
    middles: list[F64] = []
    halves: list[F64] = []
    for k, box in wanted:
        half = np.array([box.width, box.height]) / 2.0
        for position, right, up in () if k in found else box.spots():
            middle = places[k] * pixels + np.array([right, up])
            if (middle - half < low).any() or (middle + half > high).any():
                continue
            if middles:
                apart = np.abs(np.array(middles) - middle) >= (np.array(halves) + half)[:, None]
                if not apart.any(axis=2).all():
                    continue
            found[k] = box, position
            middles.append(middle)
            halves.append(half)
            break
    return found
