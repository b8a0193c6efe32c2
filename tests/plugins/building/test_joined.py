"""Texts that are joined, and phrases that are found, chunk by chunk: as in memory."""

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building import joining, merging, phrasing
from bnpexplorer.plugins.building.build import build
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv, write_json

ALL = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}


def accounts(n, seed=0, label=""):
    """Rows of accounts that come again anywhere in the file, some without one."""
    rng = np.random.default_rng(seed)
    rows = []
    for d, row in enumerate(rows_of(n, seed)):
        account = "" if d % 19 == 4 else f" user {int(rng.integers(0, n // 4))} "
        rows.append({**row, "account": account, "label": label or row["label"]})
    return rows


JOINS = [
    {},
    {"period": "month"},
    {"period": "week", "label": "-"},
    {"period": "day", "title": "-", "id": "-"},
    {"period": "year", "passages": "20"},
    {"passages": "paragraphs"},
]


@pytest.mark.second
@pytest.mark.parametrize("options", JOINS, ids=str)
@pytest.mark.parametrize("ordered", ["anywhere", "side by side"])
def test_texts_are_joined_as_in_memory(tmp_path, monkeypatch, options, ordered):
    small(monkeypatch)
    rows = accounts(160)
    if ordered == "side by side":
        rows.sort(key=lambda row: row["account"])
    path = write_csv(tmp_path / "texts.csv", rows)
    how = ReadOptions(join="account", **options)
    built = build([path], tmp_path / "out", how, ALL)
    assert_same(built, in_memory(path, how, ALL))
    said = " ".join(built.manifest.report["notes"])
    assert "160 texts joined into " in said
    assert [child.name for child in tmp_path.iterdir() if child.is_dir()] == ["out"]


@pytest.mark.second
@pytest.mark.parametrize("other", [0, 159])
def test_labels_stay_unless_one_document_anywhere_has_two(tmp_path, monkeypatch, other):
    small(monkeypatch)
    rows = accounts(160, label="left")
    how = ReadOptions(join="account")
    path = write_csv(tmp_path / "texts.csv", rows)
    built = build([path], tmp_path / "one", how, ALL)
    assert set(np.asarray(built.docs.label)) == {"left"}
    assert_same(built, in_memory(path, how, ALL))
    mates = [row for row in rows if row["account"] == rows[other]["account"]]
    assert len(mates) > 1
    rows[other]["label"] = "right"
    write_csv(path, rows)
    built = build([path], tmp_path / "two", how, ALL)
    assert rows[other]["account"].strip() in set(np.asarray(built.docs.label))
    assert_same(built, in_memory(path, how, ALL))


def test_an_account_in_several_files_is_one_document(tmp_path, monkeypatch):
    small(monkeypatch)
    rows, how = accounts(160), ReadOptions(join="account")
    one = write_csv(tmp_path / "one.csv", rows[:70])
    two = write_json(tmp_path / "two.jsonl", rows[70:])
    whole = in_memory(write_csv(tmp_path / "all.csv", rows), how, ALL)[0]
    built = build([one, two], tmp_path / "out", how, ALL)
    for name in ("text", "title", "id", "label"):
        assert np.asarray(getattr(built.docs, name)).tolist() == getattr(whole.docs, name).tolist()
    assert built.fingerprint == whole.fingerprint
    notes = built.manifest.report["notes"]
    assert [note.split(":")[0] for note in notes[:2]] == ["one.csv", "two.jsonl"]
    assert notes[2].startswith("160 texts joined into ")


@pytest.mark.second
def test_rows_of_a_file_without_dates_stay_alone_where_there_are_periods(tmp_path, monkeypatch):
    small(monkeypatch)
    rows, how = accounts(160), ReadOptions(join="account", period="year")
    one = write_csv(tmp_path / "one.csv", rows[:70])
    two = write_json(tmp_path / "two.jsonl", [{**row, "date": ""} for row in rows[70:]])
    without = [{name: row[name] for name in row if name != "date"} for row in rows[70:]]
    three = write_json(tmp_path / "three.jsonl", without)
    built = [build([one, other], tmp_path / other.stem, how, ALL) for other in (two, three)]
    assert built[0].n_docs > 90
    assert built[0].fingerprint == built[1].fingerprint


