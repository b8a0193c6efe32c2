"""A cluster on the command line: reached before anything is read; what to do when it is lost."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..chains import Chains
from ..cluster import connect
from ..inference.pool import Pool
from ..methods import Method
from .threads import pool_of

LOST = 3
"""Exit status of a command whose cluster was lost; what was learned is kept."""


def add_cluster(
    parser: argparse.ArgumentParser,
    what: str = "compute on the workers of a Dask cluster, which changes no number",
) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"{what}: tcp://HOST:PORT of its scheduler, or local:4 for four processes on this "
        "machine",
    )


@contextmanager
def pool_for(options: argparse.Namespace) -> Iterator[Pool]:
    """What computes the steps, as the options say: a cluster, or threads.

    Raises what `connect` and `pool_of` do.
    """
    threads = pool_of(options)
    if options.cluster is None:
        yield threads
        return
    with connect(options.cluster) as pool:
        print(f"bnpexplorer: computing on {pool.in_words}.", file=sys.stderr)
        try:
            yield pool
        finally:
            for note in pool.notes:
                print(f"bnpexplorer: {note}", file=sys.stderr)


def say_if_alone(options: argparse.Namespace, method: Method) -> None:
    """Say so where the cluster has nothing to do."""
    if options.cluster is not None and method.parallel != "documents":
        print(
            f"bnpexplorer: {method.name} learns on this machine alone. {method.in_turn}",
            file=sys.stderr,
        )


def say_if_at_once(chains: Chains) -> None:
    """Say so where every chain has a worker of its own."""
    if chains.is_at_once:
        n = len(chains.runs)
        print(f"bnpexplorer: {n} chains at once, each as a whole by a worker.", file=sys.stderr)


def way_on(options: argparse.Namespace, kept: str) -> str:
    """How to go on with a run whose cluster was lost, saved in --out or else `kept` in the app."""
    if options.out is None:
        return f"The run is kept among those of the app as {kept}: go on with it there."
    again = f"fit {options.out} --go-on --cluster {options.cluster} --out {options.out} --force"
    return f"The run is in {options.out}: go on with `bnpexplorer {again}`."
