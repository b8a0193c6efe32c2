"""A cluster on the command line: reached before anything is read; what to do when it is lost."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..chains import Chains
from ..cluster import ClusterPool, connect
from ..cluster.trials import Trials
from ..inference.pool import Pool
from ..methods import Method
from .threads import pool_of

LOST = 3
"""Exit status of a command whose cluster was lost; what was learned is kept."""


def add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="compute on the workers of a Dask cluster, which changes no number: tcp://HOST:PORT "
        "of its scheduler, or local:4 for four processes on this machine",
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
        print(f"bnpexplorer: computing on {pool.in_words} {pool.where}.", file=sys.stderr)
        try:
            yield pool
        finally:
            for note, workers in pool.notes.items():
                print(f"bnpexplorer: {note} It is {', '.join(workers)}.", file=sys.stderr)


def say_if_alone(options: argparse.Namespace, method: Method) -> None:
    """Say so where the cluster has nothing to do."""
    if options.cluster is not None and method.parallel != "documents":
        print(
            f"bnpexplorer: {method.name} learns on this machine alone. {method.in_turn}",
            file=sys.stderr,
        )


def at_once(chains: Chains, pool: Pool) -> None:
    """Give every chain a worker of its own; where documents are independent and there are more
    workers than chains, all workers compute the steps of each."""
    if not isinstance(pool, ClusterPool):
        return
    n = len(chains.runs)
    if chains.method.parallel == "documents" and pool.n_workers > n:
        return
    chains.at_once(Trials(pool, chains.corpus, chains.runs[0].heldout))
    print(f"bnpexplorer: {n} chains at once, each as a whole by a worker.", file=sys.stderr)


def way_on(options: argparse.Namespace, kept: str) -> str:
    """How to go on with a run whose cluster was lost, saved in --out or else `kept` in the app."""
    if options.out is None:
        return f"The run is kept among those of the app as {kept}: go on with it there."
    again = f"fit {options.out} --go-on --cluster {options.cluster} --out {options.out} --force"
    return f"The run is in {options.out}: go on with `bnpexplorer {again}`."
