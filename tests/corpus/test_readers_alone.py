"""Small rules of reading, each by itself."""

import gzip
import json
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from python_calamine import SheetVisibleEnum

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.documents.passages import passages_of
from bnpexplorer.corpus.documents.units import origins, units
from bnpexplorer.corpus.order import InOrder
from bnpexplorer.corpus.readers import archives, columnar, decoding, excel, formats, table
from bnpexplorer.corpus.readers import json as readers_json
from bnpexplorer.corpus.readers.columns import choose
from bnpexplorer.corpus.readers.dates import Clues
from bnpexplorer.corpus.readers.decoding import Stored, decoded_size
from bnpexplorer.corpus.readers.source import FIELDS, FIND_OUT, ReadOptions, Upload
from bnpexplorer.corpus.readers.tables import Picked, RowTable
from bnpexplorer.corpus.readers.vocabulary import Vocabulary, _as_asked
from tests.tools.readers import packed_tar, packed_zip


@pytest.mark.parametrize(
    ("header", "asked", "words", "left_out", "settled"),
    [
        (None, "", "x a b", None, False),
        (None, "no", "x a b", None, True),
        (None, "yes", "a b", "x", True),
        ("h", "", "x a b", "h", False),
        ("h", "no", "h x a b", None, True),
        ("h", "yes", "x a b", "h", True),
    ],
)
def test_a_header_is_left_out_once(header, asked, words, left_out, settled):
    given = Vocabulary("v.txt", ("x", "a", "b"), "UTF-8", header=header)
    found = _as_asked(given, asked)
    assert (found.words, found.header, found.settled) == (tuple(words.split()), left_out, settled)
    hint = "; if its line 1, 'x', is a header, say that the first row names the columns"
    told = "" if settled or left_out else f"{hint} (--header yes)"
    assert found.wrong_size() == told


@pytest.mark.parametrize(
    ("first", "second", "numbers", "dots", "foreign", "day_first"),
    [
        (True, False, True, False, False, True),
        (False, True, True, True, True, False),
        (True, True, True, False, False, None),
        (True, True, True, True, False, True),
        (False, False, True, False, True, True),
        (False, False, True, True, False, True),
        (False, False, True, False, False, None),
        (False, False, False, True, True, False),
    ],
)
def test_days_come_first_where_the_clues_say_so(first, second, numbers, dots, foreign, day_first):
    assert Clues(first, second, numbers, dots, foreign).day_first is day_first


def test_a_column_that_comes_late_is_among_those_to_choose_from():
    early = [(i, {"text": "the sea"}) for i in range(1, 502)]
    rows = [*early, (502, {"text": "a hill", "late": "x"})]
    for columns, seen in (((), ["text", "late"]), (("text",), ["text"])):
        picked = Picked(RowTable("a.jsonl", "jsonl", rows, columns), ReadOptions())
        assert len(list(picked)) == 502
        assert list(picked.seen) == seen
    asked = Picked(RowTable("a.jsonl", "jsonl", rows), ReadOptions(label="late"))
    assert [row["label"] for _, row in asked][-2:] == ["", "x"]


def test_of_several_columns_without_dates_the_better_name_is_told():
    values = {"text": ["a sea"] * 3, "date": ["soon"] * 3, "created": ["late"] * 3}
    chosen, said = choose("a.csv", tuple(values), values, dict.fromkeys(FIELDS, ""))
    assert chosen == {"text": "text"}
    (sentence,) = said
    assert sentence.startswith("Column 'date' is not used as the date: only 0 % of its values")


@pytest.mark.parametrize(
    ("written", "n_bytes"), [("abc", 3), ("éÿ", 2), ("aĀ", 4), ("aé߿", 6), ("a水é", 6), ("a😀", 8)]
)
def test_a_text_takes_what_its_widest_letter_needs(written, n_bytes):
    assert decoded_size(written.encode(), "utf-8") == n_bytes


def test_a_letter_cut_off_where_a_piece_ends_is_found(monkeypatch):
    monkeypatch.setattr(decoding, "CHUNK", 4)
    for content, at in ((b"abc\xc3", 3), (b"abcdefg\xe6", 7), (b"abcd\xc3\xa9", None)):
        assert decoding._first_bad(content, "utf-8") == at


@pytest.mark.parametrize(
    ("name", "content", "counts"),
    [
        ("a.ldac.gz", b"2\t0:1\t3:2\n", True),
        ("a.txt.gz", b"the sea\n", False),
        ("a.ldac.gz", b" \n", False),
    ],
)
def test_packed_counts_are_known_by_the_name_inside(name, content, counts):
    assert formats._is_counts(name, gzip.compress(content)) is counts


