"""Compiling (or loading) the kernels of a method before they are needed.

`needed.json` lists the kernels that a run of each method with its default settings calls;
`python -m tests.tools.needed` writes it, and a test compares it with what runs call.
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
    """What decides which kernels a method needs: itself, its model, its choices of words, and
    which numbers are 0: what is to be done no times is not compiled."""
    settings = [getattr(method, f.name) for f in fields(method)]
    words = [value for value in settings if isinstance(value, str)]
    switches = [bool(value) for value in settings if isinstance(value, int)]
    return (method.name, method.model.name, *words, *switches)


def is_warm(method: Method) -> bool:
    """Whether `warm` has nothing left to do."""
    return warm_key(method) in _WARM


def warm(method: Method, to_the_end: bool = False) -> None:
    """Compile (or load from the cache) every kernel that a run of `method` needs at first.

    `to_the_end`: those needed after burn-in, too. They take half as long again, and a first curve
    does not wait for them.

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
    """Return how many of the kernels that `method` needs are compiled, here or on the disk, and how
    many it needs; (0, 0) for a method from outside, of which that is not known."""
    kernels = _needed(method.name)
    return sum(map(is_compiled, kernels)), len(kernels)


def all_compiled(method: Method) -> bool:
    """Return whether nothing is left to compile for `method`, as far as that is known; it takes
    2 ms."""
    n, of = compiled(method)
    return is_warm(method) or 0 < n == of


@cache
def _needed(name: str) -> list[Any]:
    listed: dict[str, list[str]] = json.loads(NEEDED.read_text("utf-8"))
    return with_inner(listed.get(name, []))


def warm_in_turn(method: Method) -> None:
    """Compile what a run of `method` needs, by a process of its own where there may be one, else
    here, one method at a time.

    Compiling two at once here would make the first one ready only when both are. Who asks for a
    method that is being compiled waits for that one alone, not for those in line behind it.
    """
    with _TURNS.setdefault(warm_key(method), threading.Lock()):
        if not is_warm(method):
            if not all_compiled(method):
                COMPILERS.compile(method)
            with _COMPILER:
                warm(method)
