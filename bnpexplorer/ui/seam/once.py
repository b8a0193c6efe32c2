"""What a server has one of.

Symptom: What `st.cache_resource` holds (the runs of a server, its library) is lost: a message that
    any browser may send empties all caches.
Seen in: Streamlit 1.67.
No longer needed when: `clear_cache` of the browser's protocol leaves `st.cache_resource` alone.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Made when it is first asked for, by whichever thread."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._lock = make, threading.RLock()
        self._made: list[T] = []

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    def clear(self) -> None:
        """Make it anew when it is asked for next, as another server would."""
        with self._lock:
            self._made.clear()
