"""Compile (or load) the kernels of a method before they are needed.

`needed.json` lists the kernels that a run of each method with default settings calls. `python -m
tests.tools.needed` writes it, and a test checks it.
"""

import json
import threading
from collections.abc import Hashable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus.corpus import Corpus
from ..kernels.kept import is_compiled, with_inner
from ..methods.base import Method
from .compilers import COMPILERS
from .plan import Plan

NEEDED = Path(__file__).with_name("needed.json")
TO_THE_END = 40
"""Passes after which every method with its default settings has called all its kernels."""
_WARM: set[Hashable] = set()
_TURNS: dict[Hashable, threading.Lock] = {}
_COMPILER = threading.Lock()


def warm_key(method: Method) -> Hashable:
    """Return what decides which kernels a method needs: its name, its model, its text settings, and
    which integers are 0, since their kernels are not compiled."""
    settings = [getattr(method, f.name) for f in fields(method)]
    words = [value for value in settings if isinstance(value, str)]
    switches = [bool(value) for value in settings if isinstance(value, int)]
    return (method.name, method.model.name, *words, *switches)


def is_warm(method: Method) -> bool:
    """Whether `warm` has nothing left to do."""
    return warm_key(method) in _WARM


def warm(method: Method, to_the_end: bool = False) -> None:
    """Compile (or load from the cache) every kernel that a run of `method` needs at first.

    `to_the_end`: also those needed after burn-in. They take half as long again, and the first curve
    does not need them.

    Runs the method on a corpus of five documents; does nothing if that was done before.
    """
    if is_warm(method) and not to_the_end:
        return
    counts = np.array([[2, 1, 0, 1], [0, 1, 3, 0], [1, 0, 1, 20]])
    protocol = "exact" if method.model.mixture else "completion-4-starts"
    corpus = Corpus.from_csr(np.tile(counts, (2, 1)))
    passes = TO_THE_END if to_the_end else 2
    plan = Plan(method, batch_size=2, passes=passes, n_heldout=1, protocol=protocol)
    run = plan.split_and_start(corpus)
    while not run.done:
        run.step()
    _WARM.add(warm_key(method))


def compiled(method: Method) -> tuple[int, int]:
    """Return how many kernels of `method` are compiled, in memory or on the disk, and how many it
    needs; (0, 0) for a method of another package, where that is unknown."""
    kernels = _needed(method.name)
    return sum(map(is_compiled, kernels)), len(kernels)


def all_compiled(method: Method) -> bool:
    """Return whether all kernels of `method` are known to be compiled, within 2 ms."""
    n, of = compiled(method)
    return is_warm(method) or 0 < n == of


@cache
def _needed(name: str) -> list[Any]:
    listed: dict[str, list[str]] = json.loads(NEEDED.read_text("utf-8"))
    return with_inner(listed.get(name, []))


def warm_in_turn(method: Method) -> None:
    """Compile the kernels of `method` in another process if possible, else here.

    This process compiles one method at a time, since of two at once the first would be ready only
    with the second. A caller whose method is being compiled waits for that method alone.
    """
    with _TURNS.setdefault(warm_key(method), threading.Lock()):
        if not is_warm(method):
            if not all_compiled(method):
                COMPILERS.compile(method)
            with _COMPILER:
                warm(method)
