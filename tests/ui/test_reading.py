"""How a file is read, on the Texts page: columns, dates, passages, titles, too little text."""

import datetime

import pytest

from tests.tools.pages import check, field, go, open_app, texts
from tests.tools.spreadsheets import excel

pytestmark = pytest.mark.usefixtures("registry")
SPEECH = "Haushalt und Steuern bleiben Streit zwischen Land und Bund auch heute. "


def speeches(n=12):
    rows = [
        f"{'n/a' if i % 4 == 0 else f'{i}. März 2014'};Linke;Rede {i};{SPEECH * 20}"
        for i in range(n)
    ]
    return "\n".join(["Datum;Partei;Titel;Rede", *rows]).encode()


def metric(app, label):
    return next(m.value for m in app.metric if m.label == label)


@pytest.mark.second
def test_a_german_table_is_divided_and_its_titles_counted(registry):
    app = go(open_app(), "corpus")
    check(app.file_uploader[0].upload("reden.csv", speeches(), "text/csv").run())
    said = texts(app.caption)
    assert "text from 'Rede' (guessed), title from 'Titel' (guessed)" in said
    assert "Dates of 75 % of the texts were read; 3 of 12 documents have no date" in said
    assert metric(app, "Documents") == "12"
    words = int(metric(app, "Words in all").replace(",", ""))
    check(field(app.checkbox, "Words of titles count too").check().run())
    assert int(metric(app, "Words in all").replace(",", "")) == words + 12  # "Rede", not its number
    check(field(app.selectbox, "Long documents").set_value("words").run())
    check(field(app.number_input, "Words in a passage").set_value(110).run())
    assert metric(app, "Documents") == "24"
    assert "12 documents divided into 24 passages of about 110 words" in texts(app.caption)
    report = app.session_state["loaded"].report
    today = str(datetime.date.today())
    assert report.reading.chosen == {"passages": "110", "as_of": today}
    assert report.reading.files == ("reden.csv",)
    assert report.reading.settings == report.settings
    assert not report.reading.vocabulary
    # What cannot be joined is said, and the texts of before stay.
    check(field(app.selectbox, "Long documents").set_value("").run())
    check(field(app.selectbox, "Join short texts of one").set_value("Partei").run())
    assert metric(app, "Documents") == "1"
    assert "1 document with" in texts(app.warning)
    check(field(app.selectbox, "Date column").set_value("-").run())
    check(field(app.selectbox, "within one").set_value("day").run())
    assert "has no dates by which its texts could be joined" in texts(app.error)
    assert "The texts that were loaded before are still there." in texts(app.caption)
    assert metric(app, "Documents") == "1"
    go(app, "live")
    assert "are too few to find topics in" in texts(app.warning)


@pytest.mark.second
def test_a_vocabulary_that_is_too_long_is_said_before_anything_is_learned(registry):
    counts = b"3 0:4 1:2 2:1\n2 1:3 3:9\n" * 8
    vocab = '"x"\n"sea"\n"hill"\n"captain"\n"cargo"\n"wave"\n'
    app = go(open_app(), "corpus")
    files = [("a.ldac", counts, "text/plain"), ("v.csv", vocab.encode(), "text/csv")]
    check(app.file_uploader[0].set_value(files).run())
    assert "Line 1 of v.csv, 'x', is a header and no word." in texts(app.caption)
    assert "No document has the last word of v.csv, 'wave'" in texts(app.warning)
    reading = app.session_state["loaded"].report.reading
    assert (reading.files, reading.vocabulary) == (("a.ldac", "v.csv"), True)
    corpus = app.session_state["loaded"].corpus
    assert corpus.word_totals[corpus.vocab.index("cargo")] == 72


@pytest.mark.second
def test_a_sheet_can_be_chosen(registry):
    rows = [["body"], *([f"sea and hills {word}"] for word in ("grey", "green", "blue"))]
    data = excel({"First": rows, "Second": rows[:3]})
    app = go(open_app(), "corpus")
    check(app.file_uploader[0].upload("two.xlsx", data, "application/vnd.ms-excel").run())
    assert metric(app, "Documents") == "3"
    check(field(app.selectbox, "Sheet").set_value("Second").run())
    assert metric(app, "Documents") == "2"
    assert "Read as Excel, sheet 'Second'; not read: 'First'." in texts(app.caption)


@pytest.mark.second
def test_columns_are_guessed_anew_for_another_sheet(registry):
    notes = [["Body"], *([f"note {word} of hills"] for word in ("grey", "green", "blue", "red"))]
    head = ["Headline", "Body", "Outlet", "When"]
    articles = [[f"Sea {i}", f"waves and sand {i}", "Echo", f"2014-03-0{i}"] for i in (1, 2, 3)]
    data = excel({"Notes": notes, "Articles": [head, *articles]})
    app = go(open_app(), "corpus")
    check(app.file_uploader[0].upload("two.xlsx", data, "application/vnd.ms-excel").run())
    assert metric(app, "Documents") == "4"
    check(field(app.selectbox, "Sheet").set_value("Articles").run())
    docs = app.session_state["loaded"].corpus.docs
    assert docs.label.tolist() == ["Echo"] * 3
    assert docs.title.tolist() == ["Sea 1", "Sea 2", "Sea 3"]
    assert docs.date.astype(str).tolist() == ["2014-03-01", "2014-03-02", "2014-03-03"]


@pytest.mark.second
def test_days_are_shown_without_a_time_also_where_some_are_missing(registry):
    rows = "".join(f"sea and hills {i},2014-03-0{i}\n" for i in range(1, 7))
    app = go(open_app(), "corpus")
    content = f"text,date\n{rows}sea and sand,\n".encode()
    check(app.file_uploader[0].upload("days.csv", content, "text/csv").run())
    table = next(d for d in app.dataframe if "date" in d.value)
    assert '"type": "date"' in table.proto.columns
