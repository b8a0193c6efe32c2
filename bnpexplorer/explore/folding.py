"""The proportions of a whole corpus by a thread, so that a page can go on and say how far it is.

Whoever asks holds what was read for as long as it is needed: a common store of eight made nine tabs
at nine moments read for ever.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakValueDictionary

from ..core.arrays import F32
from ..corpus.corpus import Corpus
from ..models import Model
from ..state.snapshot import Topics
from .proportions import doc_topic


class FoldingIn:
    """`doc_topic` under way: it starts at once, in a thread of its own, on all cores.

    `found` float32 (D, K), read-only, is None until all documents are read; what goes wrong stands
    in `error`, as one sentence.
    """

    def __init__(self, model: Model, topics: Topics, corpus: Corpus) -> None:
        self.n_docs, self.n_read = corpus.n_docs, 0
        self.found: F32 | None = None
        self.error = ""
        self._thread = threading.Thread(
            target=self._work, args=(model, topics, corpus), daemon=True, name="folding in"
        )
        self._thread.start()

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> F32 | None:
        """What was found, if it is there within so many seconds."""
        self._thread.join(seconds)
        return self.found

    def _work(self, model: Model, topics: Topics, corpus: Corpus) -> None:
        def tell(n_read: int) -> None:
            self.n_read = n_read

        try:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                found = doc_topic(model, topics, corpus, pool, tell)
            found.flags.writeable = False
            self.found = found
        except Exception as problem:  # the thread's only outlet: the page reports it
            self.error = str(problem) or type(problem).__name__


class Foldings:
    """One `FoldingIn` for all who ask for the same moment of a run, as long as somebody holds it.

    The last few are held here, so that what was begun ahead of a page is there when it comes.
    """

    def __init__(self, kept: int = 8) -> None:
        self._kept, self._lock = kept, threading.Lock()
        self._all: WeakValueDictionary[tuple[str, int], FoldingIn] = WeakValueDictionary()
        self._last: list[FoldingIn] = []

    def begun(self, moment: tuple[str, int]) -> FoldingIn | None:
        """What somebody began at this moment, and still holds; begins nothing."""
        return self._all.get(moment)

    def get(self, moment: tuple[str, int], begin: Callable[[], FoldingIn]) -> FoldingIn:
        """What somebody began at this moment (run, step), else what `begin` begins."""
        with self._lock:
            found = self._all.get(moment) or begin()
            self._all[moment] = found
            self._last = [*(f for f in self._last if f is not found), found][-self._kept :]
            return found
