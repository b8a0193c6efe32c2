"""The one way a kernel is compiled.

No fast mathematics but for `fused` and `summing`, whose bits are the same on like machines, too.
Every kernel releases the GIL (without it one call froze the main thread for 2.3 s; with it 12 ms)
and is cached on disk. `parallel=True` is not used anywhere: two threads inside a parallel kernel
on numba's workqueue layer abort the whole process. Division by zero follows IEEE (`error_model`),
since Python's check keeps loops from being vectorised.

Compiling time: a kernel is compiled on its own and again within each kernel that calls it, and
`python -m benchmarks.compiling` measures both. An array assigned to a part of another costs 1.7 s
(numba compiles the error message), a loop 0.02 s.
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event, types

P = ParamSpec("P")
R = TypeVar("R")

KERNELS: list[Callable[..., object]] = []
"""Every compiled kernel, in order of definition (the tests assert one compiled signature each)."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` without the GIL and with a cache on disk; keeps its Python signature."""
    return _compiled(function)


def within(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, for what one kernel calls at one place: numba puts its code there before it
    compiles anything, so that it is compiled once. Python can call it like any other kernel.

    Not for what is called for every token: draws of `sparse_gibbs` took 1.17 times as long with
    their helpers so, those of `partly_collapsed` 1.3 times.
    """
    return _compiled(function, inline="always")


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, for what inner loops call: its code is put where it is called, always.

    A call that is not costs some nanoseconds for every array that is handed over: of a draw of
    `sparse_gibbs` a quarter.
    """
    return _compiled(function, forceinline=True)


def fused(function: Callable[P, R]) -> Callable[P, R]:
    """As `inlined`, where a product and the sum it goes into may be rounded once, which processors
    do in one instruction."""
    return _compiled(function, forceinline=True, fastmath=("contract",))


def summing(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, for sums along memory: products are fused, and a sum is split into as many parts
    as the processor adds at once, which only its length decides: less than half of the time."""
    return _compiled(function, fastmath=("contract", "reassoc"))


def _compiled(
    function: Callable[P, R],
    forceinline: bool = False,
    fastmath: tuple[str, ...] = (),
    inline: str = "never",
) -> Callable[P, R]:
    # Nobody calls kernels from C, and the wrapper for it takes 7 % of the time to compile.
    compiled = cast(Any, numba.njit)(
        nogil=True,
        cache=True,
        error_model="numpy",
        forceinline=forceinline,
        fastmath=set(fastmath),
        inline=inline,
        no_cfunc_wrapper=True,
    )(function)
    compiled.get_call_template = _without_literals(compiled.get_call_template)
    KERNELS.append(compiled)
    return cast(Callable[P, R], compiled)


def _without_literals(find: Callable[..., Any]) -> Callable[..., Any]:
    """Return `find`, which finds the code for types of arguments, with a plain 1 as any number.

    To numba it is a type of its own, for which it would compile the kernel once more.
    """

    def found(arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        plain = cast(Any, types).unliteral
        return find(tuple(map(plain, arguments)), {name: plain(of) for name, of in named.items()})

    return found


class _NoCollection(event.Listener):
    """Stops Python's garbage collection while numba compiles, which leaves little garbage: a tenth
    of the time went into looking for it. One thread compiles at a time."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def on_start(self, _: Any) -> None:
        """Stop before the first of nested compiles."""
        if self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, _: Any) -> None:
        """Go on after the last."""
        self._depth -= 1
        if self._depth == 0 and self._was_on:
            gc.enable()


cast(Any, event).register("numba:compile", _NoCollection())
