"""`corpus`: corpora on the disk."""

import argparse

from .corpus_check import add_corpus_check


def add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=lambda _: parser.print_help() or 2)
    commands = parser.add_subparsers(dest="of_corpus", metavar="WHAT")
    add_corpus_check(commands.add_parser("check", help="is it what it was when it was built?"))
