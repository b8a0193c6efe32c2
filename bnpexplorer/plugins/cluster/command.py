"""A cluster on the command line: connect first, and say what to do if it is lost."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...chains import Chains
from ...inference.pool import PoolLost
from ...runs.run import Run
from .pool import ClusterPool
from .shards import shards_at
from .starting import connect


@contextmanager
def reached(options: argparse.Namespace) -> Iterator[ClusterPool]:
    """Reach the cluster that the options name. Raises what `connect` does."""
    with connect(options.cluster, _tell) as pool:
        if getattr(options, "shards", None) is not None:
            pool.shards = shards_at(options.shards)
        _tell(f"computing on {pool.in_words} {pool.where}.")
        yield pool


def say_who_learns(run: Run) -> None:
    """Report, before learning, if the cluster has nothing to do or its workers read the documents
    themselves; their pool reports what a worker lacks."""
    if run.method.parallel != "documents":
        _tell(f"{run.method.name} learns on this machine alone. {run.method.in_turn}")
    elif isinstance(run.pool, ClusterPool):
        with suppress(PoolLost):  # the first step finds it out, and says what to do
            run.pool.ready()
        if said := run.pool.how_read(run.corpus):
            _tell(said)


def say_if_at_once(chains: Chains) -> None:
    """Report if every chain has a worker of its own."""
    if chains.is_at_once:
        _tell(f"{len(chains.runs)} chains at once, each as a whole by a worker.")


def way_on(options: argparse.Namespace, kept: str) -> str:
    """Return how to continue a run whose cluster was lost, saved in --out or as `kept` in the
    app."""
    if options.out is None:
        return f"The run is kept among those of the app as {kept}: go on with it there."
    again = f"fit {options.out} --go-on --cluster {options.cluster} --out {options.out} --force"
    if options.shards is not None:
        again += f" --shards {options.shards}"
    return f"The run is in {options.out}: go on with `bnpexplorer {again}`."


def _tell(said: str) -> None:
    print(f"bnpexplorer: {said}", file=sys.stderr)
