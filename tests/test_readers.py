"""Every format round trip, every encoding, and for every kind of bad input one clear sentence."""

import gzip
import io
import json
import re
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import io as scipy_io
from scipy import sparse

from bnpexplorer.corpus import CorpusError, readers_text
from bnpexplorer.corpus.dates import parse_dates
from bnpexplorer.corpus.readers import READERS, ReadOptions, guess_format, read, read_files
from bnpexplorer.corpus.text import make_corpus

DATA = Path(__file__).resolve().parent.parent / "sample_data"
TINY = [json.loads(line) for line in (DATA / "tiny.jsonl").read_text("utf-8").splitlines()]
TEXTS = tuple(row["text"] for row in TINY)
VOCAB = ("v.txt", b"sea\nhill\nrock\n")
FRENCH = "Le café de la gare était fermé à midi; le garçon a goûté la crème brûlée."


def data(name: str) -> bytes:
    return (DATA / name).read_bytes()


def notes(source) -> str:
    return " ".join(source.notes)


# --- round trips -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tiny.tsv", "tiny.jsonl", "tiny.parquet"])
def test_tables_give_back_every_field(name):
    source = read(name, data(name))
    assert source.format == name.split(".")[1]
    assert source.texts == TEXTS
    assert set(source.columns) == {"id", "date", "title", "label", "text"}
    assert source.chosen == {c: c for c in ("text", "id", "title", "date", "label")}
    for field in ("id", "title", "label", "text"):
        assert getattr(source.docs, field).tolist() == [row[field] for row in TINY]
    assert source.docs.date.astype(str).tolist() == [row["date"] for row in TINY]


def test_semicolons_and_windows_encoding_are_found_and_shown():
    source = read("tiny-semicolon-cp1252.csv", data("tiny-semicolon-cp1252.csv"))
    assert source.texts[:10] == TEXTS
    assert source.docs.title[10] == "Station café"
    assert "crème" in source.texts[10]
    assert "delimiter semicolon (sniffed)" in notes(source)
    assert "encoding guessed as Windows-1252" in notes(source)
    assert "“café”" in notes(source)


def test_small_csv_reads_as_pandas_reads_it():
    source = read("small.csv", data("small.csv"))
    table = pd.read_csv(DATA / "small.csv")
    assert list(source.texts) == table["text"].tolist()
    assert source.docs.label.tolist() == table["label"].tolist()
    assert (source.docs.date == table["date"].to_numpy("datetime64[D]")).all()


def test_plain_text_by_line_and_by_paragraph():
    assert read("tiny-lines.txt", data("tiny-lines.txt")).texts == TEXTS
    lines = read("tiny-paragraphs.txt", data("tiny-paragraphs.txt"))
    assert lines.n_docs > 10
    assert "choose paragraphs" in notes(lines)
    options = ReadOptions(split="paragraphs")
    paragraphs = read("tiny-paragraphs.txt", data("tiny-paragraphs.txt"), options=options)
    assert tuple(text.replace("\n", " ") for text in paragraphs.texts) == TEXTS


def test_zip_gives_titles_and_folders():
    source = read("tiny.zip", data("tiny.zip"))
    rows = {row["text"]: row for row in TINY}
    assert {text.strip() for text in source.texts} == set(TEXTS)
    for text, title, label in zip(source.texts, source.docs.title, source.docs.label, strict=True):
        row = rows[text.strip()]
        assert title == f"{row['title']} ({row['id']})"
        assert label == row["label"]


@pytest.mark.parametrize(
    "name", ["docword.tiny.txt", "docword.tiny.txt.gz", "tiny.ldac", "tiny.mtx"]
)
def test_counts_equal_those_of_the_texts(name):
    expected, _ = make_corpus(read("tiny.jsonl", data("tiny.jsonl")))
    vocab = ("vocab.tiny.txt", data("vocab.tiny.txt"))
    for source in (
        read(name, data(name), vocab=vocab),
        read_files([vocab, (name, data(name))]),
        read_files([(name, data(name)), vocab]),
    ):
        corpus, _ = make_corpus(source)
        assert corpus.fingerprint == expected.fingerprint
        n_words = len(data("vocab.tiny.txt").split())
        assert f"Vocabulary vocab.tiny.txt: {n_words} words" in notes(source)


