"""Archives, folders, paths and tables: what is read of them, up to which limits, and its notes."""

import gzip
import io
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import archives
from bnpexplorer.corpus.readers import source as readers_source
from bnpexplorer.corpus.readers.formats import ReadOptions, read, read_files, read_path
from bnpexplorer.corpus.readers.source import FIND_OUT, Reading, read_bytes, reason, shown
from bnpexplorer.corpus.text import make_corpus
from bnpexplorer.corpus.words.settings import TextSettings
from tests.tools.readers import FRENCH, VOCAB, packed_zip

UCI = b"4\n3\n5\n1 1 2\n1 2 1\n2 3 1\n3 1 9\n4 2 8\n"


def test_what_else_is_in_an_archive_is_counted(tmp_path):
    entries = {
        "all/two/": b"",
        "all/one/b.txt": b"sea",
        "all/two/a.TXT": b"hill",
        "all/c.txt": b"rock",
        "all/.hidden.txt": b"no",
        "__MACOSX/all/d.txt": b"no",
        "all/e.doc": b"no",
    }
    found = read("a.zip", packed_zip(entries))
    assert found.texts == ("rock", "sea", "hill")
    assert found.docs.id.tolist() == ["all/c.txt", "all/one/b.txt", "all/two/a.TXT"]
    assert found.docs.title.tolist() == ["c", "b", "a"]
    assert found.docs.label.tolist() == ["", "one", "two"]
    left = "{} left out, no texts by their names ({}); save as plain text what is to be read."
    assert found.notes[1] == left.format("1 entry", "1 .doc")
    entries |= {"all/f.doc": b"no", "all/g.png": b"no"}
    said = read("a.zip", packed_zip(entries)).notes[1]
    assert said == left.format("3 entries", "2 .doc, 1 .png")
    for path in ("one/b.txt", "two/a.txt", "c.txt", "e.doc"):
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
        left.format("1 file", "1 .doc"),
    )
    (tmp_path / "none").mkdir()
    with pytest.raises(CorpusError) as told:
        read_path(tmp_path / "none")
    assert str(told.value) == (
        f"{tmp_path / 'none'} has no texts in it, such as .txt files; give a file, or a folder of "
        "texts."
    )


