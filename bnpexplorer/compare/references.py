"""Curves of other programs beside one's runs, from the lines that `benchmarks.quality` writes.

Each line is a checkpoint: one JSON object with `program`, `seed`, `split`, `protocol`, `seconds`
and `score`, and more that is not looked at. Only those on the ground of one's runs count.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .rows import ScoreGround

Points = Sequence[tuple[float, float]]
"""(seconds, score) of the checkpoints of one run, in order."""
FIELDS = {"program": str, "seed": int, "split": str, "protocol": str, "seconds": float}
NEEDED = {**FIELDS, "score": float}


@dataclass(frozen=True)
class Reference:
    """How well a program predicted after so many processor seconds, the median of its runs."""

    program: str
    seconds: tuple[float, ...]
    scores: tuple[float, ...]


def median_curve(program: str, runs: Sequence[Points]) -> Reference:
    """At the checkpoints of the first run, medians of what every run had reached by then."""
    seconds = tuple(s for s, _ in runs[0])
    scores = [median(_reached(run, s) for run in runs) for s in seconds]
    return Reference(program, seconds, tuple(scores))


def _reached(run: Points, seconds: float) -> float:
    """The score of the last checkpoint until then, or of the first."""
    times = [s for s, _ in run]
    return run[max(bisect_right(times, seconds * 1.05) - 1, 0)][1]  # steps do not end on the dot


def read_references(lines: Iterable[str], ground: ScoreGround) -> list[Reference]:
    """The curves on this ground, the one that ends highest first; none if no line fits.

    Raises ValueError that names the line which is no checkpoint.
    """
    runs: dict[str, dict[int, list[tuple[float, float]]]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        point = _checkpoint(number, line)
        if (point["split"], point["protocol"]) == (ground.split, ground.protocol):
            seeds = runs.setdefault(point["program"], {})
            seeds.setdefault(point["seed"], []).append((point["seconds"], point["score"]))
    found = [
        median_curve(program, [sorted(points) for points in seeds.values()])
        for program, seeds in runs.items()
    ]
    return sorted(found, key=lambda curve: -curve.scores[-1])


def _checkpoint(number: int, line: str) -> Mapping[str, Any]:
    try:
        point = json.loads(line)
    except json.JSONDecodeError as problem:
        raise ValueError(
            f"Line {number} is not JSON ({problem.msg}); choose the quality.jsonl that "
            "`python -m benchmarks.quality` wrote."
        ) from None
    for name, kind in NEEDED.items():
        value = point.get(name) if isinstance(point, dict) else None
        fits = isinstance(value, (int, float) if kind is float else kind)
        if not fits or isinstance(value, bool) or value != value:
            what = "a number" if kind is not str else "words"
            raise ValueError(f"Line {number} has no {name} that is {what}; got {value!r}.")
    return dict(point)
