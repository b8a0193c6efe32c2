"""What one run may take of this machine."""

import os
from typing import Any

from .corpus.corpus import Corpus


def memory_limit() -> int:
    """Bytes that the state of one run may take: half of this machine's memory.

    The environment variable BNPEXPLORER_MEMORY_MB sets another limit. Raises ValueError if that is
    no number: a limit that was mistyped must not be taken for none.
    """
    asked = os.environ.get("BNPEXPLORER_MEMORY_MB", "").strip()
    if asked:
        if not asked.isdecimal():
            raise ValueError(
                f"BNPEXPLORER_MEMORY_MB must be a whole number of megabytes; got {asked!r}."
            )
        return int(asked) * 2**20
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system tells
        return 4 * 2**30


COPIES = 3
"""Of all topics by all words, that a truncated method holds: its parameters, the sums of a step or
a pass, and the expected topics that are scored and shown."""


def topics_bytes(method: Any, corpus: Corpus) -> int:
    """Bytes of the topics that a method makes from the start; 0 where they come as needed."""
    n_topics = getattr(method, "truncation", getattr(method.model, "n_topics", 0))
    return COPIES * 8 * int(n_topics) * corpus.n_words


def check_memory(method: Any, corpus: Corpus) -> None:
    """Refuse, before anything starts, what would not fit. Raises ValueError with the estimate."""
    needed, limit = max(method.memory(corpus), topics_bytes(method, corpus)), memory_limit()
    if needed > limit:
        raise ValueError(
            f"{method.name} would need about {needed / 2**20:,.0f} MB for these {corpus.n_docs:,} "
            f"documents of {corpus.n_words:,} words, and one run may take {limit / 2**20:,.0f} MB. "
            "Choose fewer topics or a method that reads mini-batches, take fewer documents or "
            "words, or raise BNPEXPLORER_MEMORY_MB."
        )
