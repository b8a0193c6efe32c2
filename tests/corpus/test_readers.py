"""Every format read back: sample files against what they were written from, pandas and scipy."""

import io

import numpy as np
import pandas as pd
import pytest
from scipy import io as scipy_io
from scipy import sparse

from bnpexplorer.corpus.readers.formats import READERS, ReadOptions, guess_format, read, read_files
from bnpexplorer.corpus.text import make_corpus
from tests.tools.forms import found as found_forms
from tests.tools.readers import DATA, TEXTS, TINY, VOCAB, data, notes


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
    wrapped = data("tiny-paragraphs.txt")
    lines = read("tiny-paragraphs.txt", wrapped, options=ReadOptions(split="lines"))
    assert lines.n_docs > 10
    assert "choose paragraphs" in notes(lines)
    for split in ("paragraphs", ""):
        paragraphs = read("tiny-paragraphs.txt", wrapped, options=ReadOptions(split=split))
        assert tuple(text.replace("\n", " ") for text in paragraphs.texts) == TEXTS
    assert "one document a paragraph, since its lines are wrapped" in notes(paragraphs)


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
    chosen = read_files([vocab, (name, data(name))], ReadOptions(encoding="ascii"))
    assert f"Vocabulary vocab.tiny.txt: {n_words} words, encoding ASCII (as asked)." in chosen.notes


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
    sampled = {*found.values(), "pasted", "excel"}
    made = {found.format for found in found_forms().values()}
    assert set(READERS) == sampled | made, "add a small file of the format to tests/tools/forms.py"
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
