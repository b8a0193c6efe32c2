"""Documents of writing programs, books and pages: whole or by headings, in archives and folders,
and what of them is no text."""

import io
import re
import sys
import time
import zipfile

import docx as python_docx
import pypdf
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake.api import load
from bnpexplorer.corpus.readers.formats import read, read_files, read_path
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building.records import records_of
from tests.tools.documents import WORD, docx, epub, odt, pdf, rtf, xhtml
from tests.tools.readers import packed_zip

HEADINGS = ReadOptions(split="headings")
NEW = ReadOptions(as_of="2026-03-05")
CHAPTERS = [("", ["Before all."]), ("Sea", ["The sea is wide.", "Sailors."]), ("Farm", ["A barn."])]
WHOLE = "Before all.\n\nSea\n\nThe sea is wide.\n\nSailors.\n\nFarm\n\nA barn."
PARTS = ("Before all.", "The sea is wide.\n\nSailors.", "A barn.")
PAGE = (
    "<html><head><title>Of &amp; all</title><script>x = '<p>1'</script></head><body><nav>Home</nav>"
)
PAGE += (
    "Before <b>a</b>ll.<h2>Sea</h2><p>The sea\n is wide.<div>Sailors.</div><h2>Farm</h2><td>A barn."
)
BOOK = epub(
    [xhtml("", ["Before all."]), xhtml("Sea", CHAPTERS[1][1]), xhtml("Farm", ["A barn."])],
    "Of & all",
)
FILES = {
    "a.docx": docx(CHAPTERS, "Of & all"),
    "a.odt": odt(CHAPTERS, "Of & all"),
    "a.epub": BOOK,
    "a.html": PAGE.encode(),
}


def titles(source):
    return list(source.docs.title)


@pytest.mark.parametrize("name", FILES)
def test_a_document_is_read_whole_or_by_its_headings(name):
    source = read(name, FILES[name], options=NEW)
    assert source.texts == (WHOLE,)
    assert titles(source) == ["Of & all"]
    assert list(source.docs.id) == [name]
    parts = read(name, FILES[name], options=HEADINGS)
    assert parts.texts == PARTS
    assert titles(parts) == ["Of & all", "Sea", "Farm"]
    assert list(parts.docs.id) == [f"{name}#{n}" for n in (1, 2, 3)]
    assert list(parts.rows.number) == [1, 2, 3]
    assert parts.rows.unit == "heading"


@pytest.mark.parametrize("name", [name for name in FILES if name != "a.html"])
def test_the_content_decides_and_not_the_ending(name):
    assert read("a.txt", FILES[name]).texts == (WHOLE,)
    assert read("a", FILES[name]).format == name.removeprefix("a.")


def test_pages_are_read_as_ever_where_nothing_new_is_asked_for():
    source = read("a.html", FILES["a.html"])
    assert titles(source) == ["a"]
    assert "Home" in source.texts[0]


def test_word_documents_of_another_program():
    document = python_docx.Document()
    document.add_heading("On all", 0)
    document.add_paragraph("Before.")
    document.add_heading("Sea", 2)
    paragraph = document.add_paragraph("The sea.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "harbour", "anchor"
    document.add_comment(paragraph.runs[0], text="Is that so?", author="A", initials="A")
    file = io.BytesIO()
    document.save(file)
    source = read("a.docx", file.getvalue(), options=HEADINGS)
    assert titles(source) == ["On all", "Sea"]
    assert source.texts == ("Before.", "The sea.\n\nharbour\n\nanchor")


def test_word_counts_notes_and_insertions_and_nothing_that_was_deleted():
    more = (
        "<w:p><w:r><w:t>Kept</w:t></w:r><w:ins><w:r><w:tab/><w:t>new</w:t></w:r></w:ins><w:del><w:r>"
        "<w:delText>OLD</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>MOVED</w:t></w:r></w:moveFrom>"
        '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        '<w:p><w:pPr><w:pStyle w:val="b1"/></w:pPr><w:r><w:t>Kopf</w:t></w:r></w:p>'
        '<w:p><w:pPr><w:pStyle w:val="V1"/></w:pPr><w:r><w:t>Kopf 1</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>End</w:t></w:r></w:p>"
    )
    notes = (
        f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r>'
        "</w:p></w:footnote></w:footnotes>"
    )
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:styleId="h"><w:name w:val="heading 3"/></w:style>'
        '<w:style w:styleId="b1"><w:name w:val="Mein"/><w:basedOn w:val="h"/></w:style>'
        '<w:style w:styleId="V1"><w:name w:val="toc 1"/></w:style></w:styles>'
    )
    source = read("a.docx", docx([], "", more, footnotes=notes, styles=styles), options=HEADINGS)
    assert source.texts == ("Kept new\n\nA note.", "End")
    assert titles(source) == ["a", "Kopf"]


