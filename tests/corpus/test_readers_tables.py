"""Delimiters, quotes, columns, other containers of tables, and dates, by hand-written answers."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import source as readers_source
from bnpexplorer.corpus.readers.dates import parse_dates
from bnpexplorer.corpus.readers.formats import ReadOptions, read
from bnpexplorer.corpus.readers.table import sniff_delimiter
from bnpexplorer.corpus.text import make_corpus
from tests.tools.readers import notes


def test_quoted_fields_hold_anything():
    text = 'id,text\n1,"a ""good"" sea,\nand two\r\nlines"\n2,plain\n'
    source = read("q.csv", text.encode())
    assert source.texts == ('a "good" sea,\nand two\r\nlines', "plain")


def test_tabs_with_literal_quotes():
    source = read("q.tsv", b'title\ttext\nx\t"Help" he cried\ny\tno "quote\n')
    assert source.texts == ('"Help" he cried', 'no "quote')
    assert "quotes taken literally" in notes(source)


def test_one_column_without_delimiter():
    source = read("one.csv", b"text\nsea, hill and rock\nsand\n")
    assert source.texts == ("sea, hill and rock", "sand")
    assert "a single column" in notes(source)


def test_delimiter_is_sniffed_from_the_whole_sample_or_taken_as_asked():
    source = read("s.csv", b"name|text, long\nx|one, two, three\ny|sea; hill\n")
    assert source.columns == ("name", "text, long")
    options = ReadOptions(delimiter=",", text="text")
    assert read("s.csv", b"a|b,text\n1,sea\n", options=options).texts == ("sea",)
    with pytest.raises(CorpusError, match=r"s\.csv: the delimiter must be one character"):
        read("s.csv", b"a,b\n1,2\n", options=ReadOptions(delimiter="ab"))


def test_columns_are_guessed_shown_and_pickable():
    table = (
        b"No,Body,Posted,Kind,Remarks\n"
        b"1,sea and hill,1999,a,none\n"
        b"2,rock,2001,b,a very long remark here\n"
    )
    source = read("t.csv", table)
    assert source.chosen == {"text": "Body", "label": "Kind"}
    assert "text from 'Body' (guessed)" in notes(source)
    options = ReadOptions(text="Remarks", date="Posted", label="-", id="No")
    source = read("t.csv", table, options=options)
    assert source.texts == ("none", "a very long remark here")
    assert source.docs.date.astype(str).tolist() == ["1999-01-01", "2001-01-01"]
    assert source.docs.id.tolist() == ["1", "2"]
    assert source.docs.label is None
    # Without a telling name, the column with most letters is the text.
    assert read("u.csv", b"x,y\nab,a longer text here\ncd,and another one\n").chosen == {
        "text": "y"
    }


def test_table_without_header():
    rows = b"1\tnews\tsea and hill\n2\tsport\trock and sand\n"
    source = read("mallet.tsv", rows)
    assert source.columns == ("column 1", "column 2", "column 3")
    assert source.texts == ("sea and hill", "rock and sand")
    assert "first row is data" in notes(source)
    assert read("mallet.tsv", rows, options=ReadOptions(header="yes")).n_docs == 1
    assert read("t.csv", b"a,text\nb,sea\n", options=ReadOptions(header="no")).n_docs == 2


@pytest.mark.parametrize(
    ("cell", "is_name"),
    [("x" * 80, True), ("x" * 81, False), ("1999", False), ("2.5", False), ("1.2.3", True)],
)
def test_a_first_row_with_a_long_text_or_a_number_is_data(cell, is_name):
    found = read("a.csv", f"text,{cell}\nsea,left\n".encode())
    assert found.columns == (("text", cell) if is_name else ("column 1", "column 2"))
    assert found.n_docs == (1 if is_name else 2)


@pytest.mark.parametrize("delimiter", ["\n", "\r", '"', ", "])
def test_what_cannot_part_fields_is_no_delimiter(delimiter):
    with pytest.raises(CorpusError) as told:
        read("a.csv", b"id,text\n1,sea\n", options=ReadOptions(delimiter=delimiter))
    assert str(told.value) == f"a.csv: the delimiter must be one character; got {delimiter!r}."


def test_a_record_is_named_by_the_line_on_which_it_begins():
    content = b'id,text\n1,"sea\nand hill"\n2,"rock\n\nand sand",more\n'
    with pytest.raises(CorpusError, match=r"^a\.csv, line 4: 3 fields where the first row has 2 "):
        read("a.csv", content)


@pytest.mark.parametrize(("n", "refused"), [(3, False), (4, True)])
def test_so_many_rows_are_read_and_no_more(n, refused, monkeypatch):
    monkeypatch.setattr(readers_source, "MAX_TEXTS", 3)
    content = b"text\n" + b"sea\n" * n
    if not refused:
        assert read("a.csv", content).n_docs == n
        return
    with pytest.raises(CorpusError) as told:
        read("a.csv", content)
    assert str(told.value) == "a.csv has 4 lines or more; the most is 3, so give a part of them."


def test_a_file_that_may_not_be_read_is_not_said_to_be_missing():
    with pytest.raises(CorpusError) as told, readers_source.refusing(Path("a.csv")):
        raise PermissionError(13, "Permission denied")
    assert str(told.value) == "a.csv cannot be read: Permission denied."


def test_rows_without_text_are_kept_for_the_report():
    source = read("t.csv", b"id,text\n1,sea hill\n2,\n3,  \n")
    assert source.texts == ("sea hill", "", "  ")
    assert "2 rows without text will be left out." in source.notes
    _, report = make_corpus(source)
    assert (report.n_read, report.n_docs, report.dropped) == (3, 1, {"no text": 2})


def test_json_values_of_all_kinds():
    lines = [
        {"text": ["sea", "hill"], "year": 1999, "tag": None},
        {"text": "rock \ud83d\ude00 \ud800", "extra": {"a": 1}},
    ]
    source = read("t.jsonl", "\n\n".join(map(json.dumps, lines)).encode())
    assert source.texts == ("sea hill", "rock 😀 \ufffd")
    assert source.columns == ("text", "year", "tag", "extra")
    assert source.docs.label.tolist() == ["", ""]
    listed = read("t.json", json.dumps(lines).encode())
    assert listed.texts == source.texts
    assert "JSON list" in notes(listed)


def test_parquet_of_other_types():
    table = pa.table(
        {
            "body": pa.array(["sea", None]).dictionary_encode(),
            "when": pa.array([0, 86_400_000], pa.timestamp("ms")),
            "vector": [[1.0], [2.0]],
        }
    )
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    source = read("t.parquet", buffer.getvalue(), options=ReadOptions(date="when"))
    assert source.texts == ("sea", "")
    assert source.columns == ("body", "when")
    assert source.docs.date.astype(str).tolist() == ["1970-01-01", "1970-01-02"]


def test_rows_of_parquet_are_counted_through_all_groups_and_batches():
    ids = [f"t{i}" for i in range(2500)]
    ids[2345] = "t7"
    buffer = io.BytesIO()
    pq.write_table(pa.table({"key": ids, "text": ["sea"] * 2500}), buffer, row_group_size=700)
    found = read("t.parquet", buffer.getvalue())
    assert found.notes[0] == "Read as Parquet, 2,500 rows."
    assert found.notes[2] == (
        "Row 2,346: the id 't7' in column 'key' was already used on row 8, so it is not used as "
        "the id."
    )


# --- dates -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (["1790", "2024.0"], ["1790-01-01", "2024-01-01"]),
        (["1790-01-08", "1850-7"], ["1790-01-08", "1850-07-01"]),
        (["2020-01-02T23:30:00-05:00"], ["2020-01-02"]),
        (["May 5, 1850", "5 June 1851"], ["1850-05-05", "1851-06-05"]),
        (["31/12/1999", "03/04/2000"], ["1999-12-31", "2000-04-03"]),
        (["12/31/1999", "03/04/2000"], ["1999-12-31", "2000-03-04"]),
        (["31/12/1999", "2000-03-04"], ["1999-12-31", "2000-03-04"]),
        (["3.4.2000"], ["2000-04-03"]),
        (["13/1/2000", "12/1/2000"], ["2000-01-13", "2000-01-12"]),
        (["1577836800", "1577836800000"], ["2020-01-01", "2020-01-01"]),
        (["", "never", "0000"], ["NaT", "NaT", "NaT"]),
    ],
)
def test_dates(written, days):
    assert parse_dates(written)[0].astype(str).tolist() == days


@pytest.mark.parametrize(
    "zero",
    ["\u06f0", "\u0660", "\u0966", "\uff10", "\u09e6", "\u0e50"],
    ids=["persian", "arabic", "devanagari", "fullwidth", "bengali", "thai"],
)
def test_dates_in_digits_of_any_script(zero):
    def written(date):
        return "".join(chr(ord(zero) + int(sign)) if sign.isdigit() else sign for sign in date)

    ascii_dates = ["1850", "1999-01-02", "31/12/1999", "2020/03/04", "0999999999", "0000"]
    days, note = parse_dates([f"\u200f{written(date)}" for date in ascii_dates])
    assert days.astype(str).tolist() == parse_dates(ascii_dates)[0].astype(str).tolist()
    assert days.astype(str).tolist()[:4] == ["1850-01-01", "1999-01-02", "1999-12-31", "2020-03-04"]
    assert "1 date could not be read" in note
    source = read("t.csv", f"text,date\nsea,{written('1999-01-02')}\nhill,1850-01-01\n".encode())
    assert source.docs.date.astype(str).tolist() == ["1999-01-02", "1850-01-01"]
    wide = parse_dates(["２０２０／０３／０４", "２０２０－０３－０５"])[0]
    assert wide.astype(str).tolist() == ["2020-03-04", "2020-03-05"]


def test_dates_that_cannot_be_read_are_said_not_refused():
    source = read(
        "t.csv", b"text,date\nsea,1999-01-02\nhill,soon\nrock,\n", options=ReadOptions(date="date")
    )
    assert source.docs.date.astype(str).tolist() == ["1999-01-02", "NaT", "NaT"]
    assert "1 date could not be read (the first is 'soon')" in notes(source)
    assert "1 of 3 documents has no date" in notes(source)
    ambiguous = read("t.csv", b"text,date\nsea,03/04/2020\nhill,01/02/2021\n")
    assert "read month first" in notes(ambiguous)
    assert ambiguous.docs.date.astype(str).tolist() == ["2020-03-04", "2021-01-02"]


def test_the_delimiter_that_fits_most_rows_wins_over_the_one_that_makes_most_columns():
    rows = [f"{i};words, of text{', and more' * (i % 3)}" for i in range(9)]
    text = "\n".join(["id;text, with, commas, in its head", *rows])
    assert sniff_delimiter(text) == ";"
