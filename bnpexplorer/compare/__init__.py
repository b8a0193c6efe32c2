"""Laying runs side by side: what may be compared, what differs, races, sweeps, topics aligned."""

from .alignment import Alignment, Side, align, side_of_frame, side_of_topics
from .failures import FAILURES, Failure
from .rows import (
    Compared,
    Comparison,
    ScoreGround,
    compared,
    differing,
    ground_of,
    settings_of,
    side_by_side,
    told_apart,
    why_apart,
)
from .sequential import Race
from .sweep import Axis, Sweep

__all__ = [
    "FAILURES",
    "Alignment",
    "Axis",
    "Compared",
    "Comparison",
    "Failure",
    "Race",
    "ScoreGround",
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
