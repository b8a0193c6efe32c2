"""One child as its server sees it: how it begins, works and is watched. No process is started."""

import ctypes
import os
import threading
import weakref
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bnpexplorer.core import store
from bnpexplorer.core.child import ONE_THREAD
from bnpexplorer.corpus.intake import process, usage, work
from bnpexplorer.corpus.intake.child import Answer
from bnpexplorer.corpus.intake.following import Follower, following
from bnpexplorer.corpus.intake.process import Child, ReadingFailed
from bnpexplorer.corpus.intake.usage import ReadingLimits, Usage
from bnpexplorer.corpus.readers.source import FIND_OUT, Source


def a_child(**known):
    """A child without a process, which knows no more than this."""
    one = object.__new__(Child)
    vars(one).update(known)
    return one


@pytest.mark.parametrize(
    ("why", "told", "sentence"),
    [
        ("memory", "memory", ""),
        ("cancelled", "cancelled", ""),
        ("time", "start", "it took more than 60 seconds of processor time"),
        ("still", "start", "it stood still for 60 seconds"),
        ("died", "start", "it ended at once"),
    ],
)
def test_why_a_child_did_not_begin_is_told(monkeypatch, why, told, sentence):
    @contextmanager
    def ended(self, seconds, follower):
        assert seconds == process.BEGINNING
        raise ReadingFailed(why)
        yield

    monkeypatch.setattr(Child, "_watched", ended)
    with pytest.raises(ReadingFailed) as failed:
        a_child(_ready=False).wait()
    assert (failed.value.why, failed.value.sentence) == (told, sentence)


@pytest.mark.parametrize(
    ("folder", "works_in"), [("/its/own", "/its/own"), ("", os.path.abspath(os.sep))]
)
def test_a_child_has_its_limit_one_thread_and_no_secrets(monkeypatch, folder, works_in):
    begun = []
    monkeypatch.setattr(process, "ChildProcess", lambda *a, **named: begun.append((a, named)))
    there = {"PATH": "/bin", "TZ": "Asia/Kathmandu", "BNPEXPLORER_KEY": "secret"}
    monkeypatch.setattr(process.os, "environ", there)
    a_child(limits=ReadingLimits(1000), _folder=folder)._started()
    kept = {"PATH": "/bin", "TZ": "Asia/Kathmandu"}
    named = {"folder": works_in, "environment": kept | ONE_THREAD}
    assert begun == [((process.CHILD, 800 * 2**20), named)]
    assert ONE_THREAD["OMP_NUM_THREADS"] == "1"


def counted(text: str) -> int:
    """A piece of work, of which a child would give the result."""


@pytest.mark.parametrize(("ended", "why"), [("well", ""), ("refused", "refused")])
def test_a_child_that_has_answered_is_free_for_the_next_file(monkeypatch, ended, why):
    one = a_child(_busy=False, _ready=True, _n_done=6, limits=ReadingLimits(1000))
    one._process = SimpleNamespace(channel=SimpleNamespace(outgoing=None, incoming=None), pid=5)
    follower = Follower()
    told, follower.tell = [], lambda said: told.append(said)
    said = ["1 of 3 texts", "x" * 101]
    answers = [*(Answer("under way", one) for one in said), Answer(ended, "a.csv, line 3: no.")]
    trees = iter([{"value": [store.pack(answer, {}), 41]} for answer in answers])
    sent = []
    monkeypatch.setattr(process.wire, "send", lambda to, message: sent.append(message))
    monkeypatch.setattr(process.wire, "receive", lambda *_: (next(trees), {}))
    monkeypatch.setattr(process, "usage_of", lambda pid: Usage())
    if why:
        with following(follower), pytest.raises(ReadingFailed) as failed:
            one.do(counted, 7.0, text="sea")
        assert (failed.value.why, failed.value.sentence) == (why, "a.csv, line 3: no.")
    else:
        with following(follower):
            assert one.do(counted, 7.0, text="sea") == 41
    assert told == ["", "1 of 3 texts", "x" * 100]
    ((request, arguments),) = sent
    assert (request.work, request.seconds, request.handed_over) == ("counted", 7.0, 200 * 2**20)
    assert arguments == {"text": "sea"}
    assert (one._busy, one._n_done) == (False, 7)


