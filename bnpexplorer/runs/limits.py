"""What a run, and what all saved runs, may take of this machine; and what a class may."""

from ..core.environment import DISK, MEMORY, TAKEN, bytes_allowed, usable_memory
from ..core.environment import SHARED as SHARED
from ..core.environment import is_shared as is_shared
from ..corpus.corpus import Corpus
from ..corpus.intake.usage import reading_limits
from ..corpus.stored import StoredCorpus
from ..methods.base import Method

LARGEST_BATCH = 10_000
"""Documents in a mini-batch of the app's forms."""


def memory_limit() -> int:
    """Bytes that the state of one run may take: half of the memory that the app may take, or less
    of a small one, of which the app itself takes more.

    The environment variable BNPEXPLORER_MEMORY_MB sets another limit. Raises what `bytes_allowed`
    raises.
    """
    asked = bytes_allowed(MEMORY)
    if asked is not None:
        return asked
    memory = usable_memory()
    return max(min(memory // 2, memory - TAKEN), memory // 8)


def file_limit() -> int:
    """Bytes that a run from elsewhere may hold: as many as a child may hand over of any other file,
    and no more than a run.

    Such a file is read by a child, which unpacks nothing before it knows that this is kept.
    """
    return min(memory_limit(), reading_limits().handed_over)


def disk_limit() -> int:
    """Bytes that saved runs may take: 4 GB, or what BNPEXPLORER_DISK_MB says.

    Raises what `bytes_allowed` raises.
    """
    asked = bytes_allowed(DISK)
    return 4 * 2**30 if asked is None else asked


MOST_GOING = 60
"""Runs, races and studies of all guests of a class together that compute or wait in line. Each has
a thread and its topics in memory."""
MOST_MINUTES, ALONE = 30, 1440
"""Minutes of one claim or sweep in a class, and where nobody else waits."""


def check_going(n_guests: int) -> None:
    """Refuse a class more than so many that go on at once. Raises ValueError with what to do.

    `n_guests`: runs, races and studies of all guests, those that are to begin among them.
    """
    if n_guests > MOST_GOING:
        raise ValueError(
            f"In a class {MOST_GOING} runs, races and studies may go on at once: pause or stop one "
            "of yours, or wait until some have ended."
        )


def most_minutes() -> int:
    """Of one claim or sweep."""
    return MOST_MINUTES if is_shared() else ALONE


def check_minutes(minutes: float) -> None:
    """Refuse a claim or sweep that is longer than others should wait. Raises ValueError."""
    if minutes > most_minutes():
        raise ValueError(
            f"Here a claim or a sweep may take {most_minutes():,} minutes; this one would take "
            f"{minutes:,.0f}. Choose a shorter time."
        )


COPIES = 3
"""Of all topics by all words, that a truncated method holds: its parameters, the sums of a step or
a pass, and the expected topics that are scored and shown."""


def topics_bytes(method: Method, corpus: Corpus) -> int:
    """Bytes of the topics that a method makes from the start; 0 where they come as needed."""
    n_topics = getattr(method, "truncation", getattr(method.model, "n_topics", 0))
    return COPIES * 8 * int(n_topics) * corpus.n_words


def check_memory(method: Method, corpus: Corpus) -> None:
    """Refuse, before anything starts, what would not fit. Raises ValueError with the estimate."""
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
