"""Single parts of a build: what each is given, keeps and says."""

import errno
import os
import queue
import shutil
import threading
from collections import namedtuple
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from bnpexplorer.core import store
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.stored.writer import ShardWriter
from bnpexplorer.corpus.text import describe
from bnpexplorer.plugins.building import build as building
from bnpexplorer.plugins.building import builder, crew, plan, worker
from bnpexplorer.plugins.building.build import build, build_whole
from bnpexplorer.plugins.building.crew import Crew
from bnpexplorer.plugins.building.facts import BegunOtherwise
from bnpexplorer.plugins.building.plan import BuildPlan, Stamp, work_folder
from bnpexplorer.plugins.building.steps import of_all
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv
from tests.tools.stored import same, with_names
from tests.tools.waiting import NEVER

ALL = {"min_df": 1, "max_df": 1.0, "min_tokens": 1}


# ---- what a build is given ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "cores", "usual", "most"),
    [(None, 8, 3, 3), (2, 8, 3, 2), (5, 4, 3, 4), (None, 2, 3, 2)],
)
def test_as_many_processes_count_as_asked_for_and_no_more_than_cores(
    tmp_path, monkeypatch, asked, cores, usual, most
):
    small(monkeypatch)
    begun, crew_of = [], building.Crew
    monkeypatch.setattr(building, "usable_cores", lambda: cores)
    monkeypatch.setattr(building, "usual_threads", lambda: usual)
    monkeypatch.setattr(building, "Crew", lambda *given: begun.append(given[1]) or crew_of(*given))
    build([write_csv(tmp_path / "a.csv", rows_of(9))], tmp_path / "out", words=ALL, threads=asked)
    assert begun == [most]


def test_a_corpus_in_memory_goes_on_after_its_last_shard_and_keeps_what_is_said(
    tmp_path, monkeypatch
):
    corpus, out = replace(with_names(50), n_empty_dropped=3), tmp_path / "out"
    report = describe(corpus)
    made = {"fingerprint": corpus.fingerprint, "reading": store.pack(report.reading, {})}
    in_shards = partial(ShardWriter, shard_docs=10)
    monkeypatch.setattr(building, "ShardWriter", in_shards)
    in_shards(out, corpus.vocab, corpus.name, made).add(corpus.part(0, 25))
    built = build_whole(corpus, report, ("Read.",), ("Few.",), out)
    same(built, corpus)
    assert built.n_empty_dropped == 3
    noted = built.manifest.report
    assert (noted["notes"], noted["warnings"]) == (["Read."], ["Few."])


def test_a_build_whose_work_is_gone_starts_anew_only_where_it_is_forced(tmp_path, monkeypatch):
    small(monkeypatch, 20, shard=7)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(60)), tmp_path / "out"
    with pytest.raises(ZeroDivisionError):
        build([path], out, progress=lambda what, share, said: 1 / (what != "writing"))
    shutil.rmtree(work_folder(out))
    with pytest.raises(BegunOtherwise, match=r"out is a build of which .*out\.building is missing"):
        build([path], out)
    assert_same(build([path], out, force=True), in_memory(path))


def test_the_corpus_keeps_the_names_of_its_files_and_no_folders(tmp_path, monkeypatch):
    small(monkeypatch)
    path = write_csv(tmp_path / "texts.csv", rows_of(30))
    made = build([path], tmp_path / "out").manifest.made["plan"]
    found = path.stat()
    assert made["files"] == [["texts.csv", found.st_size, found.st_mtime_ns]]


def test_hidden_files_of_a_folder_are_not_read(tmp_path, monkeypatch):
    small(monkeypatch)
    (tmp_path / "in").mkdir()
    write_csv(tmp_path / "in" / "a.csv", rows_of(30))
    write_csv(tmp_path / "in" / ".b.csv", rows_of(40))
    assert build([tmp_path / "in"], tmp_path / "out", words=ALL).manifest.report["n_read"] == 30


# ---- how far it is -----------------------------------------------------------------------------


def test_the_share_that_is_read_grows_from_file_to_file(tmp_path, monkeypatch):
    small(monkeypatch, 8)
    paths = [write_csv(tmp_path / f"{i}.csv", rows_of(40, seed=i)) for i in range(3)]
    told = []
    build(paths, tmp_path / "out", progress=lambda *given: told.append(given))
    shares = [share for what, share, _ in told if what == "reading"]
    assert shares == sorted(shares)
    assert 0.6 < shares[-1] <= 1.0
    assert [said for what, _, said in told if what == "reading"][-1] == "113 documents read"


def test_what_was_done_before_counts_where_a_step_goes_on(tmp_path, monkeypatch):
    """Of ten chunks four are counted when the build ends."""
    small(monkeypatch, 10)
    path, out, told = write_csv(tmp_path / "texts.csv", rows_of(100)), tmp_path / "out", []

    def end(what, share, said):
        if what == "counting":
            told.append((share, said))
            if len(told) == 4:
                raise InterruptedError

    with pytest.raises(CorpusError, match="cannot be used"):
        build([path], out, progress=end)
    build([path], out, progress=end)
    assert [share for share, _ in told] == pytest.approx([i / 10 for i in range(1, 11)])
    assert told[4][1] == "50 documents"


