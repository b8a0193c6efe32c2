"""What a build says and leaves, part by part: sentences, progress, numbers at the edges."""

import errno
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.plugins.building import build as building
from bnpexplorer.plugins.building import builder, crew, facts, head, merging, plan, worker
from bnpexplorer.plugins.building.build import build, build_whole
from bnpexplorer.plugins.building.crew import Crew
from bnpexplorer.plugins.building.facts import BegunOtherwise, Facts, FileFacts
from bnpexplorer.plugins.building.plan import work_folder
from bnpexplorer.plugins.building.records import inputs_of
from tests.tools.building import in_memory, rows_of, small, write_csv, write_json

ALL = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}


def two_files(folder):
    """Fields of the second that the first lacks."""
    rows = rows_of(90)
    first = [{"text": row["text"]} for row in rows[:50]]
    return write_json(folder / "one.jsonl", first), write_csv(folder / "two.csv", rows[50:])


# ---- several files -------------------------------------------------------------------------------


def test_fields_that_a_later_file_alone_has_are_kept(tmp_path, monkeypatch):
    small(monkeypatch)
    one, two = two_files(tmp_path)
    built = build([one, two], tmp_path / "out", words=ALL)
    second = in_memory(two, words=ALL)[0]
    assert np.asarray(built.docs.label)[-second.n_docs :].tolist() == second.docs.label.tolist()
    assert set(np.asarray(built.docs.label)[: -second.n_docs]) == {""}


def test_passages_are_counted_within_their_file(tmp_path, monkeypatch):
    small(monkeypatch, 9)
    how, (one, two) = ReadOptions(passages="20"), two_files(tmp_path)
    built = build([one, two], tmp_path / "out", how, ALL)
    apart = [in_memory(path, how, ALL) for path in (one, two)]
    docs = apart[1][0].docs
    for name in ("text", "id", "title"):
        found = np.asarray(getattr(built.docs, name))[-apart[1][0].n_docs :].tolist()
        assert found == getattr(docs, name).tolist()
    assert built.manifest.report["notes"][:2] == [
        f"{path.name}: {' '.join(note for note in notes if 'language' not in note.lower())}"
        for path, (_, _, notes, _) in zip((one, two), apart, strict=True)
    ]


def test_an_id_that_repeats_in_a_later_file_is_told_by_its_row(tmp_path, monkeypatch):
    small(monkeypatch, 9)
    one, two = two_files(tmp_path)
    rows = rows_of(90)[50:]
    rows[33]["id"] = rows[2]["id"]
    write_csv(two, rows)
    built = build([one, two], tmp_path / "out", words=ALL)
    notes = {note.split(":")[0]: note for note in built.manifest.report["notes"]}
    alone = " ".join(in_memory(two, words=ALL)[2])
    told = next(part for part in alone.split(". ") if "was already used" in part)
    assert told in notes["two.csv"]
    assert "was already used" not in notes["one.jsonl"]


def test_a_corpus_of_files_is_called_by_the_first_and_how_many_others():
    def named(n):
        parts = [FileFacts(f"{i}.csv", "csv", ("text",), i, (1,), ()) for i in range(n)]
        return Facts(tuple(parts)).name

    assert [named(n) for n in (1, 2, 3)] == ["0.csv", "0.csv and 1 other", "0.csv and 2 others"]


def test_hidden_files_of_a_folder_are_not_read(tmp_path):
    for name in (".DS_Store", "b.csv", "a.csv"):
        (tmp_path / name).write_text("text\nsea\n")
    assert inputs_of([tmp_path]) == [tmp_path / "a.csv", tmp_path / "b.csv"]


def test_columns_of_a_corpus_on_the_disk_may_be_chosen(tmp_path, monkeypatch):
    small(monkeypatch)
    rows = rows_of(40)
    path = write_csv(tmp_path / "texts.csv", rows)
    first = build([path], tmp_path / "first", words=ALL)
    again = build([first.folder], tmp_path / "again", ReadOptions(label="title"), ALL)
    assert np.asarray(again.docs.label).tolist() == np.asarray(first.docs.title).tolist()


@pytest.mark.parametrize("n_empty", [0, 1])
def test_documents_that_a_corpus_left_out_are_told(tmp_path, monkeypatch, n_empty):
    small(monkeypatch)
    texts = [{"text": text} for text in ["sea and hills", "hills and sea"] + ["the"] * n_empty]
    first = build([write_csv(tmp_path / "t.csv", texts)], tmp_path / "first", words=ALL)
    again = build([first.folder], tmp_path / "again", words=ALL)
    more = ", without the 1 that were left out when it was built" * n_empty
    said = f"The texts of a corpus on the disk: 2 documents{more}."
    assert again.manifest.report["notes"][0] == said


# ---- how far it is -------------------------------------------------------------------------------


def progress_of(folder, monkeypatch, **more):
    """Every step with its shares and words."""
    told: dict[str, list[tuple[float, str]]] = {}
    small(monkeypatch, 23, shard=40)

    def note(what, share, said):
        told.setdefault(what, []).append((round(share, 6), said))

    paths = more.pop("paths", None) or [write_csv(folder / "texts.csv", rows_of(90))]
    built = build(paths, folder / "out", words=ALL, progress=note, **more)
    return built, told


def test_how_far_each_step_is(tmp_path, monkeypatch):
    built, told = progress_of(tmp_path, monkeypatch)
    chunks = [(0.25, "22 documents"), (0.5, "45 documents"), (0.75, "67 documents")]
    chunks += [(1.0, "90 documents")]
    assert told["counting"] == told["numbering"] == chunks
    assert [said for _, said in told["reading"]] == [f"{n} documents read" for n in (24, 47, 70)]
    assert built.n_docs == 86, "of which 80 are in shards that are complete"
    assert told["writing"][-1] == (0.930233, "80 documents")