def test_a_packed_file_is_read_by_the_name_inside():
    content = b"sea,hill\nrock,sand\ncliff,dune\n"
    for name, kind, n_docs in (("a.txt.gz", "text", 3), ("a.csv.gz", "csv", 2)):
        source = formats.read(name, gzip.compress(content))
        assert (source.format, source.n_docs) == (kind, n_docs)


@pytest.mark.parametrize(
    ("size", "packed", "refused"),
    [
        (2_000_000, 10_000, ""),
        (2_000_001, 10_000, "grows 200-fold when unpacked"),
        (1_000_000, 1, ""),
        (1_000_001, 0, "grows 1,000,001-fold when unpacked"),
    ],
)
def test_an_entry_may_grow_as_much_as_the_most(size, packed, refused):
    if not refused:
        return archives.check_growth("a.zip", "a.txt", size, packed)
    with pytest.raises(CorpusError, match=f"^a.zip, entry a.txt {refused}"):
        archives.check_growth("a.zip", "a.txt", size, packed)


def test_a_mistake_of_ours_while_an_archive_is_read_is_not_told_as_damage():
    content = packed_zip({"a.txt": b"sea"})
    with pytest.raises(IndexError, match="ours"), archives.open_archive("a.zip", content):
        raise IndexError("ours")
    damaged = pytest.raises(CorpusError, match=r"damaged or unusual ZIP archive \(theirs\); pack")
    with damaged, archives.open_archive("a.zip", content):
        raise ValueError("theirs")


def test_quotes_that_make_rows_of_another_width_are_letters():
    content = b'id\tkind\ttext\n1\t"sea\tthe water\n2\thill\tthe rock"\n'
    assert formats.read("a.tsv", content).texts == ("the water", 'the rock"')


def test_what_is_coloured_for_a_terminal_is_text():
    source = formats.read("a.txt", b"\x1b[31msea\x1b[0m and\x1b[2m hill\x1b[0m\n" * 3)
    assert source.texts[2] == "\x1b[31msea\x1b[0m and\x1b[2m hill\x1b[0m"
    with pytest.raises(CorpusError, match=r"^a\.txt holds bytes that are no text; give a text"):
        formats.read("a.txt", b"\x0f31msea\x0f0m and\x0f2m hill\x0f0m\n" * 3)


def test_signs_that_no_text_has_are_counted_in_the_beginning(monkeypatch):
    """More than one in a hundred there is too many, however long the rest is."""
    monkeypatch.setattr(decoding, "SAMPLE", 200)
    for n, refused in ((2, False), (3, True)):
        content = b"\x0f" * n + b"sea and hill " * 200
        if refused:
            with pytest.raises(CorpusError, match=r"^a\.txt holds bytes that are no text"):
                decoding.find_encoding("a.txt", content)
        else:
            assert decoding.find_encoding("a.txt", content)[0] == "utf-8"


def test_a_table_may_have_as_many_columns_as_the_most(monkeypatch):
    monkeypatch.setattr(table, "MAX_COLUMNS", 3)
    assert len(formats.read("a.csv", b"id,text,kind\n1,sea,a\n").columns) == 3
    with pytest.raises(CorpusError, match=r"^a\.csv has 4 columns; the most is 3, so give those"):
        formats.read("a.csv", b"id,text,kind,day\n1,sea,a,2\n")


@pytest.mark.parametrize(("row", "chosen"), [(500, "long"), (501, "short")])
def test_columns_are_chosen_by_the_first_five_hundred_rows(row, chosen):
    rows = [
        (n, {"short": "sea", "long": "the hill and the rock " * 90 if n == row else ""})
        for n in range(1, 520)
    ]
    assert Picked(RowTable("a.csv", "csv", rows), ReadOptions()).chosen == {"text": chosen}


@pytest.mark.parametrize(
    ("path", "leads_out"),
    [
        ("a/b.txt", False),
        ("a..b/c....txt", False),
        ("../a.txt", True),
        ("a/../b.txt", True),
        ("a\\..\\b.txt", True),
        ("/a.txt", True),
        ("C:a.txt", True),
    ],
)
def test_names_with_dots_lead_out_only_where_they_are_folders(path, leads_out):
    for content in (packed_zip({path: b"sea"}), packed_tar({path: b"sea"})):
        if not leads_out:
            with archives.open_archive("a.zip", content) as archive:
                assert [entry.path for entry in archive.entries] == [path]
            continue
        refused = pytest.raises(CorpusError, match="the name leads out of the archive")
        with refused, archives.open_archive("a.zip", content):
            pass


