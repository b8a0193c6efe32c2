"""OpenDocument texts (.odt): paragraphs, tables and notes; no comments, and nothing that was
deleted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .blocks import Block, Written
from .office_parts import Handler, open_package, title_in

KIND = b"application/vnd.oasis.opendocument.text"
"""How the part "mimetype" begins."""
SKIPPED = {
    *("tracked-changes", "annotation", "note-citation", "table-of-content", "ruby-text"),
    *("title", "desc", "forms", "scripts"),
}
"""Elements whose text does not count: deletions, comments, numbers of notes, contents, readings
above letters, descriptions of pictures."""
TITLE = "Title"
MOST_BLANKS = 1_000


@dataclass
class _OdtParagraph:
    style: str = ""
    level: int = 0
    parts: list[str] = field(default_factory=list)


class _OdtBody(Handler):
    """The paragraphs of a part; a note stands after the paragraph that refers to it."""

    def __init__(self) -> None:
        self.title, self.blocks = "", list[Block]()
        self._parents: dict[str, str] = {}
        self._open: list[_OdtParagraph] = []
        self._within: list[Block] = []
        self._skipped = 0

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipped or name in SKIPPED:
            self._skipped += 1
        elif name == "style":
            self._parents[attributes.get("name", "")] = attributes.get("parent-style-name", "")
        elif name in ("p", "h"):
            level = _number(attributes.get("outline-level", ""), 1) if name == "h" else 0
            self._open.append(_OdtParagraph(attributes.get("style-name", ""), level))
        elif self._open and name == "s":
            self._open[-1].parts.append(" " * _number(attributes.get("c", ""), 1))
        elif self._open and name in ("tab", "line-break"):
            self._open[-1].parts.append(" " if name == "tab" else "\n")

    def letters(self, text: str) -> None:
        if self._open and not self._skipped:
            self._open[-1].parts.append(re.sub(r"[ \t\r\n]+", " ", text))

    def end(self, space: str, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name in ("p", "h") and self._open:
            self._take(self._open.pop())

    def _take(self, paragraph: _OdtParagraph) -> None:
        text, level = "".join(paragraph.parts).strip(), paragraph.level
        style = self._parents.get(paragraph.style) or paragraph.style
        if style == TITLE:
            self.title, level = self.title or text, 1
        if self._open:  # a note, or a box of text
            self._within.append(Block(text, level))
            return
        self.blocks += [Block(text, level), *self._within]
        self._within = []


def _number(text: str, otherwise: int) -> int:
    return min(int(text), MOST_BLANKS) if re.fullmatch(r"\d{1,9}", text) else otherwise


def read_odt(where: str, data: bytes) -> Written:
    """An OpenDocument text. Raises CorpusError, also for one with a password."""
    with open_package(where, "OpenDocument", data) as package:
        manifest = "META-INF/manifest.xml"
        if manifest in package.names and b"encryption-data" in package.content(manifest):
            raise package.protected()
        if "content.xml" not in package.names:
            raise package.damaged("it has no part content.xml")
        body = _OdtBody()
        package.parse("content.xml", body)
        return Written.of(body.title or title_in(package, "meta.xml"), body.blocks)