def test_every_sample_file_is_recognised_by_content_and_name():
    found = {
        path.name: guess_format(path.name, path.read_bytes())
        for path in sorted(DATA.iterdir())
        if path.suffix not in (".md", ".gz")
    }
    assert found == {
        "docword.tiny.txt": "uci",
        "small.csv": "csv",
        "tiny-lines.txt": "text",
        "tiny-paragraphs.txt": "text",
        "tiny-semicolon-cp1252.csv": "csv",
        "tiny.jsonl": "jsonl",
        "tiny.ldac": "ldac",
        "tiny.mtx": "mtx",
        "tiny.parquet": "parquet",
        "tiny.tsv": "tsv",
        "tiny.zip": "zip",
        "vocab.tiny.txt": "text",
    }
    assert set(READERS) == {*found.values(), "pasted"}
    # Without a helpful ending, content decides.
    assert guess_format("export", data("small.csv")) == "csv"
    assert guess_format("export", data("tiny.tsv")) == "tsv"
    assert guess_format("export", data("tiny.jsonl")) == "jsonl"
    assert guess_format("ap.dat", data("tiny.ldac")) == "ldac"
    assert guess_format("notes", data("tiny-lines.txt")) == "text"


def test_several_text_files_are_a_folder():
    source = read_files([("b/two.txt", b"rock"), ("a/one.txt", b"sea"), ("b/three.txt", b"")])
    assert source.docs.title.tolist() == ["one", "three", "two"]
    assert source.docs.label.tolist() == ["a", "b", "b"]
    assert source.texts == ("sea", "", "rock")


def test_pasted_texts():
    assert read("box", b"one sea\ntwo hills\n", options=ReadOptions(format="pasted")).texts == (
        "one sea",
        "two hills",
    )
    pasted = "one\nsea\n\ntwo café\n".encode()
    source = read("box", pasted, options=ReadOptions(format="pasted"))
    assert source.texts == ("one\nsea", "two café")


def test_matrix_market_turned_round_and_dense():
    dense = np.array([[2, 0, 1], [0, 3, 0]])
    for matrix in (sparse.coo_matrix(dense), sparse.coo_matrix(dense.T), dense):
        buffer = io.BytesIO()
        scipy_io.mmwrite(buffer, matrix)
        source = read("m.mtx", buffer.getvalue(), vocab=VOCAB)
        assert source.counts.toarray().tolist() == dense.tolist()
    assert "turned round" in notes(read("m.mtx", _mtx(sparse.coo_matrix(dense.T)), vocab=VOCAB))


def _mtx(matrix) -> bytes:
    buffer = io.BytesIO()
    scipy_io.mmwrite(buffer, matrix)
    return buffer.getvalue()


def test_entries_given_twice_are_added():
    source = read("docword.txt", b"2\n3\n3\n1 1 2\n1 1 3\n2 3 1\n", vocab=VOCAB)
    assert source.counts.toarray().tolist() == [[5, 0, 0], [0, 0, 1]]


# --- tables ------------------------------------------------------------------------------------


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


def test_dates_that_cannot_be_read_are_said_not_refused():
    source = read(
        "t.csv", b"text,date\nsea,1999-01-02\nhill,soon\nrock,\n", options=ReadOptions(date="date")
    )
    assert source.docs.date.astype(str).tolist() == ["1999-01-02", "NaT", "NaT"]
    assert "1 date could not be read (the first is 'soon')" in notes(source)
    assert "1 of 3 documents have no date" in notes(source)
    ambiguous = read("t.csv", b"text,date\nsea,03/04/2020\nhill,01/02/2021\n")
    assert "read month first" in notes(ambiguous)
    assert ambiguous.docs.date.astype(str).tolist() == ["2020-03-04", "2021-01-02"]