def test_opendocument_counts_notes_and_nothing_that_was_deleted():
    more = (
        "<text:tracked-changes><text:p>OLD</text:p></text:tracked-changes><text:p>Two<text:s "
        'text:c="2"/>words<text:note><text:note-citation>1</text:note-citation><text:note-body>'
        "<text:p>A note.</text:p></text:note-body></text:note><office:annotation><text:p>WHY"
        "</text:p></office:annotation> here</text:p>"
    )
    assert read("a.odt", odt([], "", more)).texts == ("Two  words here\n\nA note.",)


def test_chapters_of_a_book_begin_at_the_usual_level():
    page = "<h1>{0}</h1><p>{0} text.</p><h2>Section</h2><p>More.</p>"
    book = epub([page.format("One"), page.format("Two")], "Book")
    source = read("b.epub", book, options=HEADINGS)
    assert titles(source) == ["One", "Two"]
    assert source.texts[0] == "One text.\n\nSection\n\nMore."


def test_a_book_without_a_list_of_its_parts_is_read_by_the_numbers_of_its_pages():
    pages = {f"c{n}.xhtml": xhtml("", [f"Page {n}."]).encode() for n in (10, 9)}
    book = packed_zip({"META-INF/container.xml": b"<c/>", **pages})
    assert read("b.epub", book).texts == ("1\n\nPage 9.\n\n2\n\nPage 10.",)
    assert read("b.epub", book, options=HEADINGS).texts == ("Page 9.", "Page 10.")


def test_rtf():
    source = read("a.rtf", rtf(["Das Meer ist süß.", "Ein Stall."], "Über alles"))
    assert source.texts == ("Das Meer ist süß.\n\nEin Stall.",)
    assert titles(source) == ["Über alles"]


def test_pdf_with_bookmarks_as_headings():
    content = pdf(["The sea.", "The barn."], "Of all", ["Sea", "Farm"])
    source = read("a.pdf", content)
    assert titles(source) == ["Of all"]
    assert source.texts == ("Sea\n\nThe sea.\n\nFarm\n\nThe barn.",)
    parts = read("a.pdf", content, options=HEADINGS)
    assert titles(parts) == ["Sea", "Farm"]
    assert parts.texts == ("The sea.", "The barn.")
    assert titles(read("b.pdf", pdf(["The sea."], "Microsoft Word - x.doc"))) == ["b"]


def test_an_absent_package_names_the_command_that_adds_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(CorpusError, match=r"a\.pdf is a PDF document.*bnpexplorer\[pdf\]"):
        read("a.pdf", pdf(["Sea."]))


def test_pdf_documents_beside_texts_are_left_out_where_the_package_is_absent(monkeypatch):
    archive = packed_zip({"a.txt": b"The sea.", "b.pdf": pdf(["The barn."])})
    assert read("m.zip", archive).n_docs == 2
    monkeypatch.setitem(sys.modules, "pypdf", None)
    source = read("m.zip", archive)
    assert source.texts == ("The sea.",)
    assert "1 entry left out, no texts by their names (1 .pdf)" in source.notes[1]


MIXED = {"sea/a.txt": b"The sea.", "sea/b.docx": FILES["a.docx"], "farm/c.rtf": rtf(["A barn."])}


def test_archives_and_folders_mix_forms(tmp_path):
    archive = packed_zip(MIXED | {"farm/~$c.docx": b"\0\1"})
    for name, content in MIXED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    for source in (read("m.zip", archive), read_path(tmp_path)):
        assert source.texts == ("A barn.", "The sea.", WHOLE)
        assert titles(source) == ["c", "a", "Of & all"]
        assert list(source.docs.label) == ["farm", "sea", "sea"]
    assert load(tmp_path, min_df=1, min_tokens=1).n_docs == 3
    parts = read("m.zip", archive, options=HEADINGS)
    assert titles(parts) == ["c", "a", "Of & all", "Sea", "Farm"]
    assert "1 file without headings: farm/c.rtf." in parts.notes
    only = read("m.zip", archive, options=ReadOptions(format="zip"))
    assert only.texts == ("The sea.",)
    assert read_files([*MIXED.items()]).n_docs == 3


def test_files_of_one_folder_label_their_headings():
    two = [("one.docx", FILES["a.docx"]), ("two.docx", docx(CHAPTERS[1:]))]
    parts = read_files(two, HEADINGS)
    assert list(parts.docs.label) == ["one"] * 3 + ["two"] * 2
    assert read_files(two).docs.label is None


