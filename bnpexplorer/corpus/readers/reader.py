"""`Reader`, by which `formats.py` knows a form of files, and `Look`, a look at a file before a
reader is chosen. Open this to add a form; the README of `corpus` says how."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from ..corpus import CorpusError
from .archives import BROKEN, ZIPS
from .decoding import Data, find_encoding, open_text, opened
from .source import Source, Upload
from .tables import RowTable

SAMPLE = 1 << 16
LARGEST_SAMPLE = 1 << 21
"""Letters of a table that has a column for every word."""
FEW_LINES, FULL_OF_CELLS = 3, 1 / 30
"""Lines by which such a table is known, and the least share of signs between its cells."""

SURE = 1.0
"""The first bytes can be nothing else."""
CLEAR = 0.9
"""All lines that were looked at are of this form."""
NAMED = 0.75
"""The ending of the name says so, and nothing in the file speaks against it."""
TABLE = 0.7
"""The lines are rows of one width: more than an ending that fits any text."""
ANY_TEXT = 0.5
"""The ending says that it is a text, of whatever form."""
MAY_BE = 0.4
LAST = 0.1
"""What is taken where nothing else fits."""


class Look:
    """The begin of a file, for `Reader.sniff`; it is decoded when a reader first asks for text."""

    def __init__(self, name: str, data: Data, encoding: str = "") -> None:
        self.name, self.data, self.encoding = name, data, encoding
        self.start = data[:SAMPLE]
        """The first bytes."""
        self.suffix = PurePosixPath(name.lower()).suffix
        self.fault: CorpusError | None = None
        """Why it is no text, once `text` was asked for."""

    @cached_property
    def text(self) -> str:
        """The first letters; empty if the file is no text."""
        try:
            codec, _ = find_encoding(self.name, self.data, self.encoding)
            stream = open_text(self.data, codec, newline=None)
            text = stream.read(SAMPLE)
            while _is_wide(text) and (more := stream.read(len(text))):
                text += more
        except CorpusError as problem:
            self.fault = problem
            return ""
        return text

    @cached_property
    def parts(self) -> frozenset[str]:
        """The entries of a ZIP archive, such as the parts of a Word document; none of another
        file, and of one that cannot be opened."""
        if self.start[:4] not in ZIPS:
            return frozenset()
        try:
            with zipfile.ZipFile(opened(self.data)) as archive:
                return frozenset(archive.namelist())
        except BROKEN:
            return frozenset()

    @cached_property
    def lines(self) -> list[str]:
        """The first filled lines of the text, 50 at most, without the last one, which may be cut
        short, unless it is the only one."""
        lines = [line.strip() for line in self.text.split("\n", 50)[:50]]
        return [line for line in lines[:-1] or lines if line]


def _is_wide(text: str) -> bool:
    """Whether the first lines of a table go on beyond a text."""
    if len(text) >= LARGEST_SAMPLE or text.count("\n") >= FEW_LINES or text[:1] in "{[":
        return False
    return sum(map(text.count, ",;\t")) > FULL_OF_CELLS * len(text)


@dataclass(frozen=True)
class Reader:
    """One form of files."""

    key: str
    """Its name in `ReadOptions.format`, in scripts and on the command line."""
    title: str
    sentence: str
    """What such a file looks like."""
    suffixes: tuple[str, ...]
    sniff: Callable[[Look], float]
    """How well a file fits, from 0 (not at all) to `SURE`; the best reader gets the file."""
    read: Callable[[Upload], Source]
    table: Callable[[Upload], RowTable] | None = None
    """The rows that `read` makes documents of; by it corpora on the disk are built from files of
    any size, which are given as `decoding.Stored`."""
    needs_vocab: bool = False
    binary: bool = False
    """Whether no file that merely has its ending is read as anything else."""
    later: bool = False
    """Whether the first version read such files as another form: they are of this one only for
    readings with `ReadOptions.as_of`, or where it is asked for."""
    many: bool = False
    """Whether such files come as many, with few documents in each: an archive or a folder of them
    is read as one table without being asked for."""