# --- encodings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("utf-8", "encoding UTF-8."),
        ("utf-8-sig", "UTF-8 with byte order mark"),
        ("utf-16", "encoding UTF-16"),
        ("utf-16-le", "UTF-16 (little endian) (no byte order mark; guessed)"),
        ("utf-16-be", "UTF-16 (big endian) (no byte order mark; guessed)"),
        ("utf-32", "encoding UTF-32"),
        ("cp1252", "guessed as Windows-1252"),
        ("latin-1", "guessed as Windows-1252"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "txt", "jsonl"])
def test_encodings_are_found_and_said(codec, said, ending):
    content = {
        "csv": f"id,text\n1,{FRENCH}\n2,plain words\n",
        "txt": f"{FRENCH}\nplain words\n",
        "jsonl": f'{{"text": "{FRENCH}"}}\n{{"text": "plain words"}}\n',
    }[ending]
    source = read(f"t.{ending}", content.encode(codec))
    assert source.texts == (FRENCH, "plain words")
    assert said in notes(source)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Поезд пришёл на станцию вовремя, и пассажиры вышли на перрон.", "cp1251"),
        ("Поезд пришёл на станцию вовремя, и пассажиры вышли на перрон.", "koi8_r"),
        ("Die Bäckerei schließt früh, weil die Straße überschwemmt wurde.", "cp1252"),
        ("It’s a “nice” day – isn’t it? The rest is plain English prose.", "cp1252"),
        ("Zażółć gęślą jaźń; pociąg przyjechał na stację o świcie.", "cp1250"),
        ("電車は時間どおりに駅に着きました。乗客はホームに降りました。", "cp932"),
    ],
)
def test_other_encodings_are_guessed_and_can_be_named(text, codec):
    content = f"{text}\n{text}\n".encode(codec)
    assert read("t.txt", content).texts == (text, text)
    named = read("t.txt", content, options=ReadOptions(encoding=codec))
    assert named.texts == (text, text)
    assert "(as asked)" in notes(named)


