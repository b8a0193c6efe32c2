"""The command line: `python -m bnpexplorer COMMAND`; every longer command is a file in `cli/`.

Without a command it opens the app.
"""

import argparse
import io
import logging
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

from .cli.app import add_app, open_app
from .cli.check import add_check
from .cli.claims import add_claims
from .cli.classroom import add_class
from .cli.compare import add_compare
from .cli.corpus import add_corpus
from .cli.doctor import add_doctor
from .cli.export import add_export
from .cli.fit import add_fit
from .cli.runs import add_runs
from .core.versions import version
from .methods import METHODS, make_method, methods_markdown
from .methods.base import said_of_threads
from .runs.warming import warm


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (2: the arguments or the input are wrong;
    3: the cluster was lost; 130: stopped by Ctrl-C)."""
    logging.getLogger(__package__).addHandler(TERMINAL)
    _print_any_letter()
    parser = _parser()
    try:
        options = _options(parser, arguments)
        status: int = options.run(options)
    except ValueError as problem:  # bad input of every kind: one sentence, no traceback
        print(f"bnpexplorer: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:  # a folder where a file should be, a full disk, ...
        print(f"bnpexplorer: {_refused(problem)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bnpexplorer: stopped.", file=sys.stderr)
        return 130
    return status


class Terminal(logging.Handler):
    """Print the details of bnpexplorer's own errors; of bad input the sentence is enough."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr)


TERMINAL = Terminal(logging.CRITICAL)


def _print_any_letter() -> None:
    """Where output goes that knows few letters, as into a file on Windows, others are written as
    numbers: a Greek word ended a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _refused(problem: OSError) -> str:
    why = problem.strerror or str(problem)
    return f"{problem.filename} cannot be used ({why})." if problem.filename else f"{why}."


class Parser(argparse.ArgumentParser):
    """A parser that refuses in one sentence, without the usage of 16 lines before it."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message}; {_help(self.prog)}.")


def _help(prog: str) -> str:
    command = prog.removeprefix("bnpexplorer").strip()
    return f"`{f'{command} --help'.strip()}` says what there is"


def _options(parser: Parser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """What the arguments say. Raises ValueError for what the command does not know."""
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command = options.command or parser.prog
        raise ValueError(f"{command} does not know {unknown[0]}; {_help(command)}.")
    return options


def _parser() -> Parser:
    parser = Parser(
        prog="bnpexplorer",
        description="See Bayesian nonparametric inference happen.",
        epilog="Without a command it opens the app in the browser.",
    )
    parser.add_argument("--version", action="version", version=version())
    parser.set_defaults(run=lambda _: open_app())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    add_fit(commands.add_parser("fit", help="learn a corpus and print a summary"))
    add_corpus(commands.add_parser("corpus", help="corpora on the disk, of any size"))
    exporting = commands.add_parser("export", help="a saved run as report, tables, script, arrays")
    add_export(exporting)
    add_runs(commands.add_parser("runs", help="list saved runs; rename, delete, export, import"))
    listing = commands.add_parser("methods", help="list the inference methods")
    listing.add_argument("--markdown", action="store_true", help="as the table of the docs")
    listing.set_defaults(run=_methods)
    add_check(commands.add_parser("check", help="try what every method promises on one method"))
    add_claims(commands.add_parser("claims", help="try the papers' claims on a corpus"))
    add_compare(commands.add_parser("compare", help="lay saved runs side by side"))
    warming = commands.add_parser("warm", help="compile every kernel now")
    warming.add_argument("names", nargs="*", metavar="METHOD", help="only what these need")
    warming.set_defaults(run=_warm)
    add_app(commands.add_parser("app", help="open the app in the browser"))
    add_class(commands.add_parser("class", help="open the app for a class on one network"))
    doctor = commands.add_parser("doctor", help="versions, folders, memory, what is missing")
    add_doctor(doctor)
    return parser


# ---- the other commands ------------------------------------------------------------------------


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


if __name__ == "__main__":
    sys.exit(main())
