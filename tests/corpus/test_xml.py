"""XML: texts in TEI and dumps of wikis; what is hostile or of another kind is refused."""

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from bnpexplorer.corpus.readers.wikitext import plain_text
from tests.tools.forms import EXAMPLES, ROWS, TEXTS, found
from tests.tools.readers import notes, packed_zip

TEI = """<?xml version="1.0" encoding="{}"?>
<!-- <mediawiki> --><!DOCTYPE TEI SYSTEM "tei.dtd">
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Über Meere</title>
<author>A. Lee</author></titleStmt><sourceDesc>
<div>no text</div><date when="1790-05-01"/></sourceDesc>
</fileDesc></teiHeader><text>
<front><div type="preface"><p>To the <hi>read</hi>er.<note>not this</note></p></div></front>
<body><div type="act" n="1"><head>Act <hi>One</hi></head>
<div n="1" type="scene"><stage>Enter</stage>
<sp who="#ann #bob"><speaker>Ann:</speaker><l>the wide<lb/>sea</l><l>is blue</l></sp>
<sp who="#bob"><p>a <choice><sic>hil</sic><corr>hill</corr></choice>, <sic>hye</sic></p></sp></div>
<div type="scene"><head>Scene two</head>
<sp who="#bob"><p>all&nbsp;al<lb break="no"/>one</p></sp></div>
</div></body></text></TEI>"""
WIKI = "<mediawiki>{}</mediawiki>"


def tei(split="", encoding="utf-8", **options):
    content = TEI.format(encoding).encode(encoding)
    return read("a.xml", content, options=ReadOptions(split=split, **options))


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
@pytest.mark.parametrize("split", ["", "lines"])
def test_a_division_is_a_document(split, encoding):
    """Of its own words; words of headings, stage directions and notes are none."""
    source = tei(split, encoding)
    assert source.texts == ("To the reader.", "the wide sea\nis blue\na hill, hye", "all alone")
    assert source.docs.title.tolist() == [
        "preface", "Act One · scene 1", "Act One · Scene two"
    ]  # fmt: skip
    assert source.docs.label.tolist() == ["", "", "bob"]
    assert source.docs.date.astype(str).tolist() == ["1790-05-01"] * 3
    assert source.columns == ("title", "author", "work", "date", "text", "speaker")


def test_speeches_and_paragraphs_are_documents_by_choice():
    speeches = tei("speeches")
    assert speeches.texts == ("the wide sea\nis blue", "a hill, hye", "all alone")
    assert speeches.docs.label.tolist() == ["Ann", "bob", "bob"]
    assert speeches.docs.title.tolist()[2] == "Act One · Scene two"
    paragraphs = tei("paragraphs")
    assert paragraphs.texts == ("To the reader.", "a hill, hye", "all alone")
    assert paragraphs.docs.label.tolist() == ["", "bob", "bob"]
    with pytest.raises(CorpusError, match=r"a\.xml: TEI is split into 'speeches', 'paragraphs'"):
        tei("minutes")


def test_a_play_gives_all_fields():
    source = found()["play.xml"]
    assert source.texts == TEXTS
    assert source.docs.title.tolist() == [row["title"] for row in ROWS]
    assert source.docs.label.tolist() == [row["label"].title() for row in ROWS]


def test_a_text_without_divisions_is_one_and_files_of_an_archive_are_read_together():
    one = (
        "<TEI><teiHeader><titleStmt><title>{0}</title><author>{0}</author></titleStmt></teiHeader>"
    )
    one += "<text><body><p>the {1}</p><p>and more</p></body></text></TEI>"
    files = {f"{t}.xml": one.format(t, t.lower()).encode() for t in ("Hill", "Sea")}
    source = read("a.zip", packed_zip(files))
    assert source.texts == ("the hill\nand more", "the sea\nand more")
    assert source.docs.title.tolist() == source.docs.label.tolist() == ["Hill", "Sea"]


# ---- wikis -------------------------------------------------------------------------------------


def test_pages_are_documents_without_redirects_and_talk():
    source = found()["wiki.xml"]
    assert source.texts == TEXTS
    assert source.docs.id.tolist() == [row["id"] for row in ROWS]
    assert source.docs.title.tolist() == [row["title"] for row in ROWS]
    assert source.docs.date.astype(str).tolist() == [row["date"] for row in ROWS]
    assert source.docs.label.tolist() == [row["label"] for row in ROWS]
    assert "1 redirect left out." in notes(source)
    assert "1 page of other namespaces, such as talk, left out." in notes(source)


