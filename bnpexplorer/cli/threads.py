"""Who computes what a command learns."""

import argparse
import sys

from ..core.environment import THREADS
from ..inference.cores import cores, too_many
from ..inference.pool import Pool


def add_threads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help=f"threads to compute on, which changes no number [all cores, or {THREADS}]",
    )


def pool_of(options: argparse.Namespace) -> Pool:
    """What computes the steps, as the options say.

    Raises ValueError that names the option, or the variable, if it is less than 1 or no number.
    """
    if options.threads is not None and options.threads < 1:
        raise ValueError(
            f"--threads must be 1 or more; got {options.threads}. Leave it out for all cores."
        )
    pool = cores()
    if options.threads is not None:
        pool.use(options.threads)
    if said := too_many(pool.n):
        print(f"bnpexplorer: {said}", file=sys.stderr)
    return pool
