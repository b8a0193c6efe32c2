"""What a reader chooses where a file leaves it open: format, sheet, delimiter, header."""

import bz2
import datetime
import gzip
import io
import lzma
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.readers import excel as readers_excel
from bnpexplorer.corpus.readers import json as readers_json
from bnpexplorer.corpus.readers import source as readers_source
from bnpexplorer.corpus.readers import unpacking
from bnpexplorer.corpus.readers.formats import READERS, ReadOptions, guess_format, read
from bnpexplorer.corpus.readers.json_tables import plain_value
from bnpexplorer.corpus.readers.source import Upload
from bnpexplorer.corpus.readers.table import header_and_width, named_columns, sniff_delimiter
from bnpexplorer.corpus.readers.text import split_text
from bnpexplorer.corpus.readers.unpacking import packing_of, unpacked
from bnpexplorer.corpus.readers.vocabulary import read_vocab
from tests.tools.readers import packed_zip
from tests.tools.spreadsheets import excel

# ---- the format --------------------------------------------------------------------------------

LDAC, NUMBERS = b"2 0:1 1:2\n0\n1 4:1\n", b"2\n3\n1\n1 1 2\n"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        *((f"a{suffix}", b"some words here\n", key) for key, suffix in (
            ("csv", ".csv"), ("tsv", ".tsv"), ("tsv", ".TAB"), ("jsonl", ".jsonl"),
            ("jsonl", ".ndjson"), ("jsonl", ".json"), ("text", ".txt"), ("text", ".md"),
            ("text", ".text"), ("ldac", ".ldac"), ("ldac", ".lda-c"))),
        ("a.csv", LDAC, "ldac"), ("a.tsv", LDAC, "ldac"), ("a.jsonl", NUMBERS, "uci"),
        ("a.txt", LDAC, "ldac"), ("a", LDAC, "ldac"), ("a.txt", NUMBERS, "uci"),
        ("a.txt", b"2 0:1 1:2", "ldac"), ("a.txt", NUMBERS.strip(), "uci"),
        ("a.txt", b"2\n3\n1\nwords\n", "text"), ("a.txt", b"2\n3\n1\n", "text"),
        ("a.txt", b"2\n3\nx\n1 1 2\n", "text"), ("a", LDAC + b"and words\nmore\n", "text"),
        ("a.txt", LDAC + b"3 0:1 cut sho", "ldac"),  # the last line of a sample may be cut
        ("a", b'{"text": "sea"}\n', "jsonl"), ("a", b'[{"text": "sea"}]', "jsonl"),
        ("a", b"[sea] and {hill}\n", "text"),
        ("a", b"id,text\n1,sea\n", "csv"), ("a", b"id\ttext\n1\tsea\n", "tsv"),
        ("a", b"id;text\n1;sea\n", "csv"), ("a", b"id,text\n", "text"),
        ("a", b"one, two\n" + b"1,2\n" * 18 + b"1,2,3\n1,2\n", "csv"),  # 18 of 19
        ("a", b"one, two\n" + b"1,2\n" * 9 + b"1,2,3\n1,2\n", "text"),  # 9 of 10
        ("a", b"%%MatrixMarket matrix", "mtx"), ("a.csv", b"PAR1", "parquet"),
    ],
)  # fmt: skip
def test_a_format_is_found_by_name_and_content(name, content, kind):
    assert guess_format(name, content) == kind


def test_every_format_says_what_it_is_and_which_need_words():
    assert {key for key, one in READERS.items() if one.needs_vocab} == {"uci", "ldac", "mtx"}
    assert all(one.sentence.endswith(".") and one.title for one in READERS.values())
    suffixes = [suffix for one in READERS.values() for suffix in one.suffixes if suffix != ".xml"]
    assert len(set(suffixes)) == len(suffixes), "XML may be TEI or a wiki"


# ---- tables ------------------------------------------------------------------------------------


def test_the_first_row_names_the_columns_unless_it_is_told_otherwise():
    assert named_columns(["a", " b ", "", "a"], "") == (["a", "b", "column 3", "a (4)"], True)
    assert named_columns(["a", "7"], "") == (["column 1", "column 2"], False)
    assert named_columns(["a", "7"], "yes") == (["a", "7"], True)
    assert named_columns(["a", "b"], "no") == (["column 1", "column 2"], False)


def test_the_delimiter_is_the_one_by_which_most_records_are_as_wide_as_the_first():
    assert header_and_width("a,b\n1,2\n3\n4,5\n6", ",") == (["a", "b"], 2 / 3)
    assert header_and_width("a,b\n", ",") == (["a", "b"], 1.0)
    assert header_and_width("\n\n", ",") == ([], 0.0)
    assert header_and_width("a,b\rc,d\n", ",") == ([], 0.0), "no end of a line is this"
    # As sure, the one that makes more columns; as many, the first of comma, semicolon, tab, bar.
    assert sniff_delimiter("a;b|c|d\n1;2|3|4\n") == "|"
    assert sniff_delimiter("a|b;c\n1|2;3\n") == ";"
    assert sniff_delimiter("a b c\n1 2 3\n") == "\x1f"


