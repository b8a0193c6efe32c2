"""Whole sentences: which file, line and number they name, and the remedy that fits."""

import io
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import source as readers_source
from bnpexplorer.corpus.readers import text as readers_text
from bnpexplorer.corpus.readers.formats import ReadOptions, read, read_files, read_path
from bnpexplorer.corpus.readers.source import FIND_OUT, Reading, read_bytes, reason, shown
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.settings import TextSettings
from tests.tools.readers import VOCAB, packed_zip

UCI = b"4\n3\n5\n1 1 2\n1 2 1\n2 3 1\n3 1 9\n4 2 8\n"
MTX = b"%%MatrixMarket matrix coordinate integer general\n% a\n\n4 3 2\n1 1 5\n4 3 1\n"
ARRAY = b"%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n"
REFUSALS = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("one", REFUSALS["refusal"], ids=lambda one: one["said"][:60])
def test_the_sentence_is_this_one(one):
    packed = "entries" in one
    content = (
        packed_zip({name: text.encode("latin-1") for name, text in one["entries"].items()})
        if packed
        else one["content"].encode("latin-1")
    )
    options = ReadOptions(format="zip" if packed else one.get("format", ""))
    with pytest.raises(CorpusError) as told:
        read(one["name"], content, vocab=VOCAB, options=options)
    assert str(told.value) == one["said"]


def test_counts_at_their_limits_are_read():
    most = 2**31 - 1
    found = read("a.txt", f"2\n3\n2\n1 1 {most}\n2 3 1\n".encode(), vocab=VOCAB)
    assert found.counts.toarray().tolist() == [[most, 0, 0], [0, 0, 1]]
    found = read("a.ldac", f"2 2:{most} 0:1\n0\n1 1:3\n".encode(), vocab=VOCAB)
    assert found.counts.toarray().tolist() == [[1, 0, most], [0, 0, 0], [0, 3, 0]]
    assert read("a.mtx", ARRAY, vocab=VOCAB).counts.toarray().tolist() == [[1, 3, 5], [2, 4, 6]]
    ones = MTX.replace(b"integer", b"pattern").replace(b"1 1 5", b"1 1").replace(b"4 3 1", b"4 3")
    assert read("a.mtx", ones, vocab=VOCAB).counts.toarray().tolist() == [
        [1, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 1],
    ]


# ---- notes -------------------------------------------------------------------------------------


CSV, TSV = (
    "Read as CSV, delimiter {}, encoding UTF-8.",
    "Read as TSV, delimiter {}, encoding UTF-8.",
)
PLAIN, ZIP = "Read as plain text, one document a ", "Read as a ZIP of texts, one document a file: "
TWO = {"a.txt": b"sea", "b.TXT": "mär".encode(), "c.txt": b"hill"}
THREE = {"a.txt": b"sea", "b.txt": "mär".encode("utf-16"), "c.txt": b" "}


