"""References: every form gives the same fields, and what is damaged is read as far as it goes."""

import numpy as np
import pytest
import rispy
from pybtex.database import BibliographyData, Entry

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers.bibtex import in_letters
from bnpexplorer.corpus.readers.formats import ReadOptions, read, read_files, read_path
from bnpexplorer.corpus.readers.references import one_day
from bnpexplorer.corpus.readers.writing_back import table_of
from bnpexplorer.corpus.text import default_settings, make_corpus
from tests.tools.readers import notes, packed_zip
from tests.tools.references import DAYS, FORMS, REFERENCES, as_ris, as_web_of_science

TODAY = ReadOptions(as_of="2026-03-05")
TEXTS = tuple(r["abstract"] for r in REFERENCES)


def dates(source) -> list[str]:
    return source.docs.date.astype(str).tolist()


@pytest.mark.parametrize("options", [ReadOptions(), TODAY])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_same_fields(name, options):
    source = read(name, FORMS[name].encode(), options=options)
    assert source.format == "references"
    assert source.texts == TEXTS
    assert source.docs.title.tolist() == [r["title"] for r in REFERENCES]
    assert source.docs.label.tolist() == [r["journal"] for r in REFERENCES]
    assert dates(source) == DAYS
    ids = [r["id"][-1] if name == "pubmed.nbib" else r["id"] for r in REFERENCES]
    assert source.docs.id.tolist() == ids
    assert "(guessed)" not in notes(source)
    table = table_of(source.rows)
    assert table["keywords"].to_pylist() == ["sea; storm", "farm", None]
    assert table["authors"].to_pylist()[0] == "Müller, Ann; Roe, Bo"


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("change", ["crlf", "bom", "txt", "zip", "utf-16", "cp1252", "no end"])
def test_the_content_decides(name, change):
    text, given = FORMS[name], "a.txt" if change in ("txt", "zip") else name
    content = (text.rstrip() if change == "no end" else text).encode(
        {"bom": "utf-8-sig", "utf-16": "utf-16", "cp1252": "cp1252"}.get(change, "utf-8")
    )
    if change == "crlf":
        content = content.replace(b"\n", b"\r\n")
    if change == "zip":
        given, content = "a.zip", packed_zip({"a/export.txt": content})
    source = read(given, content, options=TODAY)
    assert source.texts == TEXTS
    assert dates(source) == DAYS


def test_a_record_without_abstract_is_a_row_with_its_reason():
    source = read("a.ris", FORMS["zotero.ris"].encode(), options=TODAY)
    corpus, _ = make_corpus(source, default_settings(source))
    assert corpus.n_docs == 2
    assert corpus.file_rows.unit == "record"
    assert [corpus.file_rows.reason(i) for i in range(3)] == ["", "", "no text"]
    with_title = read(
        "a.ris",
        FORMS["zotero.ris"].encode(),
        options=ReadOptions(as_of="2026-03-05", add_title="short"),
    )
    assert with_title.texts[2] == "On the law"


def test_references_without_any_abstract_have_their_titles_as_texts():
    bare = [r | {"abstract": ""} for r in REFERENCES]
    source = read("a.ris", as_ris(bare).encode(), options=TODAY)
    assert source.chosen["text"] == "title"
    assert source.texts == tuple(r["title"] for r in REFERENCES)


def test_what_other_programs_write_is_read():
    records = [
        {"type_of_reference": "JOUR", "title": r["title"], "abstract": r["abstract"],
         "year": r["year"], "secondary_title": r["journal"], "doi": r["id"]}
        for r in REFERENCES
    ]  # fmt: skip
    ris = read("a.ris", rispy.dumps(records).encode(), options=TODAY)
    names = ("title", "abstract", "year", "journal", "doi")
    entries = {
        f"k{i}": Entry("article", {n: r["id" if n == "doi" else n] for n in names})
        for i, r in enumerate(REFERENCES)
    }
    bibtex = read("a.bib", BibliographyData(entries).to_string("bibtex").encode(), options=TODAY)
    for source in (ris, bibtex):
        assert source.texts == TEXTS
        assert source.docs.id.tolist() == [r["id"] for r in REFERENCES]
        assert dates(source) == ["2019-01-01", "2020-01-01", "2021-01-01"]


# ---- odd files ---------------------------------------------------------------------------------


