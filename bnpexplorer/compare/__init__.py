"""Laying runs side by side: what may be compared, what differs, races, sweeps, topics aligned."""

from .alignment import Alignment, Side, align, side_of_frame, side_of_topics
from .failures import FAILURES, Failure
from .race import Race
from .rows import Compared, Ground, compared, ground_of, why_apart
from .settings import differing, settings_of, told_apart
from .side_by_side import Comparison, side_by_side
from .sweep import Axis, Sweep

__all__ = [
    "FAILURES",
    "Alignment",
    "Axis",
    "Compared",
    "Comparison",
    "Failure",
    "Ground",
    "Race",
    "Side",
    "Sweep",
    "align",
    "compared",
    "differing",
    "ground_of",
    "settings_of",
    "side_by_side",
    "side_of_frame",
    "side_of_topics",
    "told_apart",
    "why_apart",
]
