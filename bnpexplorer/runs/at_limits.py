"""Report learned values of a run that have reached a limit, and what to do."""

from collections.abc import Sequence
from typing import Any

from ..inference.concentrations import LARGEST, LARGEST_DIRICHLET, SMALLEST
from ..state.snapshot import TracePoint

NEAR = 1.25
"""A value within this factor of its limit counts as at the limit: stochastic steps approach it
slowly, and after 20 passes are at 0.0011 on the way to 0.001."""
ROWS = 2
"""Latest rows of the history that must agree, since early in a run a single one may be chance."""
LOWER = {
    "gamma": "one {noun} holds nearly everything. Start again with gamma fixed at a larger value, "
    "or with more texts.",
    "alpha": "each document has one topic. Learn clusters of these texts, or start again with "
    "alpha fixed.",
    "eta": "each {noun} has few words. Start again with eta fixed at a larger value, or leave out "
    "fewer words.",
}
UPPER = {
    "gamma": "nearly every document opens a {noun}. Start again with gamma fixed at a smaller "
    "value, or join short texts.",
    "alpha": "all documents mix the topics alike. Start again with alpha fixed at a smaller value, "
    "or divide long texts into passages.",
    "eta": "all {noun}s have the same words. Start again with eta fixed at a smaller value, or "
    "with longer texts.",
}


def at_limits(model: Any, trace: Sequence[TracePoint]) -> list[str]:
    """Return a sentence or two for each learned value of `model` that stays at a limit in `trace`,
    the history of its run."""
    rows = trace[-ROWS:]
    if len(rows) < ROWS:
        return []
    return [
        f"{name} has run to its {which} limit, {limit:g}: {meaning[name].format(noun=model.noun)}"
        for name in LOWER
        for which, meaning, limit in (
            ("lower", LOWER, SMALLEST),
            ("upper", UPPER, _largest(model, name)),
        )
        if all(_is_near(row.scalars.get(name), limit) for row in rows)
    ]


def _largest(model: Any, name: str) -> float:
    of_dirichlet = name == "eta" or (name == "alpha" and hasattr(model, "n_topics"))
    return LARGEST_DIRICHLET if of_dirichlet else LARGEST


def _is_near(value: float | None, limit: float) -> bool:
    return value is not None and limit / NEAR <= value <= limit * NEAR
