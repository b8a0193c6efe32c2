"""The arguments of every command that reads a file: its form, its columns, its words."""

import argparse
from typing import Any

from ..core.knob import knobs_of

FILES = {"stop_words": " A file instead: its words, besides these."}
"""Option -> a sentence on values that only the command line takes."""


def add_form(reading: Any) -> None:
    """How a file is read, whatever its columns are."""
    reading.add_argument("--format", default="", help="the format, where it is guessed wrongly")
    reading.add_argument(
        "--delimiter", default="", metavar="SIGN", help="between the fields of a CSV file"
    )
    reading.add_argument(
        "--header", default="", choices=("", "yes", "no"), help="its first row names the columns"
    )
    reading.add_argument("--encoding", default="", help="the encoding, where it is guessed wrongly")
    reading.add_argument(
        "--split",
        default="",
        choices=("", "lines", "paragraphs", "headings", "minutes", "speeches"),
        help="a plain text into lines or paragraphs; Word, EPUB, HTML and other documents by their "
        "headings; a transcript into minutes; TEI into speeches or paragraphs [found out]",
    )
    reading.add_argument("--sheet", default="", metavar="NAME", help="of an Excel file")


def add_reading(parser: argparse.ArgumentParser) -> None:
    from ..corpus.documents.joining import PERIODS  # numpy and scipy, which no other option needs
    from ..corpus.words.settings import TextSettings

    reading = parser.add_argument_group("reading the corpus")
    for name in ("date", "id", "title"):
        reading.add_argument(f"--{name}", default="", metavar="COLUMN")
    for name in ("text", "label"):
        reading.add_argument(
            f"--{name}", default=[], action="append", metavar="COLUMN", help="may be given again"
        )
    reading.add_argument(
        "--questions",
        default="",
        choices=("", "apart"),
        help="several text columns: a document for each, with the column as its label [join them]",
    )
    reading.add_argument(
        "--add-title", default="", choices=("", "short"), help="begin short texts with their titles"
    )
    reading.add_argument(
        "--label-parts", default="", choices=("", "first"), help="of a label such as 'sea;trade'"
    )
    reading.add_argument(
        "--ragged",
        default="",
        choices=("", "leave out"),
        help="rows of a CSV file with more or fewer fields than the header [refuse the file]",
    )
    reading.add_argument(
        "--as-of",
        default="",
        metavar="DAY",
        help="the day of the first reading, such as 2026-03-05: no two-digit year is after it; "
        "'names' finds columns by name alone, as the first version did [today]",
    )
    reading.add_argument("--vocab", metavar="FILE", help="the vocabulary of a counts file")
    add_form(reading)
    reading.add_argument(
        "--entry",
        default="",
        metavar="NAME",
        help="the table of an archive that is read, or '*' for all as one",
    )
    reading.add_argument(
        "--file-names",
        default="",
        choices=("", "date", "label", "date label"),
        help="what names of files in a folder or an archive say",
    )
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