def test_quotes_of_a_tab_separated_file_are_those_of_csv_where_they_are_sound():
    """As wide as the first row, or they are letters like others."""
    sound = read("a.tsv", b'id\ttext\n1\t"sea\tand ""hill"""\n2\trock\n')
    assert sound.texts == ('sea\tand "hill"', "rock")
    literal = read("a.tsv", b'id\ttext\n1\t"sea\n2\tand" rock\n')
    assert literal.texts == ('"sea', 'and" rock')
    assert "quotes taken literally" in literal.notes[0]
    assert "quotes" not in sound.notes[0]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, ""), (True, "True"), (7, "7"), (1.5, "1.5"), ("sea", "sea"), ([], ""),
        (["sea", None, 3, ["a", "b"]], "sea  3 a b"), ({"a": "ä"}, '{"a": "\\u00e4"}'),
        ("ä\ud800", "ä\ufffd"), (datetime.date(2014, 3, 5), "2014-03-05"),
    ],
)  # fmt: skip
def test_values_become_words(value, written):
    assert plain_value(value) == written


@pytest.mark.parametrize("chunk", [1, 7, 2**20])
def test_a_json_list_names_line_and_column_however_it_is_read(chunk, monkeypatch):
    monkeypatch.setattr(readers_json, "CHUNK", chunk)
    text = '[{"text": "sea"},\n{"text": "hill"}, {"text": "rock"} {"text": "sand"}]'
    with pytest.raises(CorpusError) as told:
        read("a.json", text.encode())
    assert "a.json, line 2: not valid JSON (Expecting ',' delimiter, column 36); " in str(
        told.value
    )
    with pytest.raises(CorpusError) as told:
        read("a.json", b'[{"text": "sea"},\n\n {"text": nothing}]')
    assert "a.json, line 3: not valid JSON (Expecting value, column 11); " in str(told.value)


# ---- sheets ------------------------------------------------------------------------------------


def sheet(*cells):
    return [["text"], *([cell] for cell in cells)]


def test_sheets_that_are_hidden_are_read_only_where_they_are_asked_for():
    sheets = {"Shown": sheet("sea"), "Hidden": sheet("hill", "rock")}
    data = excel(sheets)
    main = 'sheet name="Hidden" sheetId="2"'
    found = {}
    for state in ("visible", "hidden", "veryHidden"):
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                part = old.read(name).decode().replace(main, f'{main} state="{state}"')
                new.writestr(name, part)
        found[state] = read("a.xlsx", out.getvalue())
        asked = read("a.xlsx", out.getvalue(), options=ReadOptions(sheet="Hidden"))
        assert asked.texts == ("hill", "rock")
    assert [found[state].texts for state in found] == [("hill", "rock"), ("sea",), ("sea",)]
    assert found["hidden"].sheets == ("Shown", "Hidden")


def test_sheets_that_are_not_read_are_listed_up_to_five_and_to_choose_from_up_to_ten():
    for n, listed in (
        (6, "'s1', 's2', 's3', 's4', 's5'"),
        (7, "'s1', 's2', 's3', 's4', 's5', ..."),
    ):
        data = excel({f"s{i}": sheet("sea") for i in range(n)})
        assert read("a.xlsx", data).notes[0] == f"Read as Excel, sheet 's0'; not read: {listed}."
    data = excel({f"s{i}": sheet("sea") for i in range(12)})
    with pytest.raises(CorpusError) as told:
        read("a.xlsx", data, options=ReadOptions(sheet="s"))
    names = ", ".join(f"s{i}" for i in range(10))
    assert str(told.value) == f"a.xlsx has no sheet 's'; choose one of: {names}."


def test_a_sheet_may_be_as_large_as_its_limits(monkeypatch):
    data = excel({"A": [["text", "x"], ["sea", "1"], ["hill", "2"]]})
    monkeypatch.setattr(readers_excel, "MAX_CELLS", 6)
    monkeypatch.setattr(readers_source, "MAX_TEXTS", 2)
    assert read("a.xlsx", data).texts == ("sea", "hill")
    monkeypatch.setattr(readers_source, "MAX_TEXTS", 1)
    with pytest.raises(CorpusError, match=r"^a\.xlsx has 2 rows; the most is 1, so give a part of"):
        read("a.xlsx", data)
    monkeypatch.setattr(readers_excel, "MAX_CELLS", 5)
    with pytest.raises(CorpusError) as told:
        read("a.xlsx", data)
    assert str(told.value) == (
        "a.xlsx has a sheet with cells up to row 3 and column 2; the most is 5 cells between the "
        "corners, so delete what lies apart, or save the texts as CSV."
    )
    assert [readers_excel._column(name) for name in (b"A", b"z", b"AB", b"XFD")] == [
        1,
        26,
        28,
        16384,
    ]