@pytest.mark.parametrize(
    ("name", "content", "options", "said"),
    [
        ("a.csv", b"id;text\n1;sea\n", {}, CSV.format("semicolon (sniffed)")),
        ("a.csv", b"id|text\n1|sea\n", {}, CSV.format("vertical bar (sniffed)")),
        ("a.csv", b"id,text\n1,sea\n", {"delimiter": ","}, CSV.format("comma (as asked)")),
        ("a.tsv", b"id\ttext\n1\tsea\n", {}, TSV.format("tab (by its name)")),
        ("a.tsv", b"id;text\n1;sea\n", {"delimiter": ";"}, TSV.format("semicolon (as asked)")),
        (
            "a.tsv",
            b'id\ttext\n1\t"sea\n',
            {},
            TSV.format("tab (by its name), quotes taken literally"),
        ),
        (
            "a.csv",
            b"text\nsea\n",
            {"encoding": "cp1252"},
            "Read as CSV, a single column, encoding Windows-1252 (as asked).",
        ),
        ("a.json", b'[{"text": "sea"}]', {}, "Read as a JSON list, encoding UTF-8."),
        ("a.jsonl", b'{"text": "sea"}', {}, "Read as JSON lines, encoding UTF-8."),
        ("a.txt", b"sea\nhill", {}, PLAIN + "line, encoding UTF-8."),
        ("a.txt", b"sea\nhill", {"split": "paragraphs"}, PLAIN + "paragraph, encoding UTF-8."),
        (
            "a.txt",
            b"sea\n\nhill",
            {"format": "pasted"},
            "Read as pasted text, one document a paragraph.",
        ),
        ("a.txt", UCI, {}, "Read as UCI bag of words."),
        ("a.ldac", b"1 0:1\n1 2:1\n", {}, "Read as LDA-C."),
        ("a.mtx", MTX, {}, "Read as Matrix Market."),
        ("a.zip", packed_zip(TWO), {}, ZIP + "3 files in encoding UTF-8."),
        (
            "a.zip",
            packed_zip(THREE),
            {},
            ZIP + "1 file in encoding UTF-8, 1 file in encoding UTF-16.",
        ),
    ],
)
def test_the_first_note_says_how_a_file_was_read(name, content, options, said):
    found = read(name, content, vocab=VOCAB, options=ReadOptions(**options))
    assert found.notes[0] == said


def test_columns_are_named_in_the_notes_with_what_was_guessed():
    content = b"key,when,body,party\n1,2001-02-03,sea,left\n2,,,right\n3,never,hill,left\n"
    options = ReadOptions(text="body", label="party")
    assert read("a.csv", content, options=options).notes == (
        "Read as CSV, delimiter comma (sniffed), encoding UTF-8.",
        "Columns: text from 'body', id from 'key' (guessed), date from 'when' (guessed), label "
        "from 'party'.",
        "Column 'when': Dates of 33 % of the texts were read; 1 date could not be read (the first "
        "is 'never'): left unknown; 1 of 3 documents have no date.",
        "1 row without text will be left out.",
    )
    headless = read("a.csv", b"1,sea and hill\n2,rock\n")
    assert headless.notes[1:] == (
        "The first row is data, not column names; columns are named by number.",
        "Columns: text from 'column 2' (guessed).",
    )


# ---- archives and folders ----------------------------------------------------------------------


