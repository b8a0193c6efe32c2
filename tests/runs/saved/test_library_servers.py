"""Test who writes a saved run: its thread, one server at a time, and under the lock."""

import contextlib
import sqlite3
import time

import pytest

from bnpexplorer.core import store
from bnpexplorer.evaluate import split_heldout
from bnpexplorer.methods import make_method
from bnpexplorer.runs.background import BackgroundRun
from bnpexplorer.runs.registry import RunRegistry
from bnpexplorer.runs.run import Run
from bnpexplorer.runs.saved.library import Library, TakenElsewhere
from tests.runs.saved.small import make_run, with_texts
from tests.tools.waiting import NEVER


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path)


@pytest.fixture
def corpus(bars):
    return with_texts(bars[0])


@pytest.mark.second
def test_the_thread_keeps_its_run_at_pauses_and_at_the_end(library, corpus):
    registry = RunRegistry()

    def keep(entry, run, status):
        library.keep(entry.run_id, run, corpus, status, entry.secret)

    entry = registry.add(make_run(corpus), keep=keep)
    entry.background.step_once()
    entry.background.settle(30.0)
    assert library.get(entry.run_id).facts["docs_seen"] == 40
    assert library.get(entry.run_id).facts["status"] == "paused"
    loaded = RunRegistry().add(
        library.load(entry.run_id), run_id=entry.run_id, secret=library.secret(entry.run_id)
    )
    assert loaded.background.status == "paused"
    assert loaded.background.latest.docs_seen == 40
    assert loaded.secret == entry.secret
    loaded.background.start()
    assert loaded.background.wait(NEVER)
    assert loaded.background.status == "finished"
    entry.background.start()
    assert entry.background.wait(NEVER)
    assert library.get(entry.run_id).facts["status"] == "finished"
    assert BackgroundRun(library.load(entry.run_id)).status == "finished"


def test_a_pause_is_on_the_disk_when_it_is_shown(library, corpus):
    registry = RunRegistry()

    def keep(entry, run, status):
        library.keep(entry.run_id, run, corpus, status, entry.secret)

    train, heldout = split_heldout(corpus, 0, n=20)
    long = Run(make_method("hdp-tsvi"), train, 0, batch_size=40, passes=2000, heldout=heldout)
    entry = registry.add(long, keep=keep)
    entry.background.start()
    while entry.background.latest is None:
        time.sleep(0.01)
    for _ in range(5):
        registry.pause_all(NEVER)
        assert entry.background.status == "paused"
        saved = library.get(entry.run_id)
        assert saved.facts["status"] == "paused"
        assert saved.facts["docs_seen"] == entry.background.latest.docs_seen == long.docs_seen
        seen = long.docs_seen
        entry.background.resume()
        while long.docs_seen == seen:
            time.sleep(0.001)
    registry.stop_all()
    assert library.get(entry.run_id).facts["status"] == "stopped"


def test_whoever_goes_on_first_owns_the_run(library, corpus):
    run = make_run(corpus)
    library.keep("a", run, corpus, "running")
    elsewhere = Library(library.folder)
    theirs = elsewhere.load("a")
    theirs.step()
    elsewhere.keep("a", theirs, corpus, "running")
    with pytest.raises(TakenElsewhere, match="Another server"):
        library.keep("a", run, corpus, "paused")
    assert library.load("a", to_go_on=False).docs_seen == theirs.docs_seen, "not written over"
    with pytest.raises(TakenElsewhere, match="Another server"):
        library.keep("a", run, corpus, "paused")
    library.keep("a", library.load("a"), corpus, "paused")  # who opens it anew may go on
    with pytest.raises(TakenElsewhere):
        elsewhere.keep("a", theirs, corpus, "running")
    library.delete("a")
    library.keep("a", run, corpus, "paused")  # still there for a week
    library.purge()
    with pytest.raises(TakenElsewhere, match="deleted for good"):
        library.keep("a", run, corpus, "paused")


def test_a_row_is_read_and_written_under_the_lock(library, corpus, monkeypatch):
    library.keep("a", make_run(corpus), corpus, "paused")
    seen, mark = [], library.get("a").updated

    def under_the_lock(call):
        def checked(*arguments):
            lock = sqlite3.connect(library.folder / "library.lock", timeout=0, isolation_level=None)
            with contextlib.closing(lock), pytest.raises(sqlite3.OperationalError, match="locked"):
                lock.execute("BEGIN EXCLUSIVE")
            seen.append(call)
            return call(*arguments)

        return checked

    both = [store.read_json, store.write_json]
    for call in both:
        monkeypatch.setattr(store, call.__name__, under_the_lock(call))
    library.rename("a", "another")
    assert seen == both
    assert library._listing.claim("a", mark) > mark
    assert seen == both + both