def test_a_record_that_is_cut_is_read_and_named():
    text = as_ris(REFERENCES[:2]).split("N2  - A farmer")[0] + "N2  - A farmer dro"
    source = read("a.ris", text.encode(), options=TODAY)
    assert source.texts == (TEXTS[0], "A farmer dro")
    assert "1 record has no end (ER), the first from line 14 on" in notes(source)
    assert "no end" not in notes(read("a.ris", FORMS["zotero.ris"].encode()))


def test_a_record_ends_where_the_next_begins():
    text = as_ris().replace("ER  - \n", "")
    assert read("a.ris", text.encode()).texts == TEXTS


def test_lines_before_the_first_record_and_within_an_abstract():
    text = (
        "Provider: Example\nContent: text/plain\n\nTY  - JOUR\nTI  - Sea\nAB  - The sea.\n\n"
        "It is AB - wide.\nPY - 2\nER  -\n"
    )
    source = read("a.txt", text.encode(), options=TODAY)
    assert source.texts == ("The sea.\nIt is AB - wide.\nPY - 2",)


def test_several_abstracts_of_a_record_are_paragraphs():
    text = "TY  - JOUR\nTI  - Sea\nAB  - The sea.\nAB  - Das Meer.\nKW  - a\nKW  - b\nER  - \n"
    source = read("a.ris", text.encode(), options=TODAY)
    assert source.texts == ("The sea.\n\nDas Meer.",)
    assert table_of(source.rows)["keywords"].to_pylist() == ["a; b"]


def test_ris_with_fewer_blanks():
    assert read("a.txt", FORMS["zotero.ris"].replace("  - ", " - ").encode()).texts == TEXTS


def test_endnote_without_types():
    text = (
        "%A Doe\n%T Sea\n%D 1999\n%X The sea.\n\n%A Roe\n%T Hill\n%D 2001\n%X The hill\ngoes on.\n"
    )
    source = read("refs.txt", text.encode(), options=TODAY)
    assert source.texts == ("The sea.", "The hill\ngoes on.")
    assert dates(source) == ["1999-01-01", "2001-01-01"]


def test_a_placeholder_is_no_abstract():
    text = as_ris().replace(TEXTS[1], "[No abstract available]")
    assert read("a.ris", text.encode(), options=TODAY).texts == (TEXTS[0], "", "")


def test_ids_that_repeat_are_none():
    source = read("a.ris", as_ris([REFERENCES[0]] * 2).encode(), options=TODAY)
    assert source.docs.id is None
    assert "record 2: the id '10.1000/a_1' in column 'id'" in notes(source).replace(
        "Record", "record"
    )


@pytest.mark.parametrize("name", ["a.ris", "a.bib", "a.nbib", "a.enw", "a.ciw"])
def test_a_file_named_so_without_references_is_refused(name):
    with pytest.raises(CorpusError, match=rf"{name} has no references: it does not begin as RIS"):
        read(name, b"The sea is wide.\nThe hill is high.\n")


LIKE = """TY is a name
PMID is a number of PubMed
PT boats at sea
%T is a tag
@home{the sea, and hill}
% A remark"""


@pytest.mark.parametrize("line", LIKE.split("\n"))
def test_texts_stay_texts(line):
    assert read("a.txt", f"{line}\nthe hill\n".encode()).texts == (line, "the hill")


def test_several_files_of_references_are_one_table(tmp_path):
    files = [
        ("savedrecs.txt", as_web_of_science(REFERENCES[:1]).encode()),
        ("savedrecs(1).txt", as_web_of_science(REFERENCES[1:]).encode()),
    ]
    for name, content in files:
        (tmp_path / name).write_bytes(content)
    for source in (
        read_files(files, TODAY),
        read("a.zip", packed_zip(dict(files)), options=TODAY),
        read_path(tmp_path, options=TODAY),
    ):
        assert sorted(source.texts) == sorted(TEXTS)
        assert source.columns[0] == "file"
    many = {f"{i}.txt": as_ris([r]).encode() for i, r in enumerate(REFERENCES * 8)}
    assert read("a.zip", packed_zip(many), options=TODAY).n_docs == 24
    with pytest.raises(CorpusError, match="do not belong together"):
        read_files([files[0], ("b.csv", b"text\nsea\n")], TODAY)


def test_bibtex_further_down_in_a_text_is_a_part_of_it():
    entry = "@article{doe, title = {Sea}, abstract = {The sea}}\n"
    assert read("a.txt", f"Scopus\nEXPORT DATE: 1 May\n\n{entry}".encode()).texts == ("The sea",)
    prose = "The sea is wide and blue.\n" * 10
    assert read("a.md", f"{prose}{entry}".encode()).format == "text"
    assert read("a.bib", f"{prose}{entry}".encode()).texts == ("The sea",)


