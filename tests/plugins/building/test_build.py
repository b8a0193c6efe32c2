"""A corpus that is built on the disk is the one that `load` makes of the same files."""

import gzip
import lzma
import random
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.readers.text import SplitDocuments, split_text
from bnpexplorer.corpus.readers.text import _has_blank_line as has_blank_line
from bnpexplorer.plugins.building import chunks, gathering, merging
from bnpexplorer.plugins.building.build import build
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv, write_json

ROWS = rows_of(160)
SETTINGS = [
    {},
    {"min_df": 1},
    {"min_df": 0.05, "max_df": 0.3},
    {"max_df": 40, "min_df": 3},
    {"max_features": 7, "min_df": 1},
    {"max_features": 60, "min_df": 1},
    {"min_tokens": 9},
    {"min_tokens": 12, "min_df": 1, "max_df": 1.0},
    {"drop_repeated": True},
    {"drop_repeated": True, "min_df": 1, "min_tokens": 1},
    {"titles": True},
    {"stop_words": "none", "lowercase": False},
    {"extra_stop_words": "state, people"},
    {"language": "en", "stem": "stem", "min_df": 1},
    {"language": "en", "stem": "stem", "extra_stop_words": "nations"},
    {"ngram_max": 2, "min_df": 1},
    {"token_pattern": r"\w\w+", "strip_accents": "unicode"},
    {"clean": "auto"},
    {"clean": "web-pages", "language": "auto"},
    {"phrases": True, "joined": "house_houses new_york", "min_df": 1},
]


@pytest.mark.second
@pytest.mark.parametrize("words", SETTINGS, ids=str)
def test_every_setting_gives_the_corpus_of_memory(tmp_path, monkeypatch, words):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", ROWS)
    built = build([path], tmp_path / "out", words=words)
    assert_same(built, in_memory(path, words=words))
    assert len(built.manifest.shards) > 1
    assert [child.name for child in tmp_path.iterdir() if child.is_dir()] == ["out"]


def _files(folder):
    texts = [row["text"] for row in ROWS]
    write_csv(folder / "table.csv", ROWS)
    write_json(folder / "lines.jsonl", ROWS)
    write_json(folder / "list.json", ROWS, lines=False)
    (folder / "table.tsv").write_text(
        "text\tlabel\n"
        + "\n".join(" ".join(text.split()) + "\tg" for text in texts if text.strip())
    )
    (folder / "plain.txt").write_text("\n".join(texts))
    table = pa.table({name: [row[name] for row in ROWS] for name in ROWS[0]})
    pq.write_table(table, folder / "table.parquet", row_group_size=30)
    with zipfile.ZipFile(folder / "texts.zip", "w") as archive:
        for d, text in enumerate(texts):
            archive.writestr(f"of/{'ab'[d % 2]}/{d % 40}-{d}.txt", text)
        archive.writestr("of/readme.md", "not read")
    content = (folder / "table.csv").read_bytes()
    (folder / "table.csv.gz").write_bytes(gzip.compress(content))
    (folder / "table.csv.xz").write_bytes(
        lzma.compress(content[:2000]) + lzma.compress(content[2000:])
    )
    (folder / "plain.txt.gz").write_bytes(gzip.compress((folder / "plain.txt").read_bytes()))
    (folder / "latin.csv").write_bytes(content.decode().encode("cp1252"))
    (folder / "wide.csv").write_bytes(content.decode().encode("utf-16"))
    tree = folder / "tree"
    for d, text in enumerate(texts):
        (tree / "ab"[d % 2]).mkdir(parents=True, exist_ok=True)
        (tree / "ab"[d % 2] / f"{d}.txt").write_text(text)
    (tree / "other.csv").write_text("not read")


FORMATS = "table.csv lines.jsonl list.json table.tsv plain.txt table.parquet texts.zip table.csv.gz"
FORMATS += " table.csv.xz plain.txt.gz latin.csv wide.csv tree"


@pytest.mark.second
@pytest.mark.parametrize("name", FORMATS.split())
def test_every_format_gives_the_corpus_of_memory(tmp_path, monkeypatch, name):
    small(monkeypatch)
    _files(tmp_path)
    path = tmp_path / name
    assert_same(build([path], tmp_path / "out"), in_memory(path))


@pytest.mark.second
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("table.csv", ReadOptions(passages="20")),
        ("table.csv", ReadOptions(passages="paragraphs", title="-", label="-")),
        ("plain.txt", ReadOptions(split="paragraphs")),
        ("plain.txt", ReadOptions(passages="30")),
        ("table.csv", ReadOptions(text="title", date="label", id="-", label="-")),
        ("table.csv", ReadOptions(header="no", delimiter=",", text="column 5")),
        ("table.csv", ReadOptions(format="text")),
        ("plain.txt", ReadOptions(encoding="latin-1")),
        ("tree", ReadOptions(encoding="latin-1")),
        ("texts.zip", ReadOptions(encoding="latin-1")),
    ],
    ids=str,
)
def test_every_choice_of_reading_gives_the_corpus_of_memory(tmp_path, monkeypatch, name, options):
    small(monkeypatch)
    _files(tmp_path)
    path = tmp_path / name
    words = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}
    built = build([path], tmp_path / "out", options, words)
    assert_same(built, in_memory(path, options, words))


