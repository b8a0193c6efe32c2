"""Draws of a run: label-free quantities of its state, evenly spaced, to judge convergence.

Only chains and runs that end once settled keep them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from ..core.arrays import F64
from ..evaluate import Heldout, effective_topics, score, topics_in_use
from ..inference.pool import Pool
from ..methods.base import Method
from ..state.invariants import UNBOUNDED
from ..state.snapshot import Info, Topics

DRAWS = 200
"""Draws of a whole run that are enough; scoring each takes time."""
LOG_JOINT = ("log joint", "log p(words, topics)")
"""Names that samplers give to the log joint probability of texts and state."""


@dataclass(frozen=True)
class Draw:
    """Label-free quantities of a run at one point."""

    docs_seen: int
    values: Annotated[Mapping[str, float], UNBOUNDED]
    """Key of `QUANTITIES` -> value; log joint for samplers only, score only with held-out
    documents."""


@dataclass
class RunDraws:
    """The draws of one run so far; at 2 `DRAWS` every second is dropped and the spacing doubles."""

    taken: list[Draw] = field(default_factory=list)
    spacing: int = 0
    """Mini-batches between two draws; 0 before the first."""

    def add(self, draw: Draw) -> None:
        self.taken.append(draw)
        if len(self.taken) == 2 * DRAWS:
            self.taken = self.taken[1::2]
            self.spacing *= 2

    def latter_half(self) -> dict[str, F64]:
        """Return key of `QUANTITIES` -> float64 (N,) for the latter half of the draws."""
        last = self.taken[len(self.taken) - len(self.taken) // 2 :]
        keys = last[0].values if last else {}
        return {key: np.array([draw.values[key] for draw in last]) for key in keys}


@dataclass(frozen=True)
class ChainOf:
    """The place of a run among several chains, and their verdict when it was saved."""

    group: str
    """Identity of the group of chains."""
    place: int
    """Counted from 0."""
    of: int
    sentence: str = ""
    met: bool = False

    @property
    def title(self) -> str:
        return f"chain {self.place + 1} of {self.of}"


def draw_of(
    method: Method,
    topics: Topics,
    info: Info,
    heldout: Heldout | None,
    docs_seen: int,
    pool: Pool | None = None,
) -> Draw:
    """Return a draw of the present `topics`; `info` is that of the last step.

    The score is that of the state alone, since scores averaged over states, as the run's own is,
    would be autocorrelated.
    """
    values: dict[str, float] = {}
    if method.kind == "sampler":
        joint = [info.scalars[name] for name in LOG_JOINT if name in info.scalars]
        values = {"log_joint": joint[0]} if joint else {}
    if heldout is not None:
        values["heldout"] = score(method.model, topics, heldout, pool=pool)
    n_effective = effective_topics(topics)
    values["topics"] = float(topics_in_use(topics))
    values["entropy"] = math.log(n_effective) if n_effective else 0.0
    return Draw(docs_seen, values)