@pytest.mark.parametrize(
    ("visible", "asked", "found"),
    [("none", "", "long"), ("short", "", "short"), ("short", "long", "long")],
)
def test_hidden_sheets_are_read_where_there_are_no_others(visible, asked, found):
    heights = {"short": 2, "long": 9}
    states = {True: SheetVisibleEnum.Visible, False: SheetVisibleEnum.Hidden}
    book = SimpleNamespace(
        sheet_names=[*heights],
        sheets_metadata=[SimpleNamespace(name=n, visible=states[n == visible]) for n in heights],
        get_sheet_by_name=lambda name: SimpleNamespace(name=name, height=heights[name]),
    )
    assert excel._sheet("a.xlsx", book, asked).name == found


def test_where_json_is_wrong_is_told_by_its_line_and_column():
    for at, said in ((1, "line 30: not valid JSON (Wrong, column 9)"),
                     (5, "line 31: not valid JSON (Wrong, column 3)")):  # fmt: skip
        error = json.JSONDecodeError("Wrong", "ab\ncdef", at)
        told = str(readers_json._no_json("a.json", 30, error, 7))
        assert told.startswith(f"a.json, {said}; every line"), told


def test_an_object_may_have_as_many_values_as_the_most(monkeypatch):
    monkeypatch.setattr(readers_json, "MAX_VALUES", 5)
    assert readers_json._line("a", 3, '{"a": [1, 2]}') == {"a": [1, 2]}
    assert readers_json._line("a", 3, '{"a": [1, 2, 3]}') == {"a": [1, 2, 3]}
    with pytest.raises(CorpusError, match="a, line 3: more than 5 values; give one object"):
        readers_json._line("a", 3, '{"a": [1, 2, 3, 4]}')


def test_a_table_on_the_disk_may_hold_more_than_memory_would(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["the sea " * 9, "a hill " * 9]}), path)
    monkeypatch.setattr(columnar, "MAX_UNPACKED", 50)
    upload = Upload("a.parquet", Stored(path), None, FIND_OUT)
    assert [row["text"][:7] for _, row in columnar.parquet_table(upload).rows] == [
        "the sea",
        "a hill ",
    ]
    with pytest.raises(CorpusError, match=r"a\.parquet"):
        columnar.read_parquet(Upload("a.parquet", path.read_bytes(), None, FIND_OUT))


def test_a_slice_of_an_order_is_that_of_a_range():
    for part in (slice(1, 9, 3), slice(None), slice(-3, None), slice(4, 2)):
        assert InOrder(10)[part].tolist() == [*range(10)[part]]


def test_documents_of_every_part_are_compared_with_those_of_all():
    rows = [[1, 0, 2], [0, 3, 0], [1, 0, 2], [4, 0, 0], [0, 3, 0], [5, 1, 1]]
    parts = [
        SimpleNamespace(
            n_docs=len(own),
            indptr=np.cumsum([0, *(np.count_nonzero(row) for row in own)]),
            word_ids=np.concatenate([np.flatnonzero(row) for row in own]),
            counts=np.concatenate([np.array(row)[np.flatnonzero(row)] for row in own]),
        )
        for own in (rows[:2], rows[2:3], rows[3:])
    ]
    found = units(parts, 6, 3, None)
    assert found is not None
    same = [[found[a] == found[b] for b in range(6)] for a in range(6)]
    assert same == [[rows[a] == rows[b] for b in range(6)] for a in range(6)]


def test_passages_of_every_table_are_known_as_of_one_text():
    def table_of(*ids):
        return SimpleNamespace(id=ids, title=None, date=None, label=None)

    tables = [table_of("x", "a ¶1"), table_of("b ¶1", "a ¶2"), table_of("b ¶2", "y", "a ¶3")]
    found = origins(tables, 7)
    assert found is not None
    assert found.tolist() == [0, 1, 2, 1, 2, 3, 1]


def test_a_long_sentence_that_ends_its_paragraph_ends_its_passage():
    """Of 95 words, 45 are left for the second passage: enough for one where a paragraph ends."""
    text = " ".join(f"a{i}" for i in range(95)) + "\n\n" + "one more sentence. " * 17
    assert [len(passage.split()) for passage in passages_of(text, 50)] == [50, 45, 51]
    within = (
        " ".join(f"a{i}" for i in range(95)) + ". one more sentence." + " one more sentence." * 16
    )
    assert [len(passage.split()) for passage in passages_of(within, 50)][:2] == [50, 51]