@pytest.mark.parametrize("options", [ReadOptions(), HEADINGS])
def test_a_corpus_on_the_disk_has_the_same_documents(tmp_path, options):
    archive = packed_zip(MIXED)
    for name, content in {"m.zip": archive, "a.epub": BOOK}.items():
        (tmp_path / name).write_bytes(content)
        with records_of(tmp_path / name, options, tmp_path / "unpacked") as records:
            rows = [row for _, row in records.rows()]
            records.notes(0)
        source = read(name, content, options=options)
        assert tuple(row["text"] for row in rows) == source.texts
        assert [row["title"] for row in rows] == titles(source)


def test_headings_are_offered():
    three = docx([(f"H{n}", ["Text."]) for n in range(3)])
    (offer,) = read("a.docx", three).offers
    assert offer.sets == {"split": "headings"}
    assert not read("a.docx", three, options=HEADINGS).offers


def _encrypted():
    file, writer = io.BytesIO(), pypdf.PdfWriter(io.BytesIO(pdf(["Sea."])))
    writer.append(io.BytesIO(pdf(["Sea."])))
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "sea"><!ENTITY b "&a;&a;">]><w:document xmlns:w="{}">&b;</w:document>'
)
LOCKED = '<e><CipherReference URI="O/a%200.xhtml"/></e>'
REFUSED = {
    "cut": ("a.docx", FILES["a.docx"][:200], "a damaged Word file"),
    "entities": (
        "a.docx",
        packed_zip({"word/document.xml": BOMB.format(WORD).encode()}),
        "entities",
    ),
    "deep": (
        "a.odt",
        odt([], "", "<a>" * 2_000 + "</a>" * 2_000),
        "more than 1,000 elements within",
    ),
    "unclosed": ("a.odt", odt([], "", "<a>"), "content.xml: mismatched tag"),
    "grows": ("a.docx", docx([("", ["a" * 3_000_000])]), "grows .*-fold when unpacked"),
    "password": ("a.odt", odt(CHAPTERS, manifest="<encryption-data/>"), "protected by a password"),
    "DRM": ("a.epub", epub(["<p>Sea</p>"], META_encryption=LOCKED), r"copy protection \(DRM\)"),
    "missing": (
        "a.epub",
        packed_zip(
            {
                "META-INF/container.xml": b'<c><rootfile full-path="o"/></c>',
                "o": b"<p><item id='a' href='gone.html'/><itemref idref='a'/></p>",
            }
        ),
        "its part gone.html is missing",
    ),
    "OLE": ("a.docx", b"\xd0\xcf\x11\xe0" + bytes(600), "old or protected Word or Excel file"),
    "no Word": ("a.docx", b"The sea.", "is no Word file in spite of its name"),
    "cut RTF": ("a.rtf", rtf(["The sea."])[:-4], "cut short"),
    "scan": ("a.pdf", pdf(["", ""]), r"a scan, whose text must be recognised \(OCR\)"),
    "no PDF": ("a.pdf", b"%PDF-1.4 and no more", "a damaged or unusual PDF document"),
    "encrypted": ("a.pdf", _encrypted(), "PDF document that is protected by a password"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("packed", [False, True])
def test_what_cannot_be_read_is_told_in_one_sentence(kind, packed):
    name, content, said = REFUSED[kind]
    whole = (
        ("m.zip", packed_zip({f"x/{name}": content}, zipfile.ZIP_STORED))
        if packed
        else (name, content)
    )
    with pytest.raises(CorpusError, match=said) as told:
        read(*whole)
    text = str(told.value)
    assert text.startswith(whole[0])
    assert text.endswith(".")
    assert "\n" not in text


@pytest.mark.parametrize("kind", sorted(set(REFUSED) - {"scan"}))
def test_what_cannot_be_read_among_others_is_left_out_and_told(kind):
    name, content, said = REFUSED[kind]
    whole = packed_zip({f"x/{name}": content, "y.txt": b"The barn."}, zipfile.ZIP_STORED)
    source = read("m.zip", whole)
    assert source.texts == ("", "The barn.")
    (warning,) = source.warnings
    assert warning.startswith(f"1 file could not be read: x/{name}. m.zip, entry x/{name}")
    assert re.search(said, warning)


def test_a_scan_among_others_is_a_warning():
    scan = packed_zip({"a.pdf": pdf([""]), "b.pdf": pdf(["The barn."])})
    source = read("m.zip", scan)
    assert source.texts == ("", "The barn.")
    assert [w for w in source.warnings if "1 file without text, such as scans: a.pdf" in w]


def test_comments_without_an_end_take_no_time():
    start = time.monotonic()
    page = b"<html><!-- NO --><p>The sea." + b"<p><!--" * 50_000
    assert read("a.html", page, options=NEW).texts == ("The sea.",)
    assert time.monotonic() - start < 20  # 0.5 s; 50 s where each looks for its end
