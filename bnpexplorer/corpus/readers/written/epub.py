"""EPUB books: their chapters in the order of the spine, without navigation."""

import posixpath
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from ...corpus import CorpusError
from ..decoding import decode
from .blocks import Block, Written
from .office_parts import Handler, Package, TextOf, open_package
from .webpage import written_page

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
PAGE = re.compile(r".*\.x?html?", re.IGNORECASE)
NAVIGATION = re.compile(r"(.*/)?(nav|toc|contents)\.\w+", re.IGNORECASE)


class _References(Handler):
    """The values of one attribute of all elements of a name."""

    def __init__(self, name: str, attribute: str) -> None:
        self.found: list[str] = []
        self._name, self._attribute = name, attribute

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        if name == self._name and self._attribute in attributes:
            self.found.append(attributes[self._attribute])


class _Contents(TextOf):
    """The list of a book's parts: its title, and its pages in their order."""

    def __init__(self) -> None:
        super().__init__("title")
        self._pages: dict[str, str] = {}
        self._order: list[str] = []
        self._navigation: set[str] = set()

    def begin(self, space: str, name: str, attributes: Mapping[str, str]) -> None:
        super().begin(space, name, attributes)
        href = attributes.get("href", "").partition("#")[0]
        if name == "item":
            self._pages[attributes.get("id", "")] = href
            if "nav" in attributes.get("properties", "").split():
                self._navigation.add(href)
        elif name == "itemref":
            self._order.append(attributes.get("idref", ""))
        elif name == "reference" and attributes.get("type", "").casefold() == "toc":
            self._navigation.add(href)

    def pages(self, folder: str) -> list[str]:
        """Paths of the pages in the order in which they are read."""
        found = [self._pages[page] for page in self._order if page in self._pages]
        kept = [href for href in dict.fromkeys(found) if href not in self._navigation]
        return [posixpath.normpath(posixpath.join(folder, unquote(href))) for href in kept]


def read_epub(where: str, data: bytes) -> Written:
    """A book; its headings are those that begin chapters. Raises CorpusError."""
    with open_package(where, "EPUB", data) as package:
        title, pages = _contents(package)
        _refuse_locked(package, pages)
        chapters = [_page(package, page) for page in pages]
    return Written.of(title, [block for page in _by_chapters(chapters) for block in page])


def _contents(package: Package) -> tuple[str, list[str]]:
    """Title and pages by the list of parts; of a book without one all pages by their names."""
    roots = _References("rootfile", "full-path")
    package.parse(CONTAINER, roots)
    root = roots.found[0] if roots.found else ""
    listed = _Contents()
    package.parse(root, listed)
    pages = listed.pages(posixpath.dirname(root))
    missing = [page for page in pages if page not in package.names]
    if missing:
        raise package.damaged(f"its part {missing[0]} is missing")
    if not pages:
        names = [n for n in package.names if PAGE.fullmatch(n) and not NAVIGATION.fullmatch(n)]
        pages = sorted(names, key=_by_number)
    if not pages:
        raise package.damaged("it has no pages")
    return listed.text, pages


def _by_number(name: str) -> list[tuple[int, str]]:
    """By which chapter 2 comes before chapter 10."""
    return [(int(n or 0), letters) for letters, n in re.findall(r"(\D*)(\d{0,9})", name)]


def _refuse_locked(package: Package, pages: Sequence[str]) -> None:
    """Raise CorpusError where pages are encrypted; that fonts are is no matter."""
    locked = _References("CipherReference", "URI")
    package.parse(ENCRYPTION, locked)
    if {unquote(uri) for uri in locked.found} & {*pages}:
        raise CorpusError(
            f"{package.where} is an EPUB book with copy protection (DRM), which is not read; give "
            "one without it."
        )


def _page(package: Package, name: str) -> tuple[Block, ...]:
    content = package.content(name)
    if not content.strip():
        return ()
    written = written_page(decode(f"{package.where}, part {name}", content)[0])
    return written.blocks


def _by_chapters(pages: Sequence[tuple[Block, ...]]) -> list[list[Block]]:
    """Return the pages without headings that begin no chapter. The first heading of a page begins
    one, and so do others of the level that most pages begin with. Without headings each page is a
    chapter of its own.
    """
    levels = [[block.level for block in page if block.level] for page in pages]
    first = Counter(found[0] for found in levels if found)
    if not first:
        numbered = enumerate((page for page in pages if page), start=1)
        return [[Block(f"{n}", 1), *page] for n, page in numbered]
    if max(first.values()) > 1:
        usual = max(first, key=lambda level: (first[level], level))
    else:  # few pages, such as one of a whole book
        usual = _repeated([level for found in levels for level in found])
    kept = []
    for page, found in zip(pages, levels, strict=True):
        begins, chapter = bool(found), []
        for block in page:
            keeps = block.level and (begins or block.level <= usual)
            chapter.append(block if keeps else Block(block.text))
            begins = begins and not block.level
        kept.append(chapter)
    return kept


def _repeated(levels: Sequence[int]) -> int:
    """The highest level with two headings or more, or else the lowest one."""
    often = [level for level in set(levels) if levels.count(level) > 1]
    return min(often, default=max(levels))
