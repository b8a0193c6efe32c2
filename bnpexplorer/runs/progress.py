"""Where a run stands."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ..state import invariants

Ended = Literal["", "settled", "met", "minutes"]


@dataclass
class Progress:
    """Where a run stands: plain numbers and arrays, so that it can be saved."""

    step: int = 0
    docs_seen: int = 0
    seconds: Annotated[float, invariants.Constraint()] = 0.0
    n_batches_done: Annotated[int, invariants.Constraint(below="B")] = 0
    """Batches of the present pass that were learned."""
    pass_index: Annotated[int, invariants.Constraint(most="passes")] = 0
    converged: bool = False
    """By the method's own rule."""
    ended: Ended = ""
    """Why it came to its end before its passes did."""
