"""Values worked out of an object: computed once for all who ask, and ended with the object.

A key names the kind of value, then all that it depends on beside the object. Where that includes
who looks, the access level is in the key, or the object is a corpus that only readers are given.
"""

import itertools
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from threading import RLock
from typing import Any, ClassVar, TypeVar
from weakref import WeakSet

import numpy as np

from .environment import usable_memory

T = TypeVar("T")
_LOCK = RLock()  # guards which entries there are; never held while a value is computed
_STORES: "WeakSet[Derived]" = WeakSet()
_USES = itertools.count()


@cache
def limit() -> int:
    """Return the bytes that all values may take: an eighth of the memory; a run may take half."""
    return usable_memory() // 8


@dataclass(eq=False)
class _Entry:
    lock: Any = field(default_factory=RLock)
    made: bool = False
    value: Any = None
    size: int = 0  # 0: must not be dropped, such as work under way, and is measured again
    used: int = 0


class Derived:
    """The values of one object by key."""

    added: ClassVar[int] = 0  # bytes of all objects' values since room was last made

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of `key`, which `make` computes where it is missing. A second thread
        that asks meanwhile waits for the first. An error is raised, not kept."""
        with _LOCK:
            _STORES.add(self)
            entry = self._entries.get(key) or self._entries.setdefault(key, _Entry())
            entry.used = next(_USES)
        with entry.lock:
            if not entry.made:
                entry.value, entry.made = make(), True
            if not entry.size and (size := size_of(entry.value)):
                entry.size = size + size_of(key)
                _make_room(entry)
            found: T = entry.value
        return found

    def at_hand(self, key: Hashable) -> Any:
        """Return the value of `key` if it was computed, else None."""
        entry = self._entries.get(key, _Entry())
        entry.used = next(_USES)
        return entry.value

    def forget(self, key: Hashable) -> None:
        """Drop the value of `key`: who asks next computes it anew."""
        with _LOCK:
            self._entries.pop(key, None)


def _make_room(newest: _Entry) -> None:
    """Keep all values within the limit: after each sixteenth of it that was added, drop what was
    used least recently of more than fifteen."""
    with _LOCK:
        Derived.added += newest.size
        if Derived.added < limit() // 16:
            return
        Derived.added = 0
        known = [(e.used, s, k, e) for s in _STORES for k, e in [*s._entries.items()] if e.size]
        too_large = sum(entry.size for *_, entry in known) - limit() * 15 // 16
        for _, store, key, entry in sorted(known, key=lambda one: one[0]):
            if too_large > 0 and entry is not newest:
                store.forget(key)
                too_large -= entry.size


class Derives:
    """An object that values are worked out of; neither a copy nor a pickle takes them along."""

    @property
    def derived_values(self) -> Derived:
        found: Derived = self.__dict__.setdefault("_derived", Derived())
        return found

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        return self.derived_values.get(key, make)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_derived"}


def size_of(value: Any) -> int:
    """Estimate the bytes of a value: its arrays, its strings and what holds them. What is mapped
    from a file, and an object with derived values of its own, counts nothing."""
    if isinstance(value, Derives | Derived) or isinstance(getattr(value, "base", None), np.memmap):
        return 0
    if isinstance(n_bytes := getattr(value, "nbytes", None), int):
        return n_bytes
    parts: Any = () if isinstance(value, str | bytes) else getattr(value, "__dict__", value)
    if isinstance(parts, Mapping):
        parts = [*parts.keys(), *parts.values()]
    known = isinstance(parts, Sequence | Set)
    return sys.getsizeof(value) + (sum(map(size_of, parts)) if known else 0)