@pytest.mark.second
@pytest.mark.parametrize("documents", [1, 3, 1000])
def test_chunks_of_joined_documents_end_anywhere(tmp_path, monkeypatch, documents):
    path = write_csv(tmp_path / "texts.csv", accounts(60))
    how = ReadOptions(join="account")
    small(monkeypatch, documents, letters=700)
    assert_same(build([path], tmp_path / "out", how, ALL), in_memory(path, how, ALL))


def test_a_group_is_put_where_its_first_row_is(tmp_path, monkeypatch):
    """Rows without an account are put one by one, and not all with the first of them."""
    small(monkeypatch, 4)
    rows = [{**row, "account": "" if d % 3 else "one"} for d, row in enumerate(accounts(40))]
    path, how = write_csv(tmp_path / "texts.csv", rows), ReadOptions(join="account")
    sizes, real = [], joining.write_chunk
    monkeypatch.setattr(
        joining, "write_chunk", lambda *given: sizes.append(len(given[2]["text"])) or real(*given)
    )
    assert_same(build([path], tmp_path / "out", how, ALL), in_memory(path, how, ALL))
    assert max(sizes) <= 4


def test_groups_of_one_hash_stay_apart(tmp_path, monkeypatch):
    """They are told apart by their cells, not by what stands for these."""
    small(monkeypatch)
    monkeypatch.setattr(joining, "sign_of", lambda text: 1 + len(text) % 3)
    path, how = write_csv(tmp_path / "texts.csv", accounts(60)), ReadOptions(join="account")
    built = build([path], tmp_path / "out", how, ALL)
    texts = in_memory(path, how, ALL)[0].docs.text.tolist()
    assert sorted(np.asarray(built.docs.text)) == sorted(texts)


