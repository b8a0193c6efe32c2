"""Whole sentences: which file, line and number they name, and the remedy that fits."""

import tomllib
from pathlib import Path

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import counts
from bnpexplorer.corpus.readers.formats import ReadOptions, read
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


def test_counts_at_their_limits_are_read(monkeypatch):
    monkeypatch.setattr(counts, "MAX_DOCUMENTS", 4)
    assert read("a.txt", UCI, vocab=VOCAB).n_docs == read("a.mtx", MTX, vocab=VOCAB).n_docs == 4
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


def test_zeros_are_no_entries():
    """Neither in the counts nor where the last word with any is looked for."""
    zeros = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n1 3 0\n2 2 4\n"
    for content in (zeros.encode(), ARRAY.replace(b"3\n4\n5\n6", b"3\n4\n0\n0")):
        found = read("a.mtx", content, vocab=VOCAB)
        assert found.counts.data.min() >= 1
        assert found.warnings[0].startswith("No document has the last word of v.txt, 'rock'.")


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
        "is 'never'): left unknown; 1 of 3 documents has no date.",
        "1 row without text will be left out.",
    )
    headless = read("a.csv", b"1,sea and hill\n2,rock\n")
    assert headless.notes[1:] == (
        "The first row is data, not column names; columns are named by number.",
        "Columns: text from 'column 2' (guessed).",
    )


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
