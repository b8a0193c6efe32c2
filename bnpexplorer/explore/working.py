"""Work that takes long, by a thread, so that a page can go on and say how far it is.

Whoever asks holds what was found for as long as it is needed: a common store of eight made nine
tabs at nine moments work for ever.
"""

import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")
W = TypeVar("W", bound="Working[Any]")


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


class Shared(Generic[W]):
    """One `Working` for all who ask for the same moment of a run, as long as somebody holds it.

    The last few are held here, so that what was begun ahead of a page is there when it comes.
    """

    def __init__(self, kept: int = 8) -> None:
        self._kept, self._lock = kept, threading.Lock()
        self._all: WeakValueDictionary[Hashable, W] = WeakValueDictionary()
        self._last: list[W] = []

    def begun(self, moment: Hashable) -> W | None:
        """What somebody began at this moment, and still holds; begins nothing."""
        return self._all.get(moment)

    def forget(self, moment: Hashable) -> None:
        """Whoever asks for it next begins anew."""
        with self._lock:
            gone = self._all.pop(moment, None)
            self._last = [one for one in self._last if one is not gone]

    def get(self, moment: Hashable, begin: Callable[[], W]) -> W:
        """What somebody began at this moment (run, step), else what `begin` begins."""
        with self._lock:
            found = self._all.get(moment) or begin()
            self._all[moment] = found
            self._last = [*(f for f in self._last if f is not found), found][-self._kept :]
            return found
