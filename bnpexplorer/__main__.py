"""The command line: `python -m bnpexplorer COMMAND`; every longer command is a file in `cli/`.

Without a command it opens the app.
"""

import argparse
import io
import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from .core.environment import refuse_old_names
from .core.installation import version

COMMANDS = {
    "fit": ("fit", "learn a corpus and print a summary"),
    "apply": ("apply", "give new texts the topics of a run"),
    "corpus": ("corpus", "corpora on the disk, of any size"),
    "export": ("export", "a saved run as report, tables, script, arrays"),
    "runs": ("runs", "list saved runs; rename, delete, export, import"),
    "methods": ("methods", "list the inference methods"),
    "check": ("check", "try what every method promises on one method"),
    "claims": ("claims", "try the papers' claims on a corpus"),
    "compare": ("compare", "lay saved runs side by side"),
    "warm": ("methods", "compile every kernel now"),
    "app": ("app", "open the app in the browser"),
    "class": ("classroom", "open the app for a class on one network"),
    "doctor": ("doctor", "versions, folders, memory, what is missing"),
}
"""Command -> the file in `cli/` that does the work, and its line in the help. A file is imported
when its command is run: most need numba, and some pandas. `cli/arguments.py` has the arguments as
`add_COMMAND`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (2: the arguments or the input are wrong;
    3: the cluster was lost; 130: stopped by Ctrl-C)."""
    logging.getLogger(__package__).addHandler(TERMINAL)
    _print_any_letter()
    parser = _parser()
    try:
        refuse_old_names()
        options = _options(parser, arguments)
        status = _work(options)(options)
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


class Command(Parser):
    """The parser of one command, which learns its arguments when the command is given."""

    place: str | None = None
    """The name of the command, for `add_COMMAND`; None for what stands below a command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.place is not None:
            from .cli import arguments

            getattr(arguments, f"add_{self.place}")(self)
            self.place = None
        return super().parse_known_args(args, namespace)


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
    parser.set_defaults(run="app", streamlit=[])
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Command)
    for name, (_, about) in COMMANDS.items():
        commands.add_parser(name, help=about).place = name
    return parser


def _work(options: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """Return the function that does what the arguments ask for; its file is imported now."""
    file = import_module(f".cli.{COMMANDS[options.command or 'app'][0]}", __package__)
    work: Callable[[argparse.Namespace], int] = getattr(file, options.run)
    return work


if __name__ == "__main__":
    sys.exit(main())