@pytest.mark.second
@pytest.mark.parametrize("documents", [1, 2, 39, 40, 41])
def test_borders_of_chunks_lose_and_repeat_nothing(tmp_path, monkeypatch, documents):
    small(monkeypatch, documents, shard=7)
    path = write_csv(tmp_path / "texts.csv", ROWS[:40])
    assert_same(build([path], tmp_path / "out"), in_memory(path))


@pytest.mark.second
def test_a_chunk_ends_before_the_letters_are_too_many(tmp_path, monkeypatch):
    small(monkeypatch, 10**6, letters=900)
    path = write_csv(tmp_path / "texts.csv", ROWS)
    sizes = []
    monkeypatch.setattr(
        gathering,
        "write_chunk",
        lambda folder, chunk, columns: (
            sizes.append(sum(len(v) for n, own in columns.items() if n != "line" for v in own)),
            chunks.write_chunk(folder, chunk, columns),
        ),
    )
    assert_same(build([path], tmp_path / "out"), in_memory(path))
    assert max(sizes) <= 900
    assert 20 < len(sizes) < 60, "nor before there are so many"


@pytest.mark.second
@pytest.mark.parametrize("words", [{"min_df": 1}, {"language": "en", "stem": "stem", "min_df": 1}])
def test_many_chunks_are_merged_in_several_rounds(tmp_path, monkeypatch, words):
    small(monkeypatch, 5)
    monkeypatch.setattr(merging, "TOGETHER", 3)
    path = write_csv(tmp_path / "texts.csv", ROWS)
    assert_same(build([path], tmp_path / "out", words=words), in_memory(path, words=words))


@pytest.mark.second
def test_ids_that_repeat_in_another_chunk_are_none_or_refused(tmp_path, monkeypatch):
    small(monkeypatch)
    rows = [dict(row) for row in ROWS]
    rows[120]["id"], rows[90]["id"], rows[100]["id"], rows[30]["id"] = "d7", "d60", "", ""
    path = write_csv(tmp_path / "texts.csv", rows)
    built = build([path], tmp_path / "out")
    assert_same(built, in_memory(path))
    assert "'d60' in column 'id' was already used" in str(built.manifest.report["notes"])
    asked = ReadOptions(id="id")
    with pytest.raises(CorpusError) as here:
        build([path], tmp_path / "other", asked)
    with pytest.raises(CorpusError) as wanted:
        in_memory(path, asked)
    assert str(here.value) == str(wanted.value)


def test_days_come_first_where_the_last_chunk_alone_says_so(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", ROWS)
    built = build([path], tmp_path / "out")
    first = ROWS[0]["date"]
    assert str(built.docs.date[0]) == f"{first[6:]}-{first[3:5]}-{first[:2]}"


def test_several_files_follow_each_other(tmp_path, monkeypatch):
    small(monkeypatch)
    one = write_csv(tmp_path / "one.csv", ROWS[:70])
    rest = [{name: row[name] for name in ("text", "title")} for row in ROWS[70:]]
    two = write_json(tmp_path / "two.jsonl", rest)
    words = {"min_df": 1, "min_tokens": 1, "max_df": 1.0}
    built = build([one, two], tmp_path / "out", words=words)
    whole = in_memory(write_csv(tmp_path / "all.csv", ROWS), words=words)[0]
    assert built.fingerprint == whole.fingerprint
    assert np.asarray(built.docs.text).tolist() == whole.docs.text.tolist()
    assert built.name == "one.csv and 1 other"
    assert np.isnat(built.docs.date[-1])
    assert built.docs.label[-1] == ""
    assert [note.split(":")[0] for note in built.manifest.report["notes"]] == [
        "one.csv",
        "two.jsonl",
    ]


def test_a_folder_of_tables_is_all_of_them(tmp_path, monkeypatch):
    small(monkeypatch)
    (tmp_path / "in").mkdir()
    write_csv(tmp_path / "in" / "b.csv", ROWS[50:])
    write_csv(tmp_path / "in" / "a.csv", ROWS[:50])
    words = {"min_df": 1, "min_tokens": 1, "max_df": 1.0}
    built = build([tmp_path / "in"], tmp_path / "out", words=words)
    whole = in_memory(write_csv(tmp_path / "all.csv", ROWS), words=words)[0]
    assert built.fingerprint == whole.fingerprint


@pytest.mark.parametrize("split", ["lines", "paragraphs"])
def test_a_text_is_split_line_by_line_as_it_is_whole(split):
    rng = random.Random(0)
    for _ in range(3000):
        text = "".join(
            rng.choices(["a", "b", " ", "\t", "\n", "\n", "\x0b", "\xa0"], k=rng.randrange(14))
        )
        found = SplitDocuments(_lines(text), split)
        assert list(found) == split_text(text, split), repr(text)
        assert found.blank_lines == has_blank_line(text), repr(text)


def _lines(text):
    """As a file gives them."""
    pieces = text.split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
