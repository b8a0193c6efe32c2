"""What a build leaves, refuses and removes, and numbers at the edges."""

import errno
from functools import partial
from types import SimpleNamespace

import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.plugins.building import build as building
from bnpexplorer.plugins.building import facts, head, merging, plan
from bnpexplorer.plugins.building.build import build, build_whole
from bnpexplorer.plugins.building.facts import BegunOtherwise, Facts
from bnpexplorer.plugins.building.plan import work_folder
from tests.tools.building import in_memory, rows_of, small, write_csv

ALL = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}


# ---- folders and files ---------------------------------------------------------------------------


def test_a_corpus_is_built_nowhere_below_what_is_read(tmp_path):
    below = tmp_path / "in" / "deeper" / "still"
    below.mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_text("text")
    with pytest.raises(CorpusError, match=r"lies in the folder that is read; build the corpus els"):
        build([tmp_path / "in"], below / "out")


def test_a_part_of_a_corpus_without_its_work_is_not_built_over(tmp_path, monkeypatch):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    with pytest.raises(ZeroDivisionError):
        build([path], out, progress=lambda what, share, said: 1 / (what != "writing"))
    moved = work_folder(out).rename(tmp_path / "moved")
    with pytest.raises(BegunOtherwise) as refused:
        build([path], out)
    assert str(refused.value) == (
        f"{out} is a build of which {work_folder(out)} is missing; bring that folder back, or "
        "give --force to start anew."
    )
    moved.rename(work_folder(out))
    assert build([path], out).fingerprint == in_memory(path)[0].fingerprint


def test_nothing_of_the_corpus_before_is_left_in_one_built_by_force(tmp_path, monkeypatch):
    small(monkeypatch, shard=7)
    path = write_csv(tmp_path / "texts.csv", rows_of(90))
    build([path], tmp_path / "out")
    few = write_csv(tmp_path / "few.csv", rows_of(20))
    build([few], tmp_path / "out", force=True)
    build([few], tmp_path / "alone")
    trees = [
        sorted(file.relative_to(out).as_posix() for file in out.rglob("*"))
        for out in (tmp_path / "out", tmp_path / "alone")
    ]
    assert trees[0] == trees[1]


