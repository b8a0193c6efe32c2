"""What a build counts, and what it makes of a corpus that is read again, where files are odd."""

from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import Corpus, CorpusError, DocTable
from bnpexplorer.corpus.readers.source import ReadOptions, strings
from bnpexplorer.plugins.building import joining, merging, records
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.facts import FileFacts
from bnpexplorer.plugins.building.merging import WordFamily
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv
from tests.tools.stored import on_disk, with_names

ALL = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}


# ---- what is counted ---------------------------------------------------------------------------


def test_stop_words_of_chunks_that_hold_nothing_else_are_counted(tmp_path, monkeypatch):
    small(monkeypatch, 1)
    texts = ["the the and", "sea hill sea", "and the", "hill", "the"]
    path = write_csv(tmp_path / "texts.csv", [{"text": text} for text in texts])
    built = build([path], tmp_path / "out", words=ALL)
    assert_same(built, in_memory(path, words=ALL))
    assert built.manifest.report["removed"]["stop word"]["words"] == [["the", 3], ["and", 2]]
    assert built.manifest.report["zipf"] == [[1, 2, 3, 4], [4, 2, 2, 2]], "the; and, hill, sea"


@pytest.mark.parametrize("first", [True, False])
def test_one_date_anywhere_tells_whether_days_come_first(tmp_path, monkeypatch, first):
    small(monkeypatch)
    rows = rows_of(60)[:: -1 if first else 1]
    path = write_csv(tmp_path / "texts.csv", rows)
    built = build([path], tmp_path / "out")
    assert_same(built, in_memory(path))
    assert "31/12/1999" in (rows[0]["date"], rows[-1]["date"])


def test_documents_without_an_id_have_none_in_common(tmp_path, monkeypatch):
    small(monkeypatch)
    rows = rows_of(60)
    rows[10]["id"] = rows[20]["id"] = rows[50]["id"] = ""
    path = write_csv(tmp_path / "texts.csv", rows)
    built = build([path], tmp_path / "out")
    assert_same(built, in_memory(path))
    assert "id" in built.docs.names()


def test_a_single_text_may_be_longer_than_joined_ones(tmp_path, monkeypatch):
    small(monkeypatch)
    monkeypatch.setattr(joining, "LONGEST", 100)
    rows = [{"who": f"u{i}", "day": "2001-02-03", "text": "sea hill " * (30 if i == 3 else 2)}
            for i in range(6)]  # fmt: skip
    how = ReadOptions(join="who", text="text", date="day")
    path = write_csv(tmp_path / "texts.csv", rows)
    assert build([path], tmp_path / "out", how, ALL).n_docs == 6
    path = write_csv(path, [*rows, rows[3]])
    for period, remedy in (("", "a period, too"), ("month", "a shorter period")):
        with pytest.raises(CorpusError) as told:
            build([path], tmp_path / "other", replace(how, period=period), ALL, force=True)
        assert str(told.value) == (
            "texts.csv: the texts of 'u3' in 'who' would be one document of 544 letters; the most "
            f"is 100. Join by another column, or for each of {remedy}."
        )


def test_of_many_words_left_out_those_in_most_documents_are_told(monkeypatch):
    monkeypatch.setattr(merging, "TOP", 1)  # a hundred are held
    tally, documents = merging._Tally(), [37 * i % 251 for i in range(250)]
    for i, n in enumerate(documents):
        tally.add(WordFamily(f"k{i}", f"w{i}", 3, n))
    expected = sorted(((f"w{i}", n) for i, n in enumerate(documents)), key=lambda w: -w[1])[:50]
    assert tally.removed.words == tuple(expected)
    assert (tally.removed.total, tally.removed.tokens) == (250, 750)


# ---- a corpus that is read again ---------------------------------------------------------------


def test_what_is_unknown_in_a_corpus_stays_unknown_when_it_is_built_again(tmp_path, monkeypatch):
    small(monkeypatch)
    first = on_disk(with_names(30), tmp_path / "first")
    built = build([first.folder], tmp_path / "out", words=ALL)
    assert built.docs.title[0] == built.docs.title[7] == ""
    assert built.docs.title[1] == "Title 1"
    assert np.array_equal(built.docs.date, first.docs.date, equal_nan=True)
    assert built.manifest.report["notes"][0] == "The texts of a corpus on the disk: 30 documents."
    assert "could not be read" not in " ".join(built.manifest.report["notes"])
    untitled = build([first.folder], tmp_path / "untitled", ReadOptions(title="-"), ALL)
    assert {*built.docs.names()} - {*untitled.docs.names()} == {"title"}


def test_an_id_that_comes_again_in_a_corpus_is_told_with_its_documents(tmp_path, monkeypatch):
    small(monkeypatch)
    monkeypatch.setattr(records, "GROUP", 10)
    ids = [f"d{i}" for i in range(30)]
    ids[24], ids[28] = "d3", "d7"
    docs = DocTable(id=strings(ids), text=strings(["word of the sea"] * 30))
    first = on_disk(Corpus.from_csr(np.ones((30, 1)), ["word"], docs), tmp_path / "first")
    with pytest.raises(CorpusError) as told:
        build([first.folder], tmp_path / "out", words=ALL)
    assert str(told.value) == (
        "first, document 25: the id 'd3' in column 'id' was already used on document 4; make ids "
        "unique, or choose no id column."
    )
    assert build([first.folder], tmp_path / "none", ReadOptions(id="-"), ALL).docs.id is None


def test_a_note_on_dates_is_said_where_there_is_something_to_say():
    part = FileFacts("a.csv", "csv", ("text",), 0, (3,), ("Read.", "Column 'day': \0"))
    assert part.said("3 dates.") == ("Read.", "Column 'day': 3 dates.")
    assert part.said("") == ("Read.",)
