"""The progress of a run."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ..state import invariants

Ended = Literal["", "settled", "met", "minutes"]


@dataclass
class Progress:
    """The progress of a run, in plain numbers that can be saved."""

    step: int = 0
    docs_seen: int = 0
    seconds: Annotated[float, invariants.Constraint()] = 0.0
    n_batches_done: Annotated[int, invariants.Constraint(below="B")] = 0
    """Mini-batches learned in the present pass."""
    pass_index: Annotated[int, invariants.Constraint(most="passes")] = 0
    converged: bool = False
    """By the method's own rule."""
    ended: Ended = ""
    """Why it ended before its passes did."""
