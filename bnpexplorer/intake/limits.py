"""How much memory and time one file may take while it is read."""

from dataclasses import dataclass

from ..core.environment import is_shared, whole_number
from ..core.memory import usable_memory

MEGABYTES, SHARED_SECONDS = 1500, 30
"""99 MB of newsgroup messages as CSV, about the largest upload, take 0.6 GB and 24 s of the
processor in all; each piece of work has as much."""
ALONE = 3600
"""Seconds on one's own machine, where whoever waits may cancel: the end of what never ends, such as
a token pattern, when nobody looks."""
SERVER, FEWEST = 500, 300
"""Megabytes of the server without its reader, and those with which a reader still reads."""


@dataclass(frozen=True)
class Limits:
    """What reading one file may take. The clock is no limit: `watch.py` says why."""

    megabytes: int = MEGABYTES
    """In all: four fifths for the child at work, a fifth for what it hands over."""
    seconds: int = SHARED_SECONDS
    """Of the processor, for one piece of work: reading a file, or counting its words."""

    @property
    def at_work(self) -> int:
        """Bytes that the child may hold."""
        return self.megabytes * 2**20 * 4 // 5

    @property
    def handed_over(self) -> int:
        """Bytes that the server may hold of what the child found."""
        return self.megabytes * 2**20 // 5


def reading_limits() -> Limits:
    """1,500 MB, or less of a small memory, and an hour of processor time, or 30 seconds where many
    people share a server; or what BNPEXPLORER_READ_MB and BNPEXPLORER_READ_SECONDS say.

    Raises ValueError where these are no whole numbers.
    """
    megabytes = whole_number("BNPEXPLORER_READ_MB", "megabytes")
    seconds = whole_number("BNPEXPLORER_READ_SECONDS", "seconds")
    if megabytes is None:
        megabytes = max(min(MEGABYTES, usable_memory() // 2**20 - SERVER), FEWEST)
    if seconds is None:
        seconds = SHARED_SECONDS if is_shared() else ALONE
    return Limits(megabytes, seconds)
