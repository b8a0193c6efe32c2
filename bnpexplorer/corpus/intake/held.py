"""How much memory the texts of all tabs take together, and the limit of that."""

import sys
import threading
from weakref import WeakKeyDictionary

from ...core import store
from ...core.environment import MEMORY, bytes_allowed, usable_memory
from ..corpus import Corpus, CorpusError, DocTable
from ..readers.source import Source


class HeldBytes:
    """Bytes of what was read and somebody still holds; safe for all threads.

    Nothing is kept alive here: what the last tab lets go is counted no more.
    """

    def __init__(self) -> None:
        self._sizes: WeakKeyDictionary[Source | Corpus, int] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def note(self, found: Source | Corpus) -> None:
        """Count what was just read."""
        size = bytes_of(found)
        with self._lock:
            self._sizes[found] = size

    @property
    def n_bytes(self) -> int:
        with self._lock:
            return sum(self._sizes.values())

    @property
    def full(self) -> bool:
        """Whether no more may be read. One file brings a fifth of `limits.reading_limits` at most,
        so that the sum stays near its limit."""
        return self.n_bytes >= held_limit()

    def check(self, name: str) -> None:
        """Raise CorpusError if no more may be read."""
        if self.full:
            raise CorpusError(
                f"{name} was not read: the texts of all tabs take {self.n_bytes / 2**20:,.0f} MB "
                f"and may take {held_limit() / 2**20:,.0f} MB; close tabs with other texts and try "
                "again in three minutes, or start the app with a larger BNPEXPLORER_MEMORY_MB."
            )


HELD = HeldBytes()
"""What the tabs of this server hold."""


def held_limit() -> int:
    """4 GB, or half of a smaller memory, or what BNPEXPLORER_MEMORY_MB says.

    Raises what `bytes_allowed` raises.
    """
    asked = bytes_allowed(MEMORY)
    return min(4 * 2**30, usable_memory() // 2) if asked is None else asked


def bytes_of(found: Source | Corpus) -> int:
    """Bytes of its arrays, words and texts; a corpus shares the texts of its source, which count
    for both while both are held."""
    docs: DocTable = found.docs
    total = sum(sys.getsizeof(word) for word in found.vocab or ())
    for column in docs.columns().values():
        total += column.nbytes
        total += sum(map(sys.getsizeof, column)) if column.dtype == object else 0
    rows = found.file_rows if isinstance(found, Corpus) else found.rows
    total += 0 if rows is None else store.size(rows)
    if isinstance(found, Corpus):
        return total + store.size((found.indptr, found.word_ids, found.counts))
    counts = found.counts
    return total + (
        store.size((counts.indptr, counts.indices, counts.data)) if counts is not None else 0
    )
