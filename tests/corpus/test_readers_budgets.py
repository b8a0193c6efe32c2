"""What a small file may unpack to is budgeted before it is decoded; each was seen to take more than
2 GB or half a minute."""

import gzip
import io
import json
import re
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import decoding, source, tables, unpacking
from bnpexplorer.corpus.readers import json as readers_json
from bnpexplorer.corpus.readers.decoding import decoded_size
from bnpexplorer.corpus.readers.formats import read
from tests.tools.readers import VOCAB
from tests.tools.waiting import at_most


def parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def one_word(word: str, n_rows: int) -> bytes:
    """A table that holds a word once and names it in every row."""
    places = pa.array(np.zeros(n_rows, np.int32))
    return parquet(pa.table({"text": pa.DictionaryArray.from_arrays(places, [word])}))


def peak(name, data, match, vocab=None, limit=6e6):
    """Refuse a file, holding less than `limit` bytes beyond its own."""
    tracemalloc.start()
    with pytest.raises(CorpusError, match=match) as said:
        read(name, data, vocab=vocab)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < limit + 3 * len(data)
    assert not re.search(r"\.\s+[A-Z]", str(said.value)), "more than one sentence"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Limits that a small file reaches."""
    for room in (decoding, tables, unpacking):
        monkeypatch.setattr(room, "MAX_UNPACKED", 2_000_000)
    monkeypatch.setattr("bnpexplorer.corpus.readers.columnar.MAX_UNPACKED", 2_000_000)
    monkeypatch.setattr(source, "MAX_TEXTS", 5000)
    monkeypatch.setattr(readers_json, "MAX_VALUES", 5000)


def test_a_table_that_repeats_one_word_is_not_unfolded():
    data = one_word("word " * 1000, 4000)
    assert len(data) < 5000
    peak("a.parquet", data, r"unpacks to more than 2 MB")
    peak("a.parquet", one_word("", 100_000), r"has 100,000 rows; the most is 5,000")
    few = read("a.parquet", one_word("word " * 10, 40))
    assert few.texts == ("word " * 10,) * 40


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int64(), pa.date32()])
def test_every_kind_of_dictionary_is_counted_and_read(kind):
    """Those of strings by each row's own word, not by a mean of all words."""
    words = ["1" * 1000, *map(str, range(100))] if "string" in str(kind) else [*range(101)]
    places = pa.array(np.zeros(2500, np.int32))
    column = pa.DictionaryArray.from_arrays(places, pa.array(words, kind))
    data = parquet(pa.table({"text": ["sea"] * 2500, "label": column}))
    if "string" in str(kind):
        peak("a.parquet", data, "unpacks to more than 2 MB")
    else:
        assert len(set(read("a.parquet", data).docs.label)) == 1


@pytest.mark.second
def test_many_columns_of_parquet_and_csv_are_refused_at_once():
    names = [f"c{i}" for i in range(10_001)]
    refusal = pytest.raises(CorpusError, match=r"has 10,001 columns; the most is 10,000")
    with at_most(1.0), refusal:
        read("a.csv", (",".join(names) + "\nword" + ",word" * 10_000).encode())
    wide = (",".join(["c"] * 9000) + "\nword" + ",word" * 8999).encode()
    with at_most(3.0):
        assert len(read("a.csv", wide).columns) == 9000


def test_a_column_whose_new_name_is_taken_stays_a_column():
    found = read("a.csv", b"text,text (3),text\nsea,hill,rock\n")
    assert found.texts == ("sea",) or found.columns == ("text", "text (3)", "text (3)")


@pytest.mark.parametrize("lines", [b"\n" * 100_000, b"a\n" * 100_000])
def test_lines_are_counted_before_they_are_cut(lines):
    peak("a.txt.gz", gzip.compress(b"a\n" + lines), r"lines; the most is 5,000")


def test_one_emoji_makes_a_text_four_times_as_large():
    plain = b"word " * 120_000
    assert decoded_size(plain, "utf-8") == len(plain)
    read("a.txt", plain)
    peak("a.txt", plain + "\U0001f600".encode(), "would take 2 MB as text")
    for text in ("sea", "m\u00e4r", "\u6d77 sea", "\U0001f600 sea"):
        for codec in ("utf-8", "utf-16", "utf-32", "utf-8-sig"):
            held = len(text) * (4 if max(text) > "\uffff" else 2 if max(text) > "\xff" else 1)
            assert decoded_size(text.encode(codec), codec) >= held


def test_a_vocabulary_is_counted_before_it_is_cut():
    words = ("v.txt.gz", gzip.compress(b"a\n" * 100_000))
    peak(
        "docword.a.txt",
        b"1\n1\n1\n1 1 1\n",
        r"v\.txt\.gz has 100,000 words; the most is 5,000",
        words,
    )


def test_nested_json_is_counted_before_it_is_parsed():
    data = gzip.compress(b'{"text":[' + b"[]," * 50_000 + b"[]]}")
    peak("a.jsonl.gz", data, "more than 5,000 values")


@pytest.mark.second
def test_a_json_list_is_read_one_item_after_the_other():
    items = [{"text": f"word {i}", "more": [*range(200)]} for i in range(300)]
    data = json.dumps(items).encode()
    tracemalloc.start()
    found = read("a.json", data)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.texts == tuple(item["text"] for item in items)
    assert taken < 5 * len(data)  # its columns are kept, too
    peak("a.json", b"[" + b'{"text":"a"},' * 20_000 + b"{}]", "items or more; the most is 5,000")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"text": "a"} {"text": "b"}]', "Expecting ',' delimiter"),
        ('[{"text": "a"}', "Expecting ',' delimiter"),
        ('[{"text": "a"},]', "Expecting value|trailing comma"),
        ('[{"text": "a"}] more', "Extra data"),
        ("[]", "no rows of data"),
        ('[{"text": "a"}, 3]', "item 2: a JSON object"),
    ],
)
def test_a_damaged_json_list_is_refused(text, says):
    with pytest.raises(CorpusError, match=says):
        read("a.json", text.encode())


@pytest.mark.second
def test_rows_and_what_they_hold_are_counted_as_they_come():
    peak("a.csv", b"text\n" + b"word\n" * 20_000, "lines or more; the most is 5,000")
    with pytest.raises(CorpusError, match=r"line \d+: the texts up to there take more than 2 MB"):
        read("a.csv", b"text\n" + (b"word " * 1000 + b"\n") * 500)


def test_millions_of_blank_lines_take_no_time():
    head = b"%%MatrixMarket matrix coordinate integer general\n"
    with at_most(1.0):
        found = read("a.mtx", head + b"\n" * 300_000 + b"% more\n  \n1 3 1\n1 1 4\n", vocab=VOCAB)
    assert found.counts.sum() == 4
    with pytest.raises(CorpusError, match="line 100,003: the size of the matrix"):
        read("a.mtx", head + b"\n" * 100_000 + b"%\n1 3\n1 1 4\n", vocab=VOCAB)
