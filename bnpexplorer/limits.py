"""What one run may take of this machine."""

import os
from typing import Any

from .corpus.corpus import Corpus


def memory_limit() -> int:
    """Bytes that the state of one run may take: half of this machine's memory.

    The environment variable BNPEXPLORER_MEMORY_MB sets another limit.
    """
    asked = os.environ.get("BNPEXPLORER_MEMORY_MB", "")
    if asked.isdecimal():
        return int(asked) * 2**20
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system tells
        return 4 * 2**30


def check_memory(method: Any, corpus: Corpus) -> None:
    """Refuse, before anything starts, what would not fit. Raises ValueError with the estimate."""
    needed, limit = method.memory(corpus), memory_limit()
    if needed > limit:
        raise ValueError(
            f"{method.name} would need about {needed / 2**20:,.0f} MB for these {corpus.n_docs:,} "
            f"documents, and one run may take {limit / 2**20:,.0f} MB. Choose a method that reads "
            "mini-batches, take fewer documents or words, or raise BNPEXPLORER_MEMORY_MB."
        )
