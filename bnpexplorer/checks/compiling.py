"""Every kernel is compiled once: a second signature would double the wait at the first start."""

import subprocess
import sys
from typing import Any

from ..methods import METHODS
from .expecting import expect

PROGRAM = "import sys; from bnpexplorer.checks import compiling; compiling.report(sys.argv[1:])"


def compiles_every_kernel_once(*names: str) -> None:
    """Of what runs of these methods need; in a process of its own, which nothing else has used."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names], capture_output=True, text=True, check=False
    )
    expect(done.returncode == 0, done.stderr[-2000:])
    expect(not done.stdout, f"compiled more than once: {done.stdout.strip()}")


def report(names: list[str]) -> None:
    """Print every kernel that runs of these methods, under every protocol, compile twice."""
    import numpy as np

    from ..corpus.corpus import Corpus
    from ..evaluate import PROTOCOLS, split_heldout
    from ..kernels.jit import KERNELS
    from ..runs.run import Run
    from .expecting import finish

    counts = np.random.default_rng(0).poisson(0.7, (30, 12))
    counts[:, 0] += 1
    corpus = Corpus.from_csr(counts)
    for name in names:
        method = METHODS[name]()
        for protocol, about in PROTOCOLS.items():
            if method.model.name in about.models:
                train, heldout = split_heldout(corpus, 0, n=5, protocol=protocol)
                finish(Run(method, train, batch_size=10, passes=2, heldout=heldout))
    kernels: list[Any] = list(KERNELS)
    for kernel in kernels:
        # A constant argument makes numba specialise a small helper; that costs nothing to speak of.
        found = [s for s in kernel.signatures if "Literal" not in str(s)]
        if len(found) > 1:
            sys.stdout.write(f"{kernel.__name__} {found}\n")
