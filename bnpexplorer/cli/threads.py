"""Who computes what a command learns."""

import argparse
import sys

from ..inference.cores import cores, too_many
from ..inference.pool import Pool


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
