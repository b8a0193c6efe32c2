"""When a background run is saved to the disk."""

import math
import time
from collections.abc import Callable
from typing import Any, Literal

Status = Literal[
    "ready", "queued", "compiling", "starting", "running", "paused", "finished", "stopped", "failed"
]
ENDED: frozenset[Status] = frozenset(("finished", "stopped", "failed"))

KEEP_SECONDS = 10.0
"""Most learning time that is lost when a machine is switched off, unless one step takes longer, or
twenty writes do: writing may take at most 5 % of the time. A run is saved before a pause, stop or
end is shown, and before its first step if it waits in the queue."""
Keeper = Callable[[Any, Status], None]
"""Saves a run; the thread that owns the run calls it between steps. The state of a run that has
"failed" may be half changed and must not be saved."""


class Keeping:
    """Calls a keeper by the clock; the keeper may be slow, and may fail."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._kept_at, self._took = -math.inf, 0.0

    @property
    def begun(self) -> bool:
        """Whether the keeper was called before."""
        return self._kept_at > -math.inf

    def due(self, lasts: float) -> bool:
        """Whether to save now, since the next step is expected to last `lasts` seconds."""
        since = time.monotonic() - self._kept_at
        return since + lasts > KEEP_SECONDS and since >= 20.0 * self._took

    def keep(self, run: Any, status: Status) -> str:
        """Save the run; return why that failed, empty if it did not."""
        began, problem = time.monotonic(), ""
        try:
            self._keeper(run, status)
        except Exception as failure:  # the run continues in memory
            problem = str(failure) or type(failure).__name__
        self._kept_at = time.monotonic()
        self._took = self._kept_at - began
        return problem