def test_an_emoji_far_down_a_large_file_is_kept():
    lines = ["plain words"] * 200_000 + ["sea 😀"]
    source = read("t.txt", "\n".join(lines).encode())
    assert source.texts[-1] == "sea 😀"


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def _zip(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


XLSX = _zip({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"})


def _encrypted() -> bytes:
    packed = bytearray(_zip({"a.txt": b"sea"}))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.find(magic) + offset] |= 1
    return bytes(packed)


def _parquet_cut() -> bytes:
    return data("tiny.parquet")[:-300] + b"PAR1"


GOOD_UCI = b"2\n3\n3\n1 1 2\n1 2 1\n2 3 1\n"
GZ = gzip.compress(GOOD_UCI * 50)
MTX = b"%%%%MatrixMarket matrix coordinate %s general\n%% comment\n2 3 2\n1 1 %s\n2 3 1\n"
ONES = MTX % (b"integer", b"1")


# name, bytes, what the sentence must hold: file, line or field, remedy
BAD = [
    # files that are no text
    ("empty.csv", b"", ["empty.csv is empty", "give a file"]),
    ("blank.txt", b" \n\n ", ["blank.txt is empty"]),
    ("bom.txt", b"\xef\xbb\xbf\n", ["bom.txt holds nothing but blanks", "give at least one"]),
    ("a.csv", PNG, ["a.csv is a PNG picture", "give a text, CSV or ZIP file"]),
    ("b.txt", PNG, ["b.txt is a PNG picture"]),
    ("c.csv", XLSX, ["c.csv is a Word, Excel or PowerPoint file", "save it as CSV"]),
    ("c.xlsx", XLSX, ["c.xlsx is a Word, Excel"]),
    ("d.txt", b"%PDF-1.7 \x00\x01", ["d.txt is a PDF document", "copy its text"]),
    ("e.txt", b"\x80\x04\x95\x00\x00", ["e.txt is a Python pickle", "run code"]),
    ("f.txt", b"sea\nhill\n\x00\x01\x02rock", ["f.txt", "line 3", "no text", "give a text, CSV"]),
    ("g.txt", bytes(range(1, 32)) * 9, ["g.txt holds bytes that are no text"]),
    ("h.parquet", b"sea,hill\n1,2\n", ["h.parquet is no Parquet file", "rename it"]),
    ("h.zip", b"sea,hill\n1,2\n", ["h.zip is no ZIP of texts file", "rename it"]),
    (
        "i.txt",
        b"sea\n" * 9 + ("é" * 30).encode() + b"\nhi\xff\n",
        ["i.txt, line 11", "UTF-8 except", "mend"],
    ),
    ("j.txt", "sea é".encode("utf-16")[:-1], ["j.txt, line", "not valid UTF-16", "choose another"]),
    # tables
    ("r.csv", b"id,text\n1,sea\n2,hill,rock\n", ["r.csv, line 3", "3 fields", "has 2", "quote"]),
    ("r.csv", b'id,text\n1,"sea\n\nhill"\n2\n', ["r.csv, line 5", "1 fields", "comma"]),
    ("r.csv", b'id,text\n1,sea\n2,"hill\n3,rock\n', ["r.csv, line 3", "never closed", "twice"]),
    ("r.csv", b'id,text\n1,sea\n2,"a "b" c"\n', ["r.csv, line 3", "quote", "twice"]),
    ("r.csv", b"id,text\n", ["r.csv has no rows", "at least one document"]),
    ("r.csv", b"x,y\n1,2\n3,4\n", ["r.csv: no column looks like text", "x, y", "choose"]),
    (
        "r.csv",
        b"id,text\na,sea\nb,hill\na,rock\n",
        ["r.csv, line 4", "'a'", "'id'", "line 2", "make ids unique"],
    ),
    (
        "r.jsonl",
        b'{"text": "sea"}\n\n{"text": hill}\n',
        ["r.jsonl, line 3", "not valid JSON", "one whole object"],
    ),
    ("r.jsonl", b'{"text": "sea"}\n["hill"]\n', ["r.jsonl, line 2", "JSON object", "not list"]),
    ("r.jsonl", b'{"a":' * 200_000, ["r.jsonl, line 1", "nested too deeply"]),
    ("r.json", b'[{"text": "sea"}, 3]', ["r.json, item 2", "JSON object", "not int"]),
    ("r.jsonl", b'{"id": 7, "text": "sea"}\n{"id": 7, "text": "sea"}', ["r.jsonl, line 2", "'7'"]),
    ("r.parquet", _parquet_cut(), ["r.parquet is a damaged Parquet file", "copy it again"]),
    # gzip and ZIP
    ("docword.gz", GZ[: len(GZ) // 2], ["docword.gz ends in the middle", "copy or download"]),
    ("docword.gz", GZ[:-8] + b"\0" * 8, ["docword.gz is a damaged gzip file", "again"]),
    ("t.zip", _encrypted(), ["t.zip, entry a.txt is encrypted", "without a password"]),
    (
        "t.zip",
        _zip({"a.txt": b"sea", "in.zip": b"PK"}),
        ["t.zip, entry in.zip", "archive in an archive", "directly"],
    ),
    ("t.zip", _zip({"../a.txt": b"sea"}), ["t.zip, entry ../a.txt", "leads out", "pack"]),
    ("t.zip", _zip({"x/../../a.txt": b"sea"}), ["entry x/../../a.txt", "leads out"]),
    ("t.zip", _zip({"/etc/a.txt": b"sea"}), ["t.zip, entry /etc/a.txt", "leads out"]),
    ("t.zip", _zip({"C:\\a.txt": b"sea"}), ["t.zip, entry C:", "leads out"]),
    ("t.zip", _zip({"a.txt": b"a" * 10**7}), ["t.zip, entry a.txt grows", "-fold"]),
    ("t.zip", _zip({"a.pdf": b"sea"}), ["t.zip has no .txt file", "a.pdf", "pack one .txt"]),
    ("t.zip", _zip({}), ["t.zip has no .txt file", "nothing"]),
    ("t.zip", _zip({"a.txt": b" ", "b.txt": b""}), ["t.zip", "are empty"]),
    ("t.zip", _zip({"a.txt": PNG}), ["t.zip, entry a.txt is a PNG picture"]),
    ("t.zip", _zip({"a.txt": b"sea"})[:-10], ["t.zip is a damaged"]),
    ("t.zip", _zip({"a.txt": b"sea"}, 0).replace(b"sea", b"sun"), ["t.zip is a damaged", "CRC"]),
    # counts
    (
        "docword.txt",
        GOOD_UCI.replace(b"3\n3\n", b"4\n3\n"),
        ["v.txt has 3 words", "docword.txt, line 2", "4", "belongs"],
    ),
    (
        "docword.txt",
        GOOD_UCI + b"2 1 1\n",
        ["docword.txt, line 3", "announces 3", "has 4", "correct"],
    ),
    (
        "docword.txt",
        GOOD_UCI[:-6],
        ["docword.txt, line 3", "announces 3", "has 2", "copy it again"],
    ),
    (
        "docword.txt",
        GOOD_UCI.replace(b"1 2 1", b"1 2 -1"),
        ["docword.txt, line 5", "count is -1", "correct it"],
    ),
    ("docword.txt", GOOD_UCI.replace(b"1 2 1", b"1 2 0"), ["docword.txt, line 5", "count is 0"]),
    (
        "docword.txt",
        GOOD_UCI.replace(b"1 2 1", b"1 2 1.5"),
        ["docword.txt, line 5", "count is 1.5", "correct it"],
    ),
    (
        "docword.txt",
        GOOD_UCI.replace(b"1 2 1", b"1 2"),
        ["docword.txt, line 5", "3 whole numbers"],
    ),
    ("docword.txt", GOOD_UCI.replace(b"1 2 1", b"1 2 1 1"), ["docword.txt, line 5", "'1 2 1 1'"]),
    ("docword.txt", GOOD_UCI.replace(b"1 1 2", b"1 1 2 9"), ["docword.txt, line 4", "'1 1 2 9'"]),
    (
        "docword.txt",
        GOOD_UCI.replace(b"1 2 1", b"1 2 3000000000"),
        ["line 5", "count is 3000000000"],
    ),
    ("docword.txt", GOOD_UCI.replace(b"1 2 1", b"1 2 1" + b"0" * 30), ["line 5", "1e+30"]),
    ("docword.txt", GOOD_UCI.replace(b"2 3 1", b"3 3 1"), ["line 6", "document is 3", "1 to 2"]),
    (
        "docword.txt",
        GOOD_UCI.replace(b"2 3 1", b"0 3 1"),
        ["line 6", "document is 0", "ids start at 1"],
    ),
    ("docword.txt", GOOD_UCI.replace(b"2 3 1", b"2 4 1"), ["line 6", "word is 4", "1 to 3"]),
    ("docword.txt", b"9" * 15 + GOOD_UCI[1:], ["docword.txt, line 1", "the most is"]),
    ("x.ldac", b"2 0:1 1:2\n2 0:1\n", ["x.ldac, line 2", "announces 2", "has 1", "correct"]),
    ("x.ldac", b"2 0:1 1:2\n1 3:1\n", ["x.ldac, line 2", "word id 3", "3 words"]),
    ("x.ldac", b"1 0:1\n1 0:-1\n", ["x.ldac, line 2", "count -1"]),
    ("x.ldac", b"1 0:1\n1 0:1.5\n", ["x.ldac, line 2", "'0:1.5'", "no pair of whole numbers"]),
    ("x.ldac", b"1 0:1\n\n1 0:1\n", ["x.ldac, line 2", "number of distinct words"]),
    ("x.mtx", MTX % (b"integer", b"-4"), ["x.mtx, line 4", "count is -4", "whole number"]),
    ("x.mtx", MTX % (b"real", b"0.5"), ["x.mtx, line 4", "count is 0.5", "whole number"]),
    ("x.mtx", MTX % (b"real", b"nan"), ["x.mtx, line 4", "nan"]),
    ("x.mtx", MTX % (b"integer", b"3000000000"), ["x.mtx, line 4", "3000000000"]),
    ("x.mtx", ONES.replace(b"2 3 2", b"2 3 3"), ["x.mtx, line 3", "announces 3", "has 2"]),
    ("x.mtx", ONES.replace(b"2 3 2", b"2 3 1"), ["x.mtx, line 3", "announces 1", "has 2"]),
    (
        "x.mtx",
        ONES.replace(b"2 3 2", b"2 4 2"),
        ["v.txt has 3 words", "x.mtx", "4 columns", "belongs"],
    ),
    ("x.mtx", ONES.replace(b"2 3 2", b"2 3 99999999999"), ["x.mtx, line 3", "cut short"]),
    (
        "x.mtx",
        ONES.replace(b"2 3 2", b"999999999999 3 2"),
        ["x.mtx, line 3", "claims", "give a part"],
    ),
    ("x.mtx", ONES.replace(b"2 3 1\n", b"2 9 1\n"), ["x.mtx, line 5", "column is 9"]),
    ("x.mtx", ONES.replace(b"2 3 1\n", b"2 x 1\n"), ["x.mtx, line 5", "'2 x 1'", "Correct"]),
    (
        "x.mtx",
        ONES.replace(b"2 3 1\n", b"2 3 " + b"1" * 300 + b"x\n"),
        ["x.mtx, line 5", "Correct"],
    ),
    ("x.mtx", ONES.replace(b"2 3 1\n", b"0 3 1\n"), ["x.mtx, line 5", "row is 0", "start at 1"]),
    (
        "x.mtx",
        ONES.replace(b"general", b"symmetric"),
        ["x.mtx, line 1", "symmetric", "write it as"],
    ),
    ("x.mtx", ONES.replace(b"2 3 2", b"2 3"), ["x.mtx, line 3", "size of the matrix", "'2 3'"]),
    ("x.mtx", b"%%MatrixMarket nonsense\n1 1\n", ["x.mtx, line 1", "mmwrite"]),
]


@pytest.mark.parametrize(("name", "content", "parts"), BAD)
def test_bad_input_gets_one_clear_sentence(name, content, parts):
    with pytest.raises(CorpusError) as caught:
        read(name, content, vocab=VOCAB)
    message = str(caught.value)
    for part in parts:
        assert part in message
    assert "\n" not in message
    assert message.endswith(".")
    assert len(message) < 330


@pytest.mark.parametrize("name", ["docword.tiny.txt", "tiny.ldac", "tiny.mtx"])
def test_counts_without_vocabulary(name):
    with pytest.raises(CorpusError, match=rf"{name} holds counts without words; give its vocab"):
        read(name, data(name))


@pytest.mark.parametrize(
    ("vocab", "message"),
    [
        (b"sea\n\nrock\n", r"v\.txt, line 2, is empty; the vocabulary needs one word a line"),
        (b"", r"v\.txt is empty"),
        (PNG, r"v\.txt is a PNG picture"),
        (b"sea\nhill\n", r"v\.txt has 2 words but docword\.txt, line 2, announces 3"),
    ],
)
def test_bad_vocabularies(vocab, message):
    with pytest.raises(CorpusError, match=message):
        read("docword.txt", GOOD_UCI, vocab=("v.txt", vocab))


def test_repeated_words_of_a_vocabulary_are_said():
    source = read("docword.txt", GOOD_UCI, vocab=("v.txt", b"sea\nsea\nrock\n"))
    assert "1 words of the vocabulary stand there more than once." in source.notes


@pytest.mark.parametrize("field", ["text", "id", "title", "date", "label"])
@pytest.mark.parametrize("name", ["tiny.tsv", "tiny.jsonl", "tiny.parquet"])
def test_wrong_column(name, field):
    with pytest.raises(
        CorpusError, match=rf"{name} has no column 'nope' for the {field}; choose one of: id"
    ):
        read(name, data(name), options=ReadOptions(**{field: "nope"}))


def test_too_many_and_too_large_entries(monkeypatch):
    packed = _zip({f"{i}.txt": b"sea" for i in range(4)})
    monkeypatch.setattr(readers_text, "MAX_ENTRIES", 3)
    with pytest.raises(CorpusError, match=r"t\.zip has 4 entries; the most is 3, so put"):
        read("t.zip", packed)
    monkeypatch.setattr(readers_text, "MAX_ENTRIES", 10)
    monkeypatch.setattr(readers_text, "MAX_UNPACKED", 11)
    with pytest.raises(
        CorpusError, match=r"t\.zip unpacks to 0 MB; the most is 0 MB, so pack a part"
    ):
        read("t.zip", packed)


def test_an_entry_that_lies_about_its_size_is_not_unpacked_beyond_it():
    content = zlib.compress(b"a" * 5_000_000)[2:-4]
    packed = bytearray(_zip({"a.txt": b"a" * 5_000_000}))
    assert content[:20] in packed
    for magic, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = packed.find(magic) + offset
        packed[at : at + 4] = (100).to_bytes(4, "little")
    with pytest.raises(CorpusError, match=r"t\.zip is a damaged"):
        read("t.zip", bytes(packed))


def test_gzip_bomb(monkeypatch):
    from bnpexplorer.corpus import decoding

    monkeypatch.setattr(decoding, "MAX_UNPACKED", 1000)
    with pytest.raises(CorpusError, match=r"t\.csv\.gz unpacks to more than 0 MB; split it"):
        read("t.csv.gz", gzip.compress(b"a" * 1001))


def test_wrong_options():
    with pytest.raises(CorpusError, match=r"no format is called 'docx'; choose one of csv, tsv"):
        read("t.txt", b"sea", options=ReadOptions(format="docx"))
    with pytest.raises(CorpusError, match=r"no text encoding is called 'klingon'; try utf-8"):
        read("t.txt", b"sea", options=ReadOptions(encoding="klingon"))
    with pytest.raises(CorpusError, match=r"no text encoding is called 'zlib'"):
        read("t.txt", b"sea", options=ReadOptions(encoding="zlib"))
    with pytest.raises(CorpusError, match=r"t\.txt, line 2: the bytes there are not valid ASCII"):
        read("t.txt", "sea\né".encode(), options=ReadOptions(encoding="ascii"))
    with pytest.raises(CorpusError, match=r"split must be 'lines' or 'paragraphs'; got 'pages'"):
        read("t.txt", b"sea", options=ReadOptions(split="pages"))


def test_files_that_do_not_belong_together():
    with pytest.raises(CorpusError, match=r"a\.csv, b\.csv: these files do not belong together"):
        read_files([("a.csv", b"text\nsea\n"), ("b.csv", b"text\nhill\n")])
    with pytest.raises(CorpusError, match="No file was given"):
        read_files([])


@pytest.mark.parametrize(
    "path", sorted(p for p in DATA.iterdir() if p.suffix != ".md"), ids=lambda path: path.name
)
def test_damaged_files_are_read_or_refused_but_never_break(path):
    """Bytes changed, cut, doubled or put in at random: only a CorpusError may come out."""
    rng = np.random.default_rng(len(path.name))
    vocab = ("vocab.tiny.txt", data("vocab.tiny.txt"))
    scraps = [b'"', b"\n", b"\0", b"\xff", b"9" * 30, b"-", b".5", b"[", b"nan", b"1e400", b"\t"]
    refusals = []
    for _ in range(40):
        content = bytearray(path.read_bytes()[:20_000])
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(max(len(content), 1)))
            match rng.integers(4):
                case 0:
                    content[at : at + 1] = bytes([rng.integers(256)])
                case 1:
                    del content[at : at + int(rng.integers(1, 60))]
                case 2:
                    content[at:at] = scraps[rng.integers(len(scraps))]
                case _:
                    content[at:at] = content[at : at + 40]
        try:
            make_corpus(read(path.name, bytes(content), vocab=vocab))
        except CorpusError as error:
            refusals.append(str(error))
    assert refusals
    assert not any("\n" in sentence for sentence in refusals)


def test_a_csv_with_the_wrong_format_chosen_is_explained():
    for kind in ("uci", "ldac", "mtx", "jsonl", "parquet", "zip"):
        with pytest.raises(CorpusError, match=re.escape("small.csv")):
            read("small.csv", data("small.csv"), vocab=VOCAB, options=ReadOptions(format=kind))