def test_a_corpus_of_counts_goes_on_and_keeps_how_many_were_empty(tmp_path, monkeypatch):
    path = write_csv(tmp_path / "texts.csv", rows_of(60))
    corpus, report, _, _ = in_memory(path)
    object.__setattr__(corpus, "n_empty_dropped", 4)
    monkeypatch.setattr(building, "ShardWriter", partial(ShardWriter, shard_docs=7))
    with monkeypatch.context() as patch:
        patch.setattr(ShardWriter, "finish", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            build_whole(corpus, report, ("a note",), ("a warning",), tmp_path / "out")
    built = build_whole(corpus, report, ("a note",), ("a warning",), tmp_path / "out")
    assert built.fingerprint == corpus.fingerprint
    assert built.loaded().n_empty_dropped == 4
    assert built.manifest.report["notes"] == ["a note"]
    assert built.manifest.report["warnings"] == ["a warning"]


def test_only_files_with_our_names_are_removed(tmp_path):
    home, away = tmp_path / "out.building", tmp_path / "away"
    (home / "records").mkdir(parents=True)
    away.mkdir()
    (home / "words").symlink_to(away)
    ours = ["records/000000.arrow", "records/000001.npz.0123abcd.part", "plan.json"]
    theirs = ["records/000000.arrow.mine", "records/a000000.arrow", "plan.json.txt"]
    theirs.append("words/000000.arrow")
    for name in (*ours, *theirs):
        (home / name).write_text("x")
    plan.remove_work(home)
    assert [name for name in (*ours, *theirs) if (home / name).exists()] == theirs


def test_a_lock_alone_is_in_nobodys_way_and_anything_else_is(tmp_path):
    home = tmp_path / "out.building"
    plan.check_work(home)
    home.mkdir()
    (home / "lock").touch()
    plan.check_work(home)
    (home / "mine").touch()
    with pytest.raises(CorpusError, match=r"out\.building holds something else, and a build needs"):
        plan.check_work(home)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_or_an_account_without_room_is_told(tmp_path, monkeypatch, number):
    monkeypatch.setattr(plan.shutil, "disk_usage", lambda _: SimpleNamespace(free=3_400_000))
    home = tmp_path / "out.building"
    with pytest.raises(CorpusError) as told, plan.room_for(home):
        raise OSError(number, "full")
    assert str(told.value) == (
        f"There is no room left for {home} (3 MB are free); make room and start the same build "
        "again, which goes on where it ended."
    )


@pytest.mark.parametrize("name", ["/a/b.arrow", None])
def test_a_file_that_cannot_be_used_is_named(tmp_path, name):
    home = tmp_path / "out.building"
    with pytest.raises(CorpusError) as told, plan.room_for(home):
        raise PermissionError(errno.EACCES, "Permission denied", name)
    assert str(told.value) == (
        f"{name or home} cannot be used (Permission denied); see to it and start the same build "
        "again, which goes on where it ended."
    )


def test_how_a_build_differs_from_the_one_that_was_begun(tmp_path):
    files = [write_csv(tmp_path / name, rows_of(9)) for name in ("a.csv", "b.csv")]
    words = {"min_df": 2}
    now = plan.plan_of(files, ReadOptions(), words)

    def told(before):
        return plan._difference(before, now)

    assert told(now) == ""
    assert told(None) == "by a plan that can no longer be read"
    old = plan.BuildPlan(now.files, now.options, words, "0.1", now.format)
    assert told(old) == "by version 0.1 of the program"
    other = plan.plan_of(files[::-1], ReadOptions(), words)
    assert told(other) == "with the same files in another order"
    assert told(plan.plan_of(files[:1], ReadOptions(), words)) == (
        "with other files (one of them is b.csv)"
    )
    assert told(plan.plan_of(files, ReadOptions(), {})) == "with another setting of min_df"
    chosen = plan.plan_of(files, ReadOptions(text="t"), words)
    assert told(chosen) == "with another setting of text"
    write_csv(files[1], rows_of(12))
    assert plan._difference(now, plan.plan_of(files, ReadOptions(), words)) == (
        "before b.csv was changed"
    )


def test_a_text_that_goes_while_its_folder_is_read_is_named(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("text")
    begun = plan.plan_of([tmp_path], ReadOptions(), {})
    plan.check_unchanged(tmp_path, [tmp_path], begun)
    (tmp_path / "b.txt").unlink()
    with pytest.raises(BegunOtherwise, match=r"b\.txt was changed while it was read; see that"):
        plan.check_unchanged(tmp_path, [tmp_path], begun)


def test_the_corpus_keeps_names_and_no_folders(tmp_path):
    path = write_csv(tmp_path / "a.csv", rows_of(9))
    [[name, size, _]] = plan.made_of(plan.plan_of([path], ReadOptions(), {}))["files"]
    assert (name, size) == ("a.csv", path.stat().st_size)


def test_what_a_step_before_wrote_and_is_gone_is_told(tmp_path):
    with pytest.raises(BegunOtherwise) as told:
        facts.known(Facts, tmp_path / "records.json")
    assert str(told.value) == (
        f"{tmp_path / 'records.json'} was removed or changed while a corpus was built; build it "
        "again with --force."
    )


# ---- numbers at the edges ------------------------------------------------------------------------


def test_of_words_left_out_those_in_most_documents_are_shown_however_many_there_are():
    n = 100 * merging.TOP + 30
    kinds = [merging.WordFamily(f"w{i:05d}", f"W{i:05d}", 3, n - i) for i in range(n)]
    found = merging.removed_kinds(kinds)
    assert (found.total, found.tokens) == (n, 3 * n)
    assert found.words == tuple((f"W{i:05d}", n - i) for i in range(merging.TOP))


def test_a_file_that_fills_what_is_looked_at_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("text\nsea\nhills\n")
    for n_bytes, whole in ((15, True), (14, False)):
        monkeypatch.setattr(head, "BYTES", n_bytes)
        looked = head.head_of([path], ReadOptions())
        assert (looked.whole, len(looked.source.texts)) == (whole, 1 + whole)


def test_a_first_text_is_looked_at_however_long_it_is(monkeypatch):
    monkeypatch.setattr(head, "BYTES", 10)
    few = head._Few([(1, {"text": "x" * 50}), (2, {"text": "y"})], True)
    assert [number for number, _ in few] == [1]
    assert few.more


def test_what_was_left_out_of_a_plain_text_is_said_of_its_beginning(tmp_path):
    (tmp_path / "lines.txt").write_text("one line\n\nthe third\n")
    notes = head.head_of([tmp_path / "lines.txt"], ReadOptions()).source.notes
    assert "blank" in " ".join(notes)