def test_how_far_a_step_is_is_told_when_it_begins_and_now_and_then(monkeypatch):
    now, sent = [0.0], []
    monkeypatch.setattr(builder, "time", SimpleNamespace(monotonic=lambda: now[0]))
    said = builder._Said(SimpleNamespace(send=sent.append))
    for at, step, share in ((0.0, "reading", 0.1), (0.1, "reading", 0.2), (0.3, "reading", 0.3),
                            (0.4, "reading", 0.4), (0.41, "counting", 0.0)):  # fmt: skip
        now[0] = at
        said.progress(step, share, f"{share}")
    assert sent == [
        {"step": step, "done": of_all(step, share), "said": f"{share}"}
        for step, share in (("reading", 0.1), ("reading", 0.3), ("counting", 0.0))
    ]


# ---- processes ---------------------------------------------------------------------------------


def test_how_a_chunk_ended_is_told_and_raised_again(tmp_path, monkeypatch):
    kinds = (
        (None, ["done"]),
        (CorpusError("No\nword."), ["refused", "No word."]),
        (BegunOtherwise("Other."), ["anew", "Other."]),
        (OSError(errno.ENOSPC, "full", "/a/b"), ["disk", errno.ENOSPC, "/a/b"]),
        (OSError("odd"), ["disk", None, str(tmp_path)]),
        (RuntimeError("odd\nletters"), ["failed", "RuntimeError: odd letters"]),
    )
    for problem, answer in kinds:

        def work(chunk, problem=problem):
            if problem is not None:
                raise problem

        assert worker._answer({"step": work}, tmp_path, "step", 0) == answer
        monkeypatch.setattr(crew, "_answer", lambda *_, answer=answer: answer)
        if problem is None:
            assert crew._asked(None, "step", 0) is None
            continue
        with pytest.raises((CorpusError, OSError)) as raised:
            crew._asked(None, "step", 0)
        if isinstance(problem, (CorpusError, OSError)):
            assert type(raised.value) is type(problem)
        if isinstance(problem, OSError):
            number = problem.errno or errno.EIO
            assert (raised.value.errno, raised.value.strerror) == (number, os.strerror(number))
            assert raised.value.filename == answer[2]
        elif not isinstance(problem, CorpusError):
            assert "A process that counts words failed (RuntimeError: odd letters); start" in str(
                raised.value
            )


def test_after_a_problem_no_other_chunk_is_begun(tmp_path, monkeypatch):
    """One process meets it; the other is at a chunk until then, and takes no further one."""
    asked, at_one, failed = [], queue.SimpleQueue(), queue.SimpleQueue()

    def ask(process, step, chunk):
        asked.append(chunk)
        if chunk == 0:
            at_one.get(timeout=NEVER)
            failed.put(threading.current_thread())
            raise CorpusError("A problem.")
        elif chunk == 1:
            at_one.put(chunk)
            failed.get(timeout=NEVER).join(NEVER)

    monkeypatch.setattr(crew, "_started", lambda home: SimpleNamespace())
    monkeypatch.setattr(crew, "_asked", ask)
    done = []
    with pytest.raises(CorpusError, match=r"^A problem\.$"):
        Crew(tmp_path, 2).work_on("count", range(5), lambda: done.append(1))
    assert (sorted(asked), done) == ([0, 1], [1])


# ---- the folder of the work --------------------------------------------------------------------

BEGUN = BuildPlan(
    (Stamp("/x/a.csv", 5, 7), Stamp("/y/b.csv", 6, 8)), {"text": "t"}, {"min_df": 3}, "1"
)


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (BEGUN, ""),
        (None, "by a plan that can no longer be read"),
        (replace(BEGUN, version="2"), "by version 1 of the program"),
        (replace(BEGUN, files=BEGUN.files[:1]), "with other files (one of them is b.csv)"),
        (replace(BEGUN, files=BEGUN.files[::-1]), "with the same files in another order"),
        (
            replace(BEGUN, files=(BEGUN.files[0], Stamp("/y/b.csv", 6, 9))),
            "before b.csv was changed",
        ),
        (replace(BEGUN, options={"text": "u"}), "with another setting of text"),
        (replace(BEGUN, words={}), "with another setting of min_df"),
        (replace(BEGUN, words={"min_df": 3, "stem": "stem"}), "with another setting of stem"),
    ],
)
def test_how_a_plan_differs_is_told(now, why):
    assert plan._difference(BEGUN if now else None, now or BEGUN) == why


def test_only_what_is_called_as_ours_is_removed(tmp_path):
    ours = ("plan.json", "task-count.json", "records/000001.arrow", "counted/000001.npz",
            "places.npy.0123abcd.part")  # fmt: skip
    mine = ("my-plan.json", "plan.json.old", "records/a000001.arrow", "mine/000001.arrow")
    for name in (*ours, *mine):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    plan.remove_work(tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(mine)


def test_a_disk_that_is_full_or_refuses_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: namedtuple("usage", "free")(7_400_000))
    home = tmp_path / "a.building"
    for problem, said in (
        (
            OSError(errno.ENOSPC, "full"),
            f"There is no room left for {home} (7 MB are free); make room and start the same build "
            "again, which goes on where it ended.",
        ),
        (
            OSError(errno.EACCES, "Permission denied", str(home / "x")),
            f"{home / 'x'} cannot be used (Permission denied); see to it and start the same build "
            "again, which goes on where it ended.",
        ),
    ):
        with pytest.raises(CorpusError) as told, plan.room_for(home):
            raise problem
        assert str(told.value) == said
