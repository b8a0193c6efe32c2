"""When a child is ended: what it may use, and how long it may stand still.

The time of a busy machine is no measure: a file that takes 18 seconds of processor time took 30 of
the clock, and was refused. A child moves while it uses the processor, or reads or writes anything.
"""

from .usage import Usage

STILL = 60.0
"""Seconds of the clock after which a child that does not move is taken to hang."""


class Watch:
    """The watch over one piece of work. It knows neither processes nor the clock: it is told."""

    def __init__(self, seconds: float, n_bytes: int, usage: Usage, now: float) -> None:
        """`seconds`: of the processor, from `usage` on; `n_bytes`: that the child may hold; `now`:
        seconds of any clock that only rises."""
        self._seconds, self._n_bytes, self._begun = seconds, n_bytes, usage
        self._last, self._moved = usage, now

    def verdict(self, now: float, usage: Usage) -> str:
        """Why the child is to be ended, "time", "memory" or "still"; empty as long as it is not."""
        if usage.n_bytes > self._n_bytes:
            return "memory"
        if usage.seconds - self._begun.seconds > self._seconds:
            return "time"
        if (usage.seconds, usage.moved) != (self._last.seconds, self._last.moved):
            self._last, self._moved = usage, now
        return "still" if now - self._moved > STILL else ""

    def used(self, usage: Usage) -> Usage:
        """What this piece of work has used by now, with the memory that is held."""
        return Usage(
            usage.n_bytes,
            max(usage.seconds - self._begun.seconds, 0.0),
            max(usage.moved - self._begun.moved, 0),
        )
