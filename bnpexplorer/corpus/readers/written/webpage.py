"""Pages of HTML, and the chapters of books, which are such pages."""

import re
from html.parser import HTMLParser

from .blocks import Block, Written

Attributes = list[tuple[str, str | None]]
IN_LINES = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q ruby s
    samp small span strike strong sub sup time tt u var wbr
"""
INLINE = frozenset(IN_LINES.split())
"""Elements that stand within a line; all others end a paragraph."""
SKIPPED = frozenset(("script", "style", "nav", "template", "svg", "rt", "rp"))
"""Elements whose text is not read: code, navigation, pictures, readings above letters."""
BLANKS = re.compile(r"\s+")
HEADING = re.compile("h([1-6])")


class _Page(HTMLParser):
    """The paragraphs and headings of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.blocks = "", list[Block]()
        self._parts: list[str] = []
        self._level, self._skipped, self._in_title = 0, list[str](), False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if self._skipped or tag in SKIPPED:
            self._skipped += [tag] if tag in SKIPPED else []
        elif tag == "title":
            self._in_title = True
        elif tag == "br":
            self._parts.append("\n")
        elif tag not in INLINE:
            self.finish()
            found = HEADING.fullmatch(tag)
            self._level = int(found[1]) if found else 0 if tag == "p" else self._level

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        if tag not in SKIPPED and tag != "title":
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[len(self._skipped) - 1 - self._skipped[::-1].index(tag) :]
        elif tag == "title":
            self._in_title = False
        elif not self._skipped and tag not in INLINE and tag != "br":
            self.finish()
            self._level = 0 if HEADING.fullmatch(tag) else self._level

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._in_title:
            self.title += data
        else:
            self._parts.append(BLANKS.sub(" ", data))

    def finish(self) -> None:
        """End the paragraph."""
        text = re.sub(r" {2,}", " ", "".join(self._parts))
        self._parts = []
        self.blocks.append(Block(re.sub(r" ?\n ?", "\n", text), self._level))


def written_page(text: str) -> Written:
    """The paragraphs of a page of HTML, without code and navigation."""
    page = _Page()
    page.feed(_without_comments(text))
    page.close()
    page.finish()
    return Written.of(page.title, page.blocks)


def _without_comments(text: str) -> str:
    """The page without comments: the parser looks for the end of each that has none in all of the
    page."""
    kept, place = [], 0
    while (begun := text.find("<!--", place)) >= 0 and (ended := text.find("-->", begun)) >= 0:
        kept.append(text[place:begun])
        place = ended + 3
    return "".join(kept) + text[place:].replace("<!--", " ")
