"""Builds that are killed, refused or find no room: nothing is lost, and the result is the same."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.core import child
from bnpexplorer.core.child import ChildProcess
from bnpexplorer.corpus.corpus import CorpusError
from bnpexplorer.corpus.readers.source import ReadOptions
from bnpexplorer.plugins.building import chunks, crew, gathering
from bnpexplorer.plugins.building.build import build
from bnpexplorer.plugins.building.crew import Crew
from bnpexplorer.plugins.building.facts import BegunOtherwise
from bnpexplorer.plugins.building.plan import work_folder
from tests.tools.building import assert_same, in_memory, rows_of, small, write_csv
from tests.tools.waiting import NEVER

ROOT = Path(__file__).parents[3]
BUILD = """
import os, signal, sys
from pathlib import Path
from bnpexplorer.plugins.building import chunks, steps
from bnpexplorer.plugins.building.build import build
chunks.DOCUMENTS, steps.SHARD_DOCS = 20, 17
path, out, threads, stage, times = sys.argv[1:]
seen = 0

def progress(what, share, said):
    global seen
    seen += what == stage
    if seen == int(times):
        os.kill(os.getpid(), signal.SIGKILL)

words, threads = {"min_df": 1}, int(threads)
build([Path(path)], Path(out), words=words, threads=threads, progress=progress)
"""


def _run(path, out, threads=1, stage="", times=1):
    """Build in a process of its own, which kills itself when it has done so much of a stage."""
    command = [sys.executable, "-c", BUILD, path, out, threads, stage, times]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([*map(str, command)], env=environment, timeout=300).returncode


def _bytes_of(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.second
def test_a_build_that_is_killed_again_and_again_ends_byte_for_byte_as_one_left_alone(tmp_path):
    path = write_csv(tmp_path / "texts.csv", rows_of(150))
    assert _run(path, tmp_path / "alone", threads=3) == 0
    out = tmp_path / "out"
    for stage, times in (("reading", 2), ("counting", 3), ("numbering", 2), ("writing", 2)):
        assert _run(path, out, stage=stage, times=times) == -signal.SIGKILL
        assert not (out / "manifest.json").exists()
    records = work_folder(out) / "records" / "000001.arrow"
    written = records.stat().st_mtime_ns
    assert _run(path, out, stage="writing", times=3) == -signal.SIGKILL
    assert records.stat().st_mtime_ns == written, "what was done was done again"
    assert _run(path, out) == 0
    assert _bytes_of(out) == _bytes_of(tmp_path / "alone")
    assert not work_folder(out).exists()


@pytest.mark.second
def test_a_process_that_is_killed_is_told_and_the_build_goes_on(tmp_path, monkeypatch):
    path = write_csv(tmp_path / "texts.csv", rows_of(150))
    monkeypatch.setattr(chunks, "DOCUMENTS", 20)
    started, begin = [], crew._started

    def kill(what, share, said):
        if what == "counting" and len(started) < 3:
            os.kill(started[-1].pid, signal.SIGKILL)

    def note(home):
        started.append(begin(home))
        return started[-1]

    monkeypatch.setattr(crew, "_started", note)
    with pytest.raises(CorpusError, match=r"failed .*start the same build again, which goes on"):
        build([path], tmp_path / "out", threads=1, progress=kill)
    built = build([path], tmp_path / "out", threads=1)
    assert_same(built, in_memory(path))


@pytest.mark.parametrize("step", ["records", "counted"])
def test_without_room_the_part_stays_and_goes_on(tmp_path, monkeypatch, step):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    from bnpexplorer.plugins.building import counting

    with monkeypatch.context() as full:

        def refuse(folder, chunk, *more):
            if chunk == 2:
                raise OSError(errno.ENOSPC, "No space left on device", str(folder))
            return real(folder, chunk, *more)

        if step == "records":
            real = chunks.write_chunk
            full.setattr(gathering, "write_chunk", refuse)
        else:
            real = counting.write_words
            full.setattr(counting, "write_words", refuse)
        with pytest.raises(CorpusError, match=r"no room left .*goes on where it ended"):
            build([path], out)
    assert (work_folder(out) / "records" / "000001.arrow").exists()
    assert_same(build([path], out), in_memory(path))


def _begun(path, out, stage="counting", **more):
    """A build that ended within a stage."""

    class Ended(Exception):
        pass

    def end(what, share, said):
        if what == stage:
            raise Ended

    with pytest.raises(Ended):
        build([path], out, progress=end, **more)


def test_writing_goes_on_after_the_last_complete_shard(tmp_path, monkeypatch):
    small(monkeypatch, 60, shard=7)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    _begun(path, out, "writing")
    shard = out / "fields" / "00000.parquet"
    written = shard.stat().st_mtime_ns
    assert_same(build([path], out), in_memory(path))
    assert shard.stat().st_mtime_ns == written


def test_what_was_begun_otherwise_is_refused_until_it_is_forced(tmp_path, monkeypatch):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    _begun(path, out)
    with pytest.raises(CorpusError, match=r"another setting of min_df; give --force"):
        build([path], out, words={"min_df": 2})
    with pytest.raises(CorpusError, match=r"another setting of passages; give --force"):
        build([path], out, ReadOptions(passages="20"))
    with pytest.raises(CorpusError, match=r"with other files .*give --force"):
        build([path, write_csv(tmp_path / "more.csv", rows_of(5))], out)
    write_csv(path, rows_of(91, seed=1))
    with pytest.raises(CorpusError, match=r"before texts.csv was changed; give --force"):
        build([path], out)
    assert_same(build([path], out, force=True), in_memory(path))


def test_what_is_not_ours_is_refused_and_stays(tmp_path, monkeypatch):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(CorpusError, match=r"something else than a corpus"):
            build([path], out, force=force)
    other = tmp_path / "other"
    work_folder(other).mkdir()
    (work_folder(other) / "thesis.txt").write_text("mine")
    with pytest.raises(CorpusError, match=r"holds something else"):
        build([path], other, force=True)
    assert [file.name for file in work_folder(other).iterdir()] == ["thesis.txt"]
    assert (out / "thesis.txt").read_text() == (work_folder(other) / "thesis.txt").read_text()
    _begun(path, tmp_path / "third")
    guest = work_folder(tmp_path / "third") / "records" / "thesis.txt"
    guest.write_text("mine")
    build([path], tmp_path / "third", force=True)
    assert guest.read_text() == "mine"


def test_a_complete_corpus_is_neither_built_again_nor_replaced_unasked(tmp_path, monkeypatch):
    small(monkeypatch)
    path, out = write_csv(tmp_path / "texts.csv", rows_of(90)), tmp_path / "out"
    build([path], out)
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*")}
    build([path], out)
    with pytest.raises(CorpusError, match=r"other files or settings; .* or --force"):
        build([path], out, words={"min_df": 3})
    assert before == {file: file.stat().st_mtime_ns for file in out.rglob("*")}
    assert_same(
        build([path], out, words={"min_df": 3}, force=True), in_memory(path, words={"min_df": 3})
    )


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="signals of POSIX")
def test_processes_that_hang_are_killed_all_at_once(tmp_path, monkeypatch):
    """As one that waits for a disk: nothing is heard, and the others must not wait in turn."""
    now, killed, wait, kill = [0.0], [], ChildProcess.wait, ChildProcess.kill

    def stands(process, seconds):
        """Time goes by for nobody but who waits for one that was not killed."""
        if process in killed:
            return wait(process, NEVER)
        now[0] += seconds
        return wait(process, 0.0)

    processes = Crew(tmp_path, 3)
    processes._processes = [crew._started(tmp_path) for _ in range(3)]
    there = processes._processes
    for process in there:
        os.kill(process.pid, signal.SIGSTOP)
    listener = threading.Thread(target=list, args=(there[0].channel,), daemon=True)
    listener.start()  # as one that waits for a chunk
    with monkeypatch.context() as patched:
        patched.setattr(child, "time", SimpleNamespace(monotonic=lambda: now[0]))
        patched.setattr(ChildProcess, "wait", stands)
        patched.setattr(ChildProcess, "kill", lambda one: (killed.append(one), kill(one)))
        processes.end()
    assert now[0] == crew.PATIENCE, "for all of them together"
    assert [process.poll() for process in there] == [-signal.SIGKILL] * 3
    listener.join(NEVER)
    assert not listener.is_alive()


@pytest.mark.second
def test_what_a_process_finds_begun_otherwise_is_told_as_that(tmp_path):
    """Not as any other refusal; its task is missing here."""
    with Crew(tmp_path, 1) as processes, pytest.raises(BegunOtherwise, match="with --force"):
        processes.work_on("count", [0], lambda: None)


def test_a_corpus_is_not_built_within_what_is_read(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("text")
    with pytest.raises(CorpusError, match=r"lies in the folder that is read"):
        build([tmp_path / "in"], tmp_path / "in" / "out")
    assert {p.name for p in tmp_path.iterdir()} == {"in"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ragged.csv", "text,label\none two,a\nthree\n"),
        ("quote.csv", 'text,label\n"one two,a\nthree,b\n'),
        ("broken.jsonl", '{"text": "one"}\n{"text": \n'),
        ("broken.json", '[{"text": "one"},\n {"text": }]'),
        ("blank.txt", " \n\n"),
        ("bytes.csv", "text\n\0\0\n"),
        ("none.csv", "text,label\n"),
    ],
)
def test_a_bad_file_is_refused_with_the_sentence_of_load(tmp_path, monkeypatch, name, content):
    small(monkeypatch, 1)
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CorpusError) as wanted:
        in_memory(path)
    with pytest.raises(CorpusError) as found:
        build([path], tmp_path / "out")
    assert str(found.value) == str(wanted.value)
    assert not (tmp_path / "out").exists()
