"""`corpus`: corpora on the disk."""

import argparse

from .corpus_check import add_corpus_check


def add_corpus(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="of_corpus", metavar="WHAT", required=True)
    add_corpus_check(commands.add_parser("check", help="is it what it was when it was built?"))