def test_an_archive_that_is_no_excel_file_is_told_where_it_is_taken_for_one(monkeypatch):
    options, told = (
        ReadOptions(format="excel"),
        "a.zip is no Excel file that can be read here; save",
    )
    with pytest.raises(CorpusError, match=told):
        read("a.zip", packed_zip({"a.txt": b"sea"}), options=options)
    data = excel({"A": sheet("sea")})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        n_parts = len(archive.namelist())
    monkeypatch.setattr(readers_excel, "MAX_ENTRIES", n_parts)
    assert read("a.zip", data).texts == ("sea",)
    monkeypatch.setattr(readers_excel, "MAX_ENTRIES", n_parts - 1)
    with pytest.raises(CorpusError, match=told):
        read("a.zip", data)


def test_cells_of_an_excel_file_are_written_as_people_do():
    day = datetime.datetime(2014, 3, 5)
    for cell, written in (
        (False, "FALSE"),
        (2014.0, "2014"),
        (0.1 + 0.2, "0.3"),
        (999_999_999_999_999.0, "999999999999999"),
        (1e15, "1000000000000000.0"),
        (day, "2014-03-05"),
        (day.replace(hour=8, minute=30), "2014-03-05 08:30:00"),
        (datetime.datetime(1899, 12, 30, 5), ""),
        (datetime.time(8, 30), "08:30:00"),
        (readers_excel.NO_DATE, ""),
        ("  sea ", "sea"),
        (None, ""),
    ):
        assert readers_excel._written(cell) == written


# ---- plain text, packed files, vocabularies ----------------------------------------------------


def test_documents_are_lines_or_what_lies_between_blank_lines():
    text = "one\n two \n \t\nthree\n\n\n four\n"
    assert split_text(text, "lines") == ["one", "two", "three", "four"]
    assert split_text(text, "paragraphs") == ["one\n two", "three", "four"]
    told = "It has blank lines: if these separate documents, choose paragraphs."
    assert read("a.txt", text.encode()).notes[1:] == (told,)
    options = ReadOptions(split="paragraphs")
    assert read("a.txt", text.encode(), options=options).notes[1:] == ()
    for end in ("\r\n", "\r"):  # of Windows and of old Macs
        other = text.replace("\n", end).encode()
        assert read("a.txt", other).texts == ("one", "two", "three", "four")
        assert read("a.txt", other, options=options).texts == ("one\n two", "three", "four")
    assert read("a.txt", b"\n\none\ntwo\n\n").notes[1:] == (), "nothing lies before or behind them"


@pytest.mark.parametrize(
    ("name", "inner"),
    [("a.csv.gz", "a.csv"), ("a.GZ", "a"), ("a.gz.csv", "a.gz.csv"), ("agz", "agz"), ("a", "a")],
)
def test_what_is_inside_is_called_as_the_packed_file_without_its_ending(name, inner):
    assert unpacked(name, gzip.compress(b"sea", mtime=0))[0] == inner


def test_a_packing_is_known_by_its_first_bytes():
    packed = {
        "gzip": gzip.compress(b"sea"),
        "xz": lzma.compress(b"sea"),
        "bzip2": bz2.compress(b"sea"),
        "zstd": pa.Codec("zstd").compress(b"sea", asbytes=True),
    }
    assert {name: packing_of(data).name for name, data in packed.items()} == {k: k for k in packed}
    assert [one.suffix for one in unpacking.PACKINGS] == [".gz", ".xz", ".bz2", ".zst"]
    assert packing_of(b"BZ") is packing_of(b"sea") is None


def test_as_much_as_is_allowed_may_be_unpacked(monkeypatch):
    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 2_000_000)
    sound = gzip.compress(b"a" * 2_000_000)
    assert len(unpacked("a.gz", sound)[1]) == 2_000_000
    with pytest.raises(CorpusError) as told:
        unpacked("a.gz", gzip.compress(b"a" * 2_000_001))
    assert str(told.value) == "a.gz unpacks to more than 2 MB; split it, or give a part."
    with pytest.raises(CorpusError) as told:
        unpacked("a.csv.gz", sound[:-3])
    assert str(told.value) == (
        "a.csv.gz ends in the middle of its gzip data; it was cut short, so copy or download it "
        "again."
    )


def vocab(text, header=""):
    options = ReadOptions(header=header)
    return read_vocab(Upload("a.ldac", b"", ("v.txt", text.encode()), options))


