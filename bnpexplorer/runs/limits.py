"""Limits of memory, disk and time for a run, for all saved runs and for a class."""

from ..core.environment import DISK, MEMORY, TAKEN, bytes_allowed, usable_memory
from ..core.environment import SHARED as SHARED
from ..core.environment import is_shared as is_shared
from ..corpus.corpus import Corpus
from ..corpus.intake.usage import reading_limits
from ..corpus.stored import StoredCorpus
from ..methods.base import Method

LARGEST_BATCH = 10_000
"""Most documents in a mini-batch in the app's forms."""


def memory_limit() -> int:
    """Return the bytes that the state of one run may take: half of the usable memory, or less on a
    small machine, since the app itself needs some.

    BNPEXPLORER_MEMORY_MB sets another limit. Raises what `bytes_allowed` raises.
    """
    asked = bytes_allowed(MEMORY)
    if asked is not None:
        return asked
    memory = usable_memory()
    return max(min(memory // 2, memory - TAKEN), memory // 8)


def file_limit() -> int:
    """Return the bytes that an imported run may hold: the limit of a run, or of any file that a
    child process reads if that is lower.

    The child process checks this before it unpacks anything.
    """
    return min(memory_limit(), reading_limits().handed_over)


def disk_limit() -> int:
    """Return the bytes that saved runs may take: 4 GB, or BNPEXPLORER_DISK_MB.

    Raises what `bytes_allowed` raises.
    """
    asked = bytes_allowed(DISK)
    return 4 * 2**30 if asked is None else asked


MOST_GOING = 60
"""Most runs, races and studies of all guests of a class that compute or wait. Each has a thread and
its topics in memory."""
MOST_MINUTES, ALONE = 30, 1440
"""Most minutes of one claim or sweep in a class, and on one's own machine."""


def check_going(n_guests: int) -> None:
    """Raise ValueError, with what to do, if guests of a class would have more than `MOST_GOING`.

    `n_guests`: runs, races and studies of all guests, including those about to begin.
    """
    if n_guests > MOST_GOING:
        raise ValueError(
            f"In a class at most {MOST_GOING} runs, races and studies may go on at once. Pause or "
            "stop one of yours, or wait until some have ended."
        )


def most_minutes() -> int:
    """Return the most minutes that one claim or sweep may take here."""
    return MOST_MINUTES if is_shared() else ALONE


def check_minutes(minutes: float) -> None:
    """Raise ValueError if a claim or sweep would take longer than `most_minutes`."""
    if minutes > most_minutes():
        raise ValueError(
            f"Here a claim or a sweep may take {most_minutes():,} minutes; this one would take "
            f"{minutes:,.0f}. Choose a shorter time."
        )


COPIES = 3
"""Arrays of topics by words that a truncated method holds: its parameters, the sums of a step or a
pass, and the expected topics that are scored and shown."""


def topics_bytes(method: Method, corpus: Corpus) -> int:
    """Return the bytes of the topics that a method makes at the start; 0 if it adds them later."""
    n_topics = getattr(method, "truncation", getattr(method.model, "n_topics", 0))
    return COPIES * 8 * int(n_topics) * corpus.n_words


def check_memory(method: Method, corpus: Corpus) -> None:
    """Raise ValueError with the estimate if a run would not fit into memory."""
    needed, limit = max(method.memory(corpus), topics_bytes(method, corpus)), memory_limit()
    if isinstance(corpus, StoredCorpus) and method.looks_beyond():
        needed += corpus.n_bytes
    if needed > limit:
        raise ValueError(
            f"{method.name} would need about {needed / 2**20:,.0f} MB for these {corpus.n_docs:,} "
            f"documents of {corpus.n_words:,} words, and one run may take {limit / 2**20:,.0f} MB. "
            "Choose fewer topics or a method that reads mini-batches, take fewer documents or "
            "words, or raise BNPEXPLORER_MEMORY_MB."
        )