def test_who_follows_is_told_what_this_piece_of_work_has_used(monkeypatch):
    """Not what the child has used since it began."""
    looks = iter([Usage(9, 5.0, 100), Usage(70, 7.5, 130), Usage(80, 36.0, 140)])
    monkeypatch.setattr(process, "usage_of", lambda pid: next(looks))
    one = a_child(limits=ReadingLimits(1000), _ended_by_us=False)
    killed, seen, why = [], [], ["died"]
    one._process = SimpleNamespace(pid=5, poll=lambda: None, kill=lambda: killed.append(5))
    follower = SimpleNamespace(look=seen.append, cancelled=False)
    monkeypatch.setattr(process, "PAUSE", 0.0)
    one._watch(threading.Event(), why, 30.0, follower)
    assert seen == [Usage(70, 2.5, 30), Usage(80, 31.0, 40)]
    assert (why, killed, one._ended_by_us) == (["time"], [5], True)


@pytest.mark.parametrize(
    ("used", "cancelled", "why"),
    [
        (Usage(800 * 2**20, 3.0, 1), False, "died"),
        (Usage(800 * 2**20 + 1, 3.0, 1), False, "memory"),
        (Usage(2000 * 2**20, 99.0, 1), True, "cancelled"),
    ],
)
def test_a_child_that_holds_more_than_its_share_or_is_cancelled_is_ended(
    monkeypatch, used, cancelled, why
):
    over, told, killed = threading.Event(), ["died"], []
    monkeypatch.setattr(process, "usage_of", lambda pid: used)
    monkeypatch.setattr(process, "PAUSE", 0.0)
    one = a_child(limits=ReadingLimits(1000), _ended_by_us=False)
    one._process = SimpleNamespace(pid=5, poll=lambda: None, kill=lambda: killed.append(5))
    follower = SimpleNamespace(look=lambda usage: over.set(), cancelled=cancelled)
    one._watch(over, told, 30.0, follower)
    assert told == [why]
    assert killed == [5] * (why != "died")


def test_a_fork_lets_a_child_go_and_leaves_its_folder(tmp_path):
    let_go = []
    one = a_child(_process=SimpleNamespace(let_go=lambda: let_go.append("child")))
    one._tidying = weakref.finalize(one, process._tidy, str(tmp_path))
    one.let_go()
    del one
    assert let_go == ["child"]
    assert tmp_path.is_dir()


def test_windows_tells_what_a_process_asked_for_and_its_handle_is_closed(monkeypatch):
    closed = []

    def open_process(query, inherited, pid):
        assert (query, inherited) == (0x1000, False)
        return 77 if pid == 5 else None

    def memory(handle, pointer, size):
        counters = pointer._obj
        assert (handle.value, size, counters.size) == (77, counters.size, ctypes.sizeof(counters))
        counters.working_set, counters.pagefile, counters.peak_pagefile = 3000, 7000, 9000
        return 1

    def times(handle, *pointers):
        for pointer, ticks in zip(pointers, (1, 2, 30_000_000, 45_000_000), strict=True):
            pointer._obj.value = ticks
        return 1

    kernel = SimpleNamespace(
        OpenProcess=open_process,
        K32GetProcessMemoryInfo=memory,
        GetProcessTimes=times,
        CloseHandle=lambda handle: closed.append(handle.value),
    )
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    monkeypatch.setattr(usage, "SYSTEM", "Windows")
    assert usage.usage_of(5) == Usage(7000, 7.5, 0)
    assert closed == [77]
    assert usage.usage_of(6) == Usage(), "it has ended"


@pytest.mark.parametrize(
    ("shared", "asked", "seconds"),
    [("", "", 3600), ("1", "", 30), ("", "7", 7), ("1", "50", 50), ("", "0", 0), ("1", "0", 0)],
)
def test_a_piece_of_work_has_the_seconds_that_are_asked_for(monkeypatch, shared, asked, seconds):
    monkeypatch.setenv("BNPEXPLORER_SHARED", shared)
    monkeypatch.setenv("BNPEXPLORER_READ_SECONDS", asked)
    assert usage.reading_limits().seconds == seconds


def test_what_large_files_begin_with_is_told_with_their_number_and_size(monkeypatch):
    source = Source("a.csv", "csv", ("sea", "hill"), notes=("Read as CSV.",))
    asked = []

    def head(paths, options):
        asked.append((paths, options))
        return SimpleNamespace(source=source, whole=True, n_files=3, n_bytes=5000)

    monkeypatch.setattr(work, "plugin", {"head of files": head}.__getitem__)
    paths = tuple(np.frombuffer(name, np.uint8) for name in (b"/a/b.csv", b"c\xff"))
    looked = work.look(paths, FIND_OUT)
    assert (looked.whole, looked.n_files, looked.n_bytes, looked.n_docs) == (True, 3, 5000, 2)
    assert (looked.sent.texts, looked.sent.notes) == (("sea", "hill"), ("Read as CSV.",))
    assert asked == [([Path("/a/b.csv"), Path(os.fsdecode(b"c\xff"))], FIND_OUT)]
