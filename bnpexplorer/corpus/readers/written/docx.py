"""Word documents (.docx): paragraphs, tables and notes; no comments, and nothing deleted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .blocks import Block, Written
from .office_parts import Handler, Package, open_package, title_in

MAIN = re.compile(r"word/document\d*\.xml")
NOTES = re.compile(r"word/(footnotes|endnotes)\d*\.xml")
STYLES = re.compile(r"word/styles\d*\.xml")
OURS = "wordprocessingml/"
"""Part of the namespaces of Word's own elements, of both kinds that it writes."""
SKIPPED = {"del", "moveFrom", "rt", "Fallback"}
"""Elements whose text does not count: what was deleted or moved away, readings above letters, and
what older programs see in place of what others see."""
SIGNS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
HEADING = re.compile(r"heading ?(\d)", re.IGNORECASE)
TITLE = "title"
CONTENTS = re.compile(r"toc ?(\d|heading)")
"""Names of styles of tables of contents."""
LONGEST_CHAIN = 20


@dataclass
class _Style:
    """A style of paragraphs."""

    name: str = ""
    level: int = 0
    parent: str = ""


class _Styles(Handler):
    """The styles of a document, by their ids; names are English in any language."""

    def __init__(self) -> None:
        self._known: dict[str, _Style] = {}
        self._last = _Style()

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._last = self._known.setdefault(attributes.get("styleId", ""), _Style())
        elif name == "name":
            self._last.name = value.casefold()
        elif name == "basedOn":
            self._last.parent = value
        elif name == "outlineLvl":
            self._last.level = level_of(value)

    def name_of(self, style: str) -> str:
        """The name of a style, or the id of one that is not described."""
        return self._known[style].name if style in self._known else style.casefold()

    def level_of(self, style: str) -> int:
        """The level of headings of a style, or of the styles that it is based on."""
        for _ in range(LONGEST_CHAIN):
            if found := HEADING.fullmatch(self.name_of(style)):
                return int(found[1])
            known = self._known.get(style, _Style())
            if known.level or not known.parent:
                return known.level
            style = known.parent
        return 0


def level_of(outline: str) -> int:
    """The level of a heading, from 1, by Word's number from 0; 0 for text."""
    return int(outline) + 1 if re.fullmatch("[0-8]", outline) else 0


@dataclass
class _Paragraph:
    style: str = ""
    level: int = 0
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Body(Handler):
    """The paragraphs of a part, each followed by the notes to it."""

    def __init__(self, styles: _Styles, notes: Mapping[str, str]) -> None:
        self.title, self.blocks = "", list[Block]()
        self.own_notes: dict[str, str] = {}
        """Number of a note with its kind -> its text, of a part with notes."""
        self._styles, self._notes = styles, notes
        self._open: list[_Paragraph] = []
        self._skipped, self._in_text, self._note = 0, False, ""

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipped or name in SKIPPED:
            self._skipped += 1
        elif OURS not in space:
            return
        elif name == "p":
            self._open.append(_Paragraph())
        elif name in ("footnote", "endnote"):
            self._note, self.blocks = name + attributes.get("id", ""), []
        elif self._open:
            self._within(name, attributes)

    def _within(self, name: str, attributes: Mapping[str, str]) -> None:
        paragraph, value = self._open[-1], attributes.get("val", "")
        if name == "t":
            self._in_text = True
        elif name == "pStyle":
            paragraph.style = value
        elif name == "outlineLvl":
            paragraph.level = level_of(value)
        elif name in SIGNS:
            paragraph.parts.append(SIGNS[name])
        elif name in ("footnoteReference", "endnoteReference"):
            key = name.removesuffix("Reference") + attributes.get("id", "")
            paragraph.notes.append(self._notes.get(key, ""))

    def letters(self, text: str) -> None:
        if self._in_text and not self._skipped and self._open:
            self._open[-1].parts.append(text)

    def end(self, space: str, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif OURS not in space:
            return
        elif name == "t":
            self._in_text = False
        elif name == "p":
            self._take(self._open.pop())
        elif name in ("footnote", "endnote"):
            self.own_notes[self._note] = "\n".join(block.text for block in self.blocks)

    def _take(self, paragraph: _Paragraph) -> None:
        style, text = self._styles.name_of(paragraph.style), "".join(paragraph.parts).strip()
        if CONTENTS.fullmatch(style):
            return
        level = paragraph.level or self._styles.level_of(paragraph.style)
        if style == TITLE:
            self.title, level = self.title or text, 1
        self.blocks += [Block(text, level), *map(Block, paragraph.notes)]


def is_docx(parts: frozenset[str]) -> bool:
    """Whether an archive with these entries is a Word document."""
    return any(map(MAIN.fullmatch, parts))


def read_docx(where: str, data: bytes) -> Written:
    """A Word document; notes stand after the paragraph that refers to them. Raises CorpusError."""
    with open_package(where, "Word", data) as package:
        main = _named(package, MAIN)
        if not main:
            raise package.damaged("it has no text part")
        styles = _Styles()
        for name in _named(package, STYLES):
            package.parse(name, styles)
        notes: dict[str, str] = {}
        for name in _named(package, NOTES):
            read = _Body(styles, {})
            package.parse(name, read)
            notes |= read.own_notes
        body = _Body(styles, notes)
        package.parse(main[0], body)
        return Written.of(body.title or title_in(package, "docProps/core.xml"), body.blocks)


def _named(package: Package, pattern: re.Pattern[str]) -> list[str]:
    return [name for name in package.names if pattern.fullmatch(name)]
