"""Children that cannot start, that somebody else ends, and that a fork inherits."""

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from bnpexplorer.corpus import CorpusError
from bnpexplorer.corpus.intake import api, children, refusing, work
from bnpexplorer.corpus.intake.process import Child, ReadingFailed
from bnpexplorer.corpus.text import TextSettings
from tests.tools.waiting import NEVER

FILES = [("a.txt", b"one\ntwo")]
OWN = TextSettings(token_pattern="<(sea)>")


@pytest.fixture
def group(monkeypatch):
    """The children of this process, for a while others."""
    mine = children.Children()
    monkeypatch.setattr(api, "CHILDREN", mine)
    yield mine
    mine.end()


@pytest.mark.parametrize("executable", ["/no/such/python", "/bin/true", "/bin/echo"])
def test_a_child_that_cannot_start_is_a_sentence_with_its_own_remedy(
    executable, group, monkeypatch
):
    monkeypatch.setattr(sys, "executable", executable)
    group.warm()
    with pytest.raises(CorpusError, match=r"could not be started \(.*\): restart the app"):
        api.read_files(FILES)
    with pytest.raises(refusing.TryAgain, match="could not be started"):
        api.find_words("the <sea>", OWN, {})
    assert not group._all


def test_a_place_is_free_again_where_no_child_could_start(monkeypatch):
    def none(*_):
        raise ReadingFailed("start", "no memory")

    mine = children.Children(1)
    monkeypatch.setattr(mine, "_take", none)
    with pytest.raises(ReadingFailed, match="start"):
        mine.do(work.cut)
    assert mine._places.acquire(blocking=False)


class Made(SimpleNamespace):
    """What stands for a child, and may be in a set."""

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    ("known", "usable", "kept"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_a_child_is_kept_if_it_is_of_use_and_nobody_ended_all(known, usable, kept):
    ended = []
    child = Made(usable=usable, end=lambda: ended.append(True))
    mine = children.Children()
    mine._all |= {child} if known else set()
    mine._give_back(child)
    assert (mine._idle, bool(ended)) == ([child] * kept, not kept)
    assert mine._all == ({child} if kept else set())


def test_a_fork_lets_the_children_of_its_server_go(monkeypatch):
    let_go = []
    mine = children.Children(3)
    mine._all = {Made(let_go=lambda n=n: let_go.append(n)) for n in (5, 7)}
    mine._idle = [*mine._all]
    mine.begin_anew()
    assert sorted(let_go) == [5, 7]
    assert (mine._all, mine._idle) == (set(), [])
    assert [mine._places.acquire(blocking=False) for _ in range(4)] == [True, True, True, False]


@pytest.mark.second
def test_without_temporary_folder_files_are_read_all_the_same(group, monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    monkeypatch.setattr(tempfile, "mkdtemp", none)
    assert api.read_files(FILES).n_docs == 2
    (child,) = group._all
    assert child._folder == ""


@pytest.mark.second
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("ready", [True, False])
def test_a_child_that_others_kill_ran_out_of_memory(ready, monkeypatch):
    child = Child(api.reading_limits())
    if ready:
        child.wait()
    os.kill(child._process.pid, signal.SIGKILL)
    monkeypatch.setattr(children.Children, "_take", lambda *_: child)
    with pytest.raises(CorpusError, match=r"^Reading a\.txt takes .* or the machine ran out of it"):
        api.read_files(FILES)


@pytest.mark.second
def test_a_child_that_is_ended_here_did_not_run_out_of_memory():
    """As where another thread ends the server amid a file."""
    child = Child(api.reading_limits())
    child.wait()
    child.end()
    with pytest.raises(ReadingFailed) as told:
        child.do(work.cut, 5.0, text="<sea>", settings=OWN)
    assert told.value.why == "died"


def test_a_pattern_is_not_blamed_where_no_child_was_free(monkeypatch):
    def busy(*_, **__):
        raise ReadingFailed("busy")

    monkeypatch.setattr(api.CHILDREN, "do", busy)
    with pytest.raises(refusing.TryAgain, match="other files are being read; try again"):
        api.find_words("the <sea>", OWN, {})


@pytest.mark.second
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_has_children_of_its_own_and_ends_none_of_the_server():
    api.read_files(FILES)
    mine = children.CHILDREN
    places = [mine._places.acquire(timeout=NEVER) for _ in range(children.MOST)]
    folders = [Path(child._folder) for child in mine._all]
    fork = os.fork()
    if fork == 0:
        found = 1
        try:
            watch = threading.Timer(NEVER, os._exit, [2])
            watch.start()
            assert not mine._all
            assert api.read_files(FILES).n_docs == 2
            children._end()
            found = 0
        finally:
            os._exit(found)
    for _ in places:
        mine._places.release()
    assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0
    assert all(child.usable for child in mine._all)
    assert folders
    assert all(folder.is_dir() for folder in folders)
    assert api.read_files(FILES).n_docs == 2


@pytest.mark.second
def test_a_start_that_was_interrupted_leaves_no_child_half_ready(group, monkeypatch):
    """Ctrl-C while it starts: whoever came next waited for it in vain until the time was up."""

    def interrupted(stream, most):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("bnpexplorer.corpus.intake.wire.receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            api.read_files(FILES)
    assert not group._idle
    assert not group._all
    assert api.read_files(FILES).n_docs == 2
