"""For every kind of bad input one clear sentence; damage at random never breaks a reader."""

import gzip
import re
import zlib

import numpy as np
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import archives
from bnpexplorer.corpus.readers.formats import ReadOptions, read, read_files
from bnpexplorer.corpus.text import make_corpus
from tests.tools.readers import DATA, PNG, VOCAB, data, packed_zip

DOCX = packed_zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"})
XLSX = packed_zip({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"})


def _encrypted() -> bytes:
    packed = bytearray(packed_zip({"a.txt": b"sea"}))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.find(magic) + offset] |= 1
    return bytes(packed)


def _parquet_cut() -> bytes:
    return data("tiny.parquet")[:-300] + b"PAR1"


GOOD_UCI = b"2\n3\n3\n1 1 2\n1 2 1\n2 3 1\n"
GZ = gzip.compress(GOOD_UCI * 50, mtime=0)  # the same bytes in every process
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
    ("c.csv", DOCX, ["c.csv holds no text", "give the result of that"]),
    ("c.xlsx", DOCX, ["c.xlsx holds no text"]),
    ("c.csv", XLSX, ["c.csv is a damaged or unusual Excel file", "save it again, or as CSV"]),
    (
        "d.txt",
        b"%PDF-1.7 \x00\x01",
        ["d.txt is a damaged or unusual PDF document", "copy its text"],
    ),
    ("e.txt", b"\x80\x04\x95\x00\x00", ["e.txt is a Python pickle", "run code"]),
    ("f.txt", b"sea\nhill\n\x00\x01\x02rock", ["f.txt", "line 3", "no text", "give a text, CSV"]),
    ("g.txt", bytes(range(1, 32)) * 9, ["g.txt holds bytes that are no text"]),
    ("h.parquet", b"sea,hill\n1,2\n", ["h.parquet is no Parquet file", "rename it"]),
    ("h.zip", b"sea,hill\n1,2\n", ["h.zip is no ZIP or tar of texts file", "rename it"]),
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
        "r.jsonl",
        b'{"text": "sea"}\n\n{"text": hill}\n',
        ["r.jsonl, line 3", "not valid JSON", "one whole object"],
    ),
    ("r.jsonl", b'{"text": "sea"}\n["hill"]\n', ["r.jsonl, line 2", "JSON object", "not list"]),
    ("r.jsonl", b'{"a":' * 200_000, ["r.jsonl, line 1", "nested too deeply"]),
    ("r.json", b'[{"text": "sea"}, 3]', ["r.json, item 2", "JSON object", "not int"]),
    ("r.parquet", _parquet_cut(), ["r.parquet is a damaged Parquet file", "copy it again"]),
    # gzip and ZIP
    ("docword.gz", GZ[: len(GZ) // 2], ["docword.gz ends in the middle", "copy or download"]),
    ("docword.gz", GZ[:-8] + b"\0" * 8, ["docword.gz is a damaged gzip file", "again"]),
    ("t.zip", _encrypted(), ["t.zip, entry a.txt is encrypted", "without a password"]),
    (
        "t.zip",
        packed_zip({"a.txt": b"sea", "in.zip": b"PK"}),
        ["t.zip, entry in.zip", "archive in an archive", "directly"],
    ),
    ("t.zip", packed_zip({"../a.txt": b"sea"}), ["t.zip, entry ../a.txt", "leads out", "pack"]),
    ("t.zip", packed_zip({"x/../../a.txt": b"sea"}), ["entry x/../../a.txt", "leads out"]),
    ("t.zip", packed_zip({"/etc/a.txt": b"sea"}), ["t.zip, entry /etc/a.txt", "leads out"]),
    ("t.zip", packed_zip({"C:\\a.txt": b"sea"}), ["t.zip, entry C:", "leads out"]),
    ("t.zip", packed_zip({"a.txt": b"a" * 10**7}), ["t.zip, entry a.txt grows", "-fold"]),
    ("t.zip", packed_zip({"a.doc": b"sea"}), ["t.zip has no texts", "a.doc", "pack one .txt"]),
    ("t.zip", packed_zip({}), ["t.zip has no texts", "nothing"]),
    ("t.zip", packed_zip({"a.txt": b" ", "b.txt": b""}), ["t.zip", "are empty"]),
    ("t.zip", packed_zip({"a.txt": PNG}), ["t.zip, entry a.txt is a PNG picture"]),
    ("t.zip", packed_zip({"a.txt": b"sea"})[:-10], ["t.zip is a damaged"]),
    (
        "t.zip",
        packed_zip({"a.txt": b"sea"}, 0).replace(b"sea", b"sun"),
        ["t.zip is a damaged", "CRC"],
    ),
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
    ("docword.txt", GOOD_UCI.replace(b"1 2 1", b"1 2"), ["docword.txt, line 5", "3 whole numbers"]),
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


def test_ids_that_repeat_are_refused_where_they_were_asked_for():
    """Keys of accounts may be called ids: a guess is taken back."""
    content = b"id,text\na,sea\nb,hill\na,rock\n"
    told = "line 4: the id 'a' in column 'id' was already used on line 2"
    with pytest.raises(CorpusError, match=rf"r\.csv, {told}; make ids unique"):
        read("r.csv", content, options=ReadOptions(id="id"))
    numbers = b'{"id": 7, "text": "sea"}\n{"id": 7, "text": "sea"}'
    with pytest.raises(CorpusError, match=r"r\.jsonl, line 2: the id '7' .* on line 1; make ids"):
        read("r.jsonl", numbers, options=ReadOptions(id="id"))
    source = read("r.csv", content)
    assert "id" not in source.chosen
    assert source.docs.id is None
    assert source.texts == ("sea", "hill", "rock")
    assert f"L{told[1:]}, so it is not used as the id." in source.notes
    assert "Columns: text from 'text' (guessed)." in source.notes
    assert read("r.csv", content.replace(b"a,rock", b"c,rock")).docs.id.tolist() == ["a", "b", "c"]


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
    assert "1 word of the vocabulary stands there more than once." in source.notes


@pytest.mark.parametrize("field", ["text", "id", "title", "date", "label"])
@pytest.mark.parametrize("name", ["tiny.tsv", "tiny.jsonl", "tiny.parquet"])
def test_wrong_column(name, field):
    with pytest.raises(
        CorpusError, match=rf"{name} has no column 'nope' for the {field}; choose one of: id"
    ):
        read(name, data(name), options=ReadOptions(**{field: "nope"}))


def test_too_many_and_too_large_entries(monkeypatch):
    packed = packed_zip({f"{i}.txt": b"sea" for i in range(4)})
    monkeypatch.setattr(archives, "MAX_ENTRIES", 3)
    with pytest.raises(CorpusError, match=r"t\.zip has 4 entries; the most is 3, so put"):
        read("t.zip", packed)
    monkeypatch.setattr(archives, "MAX_ENTRIES", 10)
    monkeypatch.setattr(archives, "MAX_UNPACKED", 11)
    with pytest.raises(
        CorpusError, match=r"t\.zip unpacks to 0 MB; the most is 0 MB, so pack a part"
    ):
        read("t.zip", packed)


def test_an_entry_that_lies_about_its_size_is_not_unpacked_beyond_it():
    content = zlib.compress(b"a" * 5_000_000)[2:-4]
    packed = bytearray(packed_zip({"a.txt": b"a" * 5_000_000}))
    assert content[:20] in packed
    for magic, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = packed.find(magic) + offset
        packed[at : at + 4] = (100).to_bytes(4, "little")
    with pytest.raises(CorpusError, match=r"t\.zip is a damaged"):
        read("t.zip", bytes(packed))


def test_gzip_bomb(monkeypatch):
    from bnpexplorer.corpus.readers import unpacking

    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 1000)
    with pytest.raises(CorpusError, match=r"t\.csv\.gz unpacks to more than 0 MB; split it"):
        read("t.csv.gz", gzip.compress(b"a" * 1001))


def test_wrong_options():
    with pytest.raises(CorpusError, match=r"no format is called 'word'; choose one of csv, tsv"):
        read("t.txt", b"sea", options=ReadOptions(format="word"))
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


@pytest.mark.second
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