def test_what_cannot_be_joined_is_told(tmp_path, monkeypatch):
    small(monkeypatch)
    rows = accounts(60)
    path, out = write_csv(tmp_path / "texts.csv", rows), tmp_path / "out"
    plain = tmp_path / "plain.txt"
    plain.write_text("one line\nanother line\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("one text")
    asked = [
        (plain, ReadOptions(join="account")),
        (folder, ReadOptions(join="account")),
        (path, ReadOptions(join="nobody")),
        (path, ReadOptions(join="account", period="month", date="-")),
        (path, ReadOptions(join="account", period="hour")),
    ]
    for file, how in asked:
        with pytest.raises(CorpusError) as found:
            build([file], out, how, ALL, force=True)
        with pytest.raises(CorpusError) as wanted:
            in_memory(file, how, ALL)
        assert str(found.value).split(";")[1:] == str(wanted.value).split(";")[1:]
    monkeypatch.setattr(joining, "LONGEST", 900)
    for d, row in enumerate(rows):
        row["account"] = "talker" if d >= 30 and d % 2 else f"user {max(d, 1)}"
        row["date"] = "01/02/2003"
    write_csv(path, rows)
    letters = sum(len(row["text"]) + 2 for row in rows[31::2])
    for period, remedy in (("", "a period, too"), ("year", "a shorter period")):
        with pytest.raises(CorpusError) as told:
            build([path], out, ReadOptions(join="account", period=period), ALL, force=True)
        assert str(told.value) == (
            f"texts.csv: the texts of 'talker' in 'account' would be one document of {letters:,} "
            f"letters; the most is 900. Join by another column, or for each of {remedy}."
        )


def test_a_text_that_is_long_already_is_not_refused_for_being_joined(tmp_path, monkeypatch):
    small(monkeypatch)
    rows = [{"account": f"user {d // 2}", "text": "sea and hills"} for d in range(20)]
    rows.append({"account": "writer", "text": "sea and hills " * 100})
    monkeypatch.setattr(joining, "LONGEST", 900)
    path, how = write_csv(tmp_path / "texts.csv", rows), ReadOptions(join="account")
    assert_same(build([path], tmp_path / "out", how, ALL), in_memory(path, how, ALL))


# ---- phrases -------------------------------------------------------------------------------------

PAIRS = [
    "new york city",
    "new york",
    "supreme court",
    "state of law",
    "ice cream",
    "prime minister",
]


def phrased(n, seed=0):
    """Texts with pairs and threes among words of which many are neighbours by chance."""
    rng = np.random.default_rng(seed)
    rows = []
    for d, row in enumerate(rows_of(n, seed)):
        words = row["text"].split()
        for _ in range(int(rng.integers(0, 4))):
            place = int(rng.integers(0, len(words) + 1))
            words[place:place] = PAIRS[int(rng.integers(0, len(PAIRS)))].split()
        rows.append({**row, "text": " ".join(words), "title": f"Old Harbour In New York {d % 7}"})
    return rows


WORDS = [
    {"phrase_count": 3, "phrase_npmi": 0.2},
    {"phrase_count": 3, "phrase_npmi": 0.4, "min_df": 0.03},
    {"phrase_count": 2, "phrase_npmi": 0.0, "min_df": 1},
    {"phrase_count": 5, "titles": True},
    {"phrase_count": 3, "language": "en", "stem": "stem"},
    {"phrase_count": 10**6},
]


@pytest.mark.second
@pytest.mark.parametrize("words", WORDS, ids=str)
def test_phrases_are_those_of_memory(tmp_path, monkeypatch, words):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", phrased(160))
    words = {"phrases": True, **words}
    wanted = in_memory(path, words=words)
    built = build([path], tmp_path / "out", words=words)
    assert_same(built, wanted)
    found = wanted[1].settings.joined.split()
    if words["phrase_count"] < 10:
        assert "supreme_court" in found
        assert ("old_harbour" in found) == words.get("titles", False), "it stands in titles alone"
        assert len({phrase.count("_") for phrase in found}) == 2, "pairs and threes"
    else:
        assert found == []


@pytest.mark.second
def test_phrases_of_many_chunks_that_are_merged_in_rounds(tmp_path, monkeypatch):
    small(monkeypatch, 9)
    monkeypatch.setattr(merging, "TOGETHER", 3)
    monkeypatch.setattr(phrasing, "AT_ONCE", 7)
    path = write_csv(tmp_path / "texts.csv", phrased(120))
    words = {"phrases": True, "phrase_count": 2, "phrase_npmi": 0.1, "min_df": 1}
    assert_same(build([path], tmp_path / "out", words=words), in_memory(path, words=words))


def test_the_phrases_in_most_documents_are_kept(tmp_path, monkeypatch):
    from bnpexplorer.corpus.words import phrases

    small(monkeypatch)
    monkeypatch.setattr(phrases, "MOST", 3)
    path = write_csv(tmp_path / "texts.csv", phrased(120))
    words = {"phrases": True, "phrase_count": 2, "phrase_npmi": 0.1, "min_df": 1}
    wanted = in_memory(path, words=words)
    assert len(wanted[1].settings.joined.split()) == 3
    assert_same(build([path], tmp_path / "out", words=words), wanted)


@pytest.mark.second
@pytest.mark.parametrize("join", ["", "account"])
def test_a_build_that_ends_within_any_step_goes_on(tmp_path, monkeypatch, join):
    """And does nothing again that was done."""
    small(monkeypatch)
    rows = [{**row, "account": f"u{d % 30}"} for d, row in enumerate(phrased(120))]
    path, out = write_csv(tmp_path / "texts.csv", rows), tmp_path / "out"
    how, words = ReadOptions(join=join, passages="20"), {"phrases": True, "phrase_count": 3}

    class Ended(Exception):
        pass

    steps: list[str] = []
    for _ in range(60):
        made = []

        def end(what, share, said, made=made):
            made.append(what)
            if what not in steps:
                steps.append(what)
                raise Ended

        try:
            built = build([path], out, how, words, progress=end)
            break
        except Ended:
            continue
    assert_same(built, in_memory(path, how, words))
    assert [*dict.fromkeys(made)] == [steps[-1]], "the last one did what was left"
    joins = ["grouping", "bringing together", "joining"] if join else []
    phrases = ["cutting", "finding pairs", "finding threes", "finding phrases"]
    rest = ["dividing", *phrases, "counting", "numbering", "writing"]
    assert steps == ["reading", *joins, *rest]