@pytest.mark.parametrize(
    ("size", "ratio", "refused"), [(1_000_001, 9, True), (1_000_000, 9, False)]
)
def test_an_entry_of_a_megabyte_may_be_as_small_as_it_likes_when_packed(
    size, ratio, refused, monkeypatch
):
    monkeypatch.setattr(archives, "MAX_RATIO", ratio)
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
    monkeypatch.setattr(archives, "MAX_RATIO", size // entry.compress_size + 1)
    assert read("a.zip", packed).n_docs == 1


def test_limits_themselves_are_allowed(monkeypatch):
    packed = packed_zip({f"{i}.txt": b"sea " for i in range(4)})
    monkeypatch.setattr(archives, "MAX_ENTRIES", 4)
    monkeypatch.setattr(archives, "MAX_UNPACKED", 16)
    assert read("a.zip", packed).n_docs == 4
    monkeypatch.setattr(readers_source, "MAX_TEXTS", 3)
    assert read("a.csv", b"text\nsea\nhill\nrock\n").n_docs == 3
    with pytest.raises(CorpusError) as told:
        read("a.csv", b"text\nsea\nhill\nrock\nsand\n")
    assert str(told.value) == "a.csv has 4 lines or more; the most is 3, so give a part of them."
    lines = b"1 0:1\n" * 3
    assert read("a.ldac", lines, vocab=VOCAB).n_docs == 3
    assert read("a.txt", b"sea\n" * 3).n_docs == 3
    for name, content in (("a.ldac", lines + b"1 0:1\n"), ("a.txt", b"sea\n" * 4)):
        with pytest.raises(CorpusError) as told:
            read(name, content, vocab=VOCAB)
        assert str(told.value) == f"{name} has 4 lines; the most is 3, so give a part of them."
    with pytest.raises(CorpusError) as told:
        read("a.ldac", lines, vocab=("v.txt", b"a\nb\nc\nd\n"))
    assert str(told.value) == "v.txt has 4 words; the most is 3, so give a part of them."


def test_the_row_at_which_a_table_holds_too_much_is_named(monkeypatch):
    text = "word " * 200
    held = 3 * sys.getsizeof(text)
    content = "id,text\n" + f",{text}\n" * 3
    held += 3 * sys.getsizeof("")
    options = ReadOptions(id="id")
    monkeypatch.setattr("bnpexplorer.corpus.readers.tables.MAX_UNPACKED", held)
    assert read("a.csv", content.encode(), options=options).n_docs == 3
    monkeypatch.setattr("bnpexplorer.corpus.readers.tables.MAX_UNPACKED", held - 1)
    with pytest.raises(CorpusError) as told:
        read("a.csv", content.encode(), options=options)
    assert str(told.value) == (
        "a.csv, line 4: the texts up to there take more than 0 MB; give a part of them."
    )


def test_an_encoding_that_is_asked_for_is_that_of_all_files():
    """Bytes that would be guessed, or taken, for another one."""
    options, word = ReadOptions(encoding="cp1251"), "\u0436\u0443\u043a"
    found = read("a.zip", packed_zip({"a.txt": word.encode("cp1251")}), options=options)
    assert found.texts == (word,)
    assert found.docs.label is None, "one folder is no label"
    assert found.notes == (
        "Read as a ZIP of texts, one document a file: 1 file in encoding Windows-1251 (as asked).",
    )
    for name, content in (
        ("a.txt", word),
        ("a.csv", f"text\n{word}"),
        ("a.jsonl", f'{{"text": "{word}"}}'),
    ):
        assert read(name, content.encode("cp1251"), options=options).texts == (word,)
    vocab = ("v.txt", f"sea\n{word}\n".encode("cp1251"))
    found = read("a.ldac", b"1 1:2\n", vocab=vocab, options=options)
    assert found.vocab == ("sea", word)
    unmarked = ReadOptions(encoding="utf-16-le")  # without a zero byte it looks like no text
    assert read("a", word.encode("utf-16-le"), options=unmarked).texts == (word,)
    pasted = read("box", word.encode(), options=ReadOptions(format="pasted", encoding="cp1251"))
    assert pasted.texts == (word,), "what is pasted is UTF-8"


def test_files_of_one_guessed_encoding_are_counted_together_whatever_their_words():
    german = "Die Bäckerei schließt früh, weil die Straße überschwemmt wurde.\n" * 2
    texts = {"a.txt": f"{FRENCH}\nplain words\n", "b.txt": german}
    found = read("a.zip", packed_zip({name: t.encode("cp1252") for name, t in texts.items()}))
    assert found.texts == tuple(texts.values())
    assert found.notes[0] == (
        "Read as a ZIP of texts, one document a file: 2 files in encoding guessed as Windows-1252."
    )


@pytest.mark.parametrize("path", ["c:/a.txt", "D:a.txt", "a\\..\\b.txt", "/a.txt"])
def test_a_name_that_leads_out_of_an_archive_is_refused(path):
    with pytest.raises(CorpusError, match="the name leads out of the archive"):
        read("a.zip", packed_zip({path: b"sea"}))


def test_a_label_is_the_whole_way_to_a_folder_below_the_common_one():
    paths = ("top/in/a/deep/1.txt", "top/in/a/2.txt", "top/in/b/3.txt")
    found = read("a.zip", packed_zip(dict.fromkeys(paths, b"sea")))
    assert dict(zip(found.docs.id, found.docs.label, strict=True)) == {
        "top/in/a/deep/1.txt": "a/deep", "top/in/a/2.txt": "a", "top/in/b/3.txt": "b",
    }  # fmt: skip


def test_several_files_are_named_in_what_is_said_of_them():
    found = read_files([(f"{i}.txt", b"sea") for i in range(3)])
    assert (found.name, found.format) == ("3 texts", "zip")
    names = [f"{letter}.csv" for letter in "abcde"]
    for n, listed in ((4, "a.csv, b.csv, c.csv, d.csv"), (5, "a.csv, b.csv, c.csv, d.csv, ...")):
        with pytest.raises(CorpusError) as told:
            read_files([(name, b"text\nsea\n") for name in names[:n]])
        assert str(told.value) == (
            f"{listed}: these files do not belong together; give one file, counts with their "
            "vocabulary, texts alone, or say that tables of the same columns are read "
            'together (entry "*").'
        )
    blank = read_files([("blank.TXT", b" \n"), ("a.txt", b"sea"), ("b.Txt", "\xa0".encode())])
    assert blank.texts == ("sea", "\xa0", "")
    with pytest.raises(CorpusError, match=r"^blank\.txt\.gz, a\.txt: these files do not belong"):
        read_files([("blank.txt.gz", gzip.compress(b" \n", mtime=0)), ("a.txt", b"sea")])


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
        monkeypatch.setattr("bnpexplorer.corpus.readers.columnar.MAX_UNPACKED", most)
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
