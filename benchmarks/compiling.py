"""Processor seconds that kernels take to compile: `python -m benchmarks.compiling`.

Each method runs its first steps in a process of its own with an empty cache, as `python -m
bnpexplorer warm` does. A kernel's seconds do not include those of the kernels that it calls; what
numba compiles for a kernel (`np.full`, for example) is part of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numba.core import event

from bnpexplorer import METHODS
from bnpexplorer.kernels.jit import KERNELS
from bnpexplorer.runs.warming import warm

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Measured:
    """Processor seconds of one method's first steps."""

    kernels: dict[str, float]
    """Seconds of compiling, by kernel."""
    steps: float
    """All processor seconds of the steps, with compiling."""

    @property
    def compiling(self) -> float:
        """Seconds of compiling."""
        return sum(self.kernels.values())


@dataclass
class Compiling(event.Listener):  # type: ignore[misc]  # numba has no types
    """Seconds of compiling by kernel, from numba's events."""

    clock: Callable[[], float] = time.process_time
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Own seconds of each kernel, `module.kernel`."""
    _open: list[str] = field(default_factory=list)
    _since: float = 0.0

    def on_start(self, started: Any) -> None:
        """Begin a kernel, or something that numba compiles for the kernel that is open."""
        self._note()
        dispatcher = started.data["dispatcher"]
        if dispatcher in KERNELS:
            function = dispatcher.py_func
            self._open.append(f"{function.__module__.rpartition('.')[2]}.{function.__name__}")
        else:
            self._open.append(self._open[-1] if self._open else "numba")

    def on_end(self, ended: Any) -> None:
        """Go back to the kernel that called."""
        self._note()
        self._open.pop()

    def _note(self) -> None:
        now = self.clock()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now


@contextmanager
def compiling() -> Iterator[dict[str, float]]:
    """Measure the seconds of compiling by kernel within the block."""
    listener = Compiling()
    event.register("numba:compile", listener)
    try:
        yield listener.seconds
    finally:
        event.unregister("numba:compile", listener)


def first_steps(name: str) -> Measured:
    """Warm a method in this process."""
    began = time.process_time()
    with compiling() as seconds:
        warm(METHODS[name]())
    return Measured(dict(seconds), time.process_time() - began)


def apart(name: str) -> Measured:
    """Warm a method in a process of its own with an empty cache."""
    command = [sys.executable, "-m", "benchmarks.compiling", "--here", "--methods", name]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        out = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, text=True, stdout=subprocess.PIPE
        ).stdout
    return Measured(**json.loads(out.splitlines()[-1]))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compiling", description=__doc__)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument(
        "--least", type=float, default=0.1, help="kernels below so many seconds have no row"
    )
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(vars(first_steps(options.methods[0]))))
        return 0
    print("| method | kernel | seconds |\n|---|---|---:|")
    found: dict[str, Measured] = {}
    for name in options.methods:
        found[name] = apart(name)
        kernels = found[name].kernels
        for kernel in sorted(kernels, key=lambda kernel: -kernels[kernel]):
            if kernels[kernel] >= options.least:
                print(f"| {name} | {kernel} | {kernels[kernel]:.2f} |", flush=True)
    print("\n| method | kernels | seconds of compiling | of all |\n|---|---:|---:|---:|")
    for name, measured in sorted(found.items(), key=lambda item: -item[1].compiling):
        n_kernels = len(measured.kernels)
        print(f"| {name} | {n_kernels} | {measured.compiling:.1f} | {measured.steps:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
