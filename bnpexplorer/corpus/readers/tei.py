"""Reader of TEI: texts with their divisions, speeches and paragraphs marked in XML.

A document is a `div`, without those within it that are documents themselves; by choice a speech
(`sp`) or a paragraph. Headings, speakers, stage directions and notes are no words of a text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..corpus import CorpusError
from .reader import SURE, Look, Reader
from .source import NONE, SPEECHES, Source, Upload
from .tables import Row, RowTable, read_rows
from .xml import XmlPart, parts_of, root_of

ROOTS = ("TEI", "TEI.2", "teiCorpus", "teiCorpus.2")
DIVISION = re.compile(r"div[0-7]?|body")
UNITS = {
    "": (DIVISION, "division"),
    "lines": (DIVISION, "division"),
    SPEECHES: (re.compile("sp|u"), "speech"),
    "paragraphs": (re.compile("p|ab|lg|u"), "paragraph"),
}
"""Value of `split` -> elements that are documents, and what they are called."""
NO_TEXT = frozenset(("fw", "stage", "note", "del", "figDesc", "speaker", "head"))
OTHER_READING = frozenset(("sic", "orig", "abbr"))
"""Within `choice`, these stand beside what is read instead."""
BREAKS = ("lb", "pb", "cb")
BLOCKS = re.compile("p|ab|l|lg|sp|u|div[0-7]?|body|item|cell|row|table|list|quote|closer|opener")
FIELDS = {"text": "text", "id": NONE, "title": "title", "date": "date", "label": "speaker\nauthor"}


@dataclass
class Division:
    """An open division."""

    name: str
    """Type and number, such as "scene 1"."""
    head: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        return tidy("".join(self.head)) or self.name


@dataclass
class OpenDocument:
    """An open document."""

    line: int
    deep: int
    """The number of elements that are open when it begins, itself included."""
    text: list[str] = field(default_factory=list)
    speakers: list[str] = field(default_factory=list)


@dataclass
class TextHeader:
    """Title, author and date of a text."""

    title: str = ""
    author: str = ""
    date: str = ""


def tidy(text: str) -> str:
    """Return a text with single blanks and line ends."""
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()


def tei_table(upload: Upload) -> RowTable:
    """Return the divisions, speeches or paragraphs of a TEI file as rows. Raises CorpusError."""
    name, split = upload.name, upload.options.split
    if split not in UNITS:
        raise CorpusError(
            f"{name}: TEI is split into {SPEECHES!r}, 'paragraphs', or divisions where nothing is "
            f"asked for; got {split!r}."
        )
    unit, called = UNITS[split]
    notes = [f"Read as TEI, one document a {called}."]
    parts = parts_of(name, upload.data, upload.options.encoding)
    rows = _Reading(unit).rows(parts)
    return RowTable(name, "tei", rows, (), notes, "line", fields=FIELDS)


def read_tei(upload: Upload) -> Source:
    """Return the documents of a TEI file, the one who speaks as the label."""
    return read_rows(tei_table(upload), upload.options)


class _Reading:
    """From the parts of a file to its documents. `unit`: the elements that are one."""

    def __init__(self, unit: re.Pattern[str]) -> None:
        self._unit = unit
        self._path: list[str] = []
        self._silent = 0
        """Open elements whose letters are no text."""
        self._divisions: list[Division] = []
        self._documents: list[OpenDocument] = []
        self._header = TextHeader()
        self._speaker = ""

    def rows(self, parts: Iterator[XmlPart]) -> Iterator[Row]:
        """Return the documents in the order in which they end."""
        for part in parts:
            if part.kind == "begin":
                self._begin(part)
            elif part.kind == "text":
                self._letters(part.text)
            else:
                yield from self._end(part.name)

    def _is_silent(self, place: int) -> bool:
        """Whether the letters of an open element are no text."""
        name = self._path[place]
        beside = name in OTHER_READING and place > 0 and self._path[place - 1] == "choice"
        return name in NO_TEXT or name == "teiHeader" or beside

    def _begin(self, part: XmlPart) -> None:
        given, name = part.attributes, part.name
        self._path.append(name)
        self._silent += self._is_silent(len(self._path) - 1)
        if name == "teiHeader":
            self._header = TextHeader()
        if "teiHeader" in self._path[:4]:
            if name == "date" and not self._header.date:
                self._header.date = given.get("when", "")
            return
        if name in ("sp", "u"):
            self._speaker = given.get("who", "").split(" ")[0].lstrip("#")
        if DIVISION.fullmatch(name):
            about = (given.get("type"), given.get("n"))
            self._divisions.append(Division(" ".join(filter(None, about))))
        if self._unit.fullmatch(name):
            self._documents.append(OpenDocument(part.line, len(self._path)))
        if (name == "w" or (name in BREAKS and given.get("break") != "no")) and self._documents:
            self._documents[-1].text.append(" ")

    def _letters(self, text: str) -> None:
        within = self._path[-1] if self._path else ""
        if "teiHeader" in self._path[:4]:
            if "titleStmt" in self._path and within == "title" and not self._header.title:
                self._header.title = tidy(text)
            if "titleStmt" in self._path and within == "author" and not self._header.author:
                self._header.author = tidy(text)
        elif "head" in self._path and self._divisions:
            self._divisions[-1].head.append(text)
        elif within == "speaker":
            self._speaker = tidy(text).strip(" .:") or self._speaker
        elif self._documents and not self._silent:
            self._documents[-1].text.append(text)

    def _end(self, name: str) -> Iterator[Row]:
        if self._documents and self._documents[-1].deep == len(self._path):
            document = self._documents.pop()
            speakers = document.speakers or [self._speaker]
            if text := tidy("".join(document.text)):
                yield document.line, self._cells(text, {*speakers})
        self._silent -= self._is_silent(len(self._path) - 1)
        self._path.pop()
        if DIVISION.fullmatch(name) and self._divisions and "teiHeader" not in self._path:
            self._divisions.pop()
        if name in ("sp", "u"):
            for document in self._documents:
                document.speakers.append(self._speaker)
            self._speaker = ""
        if BLOCKS.fullmatch(name) and self._documents:
            self._documents[-1].text.append("\n")

    def _cells(self, text: str, speakers: set[str]) -> dict[str, str]:
        titles = [division.title for division in self._divisions if division.title]
        header = self._header
        cells = {
            "title": " · ".join(titles) or header.title,
            "speaker": speakers.pop() if len(speakers) == 1 else "",
            "author": header.author,
            "work": header.title,
            "date": header.date,
            "text": text,
        }
        return {column: cell for column, cell in cells.items() if cell}


def _sniff(look: Look) -> float:
    return SURE if root_of(look.text) in ROOTS else 0.0


TEI = Reader(
    "tei",
    "TEI",
    "XML of TEI: a division a document, or a speech or a paragraph.",
    (".xml", ".tei"),
    _sniff,
    read_tei,
    tei_table,
    many=True,
)
