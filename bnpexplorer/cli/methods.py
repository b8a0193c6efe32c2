"""`methods` and `warm`: which inference methods there are, and their kernels compiled now."""

import argparse
import time

from ..methods import METHODS, make_method, methods_markdown
from ..methods.base import said_of_threads
from ..runs.warming import warm


def add_methods(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="as the table of the docs")
    parser.set_defaults(run=_methods)


def add_warm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="METHOD", help="only what these need")
    parser.set_defaults(run=_warm)


def _methods(options: argparse.Namespace) -> int:
    if options.markdown:
        print(methods_markdown())
        return 0
    for name, method in METHODS.items():
        print(f"{name:<14} {method.title}\n{'':<14} {method.source}")
        print(f"{'':<14} {method.kind}; can learn: {', '.join(method.learnable()) or 'nothing'}")
        print(f"{'':<14} presets: {', '.join(method.presets)}")
        print(f"{'':<14} {said_of_threads(method)}")
    return 0


def _warm(options: argparse.Namespace) -> int:
    for name in options.names or METHODS:
        started = time.perf_counter()
        warm(make_method(name))
        print(f"{name:<14} ready after {time.perf_counter() - started:.1f} s")
    return 0
