"""Excel files: read as the same table in CSV is, and safe whatever they hold."""

import datetime
import io
import zipfile

import numpy as np
import pytest

from bnpexplorer import load
from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api
from bnpexplorer.corpus.readers import excel as readers_excel
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from tests.tools.readers import notes
from tests.tools.spreadsheets import MAIN, excel, sheet_xml
from tests.tools.waiting import at_most

HEAD = ["Datum", "Partei", "Rede", "Nr"]
ROWS = [
    HEAD,
    [datetime.date(2014, 3, 5), "left", "sea & hills", 1],
    [datetime.datetime(2014, 10, 14, 8, 30), "right", "grey <rocks>\nand sand", 2.5],
    [None, None, None, None],
    [datetime.date(1999, 12, 31), "left", None, True],
]


def test_a_sheet_is_read_as_its_table():
    source = read("t.xlsx", excel({"Reden": ROWS}))
    assert source.format == "excel"
    assert source.columns == tuple(HEAD)
    assert source.chosen == {"text": "Rede", "date": "Datum", "label": "Partei"}
    assert source.texts == ("sea & hills", "grey <rocks>\nand sand", "")
    days = ["2014-03-05", "2014-10-14", "1999-12-31"]
    assert source.docs.date.astype(str).tolist() == days
    assert source.docs.label.tolist() == ["left", "right", "left"]
    assert "Read as Excel, sheet 'Reden'." in source.notes
    assert "1 row without text" in notes(source)


def test_cells_come_as_people_write_them():
    values = [2014, 0.1, -3.0, 1e20, True, datetime.datetime(2014, 3, 5, 10, 30), "  x "]
    rows = [["text", *map(str, range(len(values)))], ["sea", *values]]
    names = {}
    for i in range(len(values)):
        options = ReadOptions(header="yes", label=str(i), text="text")
        names[i] = read("t.xlsx", excel({"A": rows}), options=options).docs.label[0]
    written = ["2014", "0.1", "-3", "1e+20", "TRUE", "2014-03-05 10:30:00", "x"]
    assert list(names.values()) == written


def test_the_sheet_with_most_rows_is_taken_the_first_of_equals_and_others_are_said():
    data = excel({"Empty": [], "Main": [["text"], ["sea"]], "More": [["text"], ["hill"]]})
    source = read("t.xlsx", data)
    assert source.texts == ("sea",)
    assert source.sheets == ("Empty", "Main", "More")
    assert "Read as Excel, sheet 'Main'; not read: 'Empty', 'More'." in source.notes
    assert read("t.xlsx", data, options=ReadOptions(sheet="More")).texts == ("hill",)
    about = excel({"About": [["These are speeches"]], "Main": [["text"], ["sea"]]})
    assert read("t.xlsx", about).texts == ("sea",)
    notes = excel({"Notes": [["text"], ["made in May"]], "Main": [["text"], ["sea"], ["hill"]]})
    assert read("t.xlsx", notes).texts == ("sea", "hill")
    with pytest.raises(CorpusError, match=r"t\.xlsx has no sheet 'Nope'; choose one of: Empty, Ma"):
        read("t.xlsx", data, options=ReadOptions(sheet="Nope"))
    with pytest.raises(CorpusError, match=r"t\.xlsx, sheet 'Empty', has no rows of data"):
        read("t.xlsx", data, options=ReadOptions(sheet="Empty"))
    with pytest.raises(CorpusError, match=r"t\.xlsx, sheet 'A', has no rows of data"):
        read("t.xlsx", excel({"A": [["", " "]]}))


def test_a_table_may_stand_anywhere_on_its_sheet():
    rows = [[], [], [None, "text", "year"], [None, "sea", 1999], [], [None, "hill", 2001]]
    source = read("t.xlsx", excel({"A": rows}))
    assert source.columns == ("text", "year")
    assert source.docs.date.astype(str).tolist() == ["1999-01-01", "2001-01-01"]
    assert source.texts == ("sea", "hill")
    gap = read("t.xlsx", excel({"A": [["id", "text"], [None, "sea"], ["b", "hill"]]}))
    assert (gap.texts, gap.docs.id.tolist()) == (("sea", "hill"), ["", "b"])


def test_a_sheet_without_names_of_columns_and_a_wrong_name_of_the_file():
    rows = [["sea and hill", 5], ["rock", 6]]
    source = read("t.csv", excel({"A": rows}))  # by its first bytes, whatever it is called
    assert source.columns == ("column 1", "column 2")
    assert source.texts == ("sea and hill", "rock")
    with pytest.raises(CorpusError, match=r"t\.xlsx is no Excel file in spite of its name"):
        read("t.xlsx", b"text\nsea\n")
    with pytest.raises(CorpusError, match=r"t\.csv is a damaged Excel file"):
        read("t.csv", b"text\nsea\n", options=ReadOptions(format="excel"))


def test_rows_are_named_in_refusals():
    rows = [["id", "text"], ["a", "sea"], ["b", "hill"], ["a", "rock"]]
    with pytest.raises(CorpusError, match=r"t\.xlsx, row 4: the id 'a' in column 'id' was already"):
        read("t.xlsx", excel({"A": rows}), options=ReadOptions(id="id"))


