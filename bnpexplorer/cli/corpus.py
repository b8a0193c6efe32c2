"""`corpus`: corpora on the disk."""

import argparse

from .corpus_build import add_corpus_build
from .corpus_check import add_corpus_check
from .corpus_show import add_corpus_show


def add_corpus(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="of_corpus", metavar="WHAT", required=True)
    building = commands.add_parser("build", help="build one of files and folders of any size")
    add_corpus_build(building)
    add_corpus_show(commands.add_parser("show", help="what it holds, and how it was read"))
    add_corpus_check(commands.add_parser("check", help="is it what it was when it was built?"))