def test_of_several_revisions_the_last_counts():
    revisions = "".join(
        f"<revision><timestamp>19{y}-01-01</timestamp><text>sea {y}</text></revision>"
        for y in (80, 90)
    )
    page = f"<page><title>Sea</title><ns>0</ns><id>7</id>{revisions}</page>"
    more = "<page><title>X</title><revision><text>#redirect [[Sea]]</text></revision></page>"
    source = read("w.xml", WIKI.format(page + more).encode())
    assert source.texts == ("sea 90",)
    assert source.docs.date.astype(str).tolist() == ["1990-01-01"]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''The''' ''sea'' is [[wide]] and [[blue (colour)|blue]]s", "The sea is wide and blues"),
        ("a{{cite|x={{y|z}}}}b {{open", "ab {{open"),
        ("a\n{| class=x\n|-\n| {{t|}} cell {| n |}\n|}\nb", "a\n\nb"),
        (
            "[[File:a.jpg|thumb|the [[sea]] there]]a [[Category:Seas]][[de:Meer]][[:Category:X|X]]",
            "a X",
        ),
        ("a<ref name=x>no</ref>b<ref name='y' />c<!-- no\n -->d", "abcd".replace("bc", "b c")),
        ("== See [[also]] ==\n* [http://x.y a site]\n#: [http://x.y]", "See also\na site"),
        ("x&nbsp;&amp;&nbsp;y <br/>z __NOTOC__", "x & y z"),
        ("<math>x^2</math>a<syntaxhighlight lang=x>def</syntaxhighlight>", "a"),
        ("a]] b}} c|} [[d", "a b}} c|} [[d"),
    ],
)
def test_markup_goes(markup, text):
    assert plain_text(markup) == text


@pytest.mark.parametrize(
    "sign", ["[[", "{{", "{|", "<ref>", "<!--", "''", "=", "[http://x ", "<a "]
)
def test_markup_without_end_takes_no_long_time(sign):
    plain_text(sign * 100_000)
    plain_text(sign * 50_000 + "]]" * 50_000 + "}}" * 50_000)


# ---- what is refused ---------------------------------------------------------------------------

BOMB = '<!DOCTYPE TEI [<!ENTITY a "sea"><!ENTITY b "&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{BOMB}<TEI>&b;</TEI>", r"a\.xml, line 1: it declares the entity 'a', which is not"),
        (
            f"<?xml version='1.0'?>{OUTSIDE}<TEI>&a;</TEI>",
            r"a\.xml, line 1: it declares the entity 'a'",
        ),
        (
            "<TEI><text><body><p>sea</body></TEI>",
            r"a\.xml, line 1: the XML is damaged there \(mism",
        ),
        ("<TEI>\n<text><body>\n<p>the sea", r"a\.xml, line 3: the XML is damaged there \(no elem"),
        ("<TEI>" * 5_000, r"a\.xml, line 1: its elements are nested too deeply; give a part"),
        ("<TEI><text/></TEI>", r"a\.xml has no rows of data; give a file with at least one"),
        ("<?xml version='1.0' encoding='x-no'?><TEI/>", r"a\.xml, line 1: the XML is damaged"),
        ("<?xml version='1.0'?><rss><item>sea</item></rss>", "a.xml is an XML file, which is not"),
        ("<!DOCTYPE plist [<!ENTITY a 'x'>]>\n<plist/>", "a.xml is an XML file, which is not read"),
        ("<?xml version='1.0'?><PubmedArticleSet/>", "a.xml is an XML file, which is not read"),
    ],
)
def test_damaged_hostile_and_other_files_are_refused(content, said):
    with pytest.raises(CorpusError, match=said):
        read("a.xml", content.encode())


def test_entities_are_refused_where_a_reader_is_asked_for():
    for content in (f"{BOMB}<TEI>&b;</TEI>", f"{OUTSIDE}<TEI>&a;</TEI>"):
        for kind in ("tei", "mediawiki"):
            with pytest.raises(CorpusError, match=r"it declares the entity 'a', which is not foll"):
                read("a.xml", content.encode(), options=ReadOptions(format=kind))


def test_a_page_that_is_too_large_is_told(monkeypatch):
    monkeypatch.setattr("bnpexplorer.corpus.readers.mediawiki.LARGEST", 100)
    page = f"\n<page><title>Sea</title><revision><text>{'sea ' * 99}</text></revision></page>"
    with pytest.raises(CorpusError, match=r"w\.xml, line 2: the page that begins there has more"):
        read("w.xml", WIKI.format(page).encode())


def test_examples_are_what_their_names_say():
    assert EXAMPLES["wiki.xml"].startswith(b"<mediawiki")