# ---- dates -------------------------------------------------------------------------------------

ONE_DAY = {
    ("2019///",): "2019",
    ("2019/03/02/",): "2019-03-02",
    ("2019/3/2",): "2019-03-02",
    ("2019/03//Spring",): "2019-03",
    ("2019 Mar-Apr",): "2019-03-01",
    ("2019 Mar 5",): "2019-03-05",
    ("2018 Dec-2019 Jan",): "2018-12-01",
    ("2019 Spring",): "2019-03-01",
    ("2019-03/2019-04",): "2019-03",
    ("2019", "MAR 15"): "2019-03-15",
    ("2019", "JAN-FEB"): "2019-01-01",
    ("2019", "SPR"): "2019",
    ("2019", "2020/03/02"): "2019",
    ("2019", "20190305"): "2019-03-05",
    ("2019", "12/31/2019"): "12/31/2019",
    ("2019", "2019/02/31"): "2019",
    ("2019/13/45",): "2019",
    ("", "2017"): "2017",
    ("in press",): "in press",
    ("", ""): "",
}


@pytest.mark.parametrize("parts", ONE_DAY)
def test_one_day_of_all_that_a_record_tells(parts):
    assert one_day(list(parts)) == ONE_DAY[parts]


def test_a_date_that_is_none_is_unknown_and_said():
    text = as_ris().replace("Y1  - 2020///", "Y1  - in press")
    source = read("a.ris", text.encode(), options=TODAY)
    assert np.isnat(source.docs.date[1])
    assert "(the first is 'in press')" in notes(source)


# ---- BibTeX ------------------------------------------------------------------------------------

LATEX = {
    r"M{\"u}ller, M\"uller, M\"{u}ller": "Müller, Müller, Müller",
    r"{W}ords -- and {THE} sea---wide": "Words – and THE sea—wide",
    r"d'\'et\'e, na{\"\i}ve, na\"{\i}ve, \'{\i}": "d'été, naïve, naïve, í",
    r"{\ss} \o{} {\aa} \L{}": "ß ø å Ł",
    r"\c{c} \v{S} \H{o} \k{a}": "ç Š ő ą",
    r"\emph{sea} \textbf{of} \unknown{hills}": "sea of hills",
    r"100% of 5\% \& \$3 \_ \#": "100% of 5% & $3 _ #",
    r"$\alpha$ and H$_2$O, $x^2$": "α and H2O, x2",
    r"``sea'' it\textquoteright{}s 10~km": "“sea” it’s 10 km",
    r"see \cite{doe} and \citep[p. 3]{roe}": "see and",
    r"\begin{itemize}\item sea\end{itemize}": "sea",
    r"a\\b": "a b",
    "broken { brace": "broken brace",
    "plain": "plain",
    "漢字 é": "漢字 é",
}


@pytest.mark.parametrize("written", LATEX)
def test_commands_of_latex_become_letters(written):
    assert in_letters(written) == LATEX[written]


def test_an_entry_that_is_damaged_costs_no_other():
    text = (
        "@article{a, title = {Sea}, abstract = {The sea}\n"
        "@article{b,\n title = {Hill}, abstract = {The {hill}}\n"
        '@article{c d, title = "R{\\"o}ck and \\"{u}", abstract = jan # " stone"}\n'
        "@article{,\n title = {Sand}, abstract = {The @sand{x, y} is fine}}\n"
        "@comment{nothing}\n@misc{e, title = {Cut}, abstract = {The end is cu"
    )
    source = read("a.bib", text.encode(), options=TODAY)
    assert source.texts == (
        *("The sea", "The hill", "January stone", "The @sandx, y is fine", "The end is cu"),
    )
    assert source.docs.title.tolist()[2] == "Röck and ü"
    assert source.docs.id.tolist() == ["a", "b", "c_d", "", "e"]
    assert "3 entries could not be read to the end (line 1, 2, 8)" in notes(source)


def test_dates_of_biblatex_and_of_months_in_words():
    entries = ("date = {2019-03-02}", "year = {2019}, month = {March}", "year = 2019, month = 3")
    text = "".join(
        f"@misc{{k{i}, title={{T}}, abstract={{Sea}}, {e}}}\n" for i, e in enumerate(entries)
    )
    days = ["2019-03-02", "2019-03-01", "2019-03-01"]
    assert dates(read("a.bib", text.encode(), options=TODAY)) == days
