"""What stands in the way of a build: other people's files, files that change."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.intake.api import load_with_report
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored import StoredCorpus
from bnpexplorer.plugins.building import build as building
from bnpexplorer.plugins.building import crew
from bnpexplorer.plugins.building.build import build, build_whole
from bnpexplorer.plugins.building.plan import work_folder
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def tree_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


# ---- what is not ours ----------------------------------------------------------------------------


@pytest.mark.parametrize("plan", ['{"files": ["mine"]}', "[]", "not JSON", ""])
def test_somebody_elses_plan_is_not_taken_for_ours(tmp_path, monkeypatch, plan):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(30)), tmp_path / "out"
    home = work_folder(out)
    (home / "records").mkdir(parents=True)
    (home / "plan.json").write_text(plan)
    (home / "records" / "000000.arrow").write_text("mine")
    loaded = load_with_report(
        ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    )
    for force in (False, True):
        with pytest.raises(CorpusError, match=r"out.building holds something else, .*; move it"):
            build([path], out, force=force)
        with pytest.raises(CorpusError, match=r"out.building holds something else, .*; move it"):
            build_whole(loaded.corpus, loaded.report, (), (), out, force)
    assert (home / "plan.json").read_text() == plan
    assert (home / "records" / "000000.arrow").read_text() == "mine"
    assert tree_of(home) == ["plan.json", "records", "records/000000.arrow"]


@pytest.mark.parametrize("out", ["/", "//", "/.."])
def test_the_top_of_all_folders_is_no_corpus(tmp_path, out):
    path = write_csv(tmp_path / "texts.csv", rows_of(9))
    with pytest.raises(CorpusError, match=r"/ is the top of all folders, .*; give it a name"):
        build([path], Path(out))


def test_the_folder_one_is_in_holds_something_else_or_becomes_the_corpus(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(60))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=r"something else than a corpus; give another name"):
        build([path], Path("."))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert_same(build([path], Path(".")), in_memory(path))
    assert not work_folder(tmp_path / "empty").exists()


def test_links_in_a_circle_are_told(tmp_path):
    path = write_csv(tmp_path / "texts.csv", rows_of(9))
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(CorpusError, match=r"give (the corpus )?another name"):
        build([path], tmp_path / "a")


@pytest.mark.second
@pytest.mark.skipif(sys.platform != "linux", reason="names are letters on other systems")
def test_names_that_are_no_letters_are_built_and_shown(tmp_path):
    """On the command line, in processes of its own: bytes that are no UTF-8."""
    source = tmp_path / os.fsdecode(b"caf\xe9")
    source.mkdir()
    path = write_csv(source / os.fsdecode(b"texte-\xff.csv"), rows_of(60))
    out = source / os.fsdecode(b"k\xf6rper")
    command = [sys.executable, "-m", "bnpexplorer", "corpus", "build", path, out]
    made = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=300)
    assert made.returncode == 0, made.stderr
    assert b"texte-?.csv" in made.stdout
    assert StoredCorpus(out).name == "texte-?.csv"
    folder = tmp_path / "folder"
    folder.mkdir()
    for d in range(6):
        (folder / os.fsdecode(b"\xfe%d.txt" % d)).write_text(f"sea and land number {d} again")
    made = subprocess.run([*command[:-2], folder, tmp_path / "two"], capture_output=True, cwd=ROOT)
    assert made.returncode == 0, made.stderr
    assert StoredCorpus(tmp_path / "two").docs.title[0] == "?0"
    gone = subprocess.run(
        [*command[:-2], out / "x.csv", tmp_path / "three"], capture_output=True, cwd=ROOT
    )
    assert gone.returncode == 2
    assert gone.stderr.count(b"\n") == 1
    assert b"There is no file" in gone.stderr


# ---- files that change, corpora that are read ----------------------------------------------------


@pytest.mark.second
@pytest.mark.parametrize("how", ["grows", "is written anew", "is gone", "is cut short"])
def test_a_file_that_changes_while_it_is_read_is_named(tmp_path, monkeypatch, how):
    small(monkeypatch)
    still = write_csv(tmp_path / "still.csv", rows_of(60))
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    content = path.read_bytes()

    def change(what, share, said):
        if what == "reading" and path.is_file() and path.read_bytes() == content:
            if how == "is gone":
                path.unlink()
            elif how == "is cut short":
                os.truncate(path, len(content) // 2)
            else:
                path.write_bytes(content + (b"a,b,c,d,e\n" if how == "grows" else b""))
                os.utime(path)

    told = (
        r"There is no file .*texts.csv"
        if how == "is gone"
        else (r"texts.csv was changed while it was read; .* again with --force")
    )
    with pytest.raises(CorpusError, match=told):
        build([still, path], out, progress=change)
    assert not out.exists()
    path.write_bytes(content)
    built = build([path], out, force=True)
    assert_same(built, in_memory(path))


def test_a_folder_of_texts_that_gets_another_is_named(tmp_path, monkeypatch):
    small(monkeypatch, 3)
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for d in range(12):
        (folder / f"{d:02d}.txt").write_text(f"sea and land and {d} rivers again")

    def add(what, share, said):
        (folder / "later.txt").write_text("another text of sea and land")

    with pytest.raises(CorpusError, match=r"later.txt was changed while it was read"):
        build([folder], out, progress=add)
    assert build([folder], out, force=True).n_docs == 13


def test_a_file_below_a_folder_that_is_read_too_is_no_change(tmp_path, monkeypatch):
    small(monkeypatch)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("sea and land and rivers again")
    table = write_csv(tmp_path / "in" / "table.csv", rows_of(30))
    for both in ([tmp_path / "in", table], [tmp_path / "in", tmp_path / "in" / "a.txt"]):
        words = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}
        assert build(both, tmp_path / str(len(both[1].name)), words=words).n_docs > 0
    (tmp_path / "in" / "b.txt").write_text("more of the sea")

    def remove(what, share, said):
        (tmp_path / "in" / "b.txt").unlink(missing_ok=True)

    monkeypatch.setattr("bnpexplorer.plugins.building.chunks.DOCUMENTS", 1)
    with pytest.raises(CorpusError, match=r"b.txt (was changed|; check)|no file .*b.txt"):
        build([tmp_path / "in"], tmp_path / "gone", progress=remove)


@pytest.mark.second
def test_a_corpus_on_the_disk_is_built_anew_with_other_words(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(160))
    keep = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}
    first = build([path], tmp_path / "first", words=keep)
    words = {"min_df": 3, "language": "en", "stem": "stem", "min_tokens": 4}
    again = build([first.folder], tmp_path / "again", words=words)
    # The same texts as a table, of which those without a word were left out before.
    corpus, _, _, _ = in_memory(path, words=keep)
    rows = [
        {"text": text, "id": i, "title": title, "label": label, "date": "" if day == "NaT" else day}
        for text, i, title, label, day in zip(
            corpus.docs.text,
            corpus.docs.id,
            corpus.docs.title,
            corpus.docs.label,
            corpus.docs.date.astype(str),
            strict=True,
        )
    ]
    table = write_csv(tmp_path / "table.csv", rows)
    wanted = in_memory(table, words=words)[0]
    assert again.fingerprint == wanted.fingerprint
    for name in ("text", "id", "title", "label"):
        assert np.asarray(getattr(again.docs, name)).tolist() == getattr(wanted.docs, name).tolist()
    assert np.array_equal(np.asarray(again.docs.date), wanted.docs.date, equal_nan=True)
    [note, *_] = again.manifest.report["notes"]
    assert note == (
        f"The texts of a corpus on the disk: {first.n_docs} documents, without the "
        f"{160 - first.n_docs} that were left out when it was built."
    )
    joined = build([first.folder], tmp_path / "joined", ReadOptions(join="label"), keep)
    assert joined.n_docs == 3
    with pytest.raises(CorpusError, match=r"lies in the folder that is read"):
        build([first.folder], first.folder, words=words, force=True)
    assert StoredCorpus(first.folder).fingerprint == first.fingerprint


def test_a_corpus_that_cannot_be_read_again_is_told(tmp_path, monkeypatch):
    small(monkeypatch)
    counts = load_with_report(
        ROOT / "sample_data/docword.tiny.txt", ROOT / "sample_data/vocab.tiny.txt"
    )
    build_whole(counts.corpus, counts.report, (), (), tmp_path / "counts")
    with pytest.raises(CorpusError, match=r"counts is a corpus without texts, .*; build it from"):
        build([tmp_path / "counts"], tmp_path / "out")
    path = write_csv(tmp_path / "texts.csv", rows_of(90))
    first = build([path], tmp_path / "first")
    shard = first.folder / "fields" / "00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-9] + b"123456789")
    with pytest.raises(CorpusError, match=r"00001.parquet is missing or damaged"):
        build([first.folder], tmp_path / "out", words={"min_df": 3})
    (first.folder / "manifest.json").rename(first.folder / "building.json")
    with pytest.raises(CorpusError, match=r"is not complete; start the same build again"):
        build([first.folder], tmp_path / "out", words={"min_df": 3})


@pytest.mark.second
def test_no_more_processes_are_begun_than_there_are_cores(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "usable_cores", lambda: 2)
    begun, begin = [], crew._started
    monkeypatch.setattr(crew, "_started", lambda home: begun.append(begin(home)) or begun[-1])
    monkeypatch.setattr("bnpexplorer.plugins.building.chunks.DOCUMENTS", 5)
    path = write_csv(tmp_path / "texts.csv", rows_of(60))
    assert_same(build([path], tmp_path / "out", threads=1000), in_memory(path))
    at_once = {id(process) for process in begun}
    assert 2 <= len(at_once) <= 5  # two that count, and one that settled the language before


def test_what_a_corpus_of_counts_is_given_up_for_is_asked(tmp_path, monkeypatch):
    """A build of files that was begun stays until it is forced."""
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(60)), tmp_path / "out"
    with pytest.raises(ZeroDivisionError):
        build([path], out, progress=lambda what, share, said: 1 / (what != "counting"))
    corpus, report, _, _ = in_memory(path)
    with pytest.raises(CorpusError, match=r"holds a build of other files .* --force"):
        build_whole(corpus, report, (), (), out)
    built = build_whole(corpus, report, (), (), out, force=True)
    assert built.fingerprint == corpus.fingerprint
    assert not work_folder(out).exists()
