"""How far a long piece of work is: whoever does it counts, and whoever follows it is told."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
OFTEN = 0.25
"""Seconds between two sentences."""
STRIDE = 64
"""Items between two looks at the clock."""
_followers: list[Callable[[str], None]] = []


def tell_to(follower: Callable[[str], None]) -> None:
    """From now on tell `follower` how far the work of this process is, in words such as
    "1,200 of 60,000 texts"."""
    _followers[:] = [follower]


def passing(items: Iterable[T], noun: str, total: int | None = None) -> Iterable[T]:
    """The items; as they pass, whoever follows is told how many have. `noun`: of several."""
    return _passing(items, noun, total) if _followers else items


def _passing(items: Iterable[T], noun: str, total: int | None) -> Iterator[T]:
    of, last = "" if total is None else f" of {total:,}", -math.inf
    for n, item in enumerate(items):
        if n and n % STRIDE == 0 and (now := time.monotonic()) - last > OFTEN:
            last = now
            for tell in _followers:
                tell(f"{n:,}{of} {noun}")
        yield item
