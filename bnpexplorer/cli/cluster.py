"""A cluster on the command line: reached before anything is read; what to do when it is lost."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..chains import Chains
from ..cluster import ClusterPool, connect
from ..cluster.shards import shards_at
from ..inference.pool import Pool, PoolLost
from ..methods.base import Method
from ..runs.run import Run
from .threads import pool_of

LOST = 3
"""Exit status of a command whose cluster was lost; what was learned is kept."""


@contextmanager
def pool_for(options: argparse.Namespace) -> Iterator[Pool]:
    """What computes the steps, as the options say: a cluster, or threads.

    Raises what `connect` and `pool_of` do.
    """
    threads, shards = pool_of(options), getattr(options, "shards", None)
    if options.cluster is None:
        if shards is not None:
            raise ValueError("--shards says where a cluster's workers read; add --cluster ADDRESS.")
        yield threads
        return
    with connect(options.cluster, _tell) as pool:
        if shards is not None:
            pool.shards = shards_at(shards)
        print(f"bnpexplorer: computing on {pool.in_words} {pool.where}.", file=sys.stderr)
        yield pool


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


def say_who_reads(run: Run) -> None:
    """Say whether the workers read the documents themselves; what each lacks for it is told by
    their pool. Before anything is learned; nothing of a corpus in memory."""
    if not isinstance(run.pool, ClusterPool) or run.method.parallel != "documents":
        return
    with suppress(PoolLost):  # the first step finds it out, and says what to do
        run.pool.ready()
    if said := run.pool.how_read(run.corpus):
        _tell(said)


def _tell(said: str) -> None:
    print(f"bnpexplorer: {said}", file=sys.stderr)


def way_on(options: argparse.Namespace, kept: str) -> str:
    """How to go on with a run whose cluster was lost, saved in --out or else `kept` in the app."""
    if options.out is None:
        return f"The run is kept among those of the app as {kept}: go on with it there."
    again = f"fit {options.out} --go-on --cluster {options.cluster} --out {options.out} --force"
    if options.shards is not None:
        again += f" --shards {options.shards}"
    return f"The run is in {options.out}: go on with `bnpexplorer {again}`."