def test_how_far_the_reading_of_several_files_is(tmp_path, monkeypatch):
    _, told = progress_of(tmp_path, monkeypatch, paths=[*two_files(tmp_path)])
    shares = [share for share, _ in told["reading"]]
    assert shares == sorted(shares)
    assert 0.3 < shares[-1] <= 1.0
    said = [int(said.split()[0]) for _, said in told["reading"]]
    assert said == [24, 47, 74], "of both files"


def test_what_was_done_before_counts_when_a_build_goes_on(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(90))
    with pytest.raises(ZeroDivisionError):
        build(
            [path],
            tmp_path / "out",
            words=ALL,
            progress=lambda what, share, said: 1 / (what != "counting"),
        )
    _, told = progress_of(tmp_path, monkeypatch, paths=[path])
    assert told["counting"][0] == (0.5, "45 documents")
    assert told["counting"][-1] == (1.0, "90 documents")


def test_a_page_is_told_of_every_step_and_else_now_and_then(monkeypatch):
    now, sent = [100.0], []
    monkeypatch.setattr(builder.time, "monotonic", lambda: now[0])
    said = builder._Said(SimpleNamespace(send=sent.append))
    for later, what in ((0, "reading"), (0.1, "reading"), (0.11, "reading"), (0.01, "counting")):
        now[0] += later
        said.progress(what, 0.0, f"at {now[0]:.2f}")
    assert [(one["step"], one["said"]) for one in sent] == [
        ("reading", "at 100.00"),
        ("reading", "at 100.21"),
        ("counting", "at 100.22"),
    ]


# ---- how it ended --------------------------------------------------------------------------------

ASKED = {"paths": [], "out": "/o", "options": {}, "words": {}, "threads": 3, "force": True}


@pytest.mark.parametrize(
    ("problem", "sentence", "anew"),
    [
        (CorpusError("No."), "No.", False),
        (ValueError("Not this."), "Not this.", False),
        (BegunOtherwise("Anew."), "Anew.", True),
        (KeyError("x"), "The build of /o failed (KeyError: 'x' is missing).", None),
        (
            MemoryError(),
            "The machine has no memory left for the build of /o; close other programs and start "
            "the same build again, which goes on where it ended.",
            None,
        ),
    ],
)
def test_how_a_build_ended_is_told_to_the_page(monkeypatch, problem, sentence, anew):
    def fails(*_):
        raise problem

    monkeypatch.setattr(builder, "build", fails)
    ended = {"ended": "refused", "sentence": sentence}
    told = builder._built(SimpleNamespace(), ASKED)
    assert told == ended | ({} if anew is None else {"anew": anew})


def test_a_build_for_a_page_stands_back_and_is_asked_as_the_page_asks(monkeypatch):
    done, sent = [], []
    monkeypatch.setattr(builder, "stand_back", lambda: done.append("stood back"))
    monkeypatch.setattr(builder, "build", lambda *given: done.append(given[:6]))
    asked = ASKED | {"paths": ["/a", "/b"], "options": {"text": "t"}, "words": {"min_df": 2}}
    builder.main(SimpleNamespace(send=sent.append), asked)
    given = ([Path("/a"), Path("/b")], Path("/o"), ReadOptions(text="t"), {"min_df": 2}, 3, True)
    assert done == ["stood back", given]
    assert sent == [{"ended": "well"}]


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        (OSError(errno.ENOSPC, "full", "/a/b"), ["disk", errno.ENOSPC, "/a/b"]),
        (OSError(errno.EIO, "broken"), ["disk", errno.EIO, "/home"]),
        (CorpusError("two\nlines"), ["refused", "two lines"]),
        (BegunOtherwise("anew"), ["anew", "anew"]),
        (KeyError("x"), ["failed", "KeyError: 'x' is missing"]),
    ],
)
def test_what_a_process_meets_is_raised_where_its_build_is(monkeypatch, problem, answer):
    def fails(chunk):
        raise problem

    told = worker._answer({"step": fails}, Path("/home"), "step", 0)
    assert told == answer
    monkeypatch.setattr(crew, "_answer", lambda *_: told)
    with pytest.raises((CorpusError, OSError)) as raised:
        crew._asked(None, "step", 0)
    if isinstance(problem, OSError):
        assert (raised.value.errno, raised.value.filename) == (answer[1], answer[2])
        assert raised.value.strerror == os.strerror(answer[1])
    elif isinstance(problem, CorpusError):
        assert (type(raised.value), str(raised.value)) == (type(problem), answer[1])
    else:
        assert str(raised.value) == (
            "A process that counts words failed (KeyError: 'x' is missing); start the same build "
            "again, which goes on, with fewer processes (--threads 1) if memory was short."
        )


def test_as_many_processes_as_chunks_are_begun_and_the_first_problem_is_told(tmp_path, monkeypatch):
    begun = []

    def started(work, *told, **how):
        begun.append(how["environment"])
        return SimpleNamespace()

    def asked(process, step, chunk):
        raise CorpusError(f"chunk {chunk}")

    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setattr(crew, "ChildProcess", started)
    monkeypatch.setattr(crew, "_asked", asked)
    monkeypatch.setattr(crew, "end_all", lambda *_: [])
    with Crew(tmp_path, 5) as processes, pytest.raises(CorpusError, match=r"^chunk 4$"):
        processes.work_on("step", [4, 7], lambda: None)
    assert [one["OMP_NUM_THREADS"] for one in begun] == ["1", "1"]


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