def test_what_else_is_in_an_archive_is_counted(tmp_path):
    entries = {
        "all/one/b.txt": b"sea",
        "all/two/a.TXT": b"hill",
        "all/c.txt": b"rock",
        "all/.hidden.txt": b"no",
        "__MACOSX/all/d.txt": b"no",
        "all/e.pdf": b"no",
    }
    found = read("a.zip", packed_zip(entries))
    assert found.texts == ("rock", "sea", "hill")
    assert found.docs.id.tolist() == ["all/c.txt", "all/one/b.txt", "all/two/a.TXT"]
    assert found.docs.title.tolist() == ["c", "b", "a"]
    assert found.docs.label.tolist() == ["", "one", "two"]
    assert found.notes[1] == "3 entries not ending in .txt left out."
    del entries["all/e.pdf"], entries["all/.hidden.txt"]
    assert read("a.zip", packed_zip(entries)).notes[1] == "1 entry not ending in .txt left out."
    for path in ("one/b.txt", "two/a.txt", "c.txt", "e.pdf"):
        (tmp_path / "own" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own" / path).write_text(path)
    found = read_path(tmp_path / "own")
    assert (found.name, found.format, found.texts) == (
        "own",
        "folder",
        ("c.txt", "one/b.txt", "two/a.txt"),
    )
    assert found.docs.label.tolist() == ["", "one", "two"]
    assert found.notes == (
        "Read as a folder of texts, one document a file: 3 files in encoding UTF-8.",
        "1 file not ending in .txt left out.",
    )
    (tmp_path / "none").mkdir()
    with pytest.raises(CorpusError) as told:
        read_path(tmp_path / "none")
    assert str(told.value) == (
        f"{tmp_path / 'none'} has no .txt file in it; give a file, or a folder of texts."
    )


@pytest.mark.parametrize(
    ("size", "ratio", "refused"), [(1_000_001, 9, True), (1_000_000, 9, False)]
)
def test_an_entry_of_a_megabyte_may_be_as_small_as_it_likes_when_packed(
    size, ratio, refused, monkeypatch
):
    monkeypatch.setattr(readers_text, "MAX_RATIO", ratio)
    packed = packed_zip({"a.txt": b"sea " * (size // 4) + b" " * (size % 4)})
    if not refused:
        assert read("a.zip", packed).n_docs == 1
        return
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        (entry,) = archive.infolist()
    with pytest.raises(CorpusError) as told:
        read("a.zip", packed)
    assert str(told.value) == (
        f"a.zip, entry a.txt grows {size // entry.compress_size:,}-fold when unpacked, which no "
        f"text does (the most is {ratio}-fold); check where the file is from."
    )
    monkeypatch.setattr(readers_text, "MAX_RATIO", size // entry.compress_size + 1)
    assert read("a.zip", packed).n_docs == 1


def test_limits_themselves_are_allowed(monkeypatch):
    packed = packed_zip({f"{i}.txt": b"sea " for i in range(4)})
    monkeypatch.setattr(readers_text, "MAX_ENTRIES", 4)
    monkeypatch.setattr(readers_text, "MAX_UNPACKED", 16)
    assert read("a.zip", packed).n_docs == 4
    monkeypatch.setattr(readers_source, "MAX_TEXTS", 3)
    assert read("a.csv", b"text\nsea\nhill\nrock\n").n_docs == 3
    with pytest.raises(CorpusError) as told:
        read("a.csv", b"text\nsea\nhill\nrock\nsand\n")
    assert str(told.value) == "a.csv has 4 lines or more; the most is 3, so give a part of them."


def test_several_files_are_named_in_what_is_said_of_them():
    found = read_files([(f"{i}.txt", b"sea") for i in range(3)])
    assert (found.name, found.format) == ("3 texts", "zip")
    names = [f"{letter}.csv" for letter in "abcde"]
    for n, listed in ((4, "a.csv, b.csv, c.csv, d.csv"), (5, "a.csv, b.csv, c.csv, d.csv, ...")):
        with pytest.raises(CorpusError) as told:
            read_files([(name, b"text\nsea\n") for name in names[:n]])
        assert str(told.value) == (
            f"{listed}: these files do not belong together; give one file, counts with their "
            "vocabulary, or .txt files alone."
        )
    blank = read_files([("blank.txt", b" \n"), ("a.txt", b"sea")])
    assert blank.texts == ("sea", "")


def test_a_path_is_shown_as_it_was_written_and_read_or_refused(tmp_path):
    (tmp_path / "a.csv").write_text("text\nsea\n")
    assert read_bytes(tmp_path / "a.csv") == b"text\nsea\n"
    with pytest.raises(CorpusError) as told:
        read_bytes(tmp_path / "b.csv")
    assert (
        str(told.value) == f"There is no file {tmp_path / 'b.csv'}; check the name and the folder."
    )
    with pytest.raises(CorpusError) as told:
        read_bytes(tmp_path)
    assert str(told.value) == f"{tmp_path} cannot be read: Is a directory."
    assert shown("caf\udce9.csv") == "caf?.csv"


def test_how_a_corpus_was_read_names_only_what_was_chosen():
    reading = Reading(TextSettings(), ReadOptions(text="body", id="-", split="paragraphs"), ("a",))
    assert reading.chosen == {"text": "body", "id": "-", "split": "paragraphs"}
    assert Reading(TextSettings(), FIND_OUT).chosen == {}
    later = reading.without(["sea", "hill"]).without(w for w in ["rock"])
    assert later.left_out == (("sea", "hill"), ("rock",))
    assert (later.options, later.files, reading.left_out) == (reading.options, ("a",), ())


def test_what_a_library_says_is_cut_and_never_empty():
    assert reason(ValueError("a  b\n c")) == "a b c"
    assert reason(ValueError("x" * 81)) == "x" * 80
    assert reason(ValueError(" ")) == "ValueError"


# ---- tables ------------------------------------------------------------------------------------


def test_a_long_first_cell_or_a_number_makes_the_first_row_data():
    names, data = ("a" * 80, "7a", "1.2.3"), ("a" * 81, "7", "7.5")
    for cell, is_data in [*((name, False) for name in names), *((one, True) for one in data)]:
        content = f"name,{cell}\nhill,sea and rock\n".encode()
        assert read("a.csv", content).n_docs == 1 + is_data, cell


def test_a_column_may_come_late_and_what_is_asked_for_must_come_at_all(monkeypatch):
    monkeypatch.setattr("bnpexplorer.corpus.readers.tables.SAMPLE_ROWS", 2)
    rows = [
        *['{"text": "sea"}'] * 3,
        '{"text": "hill", "party": "left", "text 2": "' + "x" * 99 + '"}',
    ]
    content = "\n".join(rows).encode()
    found = read("a.jsonl", content, options=ReadOptions(label="party"))
    assert found.docs.label.tolist() == ["", "", "", "left"]
    assert found.columns == ("text", "party", "text 2")
    assert found.chosen == {"label": "party", "text": "text"}
    assert read("a.jsonl", content).chosen == {"text": "text"}, "the first rows decide"
    with pytest.raises(CorpusError) as told:
        read("a.jsonl", content, options=ReadOptions(label="Party"))
    assert str(told.value) == (
        "a.jsonl has no column 'Party' for the label; choose one of: text, party, text 2."
    )


def parquet(**columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def test_bytes_in_a_table_are_text_or_their_row_is_named(monkeypatch):
    found = read("a.parquet", parquet(text=pa.array([b"sea", "m\xe4r".encode(), None])))
    assert found.texts == ("sea", "m\xe4r", "")
    assert found.notes[0] == "Read as Parquet, 3 rows."
    with pytest.raises(CorpusError) as told:
        read("a.parquet", parquet(text=pa.array([b"sea", b"hill", b"m\xe4r"])))
    assert str(told.value) == (
        "a.parquet, row 3: column 'text' holds bytes that are not UTF-8; write it as a column of "
        "strings."
    )
    numbers = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1000, np.int32)), pa.array([1.5]))
    content = parquet(text=pa.array(["sea"] * 1000), year=numbers)
    for most, refused in ((17_000, False), (8_000, True)):  # 8,000 B of numbers, 7,004 of words
        monkeypatch.setattr("bnpexplorer.corpus.readers.table.MAX_UNPACKED", most)
        if refused:
            with pytest.raises(
                CorpusError, match=r"a\.parquet unpacks to more than 0 MB; give a pa"
            ):
                read("a.parquet", content)
        else:
            assert read("a.parquet", content).n_docs == 1000


def test_a_table_of_texts_and_counts_says_what_was_dropped():
    corpus, report = make_corpus(read("a.txt", UCI, vocab=VOCAB))
    assert (corpus.n_tokens, report.commonest[0]) == (21, ("sea", 11, 2))
    assert report.commonest[1:] == (("hill", 9, 2), ("rock", 1, 1))


@pytest.mark.parametrize(
    "content", [b'[{"a":' + b'{"a":' * 200_000, b'[{"a": ' + b"9" * 5000 + b"}]"]
)
def test_json_that_python_cannot_take_apart_is_told(content):
    with pytest.raises(CorpusError) as told:
        read("a.json", content)
    assert str(told.value) == (
        "a.json, line 1: not valid JSON (nested too deeply or a number too long); every line must "
        'be one whole object such as {"text": "..."}.'
    )
