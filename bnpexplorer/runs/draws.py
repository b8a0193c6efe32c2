"""Draws of a run: what its state tells without labels, evenly spaced, for a judgement.

Kept only where somebody judges: of a run that goes on until it has settled, and of chains.
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
"""Draws of a whole run that are enough; each is scored, which takes its time."""
LOG_JOINT = ("log joint", "log p(words, topics)")
"""What samplers call the log probability of the texts and of their state."""


@dataclass(frozen=True)
class Draw:
    """What a run tells at one point."""

    docs_seen: int
    values: Annotated[Mapping[str, float], UNBOUNDED]
    """Key of `QUANTITIES` -> value; a log joint of samplers only, no score where nothing is held
    out."""


@dataclass
class RunDraws:
    """The draws of one run so far; of 2 `DRAWS` every second is left out, and fewer are taken."""

    taken: list[Draw] = field(default_factory=list)
    spacing: int = 0
    """Mini-batches from one to the next; 0 before the first."""

    def add(self, draw: Draw) -> None:
        self.taken.append(draw)
        if len(self.taken) == 2 * DRAWS:
            self.taken = self.taken[1::2]
            self.spacing *= 2

    def latter_half(self) -> dict[str, F64]:
        """Key of `QUANTITIES` -> float64 (N,)."""
        last = self.taken[len(self.taken) - len(self.taken) // 2 :]
        keys = last[0].values if last else {}
        return {key: np.array([draw.values[key] for draw in last]) for key in keys}


@dataclass(frozen=True)
class ChainOf:
    """Which of several chains a run is, and what was judged of all of them when it was kept."""

    group: str
    """Identity of the chains together."""
    place: int
    """From 0."""
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
    """What a state tells now; `info`: of its last step.

    The score is that of the state alone: averaged over states, as a run's own is, draws would
    follow each other too closely.
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
