"""Work that takes long, by a thread, so that a page can go on and say how far it is.

It is kept as any other value of a moment or a corpus (`core/derived.py`), and never dropped before
it has ended.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ..core.derived import size_of

T = TypeVar("T")


class Working(Generic[T]):
    """Work under way: it starts at once, in a thread of its own.

    `found` is None until there is something to show; what goes wrong stands in `error`, as one
    sentence. A class of it sets its own fields first, and does the work in `_work`.
    """

    title = "working"

    def __init__(self) -> None:
        self.found: T | None = None
        self.error = ""
        self._thread = threading.Thread(target=self._run, daemon=True, name=self.title)
        self._thread.start()

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    @property
    def nbytes(self) -> int:
        """Bytes of what was found, for `size_of`; 0 while the work is under way."""
        return size_of(self.found) if self.ended else 0

    def wait(self, seconds: float | None = None) -> T | None:
        """What was found, if the work is done within so many seconds."""
        self._thread.join(seconds)
        return self.found

    def _work(self) -> None:
        """Set `found`."""
        raise NotImplementedError

    def _run(self) -> None:
        try:
            self._work()
        except Exception as problem:  # the thread's only outlet: the page reports it
            self.error = str(problem) or type(problem).__name__


class Doing(Working[T]):
    """Any work: `found` is what it gives."""

    def __init__(self, work: Callable[[], T], title: str) -> None:
        self._do, self.title = work, title
        super().__init__()

    def _work(self) -> None:
        self.found = self._do()
        del self._do  # it may hold the moment that this very work is kept with