# --- hostile files -----------------------------------------------------------------------------


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_cell_in_the_last_corner_is_refused_at_once(quote):
    far = f"<row r='1048576'><c r={quote}XFD1048576{quote}><v>1</v></c></row></sheetData>"
    hostile = excel({"A": sheet_xml([["text"], ["sea"]]).replace("</sheetData>", far)})
    assert len(hostile) < 3000
    refusal = pytest.raises(
        CorpusError, match="cells up to row 1,048,576 and column 16,384; the most is"
    )
    with at_most(1.0), refusal:
        read("t.xlsx", hostile)


@pytest.mark.parametrize("chunk", range(44, 90, 3))
def test_places_are_found_across_chunks(chunk, monkeypatch):
    monkeypatch.setattr(readers_excel, "CHUNK", chunk)
    rows = [["text"], ["sea"]]
    far = '<row r="999999"><c r="ZZ999999"><v>1</v></c></row></sheetData>'
    with pytest.raises(CorpusError, match="row 999,999 and column 702"):
        read("t.xlsx", excel({"A": sheet_xml(rows).replace("</sheetData>", far)}))
    assert read("t.xlsx", excel({"A": rows})).texts == ("sea",)


def test_no_entity_is_expanded_and_no_file_opened(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("never shown")
    for entity in ('"many many"', f'SYSTEM "{secret.as_uri()}"'):
        xml = sheet_xml([["text"], ["QQ"]]).replace("QQ", "&a;")
        hostile = excel({"A": f"<!DOCTYPE x [<!ENTITY a {entity}>]>{xml}"})
        with pytest.raises(
            CorpusError, match=r"t\.xlsx is a damaged or unusual Excel file"
        ) as said:
            read("t.xlsx", hostile)
        assert "never shown" not in str(said.value)


def test_a_bomb_is_left_before_it_has_unpacked(monkeypatch):
    monkeypatch.setattr(readers_excel, "MAX_UNPACKED", 2_000_000)
    with pytest.raises(CorpusError, match=r"t\.xlsx unpacks to more than 2 MB; save the sheet"):
        read("t.xlsx", excel({"A": [["text"], ["sea"]]}, xl__more_xml=" " * 3_000_000))
    big = excel({"A": [["text"], ["sea"]]}, xl__more_xml=" " * 1_000_000, xl__b_xml=" " * 1_500_000)
    with pytest.raises(CorpusError, match="unpacks to more than 2 MB"):
        read("t.xlsx", big)


def test_damaged_files_are_read_or_refused_but_never_break():
    rng = np.random.default_rng(3)
    sound = excel({"Reden": ROWS, "Mehr": ROWS})
    refusals = []
    for _ in range(60):
        content = bytearray(sound)
        for place in rng.integers(len(content), size=3):
            content[place] = rng.integers(256)
        try:
            read("t.xlsx", bytes(content))
        except CorpusError as problem:
            refusals.append(str(problem))
    assert refusals
    assert all("t.xlsx" in told and "\n" not in told for told in refusals)


def test_damaged_xml_is_refused():
    for xml in ("<worksheet", "", f'<worksheet xmlns="{MAIN}"><sheetData><row><c t="s"><v>9</v>'):
        with pytest.raises(CorpusError, match=r"t\.xlsx"):
            read("t.xlsx", excel({"A": xml}))


def test_other_files_of_the_same_kind_are_told():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("ppt/presentation.xml", "<p/>")
    with pytest.raises(CorpusError, match=r"t\.pptx is a PowerPoint file, not text; save it"):
        read("t.pptx", file.getvalue())
    with pytest.raises(
        CorpusError,
        match=r"an old or protected Word or Excel file, not text; save it as \.docx or \.xlsx with",
    ):
        read("t.xls", b"\xd0\xcf\x11\xe0" + bytes(range(256)))


@pytest.mark.second
def test_the_child_reads_them_and_survives_what_asks_for_too_much(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_bytes(excel({"Reden": ROWS}))
    with pytest.warns(UserWarning, match="too few"):
        corpus = load(path, min_df=1)
    assert corpus.docs.date.astype(str).tolist()[0] == "2014-03-05"
    source = api.read_files([("t.xlsx", excel({"A": ROWS, "B": ROWS}))])
    assert source.sheets == ("A", "B")
    # One long word that every cell names: read in the child it would take 1.6 GB.
    string = f'<sst xmlns="{MAIN}"><si><t>{"word " * 16_000}</t></si></sst>'
    cells = "".join(f'<row r="{r}"><c r="A{r}" t="s"><v>0</v></c></row>' for r in range(1, 20_001))
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
    hostile = excel({"A": sheet}, xl__sharedStrings_xml=string)
    assert len(hostile) < 10**6
    with pytest.raises(CorpusError, match=r"t\.xlsx"):
        api.read_files([("t.xlsx", hostile)])


def test_a_cell_at_which_the_library_gives_up_is_named_and_an_empty_date_is_none():
    day = datetime.date(2014, 3, 5)
    rows = [["text", "date"], ["sea", day], ["hill", day]]
    beyond = sheet_xml(rows).replace(f"<v>{day.toordinal() - 693594}</v>", "<v>-1e18</v>")
    with pytest.raises(CorpusError, match=r"sheet 'A', has a cell below row 1 that cannot be read"):
        read("t.xlsx", excel({"A": beyond}))
    none = sheet_xml(rows).replace(f"<v>{day.toordinal() - 693594}</v>", "<v>0</v>", 1)
    dates = read("t.xlsx", excel({"A": none}), options=ReadOptions(date="date")).docs.date
    assert dates.astype(str).tolist() == ["NaT", "2014-03-05"]