@pytest.mark.parametrize(
    ("text", "words", "header"),
    [
        ("sea\nhill\n", ("sea", "hill"), None),
        ('"x"\n"sea"\n"hill, rock"\n', ("x", "sea", "hill, rock"), None),
        ('"","x"\n"1","sea"\n"2","7"\n', ("sea", "7"), "x"),
        ('"x"\n"1" "sea"\n"2" "new york"\n', ("sea", "new york"), "x"),
        ("id\tword\tn\n0\tsea\t5\n1\thill\t4\n", ("sea", "hill"), "word"),
        ("0\tsea\t5\n1\thill\t4\n", ("sea", "hill"), None),
        ("n;code\n1;17\n2;18\n", ("17", "18"), "code"),
        ("7\n1\thill\t4\n0\tsea\t5\n", ("sea", "hill"), None),  # gensim's dictionary
        ("a,b\nc,d\n", ("a,b", "c,d"), None),  # two columns of words: no table
        ('12" vinyl,a\n7" single,b\n', ('12" vinyl,a', '7" single,b'), None),
        ('"a"b,1\n"d"e,2\n', ('"a"b,1', '"d"e,2'), None),
    ],
)
def test_a_vocabulary_is_read_as_it_was_written(text, words, header):
    found = vocab(text)
    assert (found.words, found.header) == (words, header)
    head = () if header is None else (f"Line 1 of v.txt, {header!r}, is a header and no word.",)
    assert found.notes() == (f"Vocabulary v.txt: {len(words)} words, encoding UTF-8.", *head)


def test_a_blank_line_of_a_vocabulary_is_named_by_its_line_in_the_file():
    for text, line in (("sea\n\nrock\n", 2), ("n;word\n1;sea\n2;\n3;rock\n", 3)):
        with pytest.raises(CorpusError) as told:
            vocab(text)
        assert str(told.value) == (
            f"v.txt, line {line}, is empty; the vocabulary needs one word a line, since the place "
            "of a word is its number."
        )


def test_a_vocabulary_fits_its_counts_or_says_how_it_may():
    words = vocab("word\nsea\nhill\nrock\n")
    assert words.of_sizes(4).words == words.words
    assert words.of_sizes(3).words == ("sea", "hill", "rock")
    assert words.of_sizes(9, 3).words == ("sea", "hill", "rock")
    assert words.of_sizes(2).words == words.of_sizes(5).words == words.words
    assert words.of_ids(3).header == "word"
    assert words.of_ids(4).header is None, "each word has counts"
    assert words.wrong_size() == (
        "; if its line 1, 'word', is a header, say that the first row names the columns (--header "
        "yes)"
    )
    assert vocab("word\nsea\n", "no").wrong_size() == vocab("a\nsea\n", "yes").wrong_size() == ""
    assert words.warnings(4) == ()
    assert words.warnings(3) == (
        "No document has the last word of v.txt, 'rock'. If its line 1, 'word', is a header, every "
        "word has the counts of its neighbour: say that the first row names the columns (--header "
        "yes).",
    )
    assert vocab("word\nsea\nhill\nrock\n", "no").warnings(1) == (
        "No document has the last 3 of the 4 words of v.txt, from 'sea' on; see whether it belongs "
        "to these counts.",
    )
    assert vocab("sea\nsea\nsea\nhill\n").notes() == (
        "Vocabulary v.txt: 4 words, encoding UTF-8.",
        "2 words of the vocabulary stand there more than once.",
    )


@pytest.mark.parametrize("size", [3, 4, 5])
def test_words_that_no_document_has_are_told_of_counts_of_every_size(size):
    """The largest number of a word is 2 in a file that announces more of them."""
    text = "\n".join(f"w{i}" for i in range(size))
    found = read("a.txt", f"2\n{size}\n2\n1 3 1\n2 1 4\n".encode(), vocab=("v.txt", text.encode()))
    assert len(found.warnings) == (size > 3)
    assert ("the last word of v.txt, 'w3'" in str(found.warnings)) == (size == 4)
    assert (f"the last 2 of the {size} words of v.txt, from 'w3' on" in str(found.warnings)) == (
        size == 5
    )
    assert found.warnings == found.notes[2:]


def test_counts_are_of_the_words_that_stand_at_their_numbers():
    """Of a dictionary in another order than its ids, and of a table with a header."""
    for text in ("3\n2\trock\t1\n0\tsea\t3\n1\thill\t2\n", "n,word\n0,sea\n1,hill\n2,rock\n"):
        found = read("a.ldac", b"2 0:1 2:5\n1 1:7\n", vocab=("v.txt", text.encode()))
        assert found.vocab == ("sea", "hill", "rock")
        np.testing.assert_array_equal(found.counts.toarray(), [[1, 0, 5], [0, 7, 0]])
