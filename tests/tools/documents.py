"""Small documents as writing programs store them, by their published forms: headings (title, texts)
in Word, OpenDocument, EPUB, RTF and PDF."""

from collections.abc import Sequence
from html import escape

from .readers import packed_zip

Chapters = Sequence[tuple[str, Sequence[str]]]
"""Heading, empty for none, and the paragraphs below it."""
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
DC = "http://purl.org/dc/elements/1.1/"
OPF = "http://www.idpf.org/2007/opf"


def docx(chapters: Chapters, title: str = "", more: str = "", **parts: str) -> bytes:
    """A Word document; `more`: XML at its end; `parts`: of word/, by names without ending."""
    body = ""
    for heading, texts in chapters:
        if heading:
            style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
            body += f"<w:p>{style}<w:r><w:t>{escape(heading)}</w:t></w:r></w:p>"
        body += "".join(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in texts)
    xml = f'<w:document xmlns:w="{WORD}"><w:body>{body}{more}</w:body></w:document>'
    core = f'<c xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title></c>'
    files = {"[Content_Types].xml": "<Types/>", "word/document.xml": xml, "docProps/core.xml": core}
    files |= {f"word/{name}.xml": part for name, part in parts.items()}
    return packed_zip({name: part.encode() for name, part in files.items()})


def odt(chapters: Chapters, title: str = "", more: str = "", manifest: str = "<m/>") -> bytes:
    """An OpenDocument text; `more`: XML at its end."""
    body = ""
    for heading, texts in chapters:
        if heading:
            body += f'<text:h text:outline-level="1">{escape(heading)}</text:h>'
        body += "".join(f"<text:p>{escape(text)}</text:p>" for text in texts)
    spaces = f'xmlns:text="{OASIS}:text:1.0" xmlns:office="{OASIS}:office:1.0"'
    meta = f'<m xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title></m>'
    files = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:text {spaces}>{body}{more}</office:text>",
        "meta.xml": meta,
        "META-INF/manifest.xml": manifest,
    }
    return packed_zip({name: part.encode() for name, part in files.items()})


def xhtml(heading: str, texts: Sequence[str], level: int = 1) -> str:
    """A page of a book."""
    head = f"<h{level}>{escape(heading)}</h{level}>" if heading else ""
    body = head + "".join(f"<p>{escape(text)}</p>" for text in texts)
    return f"<html><head><title>Page</title></head><body>{body}</body></html>"


def epub(pages: Sequence[str], title: str = "", **more: str) -> bytes:
    """A book whose pages are stored in the opposite of their order; `more`: other parts, with "_"
    for the "." and "/" of META-INF."""
    numbers = range(len(pages))
    items = "".join(f'<item id="p{n}" href="a%20{n}.xhtml"/>' for n in reversed(numbers))
    order = "".join(f'<itemref idref="p{n}"/>' for n in numbers)
    nav = '<item id="n" href="nav.xhtml" properties="nav"/>'
    metadata = f'<metadata xmlns:dc="{DC}"><dc:title>{escape(title)}</dc:title></metadata>'
    opf = (
        f'<package xmlns="{OPF}">{metadata}<manifest>{nav}{items}</manifest>'
        f'<spine><itemref idref="n"/>{order}</spine></package>'
    )
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<c><rootfile full-path="O/book.opf"/></c>',
        "O/book.opf": opf,
        "O/nav.xhtml": xhtml("Contents", ["NAVIGATION"]),
        **{f"O/a {n}.xhtml": pages[n] for n in numbers},
        **{name.replace("META_", "META-INF/") + ".xml": part for name, part in more.items()},
    }
    return packed_zip({name: part.encode() for name, part in files.items()})


def rtf(texts: Sequence[str], title: str = "") -> bytes:
    """An RTF document in Windows-1252."""

    def signs(text: str) -> str:
        return "".join(c if c.isascii() else f"\\'{c.encode('cp1252').hex()}" for c in text)

    info = f"{{\\info{{\\title {signs(title)}}}}}" if title else ""
    body = "".join(f"{{\\pard {signs(text)}\\par}}\n" for text in texts)
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0 {info}{body}}}".encode("ascii")


def pdf(pages: Sequence[str], title: str = "", bookmarks: Sequence[str] = ()) -> bytes:
    """A PDF document with a line of ASCII on each page, and a bookmark to each of the first."""
    n, objects = len(pages), dict[int, str]()
    kids = " ".join(f"{10 + 2 * i} 0 R" for i in range(n))
    first = 10 + 2 * n
    objects[1] = "<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R>>"
    objects[2] = f"<</Type/Pages/Kids[{kids}]/Count {n}>>"
    objects[3] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects[4] = f"<</Title({title})>>"
    ends = f"/First {first} 0 R/Last {first + len(bookmarks) - 1} 0 R" if bookmarks else ""
    objects[5] = f"<</Type/Outlines/Count {len(bookmarks)}{ends}>>"
    for i, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET" if text else ""
        objects[10 + 2 * i] = (
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 200]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {11 + 2 * i} 0 R>>"
        )
        objects[11 + 2 * i] = f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream"
    for i, mark in enumerate(bookmarks):
        after = f"/Next {first + i + 1} 0 R" if i + 1 < len(bookmarks) else ""
        objects[first + i] = f"<</Title({mark})/Parent 5 0 R/Dest[{10 + 2 * i} 0 R/Fit]{after}>>"
    made, places = "%PDF-1.4\n", {}
    for number, content in objects.items():
        places[number] = len(made)
        made += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{k} 1\n{place:010} 00000 n \n" for k, place in places.items())
    size, start = max(objects) + 1, len(made)
    made += (
        f"xref\n0 1\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R/Info 4 0 R>>\n"
    )
    return f"{made}startxref\n{start}\n%%EOF\n".encode("ascii")
