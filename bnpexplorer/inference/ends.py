"""What is told of an end where every document or word is drawn once a block: who left last.

When the turn of one came, those before it sat where they sit now, and those after it where they sat
before. A topic that is empty at the end of a block was left by all that sat in it, and joined by
nobody who stayed: it ended with the last of them.
"""

from collections.abc import Callable

import numpy as np

from ..core.arrays import I64
from ..state.snapshot import Details


def last_to_leave(
    gone: I64, before: I64, after: I64, about: Callable[[int], tuple[int, tuple[int, ...]]]
) -> dict[int, Details]:
    """The details of every end, by identity.

    `gone` int64 (any number,): the topics that ended. `before` int64 (S,) and `after` int64 (S,):
    the identities of the topics where the documents or words of the block, in the order of their
    draws, sat before and after it; -1 before the first. `about` says of a place among these the
    document, a row of the texts, and the word if it is one.
    """
    told = {}
    for topic in gone.tolist():
        i = int(np.flatnonzero(before == topic)[-1])
        document, words = about(i)
        told[topic] = Details(document, words, (int(after[i]),), trial="last")
    return told
