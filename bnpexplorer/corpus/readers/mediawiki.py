"""Reader of the dumps of wikis (MediaWiki's XML): a page a document, without its markup."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...core.display import plural
from ..corpus import CorpusError
from .reader import SURE, Look, Reader
from .source import Source, Upload
from .tables import Row, RowTable, read_rows
from .wikitext import categories_of, plain_text
from .xml import XmlPart, parts_of, root_of

FIELDS = {"text": "text", "id": "id", "title": "title", "date": "date", "label": "categories"}
LARGEST = 20_000_000
"""Letters of one page."""


@dataclass
class WikiPage:
    """A page that is being read; of several revisions the last counts."""

    line: int
    cells: dict[str, list[str]] = field(default_factory=dict)
    is_redirect: bool = False

    def cell(self, name: str) -> str:
        return "".join(self.cells.get(name, ()))


PLACES = {
    ("page", "title"): "title",
    ("page", "id"): "id",
    ("page", "ns"): "ns",
    ("revision", "timestamp"): "date",
    ("revision", "text"): "text",
}
"""Element within an element -> column."""


def wiki_table(upload: Upload) -> RowTable:
    """Return the articles of a dump as rows."""
    notes = ["Read as a dump of MediaWiki, one page a document, without markup."]
    parts = parts_of(upload.name, upload.data, upload.options.encoding)
    columns = ("id", "title", "date", "categories", "text")
    rows = _rows(upload.name, parts, notes)
    return RowTable(upload.name, "mediawiki", rows, columns, notes, "line", fields=FIELDS)


def read_wiki(upload: Upload) -> Source:
    """Return the articles of a dump: no redirects, talk or other pages about the wiki."""
    return read_rows(wiki_table(upload), upload.options)


def _rows(name: str, parts: Iterator[XmlPart], notes: list[str]) -> Iterator[Row]:
    redirects = others = 0
    for page in _pages(name, parts):
        text = page.cell("text")
        if page.is_redirect or text.lstrip()[:9].upper() == "#REDIRECT":
            redirects += 1
        elif page.cell("ns").strip() not in ("0", ""):
            others += 1
        else:
            yield (
                page.line,
                {
                    "id": page.cell("id").strip(),
                    "title": page.cell("title").strip(),
                    "date": page.cell("date").strip()[:10],
                    "categories": "; ".join(categories_of(text)),
                    "text": plain_text(text),
                },
            )
    if redirects:
        notes.append(f"{plural(redirects, 'redirect')} left out.")
    if others:
        notes.append(f"{plural(others, 'page')} of other namespaces, such as talk, left out.")


def _pages(name: str, parts: Iterator[XmlPart]) -> Iterator[WikiPage]:
    path: list[str] = []
    page: WikiPage | None = None
    size = 0
    for part in parts:
        if part.kind == "begin":
            path.append(part.name)
            if part.name == "page":
                page, size = WikiPage(part.line), 0
            elif page is not None and part.name == "revision":
                page.cells.pop("text", None)
                page.cells.pop("date", None)
            elif page is not None and part.name == "redirect":
                page.is_redirect = True
        elif part.kind == "end":
            if path.pop() == "page" and page is not None:
                yield page
                page = None
        elif page is not None and (column := PLACES.get((path[-2], path[-1]))):
            page.cells.setdefault(column, []).append(part.text)
            size += len(part.text)
            if size > LARGEST:
                raise CorpusError(
                    f"{name}, line {page.line:,}: the page that begins there has more than "
                    f"{LARGEST // 10**6:,} million letters; leave it out."
                )


def _sniff(look: Look) -> float:
    return SURE if root_of(look.text) == "mediawiki" else 0.0


MEDIAWIKI = Reader(
    "mediawiki",
    "MediaWiki dump",
    "The pages of a wiki as XML: a page a document, without redirects and markup.",
    (".xml",),
    _sniff,
    read_wiki,
    wiki_table,
)
