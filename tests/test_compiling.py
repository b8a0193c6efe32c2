"""What `python -m benchmarks.compiling` says of nested compiles."""

from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

from benchmarks.compiling import Compiling
from bnpexplorer.kernels import special


def _told(listener: Compiling) -> tuple[Callable[[Any], None], Callable[[], None]]:
    """What numba says when it begins to compile something, and when it ends."""

    def begin(dispatcher: Any) -> None:
        listener.on_start(SimpleNamespace(data={"dispatcher": dispatcher}))

    return begin, lambda: listener.on_end(SimpleNamespace())


def test_seconds_of_a_kernel_are_without_those_of_the_kernels_it_calls() -> None:
    ticks = count()
    listener = Compiling(clock=lambda: float(next(ticks) ** 2))
    begin, end = _told(listener)
    begin(special.digamma)  # 0
    begin(special.dot)  # 1
    end()  # 4
    end()  # 9
    begin(special.dot)  # 16
    end()  # 25
    assert listener.seconds == {"special.digamma": 1.0 + 5.0, "special.dot": 3.0 + 9.0}


def test_what_numba_compiles_for_a_kernel_is_part_of_it() -> None:
    ticks = count()
    listener = Compiling(clock=lambda: float(next(ticks)))
    begin, end = _told(listener)
    begin(special.dot)
    begin(object())
    end()
    end()
    assert listener.seconds == {"special.dot": 3.0}
