"""Choose what computes the steps of a command: threads of this machine, or a cluster."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.plugins import plugin
from ..inference.cores import cores, too_many
from ..inference.pool import Pool

LOST = 3
"""Exit status of a command whose cluster was lost; what was learned is kept."""


@contextmanager
def pool_for(options: argparse.Namespace) -> Iterator[Pool]:
    """Return what computes the steps, as the options say: a cluster, or threads.

    Raises ValueError, as `pool_of` does and where a cluster cannot be reached.
    """
    threads = pool_of(options)
    if options.cluster is not None:
        with plugin("cluster command").reached(options) as pool:
            yield pool
        return
    if getattr(options, "shards", None) is not None:
        raise ValueError("--shards says where a cluster's workers read; add --cluster ADDRESS.")
    yield threads


def threads_of(options: argparse.Namespace) -> int | None:
    """What `--threads` says; None where it was left out. Raises ValueError if it is less than 1."""
    if options.threads is not None and options.threads < 1:
        raise ValueError(
            f"--threads must be 1 or more; got {options.threads}. Leave it out for all cores."
        )
    asked: int | None = options.threads
    return asked


def pool_of(options: argparse.Namespace) -> Pool:
    """What computes the steps, as the options say.

    Raises ValueError that names the option, or the variable, if it is less than 1 or no number.
    """
    asked, pool = threads_of(options), cores()
    if asked is not None:
        pool.use(asked)
    if said := too_many(pool.n):
        print(f"bnpexplorer: {said}", file=sys.stderr)
    return pool
