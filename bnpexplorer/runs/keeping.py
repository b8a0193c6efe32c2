"""When a run in the background is written to the disk, and what is said where that fails."""

import math
import time
from collections.abc import Callable
from typing import Any, Literal

Status = Literal[
    "ready", "queued", "compiling", "starting", "running", "paused", "finished", "stopped", "failed"
]
ENDED: frozenset[Status] = frozenset(("finished", "stopped", "failed"))

KEEP_SECONDS = 10.0
"""A machine that is switched off loses at most so much of what a run has learned, or one step where
that takes longer, or twenty times what writing takes, which is for 5 % of the time at most. At
every pause, stop and end it is written before these are shown; one that waits in line, before its
first step."""
Keeper = Callable[[Any, Status], None]
"""Writes where a run stands to the disk; called by the thread that owns the run, between steps. Of
one that has "failed" the state may be half changed and is not to be written."""


class Keeping:
    """The clock of a keeper, by which it is called; it may take long, and fail."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._kept_at, self._took = -math.inf, 0.0

    @property
    def begun(self) -> bool:
        """Whether the run is on the disk, or was to be."""
        return self._kept_at > -math.inf

    def due(self, lasts: float) -> bool:
        """Whether to write now, where the next step `lasts` so many seconds, as far as anybody
        knows: after it, it would be too late, and it is not too often."""
        since = time.monotonic() - self._kept_at
        return since + lasts > KEEP_SECONDS and since >= 20.0 * self._took

    def keep(self, run: Any, status: Status) -> str:
        """Write; returns why that failed, empty if it did not."""
        began, problem = time.monotonic(), ""
        try:
            self._keeper(run, status)
        except Exception as failure:  # whatever it is, what was learned is still in memory
            problem = str(failure) or type(failure).__name__
        self._kept_at = time.monotonic()
        self._took = self._kept_at - began
        return problem
