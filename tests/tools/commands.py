"""Every command of the command line that does something, with its parser."""

import argparse
from collections.abc import Iterator

from bnpexplorer.__main__ import COMMANDS, Parser
from bnpexplorer.cli import arguments


def commands() -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Yield the names of each command, such as ("runs", "list"), and its parser."""
    for name in COMMANDS:
        parser = Parser(prog=name)
        getattr(arguments, f"add_{name}")(parser)
        yield from _below(parser, (name,))


def _below(
    parser: argparse.ArgumentParser, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    if parser.get_default("run"):
        yield path, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _below(below, (*path, name))
