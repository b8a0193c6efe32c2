"""The first documents of large files: those that the readers give, and nothing is read beyond."""

import gzip

import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.formats import read_path
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building import head
from bnpexplorer.plugins.building.head import head_of
from tests.tools.building import rows_of, write_csv, write_json
from tests.tools.spreadsheets import excel
from tests.tools.stored import on_disk, with_names

FIND_OUT = ReadOptions()


def assert_begins(found, whole, n):
    assert found.texts == whole.texts[:n]
    assert (found.format, found.columns, found.chosen) == (
        whole.format,
        whole.columns,
        whole.chosen,
    )
    assert set(found.docs.names()) == set(whole.docs.names())
    for name in ("id", "title", "label"):
        column = getattr(whole.docs, name)
        assert column is None or getattr(found.docs, name).tolist() == column[:n].tolist()


def table(path, kind, rows):
    if kind == "csv":
        return write_csv(path / "t.csv", rows)
    if kind == "csv.gz":
        (path / "t.csv.gz").write_bytes(gzip.compress(write_csv(path / "t.csv", rows).read_bytes()))
        return path / "t.csv.gz"
    if kind in ("utf-16", "utf-32"):
        content = write_csv(path / "t.csv", rows).read_text("utf-8")
        (path / "t.csv").write_text(content, encoding=kind, newline="")
        return path / "t.csv"
    if kind == "xlsx":
        names = list(rows[0])
        (path / "t.xlsx").write_bytes(
            excel({"One": [names, *[list(row.values()) for row in rows]], "Two": [["a"], ["b"]]})
        )
        return path / "t.xlsx"
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(rows), path / "t.parquet")
        return path / "t.parquet"
    return write_json(path / "t.json", rows, lines=kind == "jsonl")


KINDS = ("csv", "csv.gz", "utf-16", "utf-32", "jsonl", "json list", "xlsx", "parquet")


@pytest.mark.second
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_rows_of_a_table_are_those_of_its_reader(tmp_path, monkeypatch, kind):
    path = table(tmp_path, kind, rows_of(700))
    whole = read_path(path, None, FIND_OUT)
    looked = head_of([path], FIND_OUT)
    assert_begins(looked.source, whole, 700)
    assert looked.whole
    assert (looked.n_files, looked.n_bytes) == (1, path.stat().st_size)
    monkeypatch.setattr(head, "DOCUMENTS", 550)
    looked = head_of([path], FIND_OUT)
    assert_begins(looked.source, whole, 550)
    assert not looked.whole


@pytest.mark.second
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("xlsx", "parquet")])
def test_of_a_file_that_is_cut_off_only_whole_rows_count(tmp_path, monkeypatch, kind):
    """The texts have quotes and line breaks: the cut may be inside of one."""
    path = table(tmp_path, kind, rows_of(700))
    whole = read_path(path, None, FIND_OUT)
    for n_bytes in range(60_000, 61_000, 50):
        monkeypatch.setattr(head, "BYTES", n_bytes)
        looked = head_of([path], FIND_OUT)
        n = looked.source.n_docs
        assert 50 < n < 700
        assert not looked.whole
        assert_begins(looked.source, whole, n)


def test_nothing_is_read_beyond_the_first_bytes(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b"text,label\n" + b"sea and hills,a\n" * 20_000 + b"\xff\xfe broken,too,many")
    monkeypatch.setattr(head, "BYTES", 100_000)
    with pytest.raises(CorpusError):
        read_path(path, None, FIND_OUT)
    assert head_of([path], FIND_OUT).source.texts[:2] == ("sea and hills", "sea and hills")


def test_texts_folders_and_archives(tmp_path):
    (tmp_path / "lines.txt").write_text("one line\nanother line\n\nthe third\n")
    looked = head_of([tmp_path / "lines.txt"], FIND_OUT)
    assert looked.source.texts == ("one line", "another line", "the third")
    folder = tmp_path / "texts"
    for name in ("a/x.txt", "b/y.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(f"the text of {name}")
    looked = head_of([folder, tmp_path / "lines.txt"], FIND_OUT)
    assert looked.source.docs.label.tolist() == ["a", "b"]
    assert looked.n_files == 3
    assert not looked.whole, "there is another file"
    tables = tmp_path / "tables"
    tables.mkdir()
    for name in ("1.csv", "2.csv"):
        write_csv(tables / name, rows_of(20))
    looked = head_of([tables], FIND_OUT)
    assert (looked.source.n_docs, looked.n_files) == (20, 2)
    assert looked.n_bytes == sum(path.stat().st_size for path in tables.iterdir())
    looked = head_of([on_disk(with_names(30), tmp_path / "c.corpus").folder], FIND_OUT)
    assert looked.source.n_docs == 30
    assert looked.source.notes == (
        "The texts of a corpus on the disk: 30 documents.",
        "Columns: text from 'text', id from 'id', title from 'title', date from 'date', label from "
        "'label'.",
    )


def test_what_cannot_be_looked_at_is_told(tmp_path):
    (tmp_path / "blank.csv").write_text("\n \n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    counts = "2\n2\n3\n1 1 2\n1 2 1\n2 1 1\n"
    (tmp_path / "counts.txt").write_text(counts)
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"text\nsea\n" * 999)[:-20])
    packed = gzip.compress(excel({"One": [["text"], ["sea"]]}))
    (tmp_path / "t.xlsx.gz").write_bytes(packed)
    for name, said in (
        ("nowhere.csv", "There is no file"),
        ("blank.csv", "blank.csv is empty"),
        ("empty", "is empty; give a file, or a folder with some"),
        ("ragged.csv", "line 3: 3 fields"),
        ("counts.txt", "of which a corpus on the disk is built from one file alone"),
        ("cut.csv.gz", "ends in the middle of its gzip data"),
        ("t.xlsx.gz", "unpack it first"),
    ):
        with pytest.raises(CorpusError, match=said):
            head_of([tmp_path / name], FIND_OUT)
    pasted = ReadOptions(format="pasted")
    with pytest.raises(CorpusError, match="of which no corpus on the disk can be built"):
        head_of([tmp_path / "ragged.csv"], pasted)
    with pytest.raises(CorpusError, match="is neither a file nor a folder"):
        head_of([tmp_path.__class__("/dev/zero")], FIND_OUT)
