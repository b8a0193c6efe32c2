"""Options that several commands have. Open this to add an option to all of them."""

import argparse
from typing import Any

from ..core.environment import THREADS
from ..core.knob import knobs_of

FILES = {"stop_words": " A file instead: its words, besides these."}
"""What an option takes on the command line only."""


def add_json(parser: Any) -> None:
    """The option; `parser`: an argparse parser, or a group of one."""
    parser.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,  # else `runs --json list` would be told that it was not given
        help="print the result as one JSON object, for programs",
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="write over a file that exists")


def add_threads(parser: argparse.ArgumentParser, what: str = "threads to compute on") -> None:
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help=f"{what}, which changes no number [all cores, or {THREADS}]",
    )


def add_cluster(
    parser: argparse.ArgumentParser,
    what: str = "compute on the workers of a Dask cluster, which changes no number",
) -> None:
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=f"{what}: tcp://HOST:PORT of its scheduler, or local:4 for four processes on this "
        "machine",
    )


def add_shards(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--shards",
        metavar="ADDRESS",
        help="where the workers of a cluster read a corpus on the disk, or a folder that holds it: "
        "a path, or an address such as s3://BUCKET/news.corpus [the path of the corpus here]",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    from ..corpus.joining import PERIODS  # numpy and scipy, which no other option needs
    from ..corpus.settings import TextSettings

    reading = parser.add_argument_group("reading the corpus")
    for name in ("text", "date", "label", "id", "title"):
        reading.add_argument(f"--{name}", default="", metavar="COLUMN")
    reading.add_argument("--vocab", metavar="FILE", help="the vocabulary of a counts file")
    reading.add_argument("--format", default="", help="the format, where it is guessed wrongly")
    reading.add_argument(
        "--delimiter", default="", metavar="SIGN", help="between the fields of a CSV file"
    )
    reading.add_argument(
        "--header", default="", choices=("", "yes", "no"), help="its first row names the columns"
    )
    reading.add_argument("--encoding", default="", help="the encoding, where it is guessed wrongly")
    reading.add_argument("--split", default="lines", choices=("lines", "paragraphs"))
    reading.add_argument("--sheet", default="", metavar="NAME", help="of an Excel file")
    reading.add_argument(
        "--passages",
        default="",
        metavar="N",
        help="divide documents into passages of about so many words, or into 'paragraphs'",
    )
    reading.add_argument(
        "--join",
        default="",
        metavar="COLUMN",
        help="one document for each value of the column, such as an account",
    )
    reading.add_argument("--period", default="", choices=("", *PERIODS), help="and for each period")
    words = parser.add_argument_group("words (names and meanings of scikit-learn's vectoriser)")
    for name, default, about in knobs_of(TextSettings):
        words.add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"words_{name}",
            metavar="VALUE",
            help=f"{about.help}{FILES.get(name, '')} [{default}]".replace("%", "%%"),
        )
