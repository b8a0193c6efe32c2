"""Settings of a run beside its method, and the check of their values."""

import math
from typing import Any, Literal

Order = Literal["shuffled", "stream"]
Until = Literal["passes", "settled"]
"""When a run ends: after its passes, or before that once it has settled (`evaluate/settling.py`) or
all of several chains have met."""

MOST_NUMBER = 2**63 - 1
"""The largest integer that tables and the index of saved runs hold."""
MOST_PASSES, MOST_MINUTES = 10**9, 10**9
"""With these, counts of documents stay below `MOST_NUMBER` and minutes can be written."""

UNTIL: dict[Until, str] = {
    "passes": "all passes are read",
    "settled": "it has settled, or several chains have met",
}
"""The rules in words."""


def check_choices(
    method: Any,
    seed: int,
    batch_size: int,
    passes: int,
    order: str,
    until: str = "passes",
    minutes: float | None = None,
) -> None:
    """Raise ValueError that names the first setting out of range."""
    if seed < 0:
        raise ValueError(f"seed must be 0 or more; got {seed}.")
    if seed > MOST_NUMBER:
        raise ValueError(f"seed must be at most {MOST_NUMBER}, which is 2^63 - 1.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1; got {batch_size}.")
    if passes < 1:
        raise ValueError(f"passes must be at least 1; got {passes}.")
    if passes > MOST_PASSES:
        raise ValueError(f"passes must be at most {MOST_PASSES:,}.")
    if order not in ("shuffled", "stream"):
        raise ValueError(f"order must be 'shuffled' or 'stream'; got {order!r}.")
    if order == "stream" and method.batching == "fixed":
        raise ValueError(
            f"{method.name} needs the whole corpus in every pass and cannot learn a stream; "
            "choose a method that reads mini-batches."
        )
    if until not in ("passes", "settled"):
        raise ValueError(f"until must be 'passes' or 'settled'; got {until!r}.")
    if until == "settled" and reads_once(method, order):
        raise ValueError(
            "A run that reads its texts once, as a stream or in their own order, cannot continue "
            "until it has settled."
        )
    if minutes is not None and not 0.0 < minutes < math.inf:
        raise ValueError(f"minutes must be more than 0; got {minutes:g}.")
    if minutes is not None and minutes > MOST_MINUTES:
        raise ValueError(f"minutes must be at most {MOST_MINUTES:,}.")


def reads_once(method: Any, order: str) -> bool:
    """Whether a run reads its documents a single time, by date or in the corpus's own order."""
    return order == "stream" or bool(method.batching == "once")
